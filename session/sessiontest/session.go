package sessiontest

import (
	"runtime"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// Everything makes one object of each kind.
const Everything = `
open_device
alloc_pd
reg_mr length=64
create_comp_channel
create_cq channel=channel
create_srq
create_qp srq=srq
create_qp u qp_type=UD
create_ah dlid=9
peer p qp_num=0x12 psn=3 gid=10.0.0.2
`

// NewFaked makes a session on a fake, and checks at the end that no object is left.
func NewFaked(t *testing.T, opts core.Options) (*session.Session, *Fake) {
	t.Helper()
	before := runtime.NumGoroutine()
	f := NewFake()
	opts.Providers = []verbs.Provider{f}
	s := session.New(opts)
	t.Cleanup(func() {
		s.Close()
		if n := f.Alive.Load(); n != 0 && f.Stuck == "" {
			t.Errorf("%d objects left", n)
		}
		settle(t, before)
	})
	return s, f
}

// settle waits until no more goroutines run than before.
func settle(t *testing.T, before int) {
	t.Helper()
	for range 60_000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	buf := make([]byte, 1<<16)
	t.Errorf("goroutines left:\n%s", buf[:runtime.Stack(buf, true)])
}

// Execute carries out a line that must succeed.
func Execute(t *testing.T, s *session.Session, line string) timeline.CommandDone {
	t.Helper()
	done, err := s.Exec(t.Context(), line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return done
}
