package soft

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
	"rdmatui/verbs/soft/cm"
)

// wantErr compares an error with the expected one; it names the failed call.
func wantErr(t testing.TB, what string, err, want error) {
	t.Helper()
	var op *verbs.OpError
	if !errors.Is(err, want) || want != nil && (!errors.As(err, &op) || op.Op == "") {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// TestCMOutOfOrder makes each call in a state that does not allow it.
func TestCMOutOfOrder(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
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
			wantErr(t, name+" when idle", call(s.id), syscall.EINVAL)
		}
		s.listen(soft1)
		for name, call := range calls {
			wantErr(t, name+" when listening", call(s.id), syscall.EINVAL)
		}
		r := newRawCM(t, p)
		r.put(r.req())
		b, _ := s.request()
		wantErr(t, "Listen of a request", b.id.Listen(0), syscall.EINVAL)
		wantErr(t, "BindAddr of a request", b.id.BindAddr(netip.AddrPortFrom(soft1.Addr(), 0)), syscall.EINVAL)
		wantErr(t, "ResolveAddr of a request", b.id.ResolveAddr(netip.AddrPort{}, soft1, time.Second), syscall.EINVAL)
		wantErr(t, "ResolveRoute of a request", b.id.ResolveRoute(time.Second), syscall.EINVAL)
		wantErr(t, "Connect of a request", b.id.Connect(cmParam), syscall.EINVAL)
		ok(t, b.id.Close())
		wantErr(t, "Listen when listening", s.id.Listen(0), syscall.EINVAL)
		wantErr(t, "BindAddr when listening", s.id.BindAddr(soft1), syscall.EINVAL)
		wantErr(t, "ResolveAddr when listening", s.id.ResolveAddr(netip.AddrPort{}, soft1, time.Second), syscall.EINVAL)
		ok(t, s.id.Close())
		ok(t, s.id.Close())
		calls["Listen"] = func(id verbs.CMID) error { return id.Listen(0) }
		calls["BindAddr"] = func(id verbs.CMID) error { return id.BindAddr(soft1) }
		calls["ResolveAddr"] = func(id verbs.CMID) error { return id.ResolveAddr(netip.AddrPort{}, soft1, time.Second) }
		calls["SetOption"] = func(id verbs.CMID) error { return id.SetOption(verbs.CMOptTOS, 1) }
		calls["Migrate"] = func(id verbs.CMID) error { return id.Migrate(s.channel) }
		for name, call := range calls {
			wantErr(t, name+" when closed", call(s.id), verbs.ErrClosed)
		}
		if s.id.QP() != nil || s.id.LocalAddr() != soft1 {
			t.Errorf("a closed identifier has %v and is at %s", s.id.QP(), s.id.LocalAddr())
		}
		channel := must(p.CreateEventChannel())(t)
		ok(t, channel.Close())
		wantErr(t, "CreateID on a closed channel", second(channel.CreateID(verbs.PortSpaceTCP)), verbs.ErrClosed)
	})
}

// TestCMAddresses binds and resolves valid and invalid addresses.
func TestCMAddresses(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		any4, any6 := netip.IPv4Unspecified(), netip.IPv6Unspecified()
		first := newCMSide(t, p, verbs.PortSpaceTCP)
		ok(t, first.id.BindAddr(soft0))
		if d := first.id.Device(); d == nil || d.Info().Name != "soft0" || first.id.PortNum() != 1 ||
			first.id.LocalAddr() != soft0 {
			t.Errorf("bound to %v, %s", d, first.id.LocalAddr())
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
			err := s.id.BindAddr(tt.addr)
			if tt.want == nil {
				ok(t, err)
				if s.id.LocalAddr().Port() == 0 {
					t.Errorf("%s: no port", tt.name)
				}
				continue
			}
			wantErr(t, tt.name, err, tt.want)
			if s.id.Device() != nil || s.id.LocalAddr().IsValid() {
				t.Errorf("%s: bound to %s", tt.name, s.id.LocalAddr())
			}
		}
		s := newCMSide(t, p, verbs.PortSpaceTCP)
		wantErr(t, "no way", s.id.ResolveAddr(netip.AddrPort{}, netip.MustParseAddrPort("10.1.2.3:5"), time.Second),
			syscall.ENETUNREACH)
		wantErr(t, "two families",
			s.id.ResolveAddr(netip.AddrPort{}, netip.MustParseAddrPort("[fe80::1]:5"), time.Second), syscall.EINVAL)
		bound := newCMSide(t, p, verbs.PortSpaceTCP)
		ok(t, bound.id.BindAddr(netip.AddrPortFrom(soft1.Addr(), 0)))
		bound.resolve(netip.AddrPortFrom(any4, cmPort)) // its own address, not that of the first device
		if bound.id.PeerAddr() != netip.AddrPortFrom(soft1.Addr(), cmPort) ||
			bound.id.LocalAddr().Addr() != soft1.Addr() {
			t.Errorf("from %s to %s", bound.id.LocalAddr(), bound.id.PeerAddr())
		}
		s.resolve(netip.AddrPortFrom(any4, cmPort)) // its own address
		if s.id.PeerAddr() != soft0 || s.id.LocalAddr().Addr() != soft0.Addr() {
			t.Errorf("from %s to %s", s.id.LocalAddr(), s.id.PeerAddr())
		}
	})
}

// TestCMReuse shares a port among identifiers that all allow it, until one listens.
func TestCMReuse(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		a, b, c := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceTCP),
			newCMSide(t, p, verbs.PortSpaceTCP)
		for _, s := range []*cmSide{a, b, c} {
			ok(t, s.id.SetOption(verbs.CMOptReuseAddr, 1))
		}
		ok(t, a.id.BindAddr(soft0))
		ok(t, b.id.BindAddr(soft0))
		wantErr(t, "Listen", b.id.Listen(0), syscall.EADDRINUSE)
		ok(t, a.id.Close())
		ok(t, b.id.Listen(0))
		wantErr(t, "BindAddr beside a listener", c.id.BindAddr(soft0), syscall.EADDRINUSE)
	})
}

// TestCMOptions sets options in range and out of it.
func TestCMOptions(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
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
			if err := s.id.SetOption(tt.option, tt.value); !errors.Is(err, tt.want) {
				t.Errorf("%s to %d: %v, want %v", tt.option, tt.value, err, tt.want)
			}
		}
		ok(t, s.id.SetOption(verbs.CMOptReuseAddr, 1))
		ok(t, s.id.SetOption(verbs.CMOptReuseAddr, 0))
		ok(t, s.id.BindAddr(soft0))
		for _, tt := range []struct {
			option verbs.CMOption
			value  uint64
			want   error
		}{
			{verbs.CMOptReuseAddr, 0, syscall.EINVAL}, {verbs.CMOptReuseAddr, 1, nil}, {verbs.CMOptTOS, 0, nil},
			{verbs.CMOptAFOnly, 0, nil},
		} {
			if err := s.id.SetOption(tt.option, tt.value); !errors.Is(err, tt.want) {
				t.Errorf("%s to %d of a bound identifier: %v, want %v", tt.option, tt.value, err, tt.want)
			}
		}
		_, err := s.channel.CreateID(verbs.CMPortSpace(7))
		wantErr(t, "a port space of nobody", err, syscall.EINVAL)
	})
}

// TestCMPrivateData sends the longest private data, and more, which is refused.
func TestCMPrivateData(t *testing.T) {
	for _, tt := range []struct {
		space                   verbs.CMPortSpace
		connect, accept, reject int
	}{{verbs.PortSpaceTCP, 56, 196, 148}, {verbs.PortSpaceUDP, 180, 136, 136}} {
		virtual(t, func(t *testing.T, p *Provider) {
			private := func(ev verbs.CMEvent) []byte { return append(ev.Conn.PrivateData, ev.UD.PrivateData...) }
			listener := newCMSide(t, p, tt.space)
			listener.listen(soft1)
			for _, accept := range []bool{true, false} {
				a := newCMSide(t, p, tt.space)
				a.resolve(soft1)
				a.equip()
				wantErr(t, "Connect", a.id.Connect(verbs.CMConnParam{PrivateData: make([]byte, tt.connect+1)}),
					syscall.EINVAL)
				ok(t, a.id.Connect(verbs.CMConnParam{PrivateData: pattern(tt.connect, 1)}))
				b, ev := listener.request()
				b.equip()
				if !bytes.Equal(private(ev), pattern(tt.connect, 1)) {
					t.Errorf("%s: private data % x", tt.space, private(ev))
				}
				wantErr(t, "Accept", b.id.Accept(verbs.CMConnParam{PrivateData: make([]byte, tt.accept+1)}),
					syscall.EINVAL)
				wantErr(t, "Reject", b.id.Reject(make([]byte, tt.reject+1)), syscall.EINVAL)
				want := pattern(tt.accept, 2)
				if accept {
					ok(t, b.id.Accept(verbs.CMConnParam{PrivateData: want}))
				} else {
					want = pattern(tt.reject, 3)
					ok(t, b.id.Reject(want))
				}
				synctest.Wait()
				if ev := must(a.channel.GetEvent(t.Context()))(t); !bytes.Equal(private(ev), want) {
					t.Errorf("%s: %s with private data % x", tt.space, ev.Type, private(ev))
				}
				if accept && tt.space == verbs.PortSpaceTCP {
					b.event(verbs.CMEstablished)
				}
			}
		})
	}
}

// TestCMByHand connects queue pairs that do not belong to the identifiers, with the attributes of InitQPAttr.
func TestCMByHand(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		listener, a := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceTCP)
		listener.listen(soft1)
		a.resolve(soft1)
		raise := func(s *cmSide, states ...verbs.QPState) {
			for _, state := range states {
				attr := must(s.id.InitQPAttr(state))(t)
				if attr.QPState != state {
					t.Errorf("state %s, want %s", attr.QPState, state)
				}
				ok(t, s.qp.Modify(attr))
			}
		}
		byHand := func(s *cmSide) {
			s.pd = must(s.id.Device().AllocPD())(t)
			closeAtEnd(t, s.pd)
			s.cq = must(s.id.Device().CreateCQ(verbs.CQSpec{CQE: 64}))(t)
			closeAtEnd(t, s.cq)
			s.qp = must(s.pd.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: s.cq, RecvCQ: s.cq,
				Cap: verbs.QPCap{MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 1, MaxRecvSGE: 1}}))(t)
			closeAtEnd(t, s.qp)
		}
		byHand(a)
		raise(a, verbs.QPInit)
		wantErr(t, "no queue pair", a.id.Connect(verbs.CMConnParam{}), syscall.EINVAL)
		ok(t, a.id.SetOption(verbs.CMOptACKTimeout, 15))
		ok(t, a.id.Connect(verbs.CMConnParam{QPNum: a.qp.Num(), SRQ: true, ResponderResources: 4,
			InitiatorDepth: 5, RetryCount: 3}))
		b, ev := listener.request()
		if ev.Conn.QPNum != a.qp.Num() || !ev.Conn.SRQ {
			t.Errorf("parameters %+v", ev.Conn)
		}
		byHand(b)
		if got, want := must(b.id.InitQPAttr(verbs.QPInit))(t).QPAccessFlags,
			verbs.RemoteWrite|verbs.RemoteRead|verbs.RemoteAtomic; got != want {
			t.Errorf("rights %s, want %s", got, want)
		}
		raise(b, verbs.QPInit, verbs.QPRTR, verbs.QPRTS)
		ok(t, b.id.Accept(verbs.CMConnParam{QPNum: b.qp.Num(), ResponderResources: 2, InitiatorDepth: 1,
			RNRRetryCount: 6}))
		ev = a.event(verbs.CMConnectResponse)
		if ev.Conn.QPNum != b.qp.Num() || ev.Conn.ResponderResources != 1 || ev.Conn.InitiatorDepth != 2 ||
			ev.Conn.RNRRetryCount != 6 {
			t.Errorf("parameters %+v", ev.Conn)
		}
		time.Sleep(20 * time.Second) // a user takes their time: an MRA keeps the peer waiting
		b.quiet()
		rtr, rts := must(a.id.InitQPAttr(verbs.QPRTR))(t), must(a.id.InitQPAttr(verbs.QPRTS))(t)
		if rtr.DestQPNum != b.qp.Num() || rtr.MaxDestRDAtomic != 1 || rtr.PathMTU != verbs.MTU4096 ||
			rtr.AH.GRH.DGID.Addr() != soft1.Addr() ||
			rts.MaxRDAtomic != 2 || rts.RetryCnt != 3 || rts.RNRRetry != 6 || rts.Timeout != 15 {
			t.Errorf("RTR %+v\nRTS %+v", rtr, rts)
		}
		raise(a, verbs.QPInit, verbs.QPRTR, verbs.QPRTS)
		ok(t, a.id.Establish())
		b.event(verbs.CMEstablished)
		wantErr(t, "Notify", b.id.Notify(verbs.EventCommEst), syscall.EISCONN)
		a.quiet()
		cmTalk(t, a, b)
		ok(t, a.id.Disconnect())
		b.event(verbs.CMDisconnected)
	})
}

// TestCMNotify establishes a connection by Notify after the RTU is lost.
func TestCMNotify(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		listener, a := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceTCP)
		listener.listen(soft1)
		a.resolve(soft1)
		ok(t, a.id.Connect(verbs.CMConnParam{QPNum: 77}))
		b, _ := listener.request()
		if got := must(b.id.InitQPAttr(verbs.QPInit))(t).QPAccessFlags; got != verbs.RemoteWrite {
			t.Errorf("rights %s although no READs were agreed on", got)
		}
		ok(t, b.id.Accept(verbs.CMConnParam{QPNum: 78}))
		a.event(verbs.CMConnectResponse)
		wantErr(t, "another event", b.id.Notify(verbs.EventQPFatal), syscall.EINVAL)
		ok(t, b.id.Notify(verbs.EventCommEst))
		b.event(verbs.CMEstablished)
		ok(t, a.id.Reject([]byte("after all not")))
		if ev := b.event(verbs.CMRejected); !bytes.HasPrefix(ev.Conn.PrivateData, []byte("after all not")) {
			t.Errorf("private data %q", ev.Conn.PrivateData)
		}
	})
}

// TestCMItself connects a device to its own address.
func TestCMItself(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		listener := newCMSide(t, p, verbs.PortSpaceTCP)
		listener.listen(soft0)
		a, b := connectTo(listener, p)
		if a.id.Device() != b.id.Device() {
			t.Error("two devices")
		}
		cmTalk(t, a, b)
		ok(t, b.id.Disconnect())
		a.event(verbs.CMDisconnected)
		ok(t, a.id.Disconnect())
		b.event(verbs.CMDisconnected)
		b.event(verbs.CMTimewaitExit)
		a.event(verbs.CMTimewaitExit)
	})
}

// TestCMBothDisconnect ends a connection from both ends at once.
func TestCMBothDisconnect(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		a, b := cmConnect(t, p)
		ok(t, a.id.Disconnect())
		ok(t, b.id.Disconnect())
		for _, s := range []*cmSide{a, b} {
			s.event(verbs.CMDisconnected)
			if c := connectionOf(s); c.State != cm.StateTimewait { // each has answered the other
				t.Errorf("state %d", c.State)
			}
		}
		for _, s := range []*cmSide{a, b} {
			s.event(verbs.CMTimewaitExit)
			s.quiet()
		}
	})
}

// TestCMDatagrams resolves a service and sends a datagram with the result.
func TestCMDatagrams(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		listener, a := newCMSide(t, p, verbs.PortSpaceUDP), newCMSide(t, p, verbs.PortSpaceUDP)
		listener.listen(netip.AddrPortFrom(netip.IPv4Unspecified(), cmPort))
		a.resolve(soft1)
		a.equip()
		ok(t, a.id.Connect(verbs.CMConnParam{}))
		b, _ := listener.request()
		b.equip()
		b.post(1, 64)
		ok(t, b.id.Accept(verbs.CMConnParam{}))
		ev := a.event(verbs.CMEstablished)
		if ev.UD.QPNum != b.qp.Num() || ev.UD.QKey != cm.UDPQKey || b.id.PeerAddr() != a.id.LocalAddr() ||
			b.id.LocalAddr() != soft1 {
			t.Errorf("%+v, from %s to %s", ev.UD, b.id.PeerAddr(), b.id.LocalAddr())
		}
		ah := must(a.pd.CreateAH(ev.UD.AH))(t)
		closeAtEnd(t, ah)
		a.messages(1, 8, func(wr *verbs.SendWR) { wr.AH, wr.RemoteQPN, wr.RemoteQKey = ah, ev.UD.QPNum, ev.UD.QKey })
		a.finish(1)
		b.finish(1)
		b.quiet()
		wantErr(t, "Accept again", b.id.Accept(verbs.CMConnParam{}), syscall.EINVAL)
	})
}

// TestCMMulticast joins a group: its datagrams arrive until the identifier leaves it.
func TestCMMulticast(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		group := netip.MustParseAddr("239.1.2.3")
		s := newCMSide(t, p, verbs.PortSpaceUDP)
		ok(t, s.id.BindAddr(soft0))
		s.equip()
		ok(t, s.id.JoinMulticast(group))
		wantErr(t, "joining twice", s.id.JoinMulticast(group), syscall.EINVAL)
		ev := s.event(verbs.CMMulticastJoin)
		if ev.UD.QPNum != verbs.MaxQPN || ev.UD.QKey != cm.UDPQKey || ev.UD.AH.GRH.DGID.Addr() != group {
			t.Errorf("%+v", ev.UD)
		}
		s.post(1, 64)
		ah := must(s.pd.CreateAH(ev.UD.AH))(t)
		closeAtEnd(t, ah)
		s.messages(1, 8, func(wr *verbs.SendWR) { wr.AH, wr.RemoteQPN, wr.RemoteQKey = ah, ev.UD.QPNum, ev.UD.QKey })
		s.finish(2)
		ok(t, s.id.LeaveMulticast(group))
		wantErr(t, "leaving twice", s.id.LeaveMulticast(group), syscall.EADDRNOTAVAIL)
		wantErr(t, "no group", s.id.JoinMulticast(soft1.Addr()), syscall.EINVAL)
	})
}

// TestCMMigrate moves a listener with a pending request, and a connection, to another channel.
func TestCMMigrate(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		other := must(p.CreateEventChannel())(t)
		closeAtEnd(t, other)
		listener, a := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceTCP)
		listener.listen(soft1)
		a.resolve(soft1)
		a.equip()
		ok(t, a.id.Connect(cmParam))
		synctest.Wait()
		old := listener.channel
		var busy *verbs.BusyError
		if err := old.Close(); !errors.As(err, &busy) {
			t.Errorf("a channel in use: %v", err)
		}
		lone := newCMSide(t, p, verbs.PortSpaceTCP)
		ok(t, lone.id.Migrate(other))
		if err := other.Close(); !errors.As(err, &busy) {
			t.Errorf("the channel that an identifier was moved to: %v", err)
		}
		ok(t, lone.id.Close())
		ok(t, listener.id.Migrate(other))
		ok(t, old.Close())
		_, err := old.GetEvent(context.Background())
		wantErr(t, "a closed channel", err, verbs.ErrClosed)
		wantErr(t, "to a closed channel", listener.id.Migrate(old), verbs.ErrClosed)
		wantErr(t, "to another provider's", listener.id.Migrate(must(New(Options{}).CreateEventChannel())(t)),
			verbs.ErrForeignObject)
		listener.channel = other
		b, _ := listener.request()
		b.equip()
		if err := b.id.Close(); !errors.As(err, &busy) {
			t.Errorf("an identifier with a queue pair: %v", err)
		}
		ok(t, b.id.Accept(cmParam))
		a.event(verbs.CMEstablished)
		b.event(verbs.CMEstablished)
	})
}

// TestCMContextEnds closes objects and identifier in either order: the context ends with the last.
func TestCMContextEnds(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		for _, idFirst := range []bool{true, false} {
			s := newCMSide(t, p, verbs.PortSpaceTCP)
			ok(t, s.id.BindAddr(soft0))
			d := s.id.Device()
			ok(t, d.Close()) // has no effect
			pd := must(d.AllocPD())(t)
			if idFirst {
				ok(t, s.id.Close())
				ok(t, pd.Close())
			} else {
				ok(t, pd.Close())
				ok(t, s.id.Close())
			}
			if n := p.adapters[0].opens; n != 0 {
				t.Errorf("open %d times", n)
			}
			_, err := d.AllocPD()
			wantErr(t, "a domain of what has ended", err, verbs.ErrClosed)
		}
	})
}
