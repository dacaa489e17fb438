package soft

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"rdmatui/verbs"
)

// never is a connection that does not retransmit, so that a packet left unread is noticed.
var never = pairOptions{GIDIndex: -1, KeepZero: true, RDAtomic: 1, Retry: 7, RNRRetry: 7, Events: true}

// volley plays a ping-pong in which both ends wait for completion events.
func volley(t *testing.T, a, b *side, rounds int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var ends sync.WaitGroup
	play := func(s *side, first bool) {
		for n := range rounds {
			due := 2 // the message sent and the message received
			if n == 0 && !first {
				due = 1
			}
			if n > 0 || first {
				s.Recv(verbs.RecvWR{})
				s.Send(verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
			}
			if wcs, err := s.Await(ctx, due); err != nil || len(wcs) != due {
				t.Errorf("round %d: %d of %d completions, %v", n, len(wcs), due, err)
				return
			}
		}
		if !first {
			s.Send(verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
			if _, err := s.Await(ctx, 1); err != nil {
				t.Error(err)
			}
		}
	}
	b.Recv(verbs.RecvWR{})
	ends.Go(func() { play(b, false) })
	play(a, true)
	ends.Wait()
}

// TestWaitersMoveThePackets lets both ends wait for an event per completion. Nothing is lost, so nothing may be
// retransmitted.
func TestWaitersMoveThePackets(t *testing.T) {
	p := loopbackProvider(t)
	a, b := connect(t, p, "soft0", "soft1", never)
	volley(t, a, b, 500)
	for _, device := range []string{"soft0", "soft1"} {
		if n := counterOf(t, p, device, "retransmits"); n != 0 {
			t.Errorf("%s retransmitted %d packets", device, n)
		}
	}
}

// TestLeftSocketIsLookedAfter has programs read the socket, by waiting or by polling, and then stop: the engine, which
// stood by, must answer the peer.
func TestLeftSocketIsLookedAfter(t *testing.T) {
	a, b := connect(t, loopbackProvider(t), "soft0", "soft1", never)
	mr := b.NewMR(64, everything)
	for range 30 {
		volley(t, a, b, 20)
		a.Send(verbs.SendWR{WRID: 7, Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled,
			RemoteAddr: mr.Addr(), RKey: mr.RKey()})
		a.Want(7, verbs.WCSuccess)
		for id := range uint64(20) {
			b.Recv(verbs.RecvWR{WRID: id})
			a.Send(verbs.SendWR{WRID: id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
			b.Want(id, verbs.WCSuccess) // want polls
			a.Want(id, verbs.WCSuccess)
		}
		a.Send(verbs.SendWR{WRID: 8, Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled,
			RemoteAddr: mr.Addr(), RKey: mr.RKey()})
		a.Want(8, verbs.WCSuccess)
	}
}

// TestWaitersAtTheSocket ends a wait at the socket in all ways except by a packet.
func TestWaitersAtTheSocket(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(t *testing.T, s *side, cancel func())
		err  error
	}{
		{"flush", func(t *testing.T, s *side, _ func()) {
			ok(t, s.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}))
		}, nil},
		{"cancelled", func(_ *testing.T, _ *side, cancel func()) { cancel() }, context.Canceled},
		{"closed", func(t *testing.T, s *side, _ func()) {
			ok(t, s.QP.Close())
			ok(t, s.CQ.Close())
			ok(t, s.Ch.Close())
		}, verbs.ErrClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := connect(t, loopbackProvider(t), "soft0", "soft1", never)
			volley(t, a, b, 3) // now the programs wait at the socket
			a.Recv(verbs.RecvWR{})
			ok(t, a.CQ.ReqNotify(false))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			eng := a.Dev.(*device).adapter.eng
			got := make(chan error)
			go func() {
				_, err := a.Ch.GetCQEvent(ctx)
				got <- err
			}()
			for range 1000 { // each waits there only briefly
				if eng.BusyPolled() {
					break
				}
				time.Sleep(100 * time.Microsecond)
			}
			tt.end(t, a, cancel)
			if err := <-got; !errors.Is(err, tt.err) {
				t.Errorf("%v, want %v", err, tt.err)
			}
		})
	}
}
