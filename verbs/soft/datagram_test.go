package soft

import (
	"testing"
	"testing/synctest"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// TestDatagramRules sends one datagram that must be dropped, then a valid one: the RECV is still posted for it.
func TestDatagramRules(t *testing.T) {
	const qkey = 0x11111111
	for _, tt := range []struct {
		name    string
		n       int
		change  func(h *wire.Packet)
		counter string // counts the drop
	}{
		{"another Q_Key", 8, func(h *wire.Packet) { h.DETH.QKey++ }, "qkey_violation"},
		{"longer than the RECV", 2049, nil, "dropped_messages"},
		{"longer than the port's MTU", 4100, nil, "dropped_messages"},
		{"another P_Key", 8, func(h *wire.Packet) { h.BTH.PKey = 0x8001 }, "wrong_peer"},
		{"another transport", 8, func(h *wire.Packet) { h.BTH.Opcode = wire.UCSendOnly }, "wrong_peer"},
		{"the multicast number, to one port", 8, func(h *wire.Packet) { h.BTH.DestQP = uint32(verbs.MaxQPN) },
			"unknown_qp"},
		{"an opcode that datagrams do not have", 8, func(h *wire.Packet) { h.BTH.Opcode = wire.UDSendOnly - 4 },
			"malformed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{Typ: verbs.UD, QKey: qkey})
				mr := r.NewMR(8192, everything)
				room := uint32(2048)
				if tt.n > 4096 {
					room = 8000
				}
				r.Recv(verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, verbs.GRHLen+room)})
				h := r.request(wire.UDSendOnly, 5, tt.n)
				if tt.change != nil {
					tt.change(h)
				}
				r.put(h)
				r.Nothing()
				wantBytes(t, mr, make([]byte, 8192), 0)
				if got := counterOf(t, p, "soft0", tt.counter); got != 1 {
					t.Errorf("%s is %d, want 1", tt.counter, got)
				}
				h = r.request(wire.UDSendOnlyImm, 9, 2048)
				h.ImmDt.Data, h.DETH.SrcQP = 0xabcd, 0xfedcba
				r.put(h)
				wc := r.Want(1, verbs.WCSuccess)
				want := verbs.WC{
					WRID: 1, Opcode: verbs.WCRecv, ByteLen: verbs.GRHLen + 2048, ImmData: 0xabcd, QPNum: r.QP.Num(),
					SrcQP: 0xfedcba, WCFlags: verbs.WCGRH | verbs.WCWithImm,
				}
				if wc != want {
					t.Errorf("got  %+v\nwant %+v", wc, want)
				}
				wantBytes(t, mr, pattern(2048, 9), verbs.GRHLen)
				if len(r.answers()) != 0 {
					t.Error("answered")
				}
				r.NoEvent()
			})
		})
	}
}

// TestDatagramIntoBadRecv: a RECV that must not be written fails the queue pair, and nothing is placed.
func TestDatagramIntoBadRecv(t *testing.T) {
	for _, access := range []verbs.Access{0, verbs.RemoteRead} {
		virtual(t, func(t *testing.T, p *Provider) {
			r := newRawPeer(t, p, pairOptions{Typ: verbs.UD, QKey: 1})
			mr := r.NewMR(128, access)
			r.Recv(verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 128)}, verbs.RecvWR{WRID: 2})
			r.put(r.request(wire.UDSendOnly, 5, 8))
			r.Want(1, verbs.WCLocProtErr)
			r.Want(2, verbs.WCWRFlushErr)
			r.WaitState(verbs.QPErr)
			wantBytes(t, mr, make([]byte, 128), 0)
		})
	}
}

// TestHeaderUsers: IP headers are read for UD queue pairs and for a tap, and no longer than that.
func TestHeaderUsers(t *testing.T) {
	p := New(Options{})
	s := newSide(t, p, "soft0", pairOptions{}.WithDefaults()) // RC
	users := func(when string, want int) {
		t.Helper()
		if got := p.adapter("soft0").headers.users; got != want {
			t.Errorf("%s: %d users, want %d", when, got, want)
		}
	}
	users("RC", 0)
	qp := s.NewQP(pairOptions{Typ: verbs.UD}.WithDefaults())
	users("UD", 1)
	see := func(verbs.Packet) {}
	ok(t, p.TapPackets("soft0", see))
	ok(t, p.TapPackets("soft0", see))
	users("UD and a tap", 2)
	ok(t, qp.Close())
	ok(t, qp.Close())
	users("a tap", 1)
	ok(t, p.TapPackets("soft0", nil))
	ok(t, p.TapPackets("soft0", nil))
	users("nothing", 0)
}

// TestDatagramSilence: without a RECV a datagram is lost, and neither side is notified.
func TestDatagramSilence(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{Typ: verbs.UD, QKey: 1})
		r.put(r.request(wire.UDSendOnly, 5, 8))
		if got := counterOf(t, p, "soft0", "dropped_messages"); got != 1 || len(r.answers()) != 0 {
			t.Errorf("%d dropped messages, want 1 and no answer", got)
		}
		r.Recv(verbs.RecvWR{WRID: 1})
		r.Nothing()
	})
}

// TestWhichQKeyIsSent: the highest bit of a request's Q_Key selects the queue pair's own.
func TestWhichQKeyIsSent(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{Typ: verbs.UD, QKey: 0x123})
		for asked, want := range map[uint32]uint32{0: 0, 0x7fffffff: 0x7fffffff, 1 << 31: 0x123, 0xffffffff: 0x123} {
			wr := r.sendWR(1)
			wr.RemoteQKey = asked
			r.Send(wr)
			synctest.Wait()
			r.Want(1, verbs.WCSuccess)
			if got := r.answers(); len(got) != 1 || got[0].DETH.QKey != want ||
				got[0].DETH.SrcQP != uint32(r.QP.Num()) {
				t.Errorf("0x%x: %+v, want Q_Key 0x%x", asked, got, want)
			}
		}
	})
}
