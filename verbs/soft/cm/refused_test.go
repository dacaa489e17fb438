package cm_test

import (
	"bytes"
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

// TestCMReject refuses a request with private data.
func TestCMReject(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, a := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceTCP)
		listener.Listen(soft1)
		a.Resolve(soft1)
		a.Equip()
		ok(t, a.ID.Connect(verbs.CMConnParam{PrivateData: []byte("let me in"), ResponderResources: 7, InitiatorDepth: 9,
			RetryCount: 3, RNRRetryCount: 2, FlowControl: true}))
		b, ev := listener.Request()
		want := verbs.CMConnParam{
			PrivateData: append([]byte("let me in"), make([]byte, 56-9)...), ResponderResources: 9, InitiatorDepth: 7,
			RetryCount: 3, RNRRetryCount: 2, FlowControl: true, QPNum: a.QP.Num(),
		}
		if !bytes.Equal(ev.Conn.PrivateData, want.PrivateData) {
			t.Errorf("private data %q", ev.Conn.PrivateData)
		}
		if ev.Conn.PrivateData, want.PrivateData = nil,
			nil; ev.Conn.ResponderResources != 9 || ev.Conn.InitiatorDepth != 7 || ev.Conn.QPNum != want.QPNum ||
			ev.Conn.RetryCount != 3 || ev.Conn.RNRRetryCount != 2 || !ev.Conn.FlowControl || ev.Conn.SRQ {
			t.Errorf("parameters %+v, want %+v", ev.Conn, want)
		}
		if b.ID.LocalAddr() != soft1 || b.ID.PeerAddr() != a.ID.LocalAddr() || a.ID.PeerAddr() != soft1 ||
			b.ID.PortNum() != 1 {
			t.Errorf("from %s to %s, the peer's from %s to %s", b.ID.PeerAddr(), b.ID.LocalAddr(), a.ID.LocalAddr(),
				a.ID.PeerAddr())
		}
		ok(t, b.ID.Reject([]byte("no")))
		rej := a.Event(verbs.CMRejected)
		if rej.Status != int(verbs.RejectConsumerDefined) || len(rej.Conn.PrivateData) != 148 ||
			!bytes.HasPrefix(rej.Conn.PrivateData, []byte("no\x00")) {
			t.Errorf("status %d, private data %q", rej.Status, rej.Conn.PrivateData)
		}
		if s := (&side{T: t, QP: a.QP}).State(); s != verbs.QPErr {
			t.Errorf("the queue pair is in %s", s)
		}
		if err := b.ID.Accept(verbs.CMConnParam{QPNum: 5}); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("accepted after a reject: %v", err)
		}
		a.Quiet()
		listener.Quiet()
		noConnections(t, p)
	})
}

// TestCMRefusedByItself connects to a port without a listener, and to a listener that closes.
func TestCMRefusedByItself(t *testing.T) {
	for _, tt := range []struct {
		name   string
		space  verbs.CMPortSpace
		listen func(t *testing.T, p *soft.Provider) (after func())
		event  verbs.CMEventType
		status int
	}{
		{"nobody listens", verbs.PortSpaceTCP, func(*testing.T, *soft.Provider) func() { return nil }, verbs.CMRejected,
			int(verbs.RejectInvalidServiceID)},
		{"another port", verbs.PortSpaceTCP, func(t *testing.T, p *soft.Provider) func() {
			newCMSide(t, p, verbs.PortSpaceTCP).Listen(netip.AddrPortFrom(soft1.Addr(), cmPort+1))
			return nil
		}, verbs.CMRejected, int(verbs.RejectInvalidServiceID)},
		{"another address", verbs.PortSpaceTCP, func(t *testing.T, p *soft.Provider) func() {
			newCMSide(t, p, verbs.PortSpaceTCP).Listen(soft0)
			return nil
		}, verbs.CMRejected, int(verbs.RejectInvalidServiceID)},
		{"another port space", verbs.PortSpaceTCP, func(t *testing.T, p *soft.Provider) func() {
			newCMSide(t, p, verbs.PortSpaceUDP).Listen(soft1)
			return nil
		}, verbs.CMRejected, int(verbs.RejectInvalidServiceID)},
		{"bound, but not listening", verbs.PortSpaceTCP, func(t *testing.T, p *soft.Provider) func() {
			ok(t, newCMSide(t, p, verbs.PortSpaceTCP).ID.BindAddr(soft1))
			return nil
		}, verbs.CMRejected, int(verbs.RejectInvalidServiceID)},
		{"the listener closes with the request untaken", verbs.PortSpaceTCP, func(t *testing.T,
			p *soft.Provider) func() {
			s := newCMSide(t, p, verbs.PortSpaceTCP)
			s.Listen(soft1)
			return func() { ok(t, s.ID.Close()) }
		}, verbs.CMRejected, int(verbs.RejectConsumerDefined)},
		{"the request is closed", verbs.PortSpaceTCP, func(t *testing.T, p *soft.Provider) func() {
			s := newCMSide(t, p, verbs.PortSpaceTCP)
			s.Listen(soft1)
			return func() { r, _ := s.Request(); ok(t, r.ID.Close()) }
		}, verbs.CMRejected, int(verbs.RejectConsumerDefined)},
		{"no datagram service", verbs.PortSpaceUDP, func(*testing.T, *soft.Provider) func() { return nil },
			verbs.CMUnreachable, 1},
		{"datagrams refused", verbs.PortSpaceUDP, func(t *testing.T, p *soft.Provider) func() {
			s := newCMSide(t, p, verbs.PortSpaceUDP)
			s.Listen(soft1)
			return func() { r, _ := s.Request(); ok(t, r.ID.Reject([]byte("no"))) }
		}, verbs.CMUnreachable, 2},
		{"a request for datagrams is closed", verbs.PortSpaceUDP, func(t *testing.T, p *soft.Provider) func() {
			s := newCMSide(t, p, verbs.PortSpaceUDP)
			s.Listen(soft1)
			return func() { r, _ := s.Request(); ok(t, r.ID.Close()) }
		}, verbs.CMUnreachable, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *soft.Provider) {
				closeAtEnd(t, must(p.Open("soft1"))(t)) // the device is open, with or without a listener
				after := tt.listen(t, p)
				a := newCMSide(t, p, tt.space)
				a.Resolve(soft1)
				a.Equip()
				ok(t, a.ID.Connect(cmParam))
				synctest.Wait()
				if after != nil {
					after()
				}
				if ev := a.Event(tt.event); ev.Status != tt.status {
					t.Errorf("status %d, want %d", ev.Status, tt.status)
				}
				a.Quiet()
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
		func(t *testing.T, e *ends) { e.a.Resolve(soft1); e.a.Equip() },
		func(t *testing.T, e *ends) { ok(t, e.a.ID.Connect(cmParam)) },
		func(t *testing.T, e *ends) { e.b, _ = e.listener.Request(); e.b.Equip() },
		func(t *testing.T, e *ends) { ok(t, e.b.ID.Accept(cmParam)) },
		func(t *testing.T, e *ends) { e.a.Event(verbs.CMEstablished); e.b.Event(verbs.CMEstablished) },
		func(t *testing.T, e *ends) { ok(t, e.a.ID.Disconnect()) },
		func(t *testing.T, e *ends) { e.b.Event(verbs.CMDisconnected) },
		func(t *testing.T, e *ends) { ok(t, e.b.ID.Disconnect()) },
		func(t *testing.T, e *ends) { e.a.Event(verbs.CMDisconnected) },
	}
	for n := range len(steps) + 1 {
		for _, who := range []string{"active", "passive", "both"} {
			virtual(t, func(t *testing.T, p *soft.Provider) {
				e := &ends{listener: newCMSide(t, p, verbs.PortSpaceTCP), a: newCMSide(t, p, verbs.PortSpaceTCP)}
				e.listener.Listen(soft1)
				for _, step := range steps[:n] {
					step(t, e)
				}
				if who != "passive" {
					e.a.Close()
				}
				if who != "active" {
					if e.b != nil {
						e.b.Close()
					}
					e.listener.Close()
				}
				time.Sleep(2 * time.Minute)
				for _, s := range []*cmSide{e.a, e.b, e.listener} {
					if s != nil && s.QP != nil {
						ok(t, s.QP.Close())
						ok(t, s.CQ.Close())
						ok(t, s.PD.Close())
					}
					if s != nil {
						ok(t, s.ID.Close())
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
	ev, is := s.Channel.(*cm.Channel).Undelivered()
	if is && ev.Type == verbs.CMConnectRequest {
		return ev.ID
	}
	return nil
}

// noConnections fails if the manager knows any connection or request, also while identifiers are open.
func noConnections(t *testing.T, p *soft.Provider) {
	t.Helper()
	kept := managerOf(p).Tables()
	if kept.Ports = 0; kept != (cm.Tables{}) {
		t.Errorf("the manager keeps %+v", kept)
	}
}

// TestCMSixtyFour makes 64 connections at once.
func TestCMSixtyFour(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener := newCMSide(t, p, verbs.PortSpaceTCP)
		listener.Listen(netip.AddrPortFrom(netip.IPv4Unspecified(), cmPort))
		var all [64]*cmSide
		for i := range all {
			all[i] = newCMSide(t, p, verbs.PortSpaceTCP)
			all[i].Resolve(soft1)
			all[i].Equip()
			ok(t, all[i].ID.Connect(cmParam))
		}
		byPeer := map[netip.AddrPort]*cmSide{}
		for range all {
			b, _ := listener.Request()
			b.Equip()
			byPeer[b.ID.PeerAddr()] = b
		}
		for _, b := range byPeer {
			ok(t, b.ID.Accept(cmParam))
		}
		for range all {
			listener.Event(verbs.CMEstablished)
		}
		for _, a := range all {
			a.Event(verbs.CMEstablished)
			b := byPeer[a.ID.LocalAddr()]
			if b == nil {
				t.Fatalf("no request from %s", a.ID.LocalAddr())
			}
			cmTalk(t, a, b)
		}
	})
}

// TestCMBacklog checks that no more requests are pending than the backlog; the others are repeated until there is room.
func TestCMBacklog(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener := newCMSide(t, p, verbs.PortSpaceTCP)
		ok(t, listener.ID.BindAddr(soft1))
		ok(t, listener.ID.Listen(2))
		for range 5 {
			a := newCMSide(t, p, verbs.PortSpaceTCP)
			a.Resolve(soft1)
			a.Equip()
			ok(t, a.ID.Connect(cmParam))
		}
		synctest.Wait()
		for range 2 {
			listener.Request()
		}
		listener.Quiet()
		for range 3 {
			listener.Request()
		}
		time.Sleep(time.Minute)
		listener.Quiet()
	})
}

// connectionOf returns what the manager knows of the identifier's connection.
func connectionOf(s *cmSide) cm.Connection {
	s.T.Helper()
	c, ok := s.ID.(*cm.ID).Connection()
	if !ok {
		s.T.Fatal("no connection")
	}
	if c.ID != s.ID {
		s.T.Errorf("the connection is of %v", c.ID)
	}
	return c
}
