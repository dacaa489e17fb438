package cm_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// madOf returns the message in a packet; false if there is none.
func madOf(t testing.TB, k *link.Packet) (wire.CMMessage, bool) {
	h, err := wire.Parse(k.Data)
	if err != nil || h.BTH.DestQP != object.GSIQPN {
		return wire.CMMessage{}, false
	}
	m, err := wire.ParseCM(h.Payload)
	if err != nil {
		t.Errorf("sent an invalid message: %v", err)
	}
	return m, err == nil
}

// lose makes the fabric lose the first n messages of a kind; the function that it returns counts those that were sent.
func lose(t testing.TB, p *soft.Provider, what wire.CMAttribute, n int) (sent func() int) {
	var mu sync.Mutex
	seen := 0
	p.Fabric().SetFault(func(k *link.Packet) link.Verdict {
		m, is := madOf(t, k)
		if !is || m.Header.Attribute != what {
			return link.Deliver
		}
		mu.Lock()
		defer mu.Unlock()
		if seen++; seen <= n {
			return link.Drop
		}
		return link.Deliver
	})
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

// TestCMLoss loses each message of a connection, once and for most of its retries: the connection is still established
// and closed.
func TestCMLoss(t *testing.T) {
	for _, what := range []wire.CMAttribute{wire.CMAttrREQ, wire.CMAttrREP, wire.CMAttrRTU,
		wire.CMAttrDREQ, wire.CMAttrDREP} {
		for _, n := range []int{1, 10} {
			t.Run(fmt.Sprint(what, " ", n), func(t *testing.T) {
				virtual(t, func(t *testing.T, p *soft.Provider) {
					sent := lose(t, p, what, n)
					a, b := cmConnect(t, p)
					cmTalk(t, a, b)
					ok(t, a.ID.Disconnect())
					b.Event(verbs.CMDisconnected)
					ok(t, b.ID.Disconnect())
					if ev := a.Event(verbs.CMDisconnected); ev.Status != 0 {
						t.Errorf("status %d", ev.Status)
					}
					b.Event(verbs.CMTimewaitExit)
					a.Event(verbs.CMTimewaitExit)
					a.Quiet()
					b.Quiet()
					if got := sent(); got != n+1 {
						t.Errorf("%d %v sent, want %d", got, what, n+1)
					}
				})
			})
		}
	}
}

// TestCMLossOfDatagrams loses the messages of a resolution: it succeeds, and the server gets one request.
func TestCMLossOfDatagrams(t *testing.T) {
	for _, what := range []wire.CMAttribute{wire.CMAttrSIDRREQ, wire.CMAttrSIDRREP} {
		virtual(t, func(t *testing.T, p *soft.Provider) {
			sent := lose(t, p, what, 4)
			listener, a := newCMSide(t, p, verbs.PortSpaceUDP), newCMSide(t, p, verbs.PortSpaceUDP)
			listener.Listen(soft1)
			a.Resolve(soft1)
			ok(t, a.ID.Connect(verbs.CMConnParam{}))
			b, _ := listener.Request()
			ok(t, b.ID.Accept(verbs.CMConnParam{QPNum: 78}))
			if ev := a.Event(verbs.CMEstablished); ev.UD.QPNum != 78 || sent() != 5 {
				t.Errorf("queue pair %s after %d of %v", ev.UD.QPNum, sent(), what)
			}
			listener.Quiet()
		})
	}
}

// TestCMLastWords closes the last identifier of a device: its engine ends only after it has notified the peer, because
// it does so only once.
func TestCMLastWords(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		a, b := cmConnect(t, p)
		a.Close()
		start := time.Now()
		if ev := b.Event(verbs.CMDisconnected); ev.Status != 0 || time.Since(start) > time.Second {
			t.Errorf("status %d after %s", ev.Status, time.Since(start))
		}
	})
}

// TestCMNoAnswer loses all messages of a kind: the waiting side finally gets an event.
func TestCMNoAnswer(t *testing.T) {
	const timedOut = -110
	t.Run("REQ", func(t *testing.T) {
		virtual(t, func(t *testing.T, p *soft.Provider) {
			sent := lose(t, p, wire.CMAttrREQ, 1000)
			a := newCMSide(t, p, verbs.PortSpaceTCP)
			a.Resolve(soft1)
			a.Equip()
			ok(t, a.ID.Connect(cmParam))
			if ev := a.Event(verbs.CMUnreachable); ev.Status != timedOut || sent() != 1+cm.MaxRetries {
				t.Errorf("status %d after %d REQs", ev.Status, sent())
			}
			a.Quiet()
			noConnections(t, p)
		})
	})
	t.Run("REP", func(t *testing.T) {
		virtual(t, func(t *testing.T, p *soft.Provider) {
			lose(t, p, wire.CMAttrREP, 1000)
			listener, a := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceTCP)
			listener.Listen(soft1)
			a.Resolve(soft1)
			a.Equip()
			ok(t, a.ID.Connect(cmParam))
			b, _ := listener.Request()
			b.Equip()
			ok(t, b.ID.Accept(cmParam))
			if ev := b.Event(verbs.CMUnreachable); ev.Status != timedOut {
				t.Errorf("passive: status %d", ev.Status)
			}
			if ev := a.Event(verbs.CMUnreachable); ev.Status != timedOut {
				t.Errorf("active: status %d", ev.Status)
			}
			time.Sleep(10 * time.Minute) // a late REQ is another request, which expires
			noConnections(t, p)
		})
	})
	t.Run("DREQ", func(t *testing.T) {
		virtual(t, func(t *testing.T, p *soft.Provider) {
			a, b := cmConnect(t, p)
			lose(t, p, wire.CMAttrDREQ, 1000)
			ok(t, a.ID.Disconnect())
			if ev := a.Event(verbs.CMDisconnected); ev.Status != timedOut {
				t.Errorf("status %d", ev.Status)
			}
			a.Event(verbs.CMTimewaitExit)
			b.Quiet()
		})
	})
	t.Run("SIDR_REQ", func(t *testing.T) {
		virtual(t, func(t *testing.T, p *soft.Provider) {
			lose(t, p, wire.CMAttrSIDRREQ, 1000)
			a := newCMSide(t, p, verbs.PortSpaceUDP)
			a.Resolve(soft1)
			ok(t, a.ID.Connect(verbs.CMConnParam{}))
			if ev := a.Event(verbs.CMUnreachable); ev.Status != timedOut {
				t.Errorf("status %d", ev.Status)
			}
			noConnections(t, p)
		})
	})
}

// TestCMFirstPacket loses every RTU: the first packet of the peer establishes the connection instead.
func TestCMFirstPacket(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		lose(t, p, wire.CMAttrRTU, 1000)
		listener, a := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceTCP)
		listener.Listen(soft1)
		a.Resolve(soft1)
		a.Equip()
		ok(t, a.ID.Connect(cmParam))
		b, _ := listener.Request()
		b.Equip()
		ok(t, b.ID.Accept(cmParam))
		a.Event(verbs.CMEstablished)
		b.Quiet()
		cmTalk(t, a, b)
		b.Event(verbs.CMEstablished)
		ok(t, b.ID.Disconnect())
		a.Event(verbs.CMDisconnected)
		ok(t, a.ID.Disconnect())
		b.Event(verbs.CMDisconnected)
	})
}

// TestCMHarm connects repeatedly while packets are lost, duplicated and reordered: every connection is established, and
// each event is reported once.
func TestCMHarm(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		for _, device := range []string{"soft0", "soft1"} {
			ok(t, p.SetFaults(device,
				verbs.Faults{Loss: 0.1, Duplicate: 0.5, Reorder: 0.3, Jitter: time.Millisecond, Seed: 7}))
		}
		listener := newCMSide(t, p, verbs.PortSpaceTCP)
		listener.Listen(soft1)
		for range 50 {
			a, b := connectTo(listener, p)
			cmTalk(t, a, b)
			ok(t, a.ID.Disconnect())
			b.Event(verbs.CMDisconnected)
			ok(t, b.ID.Disconnect())
			a.Event(verbs.CMDisconnected)
			a.Event(verbs.CMTimewaitExit)
			b.Event(verbs.CMTimewaitExit)
			a.Close()
			b.Close()
		}
	})
}
