//go:build !linux

package link

import (
	"errors"
	"time"
)

// Sleeper lets a goroutine sleep at a link's socket; there are none on this system.
type Sleeper struct{}

// NewSleeper fails: the link's wake tells of what arrives.
func (u *UDP) NewSleeper() (*Sleeper, error) { return nil, errors.ErrUnsupported }

// Sleep fails.
func (s *Sleeper) Sleep(time.Duration) (arrived bool, err error) { return false, errors.ErrUnsupported }

// Wake does nothing.
func (s *Sleeper) Wake() {}

// Close does nothing.
func (s *Sleeper) Close() {}
