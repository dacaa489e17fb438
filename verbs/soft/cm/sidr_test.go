package cm_test

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/wire"
)

// askRaw sends a SIDR_REQ from soft1 to the raw peer.
func askRaw(r *rawCM) (s *cmSide, id uint32) {
	r.t.Helper()
	s = newCMSide(r.t, r.p, verbs.PortSpaceUDP)
	ok(r.t, s.ID.BindAddr(netip.AddrPortFrom(soft1.Addr(), 0)))
	s.Resolve(netip.AddrPortFrom(rawAddr, 5))
	ok(r.t, s.ID.Connect(verbs.CMConnParam{}))
	synctest.Wait()
	return s, answer[*wire.CMSidrReq](r).RequestID
}

// TestCMSIDRImpossibleAnswer answers with numbers that no queue pair has: they are ignored, and the requester still
// gets the right answer, or an event that none arrived.
func TestCMSIDRImpossibleAnswer(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status wire.CMSidrStatus
		qpn    uint32
		want   verbs.CMEventType
	}{
		{"a queue pair", wire.CMSidrValid, 2, verbs.CMEstablished},
		{"queue pair 0", wire.CMSidrValid, 0, 0},
		{"queue pair 1", wire.CMSidrValid, 1, 0},
		{"the highest queue pair", wire.CMSidrValid, 0xfffffe, verbs.CMEstablished},
		{"the multicast queue pair", wire.CMSidrValid, 0xffffff, 0},
		{"refused, with queue pair 0", wire.CMSidrReject, 0, verbs.CMUnreachable},
	} {
		for _, later := range []bool{true, false} {
			virtual(t, func(t *testing.T, p *soft.Provider) {
				r := newRawCM(t, p)
				s, id := askRaw(r)
				r.put(&wire.CMSidrRep{RequestID: id, Status: tt.status, QPN: tt.qpn, QKey: 7})
				if tt.want != 0 {
					if ev := s.Event(tt.want); ev.Type == verbs.CMEstablished && ev.UD.QPNum != verbs.QPN(tt.qpn) {
						t.Errorf("%s: %s", tt.name, ev.UD.QPNum)
					}
					s.Quiet()
					return
				}
				s.Quiet()
				if later {
					r.put(&wire.CMSidrRep{RequestID: id, QPN: 99, QKey: 7})
					if ev := s.Event(verbs.CMEstablished); ev.UD.QPNum != 99 || ev.UD.QKey != 7 {
						t.Errorf("%s: %+v", tt.name, ev.UD)
					}
					return
				}
				s.Event(verbs.CMUnreachable)
			})
		}
	}
}

// TestCMSIDRUnsupported asks for services that are not there: each request is refused at once, and nobody is told.
func TestCMSIDRUnsupported(t *testing.T) {
	everywhere := netip.AddrPortFrom(netip.IPv4Unspecified(), cmPort)
	elsewhere := func(_ *rawCM, req *wire.CMSidrReq) {
		ip := wire.CMIP{Src: netip.AddrPortFrom(rawAddr, 999), Dst: soft0.Addr()}
		copy(req.PrivateData[:], ip.Append(nil))
	}
	for _, tt := range []struct {
		name   string
		at     netip.AddrPort // of the listener
		change func(r *rawCM, req *wire.CMSidrReq)
		taken  bool
	}{
		{"the service", soft1, func(*rawCM, *wire.CMSidrReq) {}, true},
		{"another port", soft1, func(_ *rawCM, req *wire.CMSidrReq) { req.ServiceID++ }, false},
		{"a connected service", soft1, func(_ *rawCM, req *wire.CMSidrReq) {
			req.ServiceID = cm.ServiceID(verbs.PortSpaceTCP, cmPort)
		}, false},
		{"a service beyond the port spaces", soft1, func(_ *rawCM, req *wire.CMSidrReq) {
			req.ServiceID |= 1 << 48
		}, false},
		{"no addresses", soft1, func(_ *rawCM, req *wire.CMSidrReq) { clear(req.PrivateData[:]) }, false},
		{"a listener on all devices", everywhere, func(*rawCM, *wire.CMSidrReq) {}, true},
		{"the address of another device", everywhere, elsewhere, false},
		{"the address of another device, on which it listens", soft0, elsewhere, false},
	} {
		virtual(t, func(t *testing.T, p *soft.Provider) {
			datagrams, connections, r := newCMSide(t, p, verbs.PortSpaceUDP), newCMSide(t, p, verbs.PortSpaceTCP),
				newRawCM(t, p)
			datagrams.Listen(tt.at)
			connections.Listen(soft1)
			req := r.sidr(7)
			tt.change(r, req)
			r.put(req)
			if tt.taken {
				ok(t, datagrams.Event(verbs.CMConnectRequest).ID.Close())
			} else if rep := answer[*wire.CMSidrRep](r); rep.Status != wire.CMSidrUnsupported || rep.RequestID != 7 ||
				rep.ServiceID != req.ServiceID {
				t.Errorf("%s: %+v", tt.name, rep)
			}
			datagrams.Quiet()
			connections.Quiet()
		})
	}
}

// TestCMSIDRAnswersKept answers more requests than the manager keeps answers for: duplicates of the kept ones get their
// answer again, the other duplicates count as new requests.
func TestCMSIDRAnswersKept(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, r := newCMSide(t, p, verbs.PortSpaceUDP), newRawCM(t, p)
		listener.Listen(soft1)
		const kept = 2 * cm.MaxPending
		for n := range uint32(kept + 2) {
			r.put(r.sidr(n + 1))
			ev := listener.Event(verbs.CMConnectRequest)
			ok(t, ev.ID.Accept(verbs.CMConnParam{QPNum: 9}))
			ok(t, ev.ID.Close())
		}
		synctest.Wait()
		if n := managerOf(p).Tables().SIDR; n != kept {
			t.Errorf("%d answers kept, want %d", n, kept)
		}
		if n := counterOf(t, p, "soft1", "cm_sidr_forgotten"); n != 2 {
			t.Errorf("counted %d, want 2", n)
		}
		r.answers()
		r.put(r.sidr(1))
		answer[*wire.CMSidrRep](r)
		r.put(r.sidr(kept + 2))
		ok(t, listener.Event(verbs.CMConnectRequest).ID.Close())
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := managerOf(p).Tables().SIDR; n != 0 {
			t.Errorf("%d answers kept after a minute", n)
		}
	})
}
