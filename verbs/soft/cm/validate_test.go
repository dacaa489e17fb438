package cm_test

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// TestCMLongestMRA asks for hours with an MRA: the request is repeated after the longest time allowed.
func TestCMLongestMRA(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		r := newRawCM(t, p)
		a := newCMSide(t, p, verbs.PortSpaceTCP)
		connectRaw(a)
		req := answer[*wire.CMReq](r)
		r.put(&wire.CMMra{LocalCommID: 0x2001, RemoteCommID: req.LocalCommID, Message: wire.CMResponseREQ,
			ServiceTimeout: 31})
		c := connectionOf(a)
		wait := cm.Span(cm.MaxServiceTimeout) + c.Late()
		time.Sleep(wait - time.Millisecond)
		if got := r.answers(); len(got) != 0 {
			t.Errorf("sent %+v", got)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		answer[*wire.CMReq](r)
	})
}

// TestCMDepthsOfREP receives a REP with other depths than were requested: the queue pair gets the smaller of the two.
func TestCMDepthsOfREP(t *testing.T) {
	for _, tt := range []struct{ resources, depth, wantDepth, wantResources uint8 }{
		{1, 1, 1, 1}, {0, 0, 0, 0}, {200, 200, cmParam.InitiatorDepth, cmParam.ResponderResources},
	} {
		virtual(t, func(t *testing.T, p *soft.Provider) {
			r := newRawCM(t, p)
			a := newCMSide(t, p, verbs.PortSpaceTCP)
			connectRaw(a)
			req := answer[*wire.CMReq](r)
			r.put(&wire.CMRep{
				LocalCommID: 0x1001, RemoteCommID: req.LocalCommID, LocalQPN: rawQPN, LocalCAGUID: [8]byte{1},
				ResponderResources: tt.resources, InitiatorDepth: tt.depth,
			})
			a.Event(verbs.CMEstablished)
			attr, _, err := a.QP.Query(verbs.AttrMaxQPRDAtomic | verbs.AttrMaxDestRDAtomic)
			ok(t, err)
			if attr.MaxRDAtomic != tt.wantDepth || attr.MaxDestRDAtomic != tt.wantResources {
				t.Errorf("%+v: max_rd_atomic %d, max_dest_rd_atomic %d", tt, attr.MaxRDAtomic, attr.MaxDestRDAtomic)
			}
		})
	}
}

// TestCMRepeatedElsewhere repeats a request to the other device of the host: it is no duplicate and is not answered.
func TestCMRepeatedElsewhere(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		ok(t, listener.ID.BindAddr(netip.AddrPortFrom(netip.IPv4Unspecified(), cmPort)))
		ok(t, listener.ID.Listen(0))
		r.put(r.req())
		listener.Request()
		r.path = must(link.NewPath(r.path.Src, netip.AddrPortFrom(soft0.Addr(), wire.Port)))(t)
		r.put(r.req())
		listener.Quiet()
		if got := r.answers(); len(got) != 0 {
			t.Errorf("answered %+v", got)
		}
	})
}

// TestCMOtherCommID sends the messages of a connection with another remote communication ID: they change nothing.
func TestCMOtherCommID(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		listener.Listen(soft1)
		r.put(r.req())
		s, _ := listener.Request()
		ok(t, s.ID.Accept(verbs.CMConnParam{QPNum: 98}))
		synctest.Wait()
		rep := answer[*wire.CMRep](r)
		const wrong = 0x1002
		others := []wire.CMBody{
			&wire.CMMra{LocalCommID: wrong, RemoteCommID: rep.LocalCommID, Message: wire.CMResponseREP,
				ServiceTimeout: 5},
			&wire.CMRtu{LocalCommID: wrong, RemoteCommID: rep.LocalCommID},
			&wire.CMRej{LocalCommID: wrong, RemoteCommID: rep.LocalCommID, Message: wire.CMResponseREP, Reason: 28},
			&wire.CMRej{LocalCommID: wrong, RemoteCommID: rep.LocalCommID, Message: wire.CMResponseOther, Reason: 28},
		}
		r.put(others...)
		s.Quiet()
		if connectionOf(s).State != cm.StateREPSent {
			t.Error("the connection has moved on")
		}
		r.put(&wire.CMRtu{LocalCommID: 0x1001, RemoteCommID: rep.LocalCommID})
		s.Event(verbs.CMEstablished)
		dreq := &wire.CMDreq{LocalCommID: wrong, RemoteCommID: rep.LocalCommID, RemoteQPN: rep.LocalQPN}
		r.put(append(others, dreq, &wire.CMDrep{LocalCommID: wrong, RemoteCommID: rep.LocalCommID})...)
		s.Quiet()
		answer[*wire.CMDrep](r) // an unknown connection counts as ended
	})
}

// TestCMAbandonReply: a program without a queue pair gets a reply, and rejects it. Until then the reply may be
// repeated, which an MRA answers, but not with another communication ID.
func TestCMAbandonReply(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		r, a := newRawCM(t, p), newCMSide(t, p, verbs.PortSpaceTCP)
		ok(t, a.ID.BindAddr(netip.AddrPortFrom(soft1.Addr(), 0)))
		a.Resolve(netip.AddrPortFrom(rawAddr, 5))
		ok(t, a.ID.Connect(verbs.CMConnParam{QPNum: 78}))
		synctest.Wait()
		req := answer[*wire.CMReq](r)
		rep := &wire.CMRep{RemoteCommID: req.LocalCommID, LocalQPN: rawQPN, LocalCAGUID: [8]byte{1}, TargetACKDelay: 20}
		r.put(rep) // without a communication ID
		if got := r.answers(); len(got) != 0 {
			t.Errorf("answered %+v", got)
		}
		rep.LocalCommID = 0x2001
		r.put(rep)
		a.Event(verbs.CMConnectResponse)
		if c := connectionOf(a); c.Timeout != 20 { // the peer's delay, far longer than the way
			t.Errorf("timeout %d", c.Timeout)
		}
		r.put(rep)
		if mra := answer[*wire.CMMra](r); mra.Message != wire.CMResponseREP || mra.LocalCommID != req.LocalCommID ||
			mra.RemoteCommID != rep.LocalCommID {
			t.Errorf("%+v", mra)
		}
		other := *rep
		other.LocalCommID++
		r.put(&other)
		if got := r.answers(); len(got) != 0 {
			t.Errorf("answered %+v", got)
		}
		ok(t, a.ID.Reject([]byte("no")))
		synctest.Wait()
		if rej := answer[*wire.CMRej](r); rej.Message != wire.CMResponseREP ||
			rej.Reason != uint16(verbs.RejectConsumerDefined) || rej.RemoteCommID != rep.LocalCommID {
			t.Errorf("%+v", rej)
		}
		a.Quiet()
		noConnections(t, p)
	})
}

// TestCMToGroup sends a request to a multicast address that a queue pair of the device has joined: it is dropped, since
// an answer would come from another address.
func TestCMToGroup(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		member, listener, r := newCMSide(t, p, verbs.PortSpaceUDP), newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		group := netip.MustParseAddr("239.1.2.3")
		ok(t, member.ID.BindAddr(netip.AddrPortFrom(soft1.Addr(), 0)))
		member.Equip()
		ok(t, member.ID.JoinMulticast(group))
		defer func() { ok(t, member.ID.LeaveMulticast(group)) }()
		listener.Listen(soft1)
		r.path = must(link.NewPath(r.path.Src, netip.AddrPortFrom(group, wire.Port)))(t)
		r.put(r.req(), &wire.CMDreq{LocalCommID: 1, RemoteCommID: 2})
		if n := counterOf(t, p, "soft1", "rcvd_mads"); n != 0 {
			t.Errorf("%d messages were read", n)
		}
		if n := counterOf(t, p, "soft1", "dropped_mads"); n != 2 {
			t.Errorf("%d messages were dropped, want 2", n)
		}
		if got := r.answers(); len(got) != 0 {
			t.Errorf("answered %+v", got)
		}
		listener.Quiet()
	})
}
