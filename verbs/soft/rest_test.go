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
var never = pairOptions{gidIndex: -1, keepZero: true, rdAtomic: 1, retry: 7, rnrRetry: 7, events: true}

// await returns n completions, waiting for completion events.
func (s *side) await(ctx context.Context, n int) (wcs []verbs.WC, err error) {
	var batch [8]verbs.WC
	for {
		if err := s.cq.ReqNotify(false); err != nil {
			return wcs, err
		}
		for k := 1; k > 0; wcs = append(wcs, batch[:k]...) {
			if k, err = s.cq.Poll(batch[:]); err != nil {
				return wcs, err
			}
		}
		if len(wcs) >= n {
			return wcs, nil
		}
		if _, err := s.ch.GetCQEvent(ctx); err != nil {
			return wcs, err
		}
		s.cq.AckEvents(1)
	}
}

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
				s.recv(verbs.RecvWR{})
				s.send(verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
			}
			if wcs, err := s.await(ctx, due); err != nil || len(wcs) != due {
				t.Errorf("round %d: %d of %d completions, %v", n, len(wcs), due, err)
				return
			}
		}
		if !first {
			s.send(verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
			if _, err := s.await(ctx, 1); err != nil {
				t.Error(err)
			}
		}
	}
	b.recv(verbs.RecvWR{})
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
	mr := b.newMR(64, everything)
	for range 30 {
		volley(t, a, b, 20)
		a.send(verbs.SendWR{WRID: 7, Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled,
			RemoteAddr: mr.Addr(), RKey: mr.RKey()})
		a.want(7, verbs.WCSuccess)
		for id := range uint64(20) {
			b.recv(verbs.RecvWR{WRID: id})
			a.send(verbs.SendWR{WRID: id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
			b.want(id, verbs.WCSuccess) // want polls
			a.want(id, verbs.WCSuccess)
		}
		a.send(verbs.SendWR{WRID: 8, Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled,
			RemoteAddr: mr.Addr(), RKey: mr.RKey()})
		a.want(8, verbs.WCSuccess)
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
			ok(t, s.qp.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}))
		}, nil},
		{"cancelled", func(_ *testing.T, _ *side, cancel func()) { cancel() }, context.Canceled},
		{"closed", func(t *testing.T, s *side, _ func()) {
			ok(t, s.qp.Close())
			ok(t, s.cq.Close())
			ok(t, s.ch.Close())
		}, verbs.ErrClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := connect(t, loopbackProvider(t), "soft0", "soft1", never)
			volley(t, a, b, 3) // now the programs wait at the socket
			a.recv(verbs.RecvWR{})
			ok(t, a.cq.ReqNotify(false))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			eng := a.dev.(*device).adapter.eng
			got := make(chan error)
			go func() {
				_, err := a.ch.GetCQEvent(ctx)
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
