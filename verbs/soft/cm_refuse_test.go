package soft

import (
	"bytes"
	"errors"
	"net/netip"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/cm"
)

// TestCMReject refuses a request with private data.
func TestCMReject(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		listener, a := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceTCP)
		listener.listen(soft1)
		a.resolve(soft1)
		a.equip()
		ok(t, a.id.Connect(verbs.CMConnParam{PrivateData: []byte("let me in"), ResponderResources: 7, InitiatorDepth: 9,
			RetryCount: 3, RNRRetryCount: 2, FlowControl: true}))
		b, ev := listener.request()
		want := verbs.CMConnParam{
			PrivateData: append([]byte("let me in"), make([]byte, 56-9)...), ResponderResources: 9, InitiatorDepth: 7,
			RetryCount: 3, RNRRetryCount: 2, FlowControl: true, QPNum: a.qp.Num(),
		}
		if !bytes.Equal(ev.Conn.PrivateData, want.PrivateData) {
			t.Errorf("private data %q", ev.Conn.PrivateData)
		}
		if ev.Conn.PrivateData, want.PrivateData = nil,
			nil; ev.Conn.ResponderResources != 9 || ev.Conn.InitiatorDepth != 7 || ev.Conn.QPNum != want.QPNum ||
			ev.Conn.RetryCount != 3 || ev.Conn.RNRRetryCount != 2 || !ev.Conn.FlowControl || ev.Conn.SRQ {
			t.Errorf("parameters %+v, want %+v", ev.Conn, want)
		}
		if b.id.LocalAddr() != soft1 || b.id.PeerAddr() != a.id.LocalAddr() || a.id.PeerAddr() != soft1 ||
			b.id.PortNum() != 1 {
			t.Errorf("from %s to %s, the peer's from %s to %s", b.id.PeerAddr(), b.id.LocalAddr(), a.id.LocalAddr(),
				a.id.PeerAddr())
		}
		ok(t, b.id.Reject([]byte("no")))
		rej := a.event(verbs.CMRejected)
		if rej.Status != int(verbs.RejectConsumerDefined) || len(rej.Conn.PrivateData) != 148 ||
			!bytes.HasPrefix(rej.Conn.PrivateData, []byte("no\x00")) {
			t.Errorf("status %d, private data %q", rej.Status, rej.Conn.PrivateData)
		}
		if s := (&side{t: t, qp: a.qp}).state(); s != verbs.QPErr {
			t.Errorf("the queue pair is in %s", s)
		}
		if err := b.id.Accept(verbs.CMConnParam{QPNum: 5}); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("accepted after a reject: %v", err)
		}
		a.quiet()
		listener.quiet()
		noConnections(t, p)
	})
}

// TestCMRefusedByItself connects to a port without a listener, and to a listener that closes.
func TestCMRefusedByItself(t *testing.T) {
	for _, tt := range []struct {
		name   string
		space  verbs.CMPortSpace
		listen func(t *testing.T, p *Provider) (after func())
		event  verbs.CMEventType
		status int
	}{
		{"nobody listens", verbs.PortSpaceTCP, func(*testing.T, *Provider) func() { return nil }, verbs.CMRejected,
			int(verbs.RejectInvalidServiceID)},
		{"another port", verbs.PortSpaceTCP, func(t *testing.T, p *Provider) func() {
			newCMSide(t, p, verbs.PortSpaceTCP).listen(netip.AddrPortFrom(soft1.Addr(), cmPort+1))
			return nil
		}, verbs.CMRejected, int(verbs.RejectInvalidServiceID)},
		{"another address", verbs.PortSpaceTCP, func(t *testing.T, p *Provider) func() {
			newCMSide(t, p, verbs.PortSpaceTCP).listen(soft0)
			return nil
		}, verbs.CMRejected, int(verbs.RejectInvalidServiceID)},
		{"another port space", verbs.PortSpaceTCP, func(t *testing.T, p *Provider) func() {
			newCMSide(t, p, verbs.PortSpaceUDP).listen(soft1)
			return nil
		}, verbs.CMRejected, int(verbs.RejectInvalidServiceID)},
		{"bound, but not listening", verbs.PortSpaceTCP, func(t *testing.T, p *Provider) func() {
			ok(t, newCMSide(t, p, verbs.PortSpaceTCP).id.BindAddr(soft1))
			return nil
		}, verbs.CMRejected, int(verbs.RejectInvalidServiceID)},
		{"the listener closes with the request untaken", verbs.PortSpaceTCP, func(t *testing.T, p *Provider) func() {
			s := newCMSide(t, p, verbs.PortSpaceTCP)
			s.listen(soft1)
			return func() { ok(t, s.id.Close()) }
		}, verbs.CMRejected, int(verbs.RejectConsumerDefined)},
		{"the request is closed", verbs.PortSpaceTCP, func(t *testing.T, p *Provider) func() {
			s := newCMSide(t, p, verbs.PortSpaceTCP)
			s.listen(soft1)
			return func() { r, _ := s.request(); ok(t, r.id.Close()) }
		}, verbs.CMRejected, int(verbs.RejectConsumerDefined)},
		{"no datagram service", verbs.PortSpaceUDP, func(*testing.T, *Provider) func() { return nil },
			verbs.CMUnreachable, 1},
		{"datagrams refused", verbs.PortSpaceUDP, func(t *testing.T, p *Provider) func() {
			s := newCMSide(t, p, verbs.PortSpaceUDP)
			s.listen(soft1)
			return func() { r, _ := s.request(); ok(t, r.id.Reject([]byte("no"))) }
		}, verbs.CMUnreachable, 2},
		{"a request for datagrams is closed", verbs.PortSpaceUDP, func(t *testing.T, p *Provider) func() {
			s := newCMSide(t, p, verbs.PortSpaceUDP)
			s.listen(soft1)
			return func() { r, _ := s.request(); ok(t, r.id.Close()) }
		}, verbs.CMUnreachable, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				closeAtEnd(t, must(p.Open("soft1"))(t)) // the device is open, with or without a listener
				after := tt.listen(t, p)
				a := newCMSide(t, p, tt.space)
				a.resolve(soft1)
				a.equip()
				ok(t, a.id.Connect(cmParam))
				synctest.Wait()
				if after != nil {
					after()
				}
				if ev := a.event(tt.event); ev.Status != tt.status {
					t.Errorf("status %d, want %d", ev.Status, tt.status)
				}
				a.quiet()
				time.Sleep(time.Minute)
				noConnections(t, p)
			})
		})
	}
}

// TestCMCloseWhenever closes one end in each state of a connection: the other is notified, and no state is left.
func TestCMCloseWhenever(t *testing.T) {
	type ends struct{ listener, a, b *cmSide }
	steps := []func(t *testing.T, e *ends){
		func(t *testing.T, e *ends) { e.a.resolve(soft1); e.a.equip() },
		func(t *testing.T, e *ends) { ok(t, e.a.id.Connect(cmParam)) },
		func(t *testing.T, e *ends) { e.b, _ = e.listener.request(); e.b.equip() },
		func(t *testing.T, e *ends) { ok(t, e.b.id.Accept(cmParam)) },
		func(t *testing.T, e *ends) { e.a.event(verbs.CMEstablished); e.b.event(verbs.CMEstablished) },
		func(t *testing.T, e *ends) { ok(t, e.a.id.Disconnect()) },
		func(t *testing.T, e *ends) { e.b.event(verbs.CMDisconnected) },
		func(t *testing.T, e *ends) { ok(t, e.b.id.Disconnect()) },
		func(t *testing.T, e *ends) { e.a.event(verbs.CMDisconnected) },
	}
	for n := range len(steps) + 1 {
		for _, who := range []string{"active", "passive", "both"} {
			virtual(t, func(t *testing.T, p *Provider) {
				e := &ends{listener: newCMSide(t, p, verbs.PortSpaceTCP), a: newCMSide(t, p, verbs.PortSpaceTCP)}
				e.listener.listen(soft1)
				for _, step := range steps[:n] {
					step(t, e)
				}
				if who != "passive" {
					e.a.close()
				}
				if who != "active" {
					if e.b != nil {
						e.b.close()
					}
					e.listener.close()
				}
				time.Sleep(2 * time.Minute)
				for _, s := range []*cmSide{e.a, e.b, e.listener} {
					if s != nil && s.qp != nil {
						ok(t, s.qp.Close())
						ok(t, s.cq.Close())
						ok(t, s.pd.Close())
					}
					if s != nil {
						ok(t, s.id.Close())
					}
				}
				if r := undelivered(e.listener); r != nil {
					ok(t, r.Close())
				}
				time.Sleep(2 * time.Minute)
				nothingKept(t, p)
			})
		}
	}
}

// undelivered is the identifier of a request that nobody has taken, if there is one.
func undelivered(s *cmSide) verbs.CMID {
	ev, is := s.channel.(*cm.Channel).Undelivered()
	if is && ev.Type == verbs.CMConnectRequest {
		return ev.ID
	}
	return nil
}

// noConnections fails if the manager knows any connection or request, also while identifiers are open.
func noConnections(t *testing.T, p *Provider) {
	t.Helper()
	kept := p.manager.Tables()
	if kept.Ports = 0; kept != (cm.Tables{}) {
		t.Errorf("the manager keeps %+v", kept)
	}
}

// nothingKept fails if the manager still keeps any state.
func nothingKept(t *testing.T, p *Provider) {
	t.Helper()
	if kept := p.manager.Tables(); kept != (cm.Tables{}) {
		t.Errorf("the manager keeps %+v", kept)
	}
	for _, a := range p.adapters {
		if a.opens != 0 {
			t.Errorf("%s is open %d times", a.name, a.opens)
		}
	}
}

// TestCMThousand connects and disconnects a thousand times in a row; no queue pair number is reused within its
// time-wait, although there are only 4096. A goroutine that is left would make synctest.Test panic.
func TestCMThousand(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		all := p.random.Next
		p.random.Next = func() uint64 { return all() & 0xfff << 32 }
		listener := newCMSide(t, p, verbs.PortSpaceTCP)
		listener.listen(soft1)
		seen := [2]map[verbs.QPN]bool{{}, {}} // by device
		start := time.Now()
		for range 1000 {
			a, b := connectTo(listener, p)
			for i, s := range []*cmSide{a, b} {
				if seen[i][s.qp.Num()] {
					t.Fatalf("%s is used again", s.qp.Num())
				}
				seen[i][s.qp.Num()] = true
			}
			ok(t, a.id.Disconnect())
			b.event(verbs.CMDisconnected)
			b.close()
			a.event(verbs.CMDisconnected)
			a.close()
			ok(t, a.channel.Close())
		}
		if d := time.Since(start); d > 0 {
			t.Errorf("it took %s of virtual time: a message was repeated", d)
		}
		listener.quiet()
		time.Sleep(time.Minute)
		ok(t, listener.id.Close())
		nothingKept(t, p)
	})
}

// TestCMSixtyFour makes 64 connections at once.
func TestCMSixtyFour(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		listener := newCMSide(t, p, verbs.PortSpaceTCP)
		listener.listen(netip.AddrPortFrom(netip.IPv4Unspecified(), cmPort))
		var all [64]*cmSide
		for i := range all {
			all[i] = newCMSide(t, p, verbs.PortSpaceTCP)
			all[i].resolve(soft1)
			all[i].equip()
			ok(t, all[i].id.Connect(cmParam))
		}
		byPeer := map[netip.AddrPort]*cmSide{}
		for range all {
			b, _ := listener.request()
			b.equip()
			byPeer[b.id.PeerAddr()] = b
		}
		for _, b := range byPeer {
			ok(t, b.id.Accept(cmParam))
		}
		for range all {
			listener.event(verbs.CMEstablished)
		}
		for _, a := range all {
			a.event(verbs.CMEstablished)
			b := byPeer[a.id.LocalAddr()]
			if b == nil {
				t.Fatalf("no request from %s", a.id.LocalAddr())
			}
			cmTalk(t, a, b)
		}
	})
}

// TestCMBacklog checks that no more requests are pending than the backlog; the others are repeated until there is room.
func TestCMBacklog(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		listener := newCMSide(t, p, verbs.PortSpaceTCP)
		ok(t, listener.id.BindAddr(soft1))
		ok(t, listener.id.Listen(2))
		for range 5 {
			a := newCMSide(t, p, verbs.PortSpaceTCP)
			a.resolve(soft1)
			a.equip()
			ok(t, a.id.Connect(cmParam))
		}
		synctest.Wait()
		for range 2 {
			listener.request()
		}
		listener.quiet()
		for range 3 {
			listener.request()
		}
		time.Sleep(time.Minute)
		listener.quiet()
	})
}

// connectionOf returns what the manager knows of the identifier's connection.
func connectionOf(s *cmSide) cm.Connection {
	s.t.Helper()
	c, ok := s.id.(*cm.ID).Connection()
	if !ok {
		s.t.Fatal("no connection")
	}
	if c.ID != s.id {
		s.t.Errorf("the connection is of %v", c.ID)
	}
	return c
}
