package cm_test

import (
	"net/netip"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// as makes the raw peer send from another address; it does not receive answers to that address.
func (r *rawCM) as(from netip.Addr) *rawCM {
	other := *r
	other.path = must(link.NewPath(netip.AddrPortFrom(from, 0xc001), r.path.Dst))(r.t)
	return &other
}

// nth returns a request that differs from all others, from the peer's address.
func (r *rawCM) nth(n uint32) *wire.CMReq {
	req := r.req()
	req.LocalCommID, req.LocalQPN = n+1, n+2
	from := r.path.Src.Addr()
	req.Primary.LocalGID = from.As16()
	ip := wire.CMIP{Src: netip.AddrPortFrom(from, 999), Dst: soft1.Addr()}
	copy(req.PrivateData[:], ip.Append(nil))
	return req
}

// sidr returns a request for the queue pair of the service.
func (r *rawCM) sidr(n uint32) *wire.CMSidrReq {
	req := &wire.CMSidrReq{RequestID: n, PKey: object.FullPKey, ServiceID: cm.ServiceID(verbs.PortSpaceUDP, cmPort)}
	copy(req.PrivateData[:], r.nth(0).PrivateData[:wire.CMIPLen])
	return req
}

// giveUp returns the REJ of a peer whose request has timed out.
func (r *rawCM) giveUp(req *wire.CMReq) *wire.CMRej {
	rej := &wire.CMRej{
		LocalCommID: req.LocalCommID, Message: wire.CMResponseOther, Reason: uint16(verbs.RejectTimeout), InfoLen: 8,
	}
	copy(rej.Info[:], req.LocalCAGUID[:])
	return rej
}

// TestCMRequestExpires leaves requests unanswered: they expire when their senders have given up, and not before.
func TestCMRequestExpires(t *testing.T) {
	const spacing = 1073741824*time.Nanosecond + 536870912*time.Nanosecond // of response time 18 and ACK timeout 17
	for _, tt := range []struct {
		name    string
		repeats int // duplicates of the request, right after the first
		life    time.Duration
	}{
		{"never repeated", 0, 4 * spacing},
		{"repeated, and told to wait", 1, 3*spacing + cm.Span(cm.ServiceTimeout)},
		{"repeated more often than it said", 9, spacing + cm.Span(cm.ServiceTimeout)},
	} {
		for _, taken := range []bool{false, true} {
			virtual(t, func(t *testing.T, p *soft.Provider) {
				listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
				listener.Listen(soft1)
				for range tt.repeats + 1 {
					r.put(r.req())
				}
				if got := len(r.answers()); got != min(tt.repeats, 3) {
					t.Errorf("%s: %d answers", tt.name, got)
				}
				var s *cmSide
				if taken {
					s, _ = listener.Request()
					s.Equip()
				}
				time.Sleep(tt.life - time.Millisecond)
				synctest.Wait()
				if pendingOf(p) != 1 {
					t.Errorf("%s: gone early", tt.name)
				}
				time.Sleep(2 * time.Millisecond)
				synctest.Wait()
				if pendingOf(p)+connectionsOf(p) != 0 || counterOf(t, p, "soft1", "cm_expired") != 1 {
					t.Errorf("%s: %d requests, %d connections left", tt.name, pendingOf(p), connectionsOf(p))
				}
				if taken {
					if ev := s.Event(verbs.CMUnreachable); ev.ID != s.ID || ev.Status != -int(syscall.ETIMEDOUT) {
						t.Errorf("%s: status %d", tt.name, ev.Status)
					}
					if a, _, err := s.QP.Query(verbs.AttrState); err != nil || a.QPState != verbs.QPErr {
						t.Errorf("%s: its queue pair is in %s, %v", tt.name, a.QPState, err)
					}
					wantErr(t, "Accept", s.ID.Accept(verbs.CMConnParam{QPNum: 9}), syscall.EINVAL)
				}
				listener.Quiet()
			})
		}
	}
}

// TestCMRequestUnanswered closes the identifiers of requests without an answer: each is counted once.
func TestCMRequestUnanswered(t *testing.T) {
	for _, tt := range []struct {
		space verbs.CMPortSpace
		body  func(r *rawCM) wire.CMBody
	}{
		{verbs.PortSpaceTCP, func(r *rawCM) wire.CMBody { return r.req() }},
		{verbs.PortSpaceUDP, func(r *rawCM) wire.CMBody { return r.sidr(7) }},
	} {
		virtual(t, func(t *testing.T, p *soft.Provider) {
			listener, r := newCMSide(t, p, tt.space), newRawCM(t, p)
			listener.Listen(soft1)
			r.put(tt.body(r))
			s, _ := listener.Request()
			ok(t, s.ID.Close())
			if n := counterOf(t, p, "soft1", "cm_unanswered"); n != 1 {
				t.Errorf("%s: counted %d", tt.space, n)
			}
		})
	}
}

// TestCMRequestLyingTimes sends the longest times that the fields can hold: a request is kept for five minutes at most.
func TestCMRequestLyingTimes(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		listener.Listen(soft1)
		req := r.req()
		req.RemoteCMResponseTimeout, req.MaxCMRetries, req.Primary.LocalACKTimeout = 31, 15, 31
		r.put(req)
		time.Sleep(5 * time.Minute)
		listener.Quiet()
		if n := connectionsOf(p); n != 0 {
			t.Errorf("%d connections left", n)
		}
	})
}

// TestCMSIDRExpires does the same with a request for datagrams, which its sender repeats until it is answered.
func TestCMSIDRExpires(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, r := newCMSide(t, p, verbs.PortSpaceUDP), newRawCM(t, p)
		listener.Listen(soft1)
		for range 10 {
			r.put(r.sidr(7))
			time.Sleep(4 * time.Second)
		}
		s, _ := listener.Request()
		time.Sleep((cm.MaxRetries+1)*cm.Span(cm.SidrSpacing) - 41*time.Second)
		s.Quiet()
		time.Sleep(2 * time.Second)
		s.Event(verbs.CMUnreachable)
		r.put(r.sidr(7))
		listener.Request()
	})
}

// TestCMRequestGivenUp withdraws requests: an untaken one is not reported, and neither leaves any state.
func TestCMRequestGivenUp(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		listener.Listen(soft1)
		for n := range uint32(5000) {
			r.put(r.nth(n), r.giveUp(r.nth(n)))
		}
		listener.Quiet()
		r.put(r.nth(9))
		s, _ := listener.Request()
		r.put(r.giveUp(r.nth(9)))
		if ev := s.Event(verbs.CMRejected); ev.ID != s.ID || ev.Status != int(verbs.RejectTimeout) {
			t.Errorf("%+v", ev)
		}
		if n := connectionsOf(p) + listener.ID.(*cm.ID).Waiting(); n != 0 {
			t.Errorf("%d connections and requests left", n)
		}
	})
}

// TestCMFlood sends requests that are never continued, from one address and from many: an honest one is accepted at
// once and, although as many follow, is kept until the program takes it.
func TestCMFlood(t *testing.T) {
	for _, sources := range []int{1, 200} {
		for name, bound := range map[string]int{"backlog 8": 8, "any backlog": 0} {
			virtual(t, func(t *testing.T, p *soft.Provider) {
				listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
				ok(t, listener.ID.BindAddr(soft1))
				ok(t, listener.ID.Listen(bound))
				if bound == 0 {
					bound = cm.MaxPending
				}
				flood := func(n uint32) {
					for i := range n {
						from := r.as(netip.AddrFrom4([4]byte{127, 0, 1, byte(i % uint32(sources))}))
						m := wire.NewCM(0x77, from.nth(i))
						from.send(madPacket(m.Append(nil)))
						if i%100 == 0 {
							synctest.Wait()
						}
					}
					synctest.Wait()
				}
				flood(cm.MaxPending + 300)
				if n := pendingOf(p); n != bound {
					t.Errorf("%d sources, %s: %d requests pending, want %d", sources, name, n, bound)
				}
				a := newCMSide(t, p, verbs.PortSpaceTCP)
				a.Resolve(soft1)
				a.Equip()
				ok(t, a.ID.Connect(cmParam))
				synctest.Wait()
				if sources < bound {
					flood(cm.MaxPending + 300)
				}
				served := false
				for {
					ev, some := listener.Poll()
					if !some {
						break
					}
					served = served || ev.ID.PeerAddr() == a.ID.LocalAddr()
					ok(t, ev.ID.Close())
				}
				if !served {
					t.Errorf("%d sources, %s: the honest request was not reported", sources, name)
				}
				if counterOf(t, p, "soft1", "cm_evicted") == 0 || sources == 1 &&
					counterOf(t, p, "soft1", "cm_no_room") == 0 {
					t.Errorf("%d sources, %s: not counted", sources, name)
				}
			})
		}
	}
}

// TestCMEvictedComesAgain has a request dropped in favor of another: a program that has taken it is notified, and the
// repeated request is accepted later.
func TestCMEvictedComesAgain(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		ok(t, listener.ID.BindAddr(soft1))
		ok(t, listener.ID.Listen(1))
		r.put(r.nth(0))
		other := r.as(netip.MustParseAddr("127.0.0.78"))
		other.put(other.nth(1))
		if got := r.answers(); len(got) != 0 {
			t.Errorf("answered %+v", got)
		}
		s, _ := listener.Request()
		if from := s.ID.PeerAddr().Addr(); from != other.path.Src.Addr() {
			t.Errorf("from %s", from)
		}
		r.put(r.nth(0))
		if s, _ = listener.Request(); s.ID.PeerAddr().Addr() != rawAddr {
			t.Errorf("from %s", s.ID.PeerAddr())
		}
	})
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		listener.Listen(soft1)
		var first *cmSide
		for i := range uint32(cm.MaxPending + 1) {
			many := r.as(netip.AddrFrom4([4]byte{127, 1, byte(i >> 8), byte(i)}))
			many.put(many.nth(i))
			if i == cm.MaxPending {
				if ev := first.Event(verbs.CMUnreachable); ev.ID != first.ID ||
					ev.Status != -int(syscall.ECONNABORTED) {
					t.Errorf("status %d", ev.Status)
				}
			}
			s, _ := listener.Request()
			if i == 0 {
				first = s
			}
		}
		if n := counterOf(t, p, "soft1", "cm_evicted"); n != 1 {
			t.Errorf("%d requests were counted as dropped, want 1", n)
		}
	})
}

// TestCMForgedAddress sends requests whose IP header names other hosts: they count against the actual sender.
func TestCMForgedAddress(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		listener.Listen(soft1)
		req := r.req()
		ip := wire.CMIP{Src: netip.MustParseAddrPort("10.9.8.7:999"), Dst: soft1.Addr()}
		copy(req.PrivateData[:], ip.Append(nil))
		r.put(req)
		if s, _ := listener.Request(); s.ID.PeerAddr() != netip.AddrPortFrom(rawAddr, 999) {
			t.Errorf("from %s", s.ID.PeerAddr())
		}
	})
}

// TestCMTakenNumbers sends requests with the GUID and the queue pair of a host, from another address: the host's own
// requests are not mistaken for duplicates of them.
func TestCMTakenNumbers(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		listener.Listen(soft1)
		thief := r.as(netip.MustParseAddr("127.0.0.78"))
		stolen := thief.nth(3)
		stolen.LocalCAGUID = r.req().LocalCAGUID
		thief.put(stolen)
		listener.Request()
		r.put(r.nth(3))
		listener.Request()
	})
}

// TestCMTimewaitBound ends a connection when others are in time-wait: as one of at most cm.MaxResting, the connection
// stays until its packets can no longer arrive; one more gets TIMEWAIT_EXIT at once.
func TestCMTimewaitBound(t *testing.T) {
	for _, tt := range []struct {
		others int
		cut    uint64
	}{{0, 0}, {cm.MaxResting - 1, 0}, {cm.MaxResting, 1}} {
		virtual(t, func(t *testing.T, p *soft.Provider) {
			listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
			listener.Listen(soft1)
			managerOf(p).AddResting(tt.others)
			defer managerOf(p).AddResting(-tt.others)
			r.put(r.req())
			s, _ := listener.Request()
			ok(t, s.ID.Accept(verbs.CMConnParam{QPNum: 9}))
			synctest.Wait()
			rep := answer[*wire.CMRep](r)
			r.put(&wire.CMRtu{LocalCommID: 0x1001, RemoteCommID: rep.LocalCommID},
				&wire.CMDreq{LocalCommID: 0x1001, RemoteCommID: rep.LocalCommID, RemoteQPN: rep.LocalQPN})
			s.Event(verbs.CMEstablished)
			s.Event(verbs.CMDisconnected)
			ok(t, s.ID.Disconnect())
			before := time.Now()
			s.Event(verbs.CMTimewaitExit)
			if at, cut := time.Since(before), counterOf(t, p, "soft1", "cm_timewait_cut"); (at == 0) != (tt.cut > 0) ||
				cut != tt.cut {
				t.Errorf("beside %d others: after %s, %d were cut", tt.others, at, cut)
			}
		})
	}
}

// pendingOf returns the number of requests that a provider's manager keeps.
func pendingOf(p *soft.Provider) int { return managerOf(p).Tables().Pending }

// connectionsOf returns the number of connections that it keeps.
func connectionsOf(p *soft.Provider) int { return managerOf(p).Tables().Connections }
