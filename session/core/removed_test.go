package core_test

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"
	"testing/synctest"

	"rdmatui/session/core"
)

// TestGoneAtOnce: an error of the kernel's after a removal names the removed device, though the check for removals has
// not noticed it and the host lists the device for a moment.
func TestGoneAtOnce(t *testing.T) {
	refused := fmt.Errorf("ibv_post_send: %w", syscall.EIO)
	peerLeft := &core.TimeUpError{Text: "the peer left", Awaited: core.Awaited{Kind: core.AwaitedPeer}}
	for name, tt := range map[string]struct {
		err   error
		looks int // after which the host does not list the device; 0: always lists it
		want  string
	}{
		"gone":                         {refused, 1, "the host removed rxe0"},
		"gone later":                   {refused, 4, "the host removed rxe0"},
		"the peer left":                {peerLeft, 1, "the host removed rxe0"},
		"the peer left, gone later":    {peerLeft, 4, "the host removed rxe0"},
		"the peer left, and no device": {peerLeft, 0, peerLeft.Error()},
		"another EIO":                  {refused, 0, refused.Error()},
		"another fail":                 {syscall.ENOMEM, 1, syscall.ENOMEM.Error()},
	} {
		synctest.Test(t, func(t *testing.T) {
			looks := 0
			gone := func(*core.Session) string {
				if looks++; looks == tt.looks {
					return "rxe0"
				}
				return ""
			}
			s := core.New(core.Options{}, core.Wiring{Gone: gone,
				Record: func(*core.Session) core.Recorder { return nil }})
			got := s.WhyRemoved(context.Background(), tt.err)
			if got.Error() != tt.want || !errors.Is(got, tt.err) {
				t.Errorf("%s: %v, want %s", name, got, tt.want)
			}
		})
	}
}
