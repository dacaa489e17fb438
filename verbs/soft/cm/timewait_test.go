package cm_test

import (
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/wire"
)

// TestCMLongTimewait lets a peer announce an ACK delay of hours: the time-wait, which lasts as long as late packets may
// be in flight, is still bounded.
func TestCMLongTimewait(t *testing.T) {
	for _, tt := range []struct {
		name string
		// connect makes a connection with the peer, and returns our side and its communication ID.
		connect func(t *testing.T, p *soft.Provider, r *rawCM) (s *cmSide, local uint32)
	}{
		{"passive", func(t *testing.T, p *soft.Provider, r *rawCM) (*cmSide, uint32) {
			listener := newCMSide(t, p, verbs.PortSpaceTCP)
			listener.Listen(soft1)
			req := r.req()
			req.Primary.LocalACKTimeout = object.MaxTimer
			r.put(req)
			s, _ := listener.Request()
			ok(t, s.ID.Accept(verbs.CMConnParam{QPNum: 98}))
			synctest.Wait()
			rep := answer[*wire.CMRep](r)
			r.put(&wire.CMRtu{LocalCommID: req.LocalCommID, RemoteCommID: rep.LocalCommID})
			s.Event(verbs.CMEstablished)
			return s, rep.LocalCommID
		}},
		{"active", func(t *testing.T, p *soft.Provider, r *rawCM) (*cmSide, uint32) {
			s := newCMSide(t, p, verbs.PortSpaceTCP)
			connectRaw(s)
			req := answer[*wire.CMReq](r)
			r.put(&wire.CMRep{
				LocalCommID: 0x1001, RemoteCommID: req.LocalCommID, LocalQPN: rawQPN,
				LocalCAGUID: [8]byte{1}, TargetACKDelay: object.MaxTimer,
			})
			s.Event(verbs.CMEstablished)
			answer[*wire.CMRtu](r)
			return s, req.LocalCommID
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *soft.Provider) {
				r := newRawCM(t, p)
				s, local := tt.connect(t, p, r)
				if timeout := connectionOf(s).Timeout; timeout != object.MaxTimer {
					t.Fatalf("timeout %d", timeout)
				}
				ok(t, s.ID.Disconnect())
				synctest.Wait()
				answer[*wire.CMDreq](r)
				r.put(&wire.CMDrep{LocalCommID: 0x1001, RemoteCommID: local})
				s.Event(verbs.CMDisconnected)
				start := time.Now()
				s.Event(verbs.CMTimewaitExit)
				if d := time.Since(start); d != cm.Span(cm.MaxTimewait) {
					t.Errorf("time-wait of %s, want %s", d, cm.Span(cm.MaxTimewait))
				}
			})
		})
	}
}
