package softtest

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
)

// NextEvent takes the next asynchronous event of a device, or fails.
func (s *Side) NextEvent(want verbs.EventType) verbs.AsyncEvent {
	s.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ev, err := s.Dev.GetAsyncEvent(ctx)
	if err != nil || ev.Type != want {
		s.T.Fatalf("event %s, %v; want %s", ev.Type, err, want)
	}
	return ev
}

// NoEvent fails if an event is pending. Call it only after everything that might raise one is known to be over.
func (s *Side) NoEvent() {
	s.T.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if ev, err := s.Dev.GetAsyncEvent(ctx); err == nil {
		s.T.Errorf("unexpected event %s", ev.Type)
	}
}

// WaitState waits for a state: a responder goes to ERR just after its NAK has left.
func (s *Side) WaitState(want verbs.QPState) {
	s.T.Helper()
	for end := time.Now().Add(time.Minute); s.State() != want; time.Sleep(20 * time.Microsecond) {
		if time.Now().After(end) {
			s.T.Fatalf("state %s, want %s", s.State(), want)
		}
	}
}

// Pair connects a new queue pair of the side's domain with one of soft0.
func (s *Side) Pair(t *testing.T, p Provider) (near, far *Side) {
	t.Helper()
	o := PairOptions{}.WithDefaults()
	near = &Side{T: t, Dev: s.Dev, PD: s.PD, CQ: s.CQ, GID: s.GID}
	near.QP = near.NewQP(o)
	far = NewSide(t, p, "soft0", o)
	BringUp(t, near, far, o)
	return near, far
}

// NewMW allocates a memory window until the test ends.
func (s *Side) NewMW(typ verbs.MWType) verbs.MW {
	s.T.Helper()
	w := Must(s.PD.AllocMW(typ))(s.T)
	CloseAtEnd(s.T, w)
	return w
}

// Join attaches until the end of the test, or until the test detaches.
func (s *Side) Join(group verbs.GID) {
	s.T.Helper()
	OK(s.T, s.QP.AttachMcast(group, 0))
	s.T.Cleanup(func() {
		if err := s.QP.DetachMcast(group, 0); err != nil && !errors.Is(err, syscall.EINVAL) {
			s.T.Error(err)
		}
	})
}

// Await returns n completions, waiting for completion events.
func (s *Side) Await(ctx context.Context, n int) (wcs []verbs.WC, err error) {
	var batch [8]verbs.WC
	for {
		if err := s.CQ.ReqNotify(false); err != nil {
			return wcs, err
		}
		for k := 1; k > 0; wcs = append(wcs, batch[:k]...) {
			if k, err = s.CQ.Poll(batch[:]); err != nil {
				return wcs, err
			}
		}
		if len(wcs) >= n {
			return wcs, nil
		}
		if _, err := s.Ch.GetCQEvent(ctx); err != nil {
			return wcs, err
		}
		s.CQ.AckEvents(1)
	}
}

// Move changes only the state.
func (s *Side) Move(to verbs.QPState) {
	s.T.Helper()
	OK(s.T, s.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: to}))
}

// Next takes the next event, which must be of a type.
func (s *CMSide) Next(want verbs.CMEventType) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ev, err := s.Channel.GetEvent(ctx)
	if err == nil && ev.Type != want {
		err = fmt.Errorf("event %s, status %d, want %s", ev.Type, ev.Status, want)
	}
	return err
}

// Poll takes a pending event; false if there is none.
func (s *CMSide) Poll() (verbs.CMEvent, bool) {
	s.T.Helper()
	synctest.Wait()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ev, err := s.Channel.GetEvent(ctx)
	return ev, err == nil
}
