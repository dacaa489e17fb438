package cm_test

import (
	"errors"
	"net/netip"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/transport"
	"rdmatui/verbs/wire"
)

// TestCMParameters passes parameters at their limits and beyond, to connect and to accept.
func TestCMParameters(t *testing.T) {
	for _, tt := range []struct {
		name  string
		param verbs.CMConnParam
		want  error
	}{
		{"the maxima", verbs.CMConnParam{QPNum: 2, ResponderResources: object.MaxRDAtomic,
			InitiatorDepth: object.MaxRDAtomic}, nil},
		{"the highest queue pair", verbs.CMConnParam{QPNum: verbs.MaxQPN - 1}, nil},
		{"responder_resources", verbs.CMConnParam{QPNum: 2, ResponderResources: object.MaxRDAtomic + 1},
			syscall.EINVAL},
		{"initiator_depth", verbs.CMConnParam{QPNum: 2, InitiatorDepth: object.MaxRDAtomic + 1}, syscall.EINVAL},
		{"no queue pair", verbs.CMConnParam{}, syscall.EINVAL},
		{"queue pair 1", verbs.CMConnParam{QPNum: 1}, syscall.EINVAL},
		{"the multicast queue pair", verbs.CMConnParam{QPNum: verbs.MaxQPN}, syscall.EINVAL},
	} {
		virtual(t, func(t *testing.T, p *soft.Provider) {
			listener, a := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceTCP)
			listener.Listen(soft1)
			a.Resolve(soft1)
			wantErr(t, "Connect with "+tt.name, a.ID.Connect(tt.param), tt.want)
			if tt.want != nil {
				ok(t, a.ID.Connect(verbs.CMConnParam{QPNum: 5}))
			}
			b, _ := listener.Request()
			wantErr(t, "Accept with "+tt.name, b.ID.Accept(tt.param), tt.want)
		})
	}
}

// TestCMQueuePairRefused makes queue pairs that an identifier cannot have: it stays without one, and no object is left.
func TestCMQueuePairRefused(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		for _, space := range []verbs.CMPortSpace{verbs.PortSpaceTCP, verbs.PortSpaceUDP} {
			s := newCMSide(t, p, space)
			unbound := newSide(t, p, "soft0", pairOptions{}.WithDefaults())
			good := verbs.QPSpec{
				QPType: map[verbs.CMPortSpace]verbs.QPType{verbs.PortSpaceTCP: verbs.RC,
					verbs.PortSpaceUDP: verbs.UD}[space], Cap: verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 1},
			}
			good.SendCQ, good.RecvCQ = unbound.CQ, unbound.CQ
			_, err := s.ID.CreateQP(unbound.PD, good)
			wantErr(t, "not bound", err, syscall.EINVAL)
			ok(t, s.ID.BindAddr(netip.AddrPortFrom(soft0.Addr(), 0)))
			pd := must(s.ID.Device().AllocPD())(t)
			closeAtEnd(t, pd)
			cq := must(s.ID.Device().CreateCQ(verbs.CQSpec{CQE: 4}))(t)
			closeAtEnd(t, cq)
			good.SendCQ, good.RecvCQ = cq, cq
			with := func(change func(spec *verbs.QPSpec)) verbs.QPSpec { spec := good; change(&spec); return spec }
			for _, tt := range []struct {
				name   string
				domain verbs.PD
				spec   verbs.QPSpec
				want   error
			}{
				{"no domain", nil, good, syscall.EINVAL},
				{"a domain of another context", unbound.PD, good, syscall.EINVAL},
				{"another's domain", foreignPD{}, good, verbs.ErrForeignObject},
				{"another type", pd, with(func(spec *verbs.QPSpec) { spec.QPType = verbs.UC }), syscall.EINVAL},
				{"the other port space's type", pd,
					with(func(spec *verbs.QPSpec) { spec.QPType ^= verbs.RC ^ verbs.UD }), syscall.EINVAL},
				{"no send CQ", pd, with(func(spec *verbs.QPSpec) { spec.SendCQ = nil }), syscall.EINVAL},
				{"no receive CQ", pd, with(func(spec *verbs.QPSpec) { spec.RecvCQ = nil }), syscall.EINVAL},
				{"a CQ of another context", pd, with(func(spec *verbs.QPSpec) { spec.SendCQ = unbound.CQ }),
					verbs.ErrForeignObject},
				{"too many requests", pd, with(func(spec *verbs.QPSpec) { spec.Cap.MaxSendWR = transport.MaxQPWR + 1 }),
					syscall.EINVAL},
			} {
				_, err := s.ID.CreateQP(tt.domain, tt.spec)
				wantErr(t, space.String()+" with "+tt.name, err, tt.want)
				if s.ID.QP() != nil {
					t.Fatalf("%s with %s: it has a queue pair", space, tt.name)
				}
			}
			q := must(s.ID.CreateQP(pd, good))(t)
			if s.ID.QP() != q {
				t.Errorf("its queue pair is %v", s.ID.QP())
			}
			_, err = s.ID.CreateQP(pd, good)
			wantErr(t, "a second one", err, syscall.EINVAL)
			ok(t, q.Close())
			if s.ID.QP() != nil {
				t.Errorf("its queue pair is %v, which is closed", s.ID.QP())
			}
		}
	})
}

type foreignPD struct{ verbs.PD }

// TestCMAttributes asks for the attributes of each state before there is a connection, and of datagrams.
func TestCMAttributes(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		tcp, udp := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceUDP)
		const none = 0
		for _, tt := range []struct {
			s     *cmSide
			state verbs.QPState
			want  verbs.QPAttr // without a mask: EINVAL
		}{
			{tcp, verbs.QPReset, verbs.QPAttr{}},
			{tcp, verbs.QPInit,
				verbs.QPAttr{Mask: verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrAccessFlags, PortNum: 1}},
			{tcp, verbs.QPRTR, verbs.QPAttr{}},
			{tcp, verbs.QPRTS, verbs.QPAttr{}},
			{udp, verbs.QPReset, verbs.QPAttr{}},
			{udp, verbs.QPInit, verbs.QPAttr{Mask: verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrQKey, PortNum: 1,
				QKey: 0x01234567}},
			{udp, verbs.QPRTR, verbs.QPAttr{Mask: verbs.AttrState}},
			{udp, verbs.QPRTS, verbs.QPAttr{Mask: verbs.AttrSQPSN}},
			{udp, verbs.QPSQD, verbs.QPAttr{}},
			{udp, verbs.QPErr, verbs.QPAttr{}},
		} {
			if tt.s.ID.Device() == nil {
				if n := tt.s.ID.PortNum(); n != none {
					t.Errorf("port %d without a device", n)
				}
				_, err := tt.s.ID.InitQPAttr(verbs.QPInit)
				wantErr(t, "not bound", err, syscall.EINVAL)
				ok(t, tt.s.ID.BindAddr(netip.AddrPortFrom(soft0.Addr(), 0)))
			}
			got, err := tt.s.ID.InitQPAttr(tt.state)
			if tt.want.Mask == 0 {
				wantErr(t, tt.s.ID.PortSpace().String()+" "+tt.state.String(), err, syscall.EINVAL)
				continue
			}
			ok(t, err)
			tt.want.Mask |= verbs.AttrState
			if tt.want.QPState = tt.state; got != tt.want {
				t.Errorf("%s:\ngot  %+v\nwant %+v", tt.s.ID.PortSpace(), got, tt.want)
			}
		}
	})
}

// TestCMAttributesOfConnection asks for all states of a connection that is established. The values are those that
// Linux takes from what both ends gave (cma.c, cm.c): depths are limits of the requester at one end and of the
// responder at the other, rnr_retry is what the peer asked for, and the timeout is one more than the usual lifetime of
// a packet, 16, as the peer's ack delay is shorter.
func TestCMAttributesOfConnection(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		a, b := cmConnect(t, p)
		init := verbs.AttrState | verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrAccessFlags
		rtr := verbs.AttrState | verbs.AttrAV | verbs.AttrPathMTU | verbs.AttrDestQPN | verbs.AttrRQPSN |
			verbs.AttrMaxDestRDAtomic | verbs.AttrMinRNRTimer
		rts := verbs.AttrState | verbs.AttrTimeout | verbs.AttrRetryCnt | verbs.AttrRNRRetry | verbs.AttrSQPSN |
			verbs.AttrMaxQPRDAtomic
		for _, tt := range []struct {
			s, peer               *cmSide
			far                   netip.Addr
			rdAtomic, destRD, rnr uint8
		}{{a, b, soft1.Addr(), 2, 3, 4}, {b, a, soft0.Addr(), 3, 2, 5}} {
			s, peer := tt.s, tt.peer
			ah := verbs.AHAttr{IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: verbs.GIDFromAddr(tt.far),
				SGIDIndex: 1, HopLimit: 64}}
			theirs, _, err := peer.QP.Query(^verbs.AttrMask(0))
			ok(t, err)
			now, _, err := s.QP.Query(^verbs.AttrMask(0))
			ok(t, err)
			if now.RQPSN != theirs.SQPSN || now.AH != ah || now.MaxDestRDAtomic != tt.destRD ||
				now.MaxRDAtomic != tt.rdAtomic || now.Timeout != 17 || now.RNRRetry != tt.rnr {
				t.Errorf("the queue pair has %+v", now)
			}
			got := must(s.ID.InitQPAttr(verbs.QPInit))(t)
			if want := (verbs.QPAttr{Mask: init, QPState: verbs.QPInit, PortNum: 1,
				QPAccessFlags: verbs.RemoteWrite | verbs.RemoteRead | verbs.RemoteAtomic}); got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			got = must(s.ID.InitQPAttr(verbs.QPRTR))(t)
			if want := (verbs.QPAttr{
				Mask: rtr, QPState: verbs.QPRTR, DestQPNum: peer.QP.Num(), PathMTU: verbs.MTU4096, RQPSN: theirs.SQPSN,
				MaxDestRDAtomic: tt.destRD, AH: ah,
			}); got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			got = must(s.ID.InitQPAttr(verbs.QPRTS))(t)
			if want := (verbs.QPAttr{
				Mask: rts, QPState: verbs.QPRTS, Timeout: 17, RetryCnt: cmParam.RetryCount, RNRRetry: tt.rnr,
				SQPSN: theirs.RQPSN, MaxRDAtomic: tt.rdAtomic,
			}); got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			for _, state := range []verbs.QPState{verbs.QPReset, verbs.QPSQD, verbs.QPErr} {
				_, err := s.ID.InitQPAttr(state)
				wantErr(t, state.String(), err, syscall.EINVAL)
			}
			wantErr(t, "Reject", s.ID.Reject(nil), syscall.EINVAL)
			wantErr(t, "Accept", s.ID.Accept(cmParam), syscall.EINVAL)
			wantErr(t, "Connect", s.ID.Connect(cmParam), syscall.EINVAL)
			wantErr(t, "Establish", s.ID.Establish(), syscall.EINVAL)
			wantErr(t, "Notify", s.ID.Notify(verbs.EventCommEst), syscall.EISCONN)
		}
	})
}

// TestCMQueuePairCannotRise takes the queue pair of either side to ERR before the connection is made: it fails, and the
// peer is notified.
func TestCMQueuePairCannotRise(t *testing.T) {
	failed := verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, a := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceTCP)
		listener.Listen(soft1)
		a.Resolve(soft1)
		a.Equip()
		ok(t, a.ID.Connect(cmParam))
		b, _ := listener.Request()
		b.Equip()
		ok(t, b.QP.Modify(failed))
		wantErr(t, "Accept", b.ID.Accept(cmParam), syscall.EINVAL)
		ok(t, b.ID.Reject(nil))
		a.Event(verbs.CMRejected)
	})
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, a := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceTCP)
		listener.Listen(soft1)
		a.Resolve(soft1)
		a.Equip()
		ok(t, a.ID.Connect(cmParam))
		b, _ := listener.Request()
		b.Equip()
		ok(t, a.QP.Modify(failed))
		ok(t, b.ID.Accept(cmParam))
		if ev := a.Event(verbs.CMConnectError); ev.Status != -int(syscall.EINVAL) {
			t.Errorf("status %d", ev.Status)
		}
		if ev := b.Event(verbs.CMRejected); ev.Status != int(verbs.RejectConsumerDefined) {
			t.Errorf("status %d", ev.Status)
		}
		if _, connected := a.ID.(*cm.ID).Connection(); connected && connectionOf(a).State != cm.StateIdle {
			t.Errorf("the connection is in state %d", connectionOf(a).State)
		}
		a.Quiet()
		noConnections(t, p)
	})
}

// TestCMDisconnectReset disconnects after the queue pair was reset: it cannot go to ERR, so nothing is sent and the
// connection stays.
func TestCMDisconnectReset(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		a, b := cmConnect(t, p)
		ok(t, a.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPReset}))
		wantErr(t, "Disconnect", a.ID.Disconnect(), syscall.EINVAL)
		b.Quiet()
		if c := connectionOf(a); c.State != cm.StateEstablished {
			t.Errorf("state %d", c.State)
		}
		if _, connected := newCMSide(t, p, verbs.PortSpaceTCP).ID.(*cm.ID).Connection(); connected {
			t.Error("a new identifier has a connection")
		}
	})
}

// TestCMGroupsUsedUp joins more groups than queue pairs of a device may be attached to: the one too many fails with an
// event, and its identifier is no member.
func TestCMGroupsUsedUp(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		s := newCMSide(t, p, verbs.PortSpaceUDP)
		ok(t, s.ID.BindAddr(soft0))
		s.Equip()
		group := func(n int) netip.Addr { return netip.AddrFrom4([4]byte{239, 1, 2, byte(n)}) }
		for n := range transport.MaxMcast {
			ok(t, s.ID.JoinMulticast(group(n)))
			s.Event(verbs.CMMulticastJoin)
		}
		ok(t, s.ID.JoinMulticast(group(transport.MaxMcast)))
		if ev := s.Event(verbs.CMMulticastError); ev.Status != -int(syscall.ENOMEM) {
			t.Errorf("status %d", ev.Status)
		}
		wantErr(t, "leaving what it is not in", s.ID.LeaveMulticast(group(transport.MaxMcast)), syscall.EADDRNOTAVAIL)
		wantErr(t, "a group of the other family", s.ID.JoinMulticast(netip.MustParseAddr("ff02::1")), syscall.EINVAL)
		for n := range transport.MaxMcast {
			ok(t, s.ID.LeaveMulticast(group(n)))
		}
		bare := newCMSide(t, p, verbs.PortSpaceUDP) // without a queue pair
		wantErr(t, "not bound", bare.ID.JoinMulticast(group(1)), syscall.EINVAL)
		ok(t, bare.ID.BindAddr(netip.AddrPortFrom(soft0.Addr(), 0)))
		ok(t, bare.ID.JoinMulticast(group(1)))
		bare.Event(verbs.CMMulticastJoin)
		ok(t, bare.ID.LeaveMulticast(group(1)))
	})
}

// TestCMMemory makes channels and identifiers when no memory is left.
func TestCMMemory(t *testing.T) {
	for n := range uint64(4) {
		p := soft.New(soft.Options{Memory: memory.New(n*object.ObjectBytes+object.ObjectBytes-1, "a test's")})
		want := func(what string, made uint64, err error) {
			t.Helper()
			if n >= made {
				ok(t, err)
				return
			}
			wantErr(t, what, err, syscall.ENOMEM)
		}
		channel, err := p.CreateEventChannel()
		want("CreateEventChannel", 1, err)
		if n == 0 {
			continue
		}
		id, err := channel.CreateID(verbs.PortSpaceTCP)
		want("CreateID", 2, err)
		if n == 1 {
			continue
		}
		dev := must(p.Open("soft0"))(t)
		completions, err := dev.CreateCompChannel()
		want("CreateCompChannel", 3, err)
		if n == 3 {
			ok(t, completions.Close())
		}
		ok(t, dev.Close())
		_, err = dev.CreateCompChannel()
		wantErr(t, "CreateCompChannel of a closed device", err, verbs.ErrClosed)
		ok(t, id.Close())
	}
}

// TestCMMigrateNowhere moves an identifier to its own channel: its events stay.
func TestCMMigrateNowhere(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		s := newCMSide(t, p, verbs.PortSpaceTCP)
		ok(t, s.ID.ResolveAddr(netip.AddrPort{}, soft1, time.Second))
		ok(t, s.ID.ResolveRoute(time.Second))
		ok(t, s.ID.Migrate(s.Channel))
		s.Event(verbs.CMAddrResolved)
		s.Event(verbs.CMRouteResolved)
		var busy *verbs.BusyError
		if err := s.Channel.Close(); !errors.As(err, &busy) || len(busy.UsedBy) != 1 {
			t.Errorf("%v", err)
		}
	})
}

// TestCMRejectAccepted rejects after an accept that the peer has not confirmed yet, and in states without a request.
func TestCMRejectAccepted(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		listener.Listen(soft1)
		r.put(r.req())
		s, _ := listener.Request()
		wantErr(t, "Notify before it is accepted", s.ID.Notify(verbs.EventCommEst), syscall.EINVAL)
		ok(t, s.ID.Accept(verbs.CMConnParam{QPNum: 9}))
		synctest.Wait()
		answer[*wire.CMRep](r)
		ok(t, s.ID.Reject([]byte("after all not")))
		synctest.Wait()
		if rej := answer[*wire.CMRej](r); rej.Message != wire.CMResponseOther ||
			rej.Reason != uint16(verbs.RejectConsumerDefined) {
			t.Errorf("%+v", rej)
		}
		if c := connectionOf(s); c.State != cm.StateTimewait {
			t.Errorf("state %d", c.State)
		}
		wantErr(t, "Reject again", s.ID.Reject(nil), syscall.EINVAL)
		r.put(r.giveUp(r.nth(77))) // of an unknown connection
		if n := counterOf(t, p, "soft1", "dropped_mads"); n != 1 {
			t.Errorf("%d messages were dropped, want 1", n)
		}
	})
}

// TestCMTakenCommID receives a REP with the communication ID of another connection of the same host and rejects it as
// stale.
func TestCMTakenCommID(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		listener.Listen(soft1)
		r.put(r.req())
		listener.Request()
		a := newCMSide(t, p, verbs.PortSpaceTCP)
		connectRaw(a)
		req := answer[*wire.CMReq](r)
		r.put(&wire.CMRep{LocalCommID: r.req().LocalCommID, RemoteCommID: req.LocalCommID, LocalQPN: rawQPN + 1,
			LocalCAGUID: r.req().LocalCAGUID})
		if rej := answer[*wire.CMRej](r); rej.Reason != uint16(verbs.RejectStaleConn) ||
			rej.Message != wire.CMResponseREP {
			t.Errorf("%+v", rej)
		}
		a.Quiet()
	})
}
