//go:build !linux

package link

import "errors"

// Watch tells that packets wait; there are none on this system, where the link's wake tells of everything.
type Watch struct{}

const watches = false

// Watch fails.
func (u *UDP) Watch(arrived func()) (*Watch, error) { return nil, errors.ErrUnsupported }

// Arm fails.
func (w *Watch) Arm() error { return errors.ErrUnsupported }

// Close does nothing.
func (w *Watch) Close() {}
