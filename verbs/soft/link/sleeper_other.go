//go:build !linux

package link

import (
	"errors"
	"time"
)

// Sleeper is not available on this system.
type Sleeper struct{}

// NewSleeper fails: the link's wake reports arriving packets.
func (u *UDP) NewSleeper() (*Sleeper, error) { return nil, errors.ErrUnsupported }

// Sleep fails.
func (s *Sleeper) Sleep(time.Duration) (arrived bool, err error) { return false, errors.ErrUnsupported }

// Wake does nothing.
func (s *Sleeper) Wake() {}

// Close does nothing.
func (s *Sleeper) Close() {}
