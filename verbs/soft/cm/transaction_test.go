package cm_test

import (
	"net/netip"
	"testing"
	"testing/synctest"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/wire"
)

// TestCMTransactions requests connections and services: no two requests have the same transaction ID.
func TestCMTransactions(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		r := newRawCM(t, p)
		asked := map[uint64]int{0: -1}
		for i, space := range []verbs.CMPortSpace{verbs.PortSpaceTCP, verbs.PortSpaceUDP, verbs.PortSpaceTCP,
			verbs.PortSpaceUDP} {
			s := newCMSide(t, p, space)
			ok(t, s.ID.BindAddr(netip.AddrPortFrom(soft1.Addr(), 0)))
			s.Resolve(netip.AddrPortFrom(rawAddr, 5))
			if s.Equip(); space == verbs.PortSpaceUDP {
				ok(t, s.ID.Connect(verbs.CMConnParam{}))
			} else {
				ok(t, s.ID.Connect(cmParam))
			}
			synctest.Wait()
			for _, k := range r.port.Receive(nil, 100) {
				m, _ := madOf(t, k)
				tid := m.Header.TransactionID
				if other, known := asked[tid]; known {
					t.Errorf("request %d (%T) has transaction ID %#x, as has %d", i, m.Body, tid, other)
				}
				asked[tid] = i
			}
			if len(asked) != i+2 {
				t.Errorf("%d requests received, want %d", len(asked)-1, i+1)
			}
		}
	})
}

// TestCMTransactionOfAnEnd: a disconnect request of either side has the transaction ID of its own connection's
// messages, as on Linux.
func TestCMTransactionOfAnEnd(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		r := newRawCM(t, p)
		s := newCMSide(t, p, verbs.PortSpaceTCP)
		ok(t, s.ID.BindAddr(netip.AddrPortFrom(soft1.Addr(), 0)))
		s.Resolve(netip.AddrPortFrom(rawAddr, 5))
		s.Equip()
		ok(t, s.ID.Connect(cmParam))
		next := func() wire.CMMessage {
			synctest.Wait()
			for _, k := range r.port.Receive(nil, 100) {
				if m, is := madOf(t, k); is {
					return m
				}
			}
			t.Fatal("no message")
			return wire.CMMessage{}
		}
		asked := next()
		req := asked.Body.(*wire.CMReq)
		rep := &wire.CMRep{LocalCommID: 0x1001, RemoteCommID: req.LocalCommID, LocalQPN: rawQPN, StartingPSN: 100}
		m := wire.NewCM(asked.Header.TransactionID, rep)
		r.putPacket(madPacket(m.Append(nil)))
		s.Event(verbs.CMEstablished)
		if rtu := next(); rtu.Header.TransactionID != asked.Header.TransactionID {
			t.Errorf("the RTU has transaction ID %#x, the REQ %#x", rtu.Header.TransactionID,
				asked.Header.TransactionID)
		}
		ok(t, s.ID.Disconnect())
		if dreq := next(); dreq.Header.TransactionID != asked.Header.TransactionID {
			t.Errorf("the DREQ has transaction ID %#x, the REQ %#x", dreq.Header.TransactionID,
				asked.Header.TransactionID)
		}
	})
}

// TestCMTransactionOfAnAnswer: what answers a request has the request's transaction ID.
func TestCMTransactionOfAnAnswer(t *testing.T) {
	for _, tt := range []struct {
		space  verbs.CMPortSpace
		body   func(r *rawCM) wire.CMBody
		answer func(s *cmSide) error
	}{
		{verbs.PortSpaceTCP, func(r *rawCM) wire.CMBody { return r.req() },
			func(s *cmSide) error { return s.ID.Reject(nil) }},
		{verbs.PortSpaceTCP, func(r *rawCM) wire.CMBody { return r.req() },
			func(s *cmSide) error { return s.ID.Accept(verbs.CMConnParam{QPNum: 9}) }},
		{verbs.PortSpaceUDP, func(r *rawCM) wire.CMBody { return r.sidr(7) },
			func(s *cmSide) error { return s.ID.Reject(nil) }},
	} {
		virtual(t, func(t *testing.T, p *soft.Provider) {
			listener, r := newCMSide(t, p, tt.space), newRawCM(t, p)
			listener.Listen(soft1)
			const tid = 0x1234567890
			m := wire.NewCM(tid, tt.body(r))
			r.putPacket(madPacket(m.Append(nil)))
			s, _ := listener.Request()
			ok(t, tt.answer(s))
			synctest.Wait()
			answers := 0
			for _, k := range r.port.Receive(nil, 100) {
				if m, is := madOf(t, k); is {
					if answers++; m.Header.TransactionID != tid {
						t.Errorf("%T has transaction ID %#x, want %#x", m.Body, m.Header.TransactionID, uint64(tid))
					}
				}
			}
			if answers == 0 {
				t.Errorf("%s: no answer", tt.space)
			}
		})
	}
}
