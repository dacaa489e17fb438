//go:build !linux

package link

import "errors"

// Watch is not available on this system: the link's wake reports all packets.
type Watch struct{}

const watches = false

// Watch fails.
func (u *UDP) Watch(arrived func()) (*Watch, error) { return nil, errors.ErrUnsupported }

// Arm fails.
func (w *Watch) Arm() error { return errors.ErrUnsupported }

// Close does nothing.
func (w *Watch) Close() {}
