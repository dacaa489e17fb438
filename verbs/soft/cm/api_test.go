package cm_test

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/soft/cm"
)

// TestCMOutOfOrder makes each call in a state that does not allow it.
func TestCMOutOfOrder(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		calls := map[string]func(id verbs.CMID) error{
			"ResolveRoute":  func(id verbs.CMID) error { return id.ResolveRoute(time.Second) },
			"Connect":       func(id verbs.CMID) error { return id.Connect(verbs.CMConnParam{QPNum: 5}) },
			"Accept":        func(id verbs.CMID) error { return id.Accept(verbs.CMConnParam{QPNum: 5}) },
			"Reject":        func(id verbs.CMID) error { return id.Reject(nil) },
			"Disconnect":    func(id verbs.CMID) error { return id.Disconnect() },
			"Establish":     func(id verbs.CMID) error { return id.Establish() },
			"Notify":        func(id verbs.CMID) error { return id.Notify(verbs.EventCommEst) },
			"JoinMulticast": func(id verbs.CMID) error { return id.JoinMulticast(netip.MustParseAddr("239.0.0.1")) },
			"CreateQP": func(id verbs.CMID) error {
				_, err := id.CreateQP(nil, verbs.QPSpec{QPType: verbs.RC})
				return err
			},
			"InitQPAttr RTR": func(id verbs.CMID) error { _, err := id.InitQPAttr(verbs.QPRTR); return err },
		}
		s := newCMSide(t, p, verbs.PortSpaceTCP)
		for name, call := range calls {
			wantErr(t, name+" when idle", call(s.ID), syscall.EINVAL)
		}
		s.Listen(soft1)
		for name, call := range calls {
			wantErr(t, name+" when listening", call(s.ID), syscall.EINVAL)
		}
		r := newRawCM(t, p)
		r.put(r.req())
		b, _ := s.Request()
		wantErr(t, "Listen of a request", b.ID.Listen(0), syscall.EINVAL)
		wantErr(t, "BindAddr of a request", b.ID.BindAddr(netip.AddrPortFrom(soft1.Addr(), 0)), syscall.EINVAL)
		wantErr(t, "ResolveAddr of a request", b.ID.ResolveAddr(netip.AddrPort{}, soft1, time.Second), syscall.EINVAL)
		wantErr(t, "ResolveRoute of a request", b.ID.ResolveRoute(time.Second), syscall.EINVAL)
		wantErr(t, "Connect of a request", b.ID.Connect(cmParam), syscall.EINVAL)
		ok(t, b.ID.Close())
		wantErr(t, "Listen when listening", s.ID.Listen(0), syscall.EINVAL)
		wantErr(t, "BindAddr when listening", s.ID.BindAddr(soft1), syscall.EINVAL)
		wantErr(t, "ResolveAddr when listening", s.ID.ResolveAddr(netip.AddrPort{}, soft1, time.Second), syscall.EINVAL)
		ok(t, s.ID.Close())
		ok(t, s.ID.Close())
		calls["Listen"] = func(id verbs.CMID) error { return id.Listen(0) }
		calls["BindAddr"] = func(id verbs.CMID) error { return id.BindAddr(soft1) }
		calls["ResolveAddr"] = func(id verbs.CMID) error { return id.ResolveAddr(netip.AddrPort{}, soft1, time.Second) }
		calls["SetOption"] = func(id verbs.CMID) error { return id.SetOption(verbs.CMOptTOS, 1) }
		calls["Migrate"] = func(id verbs.CMID) error { return id.Migrate(s.Channel) }
		for name, call := range calls {
			wantErr(t, name+" when closed", call(s.ID), verbs.ErrClosed)
		}
		if s.ID.QP() != nil || s.ID.LocalAddr() != soft1 {
			t.Errorf("a closed identifier has %v and is at %s", s.ID.QP(), s.ID.LocalAddr())
		}
		channel := must(p.CreateEventChannel())(t)
		ok(t, channel.Close())
		wantErr(t, "CreateID on a closed channel", second(channel.CreateID(verbs.PortSpaceTCP)), verbs.ErrClosed)
	})
}

// TestCMAddresses binds and resolves valid and invalid addresses.
func TestCMAddresses(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		any4, any6 := netip.IPv4Unspecified(), netip.IPv6Unspecified()
		first := newCMSide(t, p, verbs.PortSpaceTCP)
		ok(t, first.ID.BindAddr(soft0))
		if d := first.ID.Device(); d == nil || d.Info().Name != "soft0" || first.ID.PortNum() != 1 ||
			first.ID.LocalAddr() != soft0 {
			t.Errorf("bound to %v, %s", d, first.ID.LocalAddr())
		}
		for _, tt := range []struct {
			name  string
			space verbs.CMPortSpace
			addr  netip.AddrPort
			want  error
		}{
			{"the same", verbs.PortSpaceTCP, soft0, syscall.EADDRINUSE},
			{"all addresses", verbs.PortSpaceTCP, netip.AddrPortFrom(any4, cmPort), syscall.EADDRNOTAVAIL},
			{"an address of another host", verbs.PortSpaceTCP, netip.MustParseAddrPort("10.1.2.3:5"),
				syscall.EADDRNOTAVAIL},
			{"no address", verbs.PortSpaceTCP, netip.AddrPort{}, syscall.EAFNOSUPPORT},
			{"another device", verbs.PortSpaceTCP, soft1, nil},
			{"another port space", verbs.PortSpaceUDP, soft0, nil},
			{"another port", verbs.PortSpaceTCP, netip.AddrPortFrom(soft0.Addr(), cmPort+1), nil},
			{"any port", verbs.PortSpaceTCP, netip.AddrPortFrom(any6, 0), nil},
		} {
			s := newCMSide(t, p, tt.space)
			err := s.ID.BindAddr(tt.addr)
			if tt.want == nil {
				ok(t, err)
				if s.ID.LocalAddr().Port() == 0 {
					t.Errorf("%s: no port", tt.name)
				}
				continue
			}
			wantErr(t, tt.name, err, tt.want)
			if s.ID.Device() != nil || s.ID.LocalAddr().IsValid() {
				t.Errorf("%s: bound to %s", tt.name, s.ID.LocalAddr())
			}
		}
		s := newCMSide(t, p, verbs.PortSpaceTCP)
		wantErr(t, "no way", s.ID.ResolveAddr(netip.AddrPort{}, netip.MustParseAddrPort("10.1.2.3:5"), time.Second),
			syscall.ENETUNREACH)
		wantErr(t, "two families",
			s.ID.ResolveAddr(netip.AddrPort{}, netip.MustParseAddrPort("[fe80::1]:5"), time.Second), syscall.EINVAL)
		bound := newCMSide(t, p, verbs.PortSpaceTCP)
		ok(t, bound.ID.BindAddr(netip.AddrPortFrom(soft1.Addr(), 0)))
		bound.Resolve(netip.AddrPortFrom(any4, cmPort)) // its own address, not that of the first device
		if bound.ID.PeerAddr() != netip.AddrPortFrom(soft1.Addr(), cmPort) ||
			bound.ID.LocalAddr().Addr() != soft1.Addr() {
			t.Errorf("from %s to %s", bound.ID.LocalAddr(), bound.ID.PeerAddr())
		}
		s.Resolve(netip.AddrPortFrom(any4, cmPort)) // its own address
		if s.ID.PeerAddr() != soft0 || s.ID.LocalAddr().Addr() != soft0.Addr() {
			t.Errorf("from %s to %s", s.ID.LocalAddr(), s.ID.PeerAddr())
		}
	})
}

// TestCMReuse shares a port among identifiers that all allow it, until one listens.
func TestCMReuse(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		a, b, c := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceTCP),
			newCMSide(t, p, verbs.PortSpaceTCP)
		for _, s := range []*cmSide{a, b, c} {
			ok(t, s.ID.SetOption(verbs.CMOptReuseAddr, 1))
		}
		ok(t, a.ID.BindAddr(soft0))
		ok(t, b.ID.BindAddr(soft0))
		wantErr(t, "Listen", b.ID.Listen(0), syscall.EADDRINUSE)
		ok(t, a.ID.Close())
		ok(t, b.ID.Listen(0))
		wantErr(t, "BindAddr beside a listener", c.ID.BindAddr(soft0), syscall.EADDRINUSE)
	})
}

// TestCMOptions sets options in range and out of it.
func TestCMOptions(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		s := newCMSide(t, p, verbs.PortSpaceTCP)
		for _, tt := range []struct {
			option verbs.CMOption
			value  uint64
			want   error
		}{
			{verbs.CMOptTOS, 255, nil}, {verbs.CMOptTOS, 256, syscall.EINVAL},
			{verbs.CMOptReuseAddr, 2, syscall.EINVAL}, {verbs.CMOptAFOnly, 1, nil},
			{verbs.CMOptACKTimeout, 31, nil}, {verbs.CMOptACKTimeout, 32, syscall.EINVAL},
			{verbs.CMOption(99), 1, syscall.ENOSYS},
		} {
			if err := s.ID.SetOption(tt.option, tt.value); !errors.Is(err, tt.want) {
				t.Errorf("%s to %d: %v, want %v", tt.option, tt.value, err, tt.want)
			}
		}
		ok(t, s.ID.SetOption(verbs.CMOptReuseAddr, 1))
		ok(t, s.ID.SetOption(verbs.CMOptReuseAddr, 0))
		ok(t, s.ID.BindAddr(soft0))
		for _, tt := range []struct {
			option verbs.CMOption
			value  uint64
			want   error
		}{
			{verbs.CMOptReuseAddr, 0, syscall.EINVAL}, {verbs.CMOptReuseAddr, 1, nil}, {verbs.CMOptTOS, 0, nil},
			{verbs.CMOptAFOnly, 0, nil},
		} {
			if err := s.ID.SetOption(tt.option, tt.value); !errors.Is(err, tt.want) {
				t.Errorf("%s to %d of a bound identifier: %v, want %v", tt.option, tt.value, err, tt.want)
			}
		}
		_, err := s.Channel.CreateID(verbs.CMPortSpace(7))
		wantErr(t, "a port space of nobody", err, syscall.EINVAL)
	})
}

// TestCMPrivateData sends the longest private data, and more, which is refused.
func TestCMPrivateData(t *testing.T) {
	for _, tt := range []struct {
		space                   verbs.CMPortSpace
		connect, accept, reject int
	}{{verbs.PortSpaceTCP, 56, 196, 148}, {verbs.PortSpaceUDP, 180, 136, 136}} {
		virtual(t, func(t *testing.T, p *soft.Provider) {
			private := func(ev verbs.CMEvent) []byte { return append(ev.Conn.PrivateData, ev.UD.PrivateData...) }
			listener := newCMSide(t, p, tt.space)
			listener.Listen(soft1)
			for _, accept := range []bool{true, false} {
				a := newCMSide(t, p, tt.space)
				a.Resolve(soft1)
				a.Equip()
				wantErr(t, "Connect", a.ID.Connect(verbs.CMConnParam{PrivateData: make([]byte, tt.connect+1)}),
					syscall.EINVAL)
				ok(t, a.ID.Connect(verbs.CMConnParam{PrivateData: pattern(tt.connect, 1)}))
				b, ev := listener.Request()
				b.Equip()
				if !bytes.Equal(private(ev), pattern(tt.connect, 1)) {
					t.Errorf("%s: private data % x", tt.space, private(ev))
				}
				wantErr(t, "Accept", b.ID.Accept(verbs.CMConnParam{PrivateData: make([]byte, tt.accept+1)}),
					syscall.EINVAL)
				wantErr(t, "Reject", b.ID.Reject(make([]byte, tt.reject+1)), syscall.EINVAL)
				want := pattern(tt.accept, 2)
				if accept {
					ok(t, b.ID.Accept(verbs.CMConnParam{PrivateData: want}))
				} else {
					want = pattern(tt.reject, 3)
					ok(t, b.ID.Reject(want))
				}
				synctest.Wait()
				if ev := must(a.Channel.GetEvent(t.Context()))(t); !bytes.Equal(private(ev), want) {
					t.Errorf("%s: %s with private data % x", tt.space, ev.Type, private(ev))
				}
				if accept && tt.space == verbs.PortSpaceTCP {
					b.Event(verbs.CMEstablished)
				}
			}
		})
	}
}

// TestCMByHand connects queue pairs that do not belong to the identifiers, with the attributes of InitQPAttr.
func TestCMByHand(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, a := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceTCP)
		listener.Listen(soft1)
		a.Resolve(soft1)
		raise := func(s *cmSide, states ...verbs.QPState) {
			for _, state := range states {
				attr := must(s.ID.InitQPAttr(state))(t)
				if attr.QPState != state {
					t.Errorf("state %s, want %s", attr.QPState, state)
				}
				ok(t, s.QP.Modify(attr))
			}
		}
		byHand := func(s *cmSide) {
			s.PD = must(s.ID.Device().AllocPD())(t)
			closeAtEnd(t, s.PD)
			s.CQ = must(s.ID.Device().CreateCQ(verbs.CQSpec{CQE: 64}))(t)
			closeAtEnd(t, s.CQ)
			s.QP = must(s.PD.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: s.CQ, RecvCQ: s.CQ,
				Cap: verbs.QPCap{MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 1, MaxRecvSGE: 1}}))(t)
			closeAtEnd(t, s.QP)
		}
		byHand(a)
		raise(a, verbs.QPInit)
		wantErr(t, "no queue pair", a.ID.Connect(verbs.CMConnParam{}), syscall.EINVAL)
		ok(t, a.ID.SetOption(verbs.CMOptACKTimeout, 15))
		ok(t, a.ID.Connect(verbs.CMConnParam{QPNum: a.QP.Num(), SRQ: true, ResponderResources: 4,
			InitiatorDepth: 5, RetryCount: 3}))
		b, ev := listener.Request()
		if ev.Conn.QPNum != a.QP.Num() || !ev.Conn.SRQ {
			t.Errorf("parameters %+v", ev.Conn)
		}
		byHand(b)
		if got, want := must(b.ID.InitQPAttr(verbs.QPInit))(t).QPAccessFlags,
			verbs.RemoteWrite|verbs.RemoteRead|verbs.RemoteAtomic; got != want {
			t.Errorf("rights %s, want %s", got, want)
		}
		raise(b, verbs.QPInit, verbs.QPRTR, verbs.QPRTS)
		ok(t, b.ID.Accept(verbs.CMConnParam{QPNum: b.QP.Num(), ResponderResources: 2, InitiatorDepth: 1,
			RNRRetryCount: 6}))
		ev = a.Event(verbs.CMConnectResponse)
		if ev.Conn.QPNum != b.QP.Num() || ev.Conn.ResponderResources != 1 || ev.Conn.InitiatorDepth != 2 ||
			ev.Conn.RNRRetryCount != 6 {
			t.Errorf("parameters %+v", ev.Conn)
		}
		time.Sleep(20 * time.Second) // a user takes their time: an MRA keeps the peer waiting
		b.Quiet()
		rtr, rts := must(a.ID.InitQPAttr(verbs.QPRTR))(t), must(a.ID.InitQPAttr(verbs.QPRTS))(t)
		if rtr.DestQPNum != b.QP.Num() || rtr.MaxDestRDAtomic != 1 || rtr.PathMTU != verbs.MTU4096 ||
			rtr.AH.GRH.DGID.Addr() != soft1.Addr() ||
			rts.MaxRDAtomic != 2 || rts.RetryCnt != 3 || rts.RNRRetry != 6 || rts.Timeout != 15 {
			t.Errorf("RTR %+v\nRTS %+v", rtr, rts)
		}
		raise(a, verbs.QPInit, verbs.QPRTR, verbs.QPRTS)
		ok(t, a.ID.Establish())
		b.Event(verbs.CMEstablished)
		wantErr(t, "Notify", b.ID.Notify(verbs.EventCommEst), syscall.EISCONN)
		a.Quiet()
		cmTalk(t, a, b)
		ok(t, a.ID.Disconnect())
		b.Event(verbs.CMDisconnected)
	})
}

// TestCMNotify establishes a connection by Notify after the RTU is lost.
func TestCMNotify(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, a := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceTCP)
		listener.Listen(soft1)
		a.Resolve(soft1)
		ok(t, a.ID.Connect(verbs.CMConnParam{QPNum: 77}))
		b, _ := listener.Request()
		if got := must(b.ID.InitQPAttr(verbs.QPInit))(t).QPAccessFlags; got != verbs.RemoteWrite {
			t.Errorf("rights %s although no READs were agreed on", got)
		}
		ok(t, b.ID.Accept(verbs.CMConnParam{QPNum: 78}))
		a.Event(verbs.CMConnectResponse)
		wantErr(t, "another event", b.ID.Notify(verbs.EventQPFatal), syscall.EINVAL)
		ok(t, b.ID.Notify(verbs.EventCommEst))
		b.Event(verbs.CMEstablished)
		ok(t, a.ID.Reject([]byte("after all not")))
		if ev := b.Event(verbs.CMRejected); !bytes.HasPrefix(ev.Conn.PrivateData, []byte("after all not")) {
			t.Errorf("private data %q", ev.Conn.PrivateData)
		}
	})
}

// TestCMItself connects a device to its own address.
func TestCMItself(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener := newCMSide(t, p, verbs.PortSpaceTCP)
		listener.Listen(soft0)
		a, b := connectTo(listener, p)
		if a.ID.Device() != b.ID.Device() {
			t.Error("two devices")
		}
		cmTalk(t, a, b)
		ok(t, b.ID.Disconnect())
		a.Event(verbs.CMDisconnected)
		ok(t, a.ID.Disconnect())
		b.Event(verbs.CMDisconnected)
		b.Event(verbs.CMTimewaitExit)
		a.Event(verbs.CMTimewaitExit)
	})
}

// TestCMBothDisconnect ends a connection from both ends at once.
func TestCMBothDisconnect(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		a, b := cmConnect(t, p)
		ok(t, a.ID.Disconnect())
		ok(t, b.ID.Disconnect())
		for _, s := range []*cmSide{a, b} {
			s.Event(verbs.CMDisconnected)
			if c := connectionOf(s); c.State != cm.StateTimewait { // each has answered the other
				t.Errorf("state %d", c.State)
			}
		}
		for _, s := range []*cmSide{a, b} {
			s.Event(verbs.CMTimewaitExit)
			s.Quiet()
		}
	})
}

// TestCMDatagrams resolves a service and sends a datagram with the result.
func TestCMDatagrams(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, a := newCMSide(t, p, verbs.PortSpaceUDP), newCMSide(t, p, verbs.PortSpaceUDP)
		listener.Listen(netip.AddrPortFrom(netip.IPv4Unspecified(), cmPort))
		a.Resolve(soft1)
		a.Equip()
		ok(t, a.ID.Connect(verbs.CMConnParam{}))
		b, _ := listener.Request()
		b.Equip()
		b.Post(1, 64)
		ok(t, b.ID.Accept(verbs.CMConnParam{}))
		ev := a.Event(verbs.CMEstablished)
		if ev.UD.QPNum != b.QP.Num() || ev.UD.QKey != cm.UDPQKey || b.ID.PeerAddr() != a.ID.LocalAddr() ||
			b.ID.LocalAddr() != soft1 {
			t.Errorf("%+v, from %s to %s", ev.UD, b.ID.PeerAddr(), b.ID.LocalAddr())
		}
		ah := must(a.PD.CreateAH(ev.UD.AH))(t)
		closeAtEnd(t, ah)
		a.Messages(1, 8, func(wr *verbs.SendWR) { wr.AH, wr.RemoteQPN, wr.RemoteQKey = ah, ev.UD.QPNum, ev.UD.QKey })
		a.Finish(1)
		b.Finish(1)
		b.Quiet()
		wantErr(t, "Accept again", b.ID.Accept(verbs.CMConnParam{}), syscall.EINVAL)
	})
}

// TestCMMulticast joins a group: its datagrams arrive until the identifier leaves it.
func TestCMMulticast(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		group := netip.MustParseAddr("239.1.2.3")
		s := newCMSide(t, p, verbs.PortSpaceUDP)
		ok(t, s.ID.BindAddr(soft0))
		s.Equip()
		ok(t, s.ID.JoinMulticast(group))
		wantErr(t, "joining twice", s.ID.JoinMulticast(group), syscall.EINVAL)
		ev := s.Event(verbs.CMMulticastJoin)
		if ev.UD.QPNum != verbs.MaxQPN || ev.UD.QKey != cm.UDPQKey || ev.UD.AH.GRH.DGID.Addr() != group {
			t.Errorf("%+v", ev.UD)
		}
		s.Post(1, 64)
		ah := must(s.PD.CreateAH(ev.UD.AH))(t)
		closeAtEnd(t, ah)
		s.Messages(1, 8, func(wr *verbs.SendWR) { wr.AH, wr.RemoteQPN, wr.RemoteQKey = ah, ev.UD.QPNum, ev.UD.QKey })
		s.Finish(2)
		ok(t, s.ID.LeaveMulticast(group))
		wantErr(t, "leaving twice", s.ID.LeaveMulticast(group), syscall.EADDRNOTAVAIL)
		wantErr(t, "no group", s.ID.JoinMulticast(soft1.Addr()), syscall.EINVAL)
	})
}

// TestCMMigrate moves a listener with a pending request, and a connection, to another channel.
func TestCMMigrate(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		other := must(p.CreateEventChannel())(t)
		closeAtEnd(t, other)
		listener, a := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceTCP)
		listener.Listen(soft1)
		a.Resolve(soft1)
		a.Equip()
		ok(t, a.ID.Connect(cmParam))
		synctest.Wait()
		old := listener.Channel
		var busy *verbs.BusyError
		if err := old.Close(); !errors.As(err, &busy) {
			t.Errorf("a channel in use: %v", err)
		}
		lone := newCMSide(t, p, verbs.PortSpaceTCP)
		ok(t, lone.ID.Migrate(other))
		if err := other.Close(); !errors.As(err, &busy) {
			t.Errorf("the channel that an identifier was moved to: %v", err)
		}
		ok(t, lone.ID.Close())
		ok(t, listener.ID.Migrate(other))
		ok(t, old.Close())
		_, err := old.GetEvent(context.Background())
		wantErr(t, "a closed channel", err, verbs.ErrClosed)
		wantErr(t, "to a closed channel", listener.ID.Migrate(old), verbs.ErrClosed)
		wantErr(t, "to another provider's", listener.ID.Migrate(must(soft.New(soft.Options{}).CreateEventChannel())(t)),
			verbs.ErrForeignObject)
		listener.Channel = other
		b, _ := listener.Request()
		b.Equip()
		if err := b.ID.Close(); !errors.As(err, &busy) {
			t.Errorf("an identifier with a queue pair: %v", err)
		}
		ok(t, b.ID.Accept(cmParam))
		a.Event(verbs.CMEstablished)
		b.Event(verbs.CMEstablished)
	})
}

// TestCMContextEnds closes objects and identifier in either order: the context ends with the last.
func TestCMContextEnds(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		for _, idFirst := range []bool{true, false} {
			s := newCMSide(t, p, verbs.PortSpaceTCP)
			ok(t, s.ID.BindAddr(soft0))
			d := s.ID.Device()
			ok(t, d.Close()) // has no effect
			pd := must(d.AllocPD())(t)
			if idFirst {
				ok(t, s.ID.Close())
				ok(t, pd.Close())
			} else {
				ok(t, pd.Close())
				ok(t, s.ID.Close())
			}
			nothingKept(t, p)
			_, err := d.AllocPD()
			wantErr(t, "a domain of what has ended", err, verbs.ErrClosed)
		}
	})
}
