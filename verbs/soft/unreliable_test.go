package soft

import (
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// TestUnreliableRules sends packets of an unreliable connection that do not belong together or must not be executed.
// The result is one message in the RECV, or none; no answer is sent, no event is raised, and the next message is
// received.
func TestUnreliableRules(t *testing.T) {
	const mtu = 1024
	type packet struct {
		op  wire.Opcode
		psn wire.PSN
		n   int
	}
	write := func(access verbs.Access, change func(h *wire.RETH)) func(*rawPeer, *wire.Packet) {
		return func(r *rawPeer, h *wire.Packet) {
			mr := r.NewMR(4096, access)
			h.RETH = wire.RETH{VA: mr.Addr(), RKey: mr.RKey(), DMALen: uint32(len(h.Payload))}
			change(&h.RETH)
		}
	}
	same := func(*wire.RETH) {}
	for _, tt := range []struct {
		name    string
		packets []packet
		first   func(*rawPeer, *wire.Packet) // changes the first packet
		want    []packet                     // the RECV's final content; none: the RECV is still posted
		dropped uint64
	}{
		{"a gap between messages", []packet{{wire.UCSendOnly, 110, 7}}, nil, []packet{{psn: 110, n: 7}}, 0},
		{"MIDDLE is lost", []packet{{wire.UCSendFirst, 100, mtu}, {wire.UCSendLast, 102, 5}}, nil, nil, 1},
		{"MIDDLE is lost, another follows", []packet{{wire.UCSendFirst, 100, mtu}, {wire.UCSendMiddle, 102, mtu},
			{wire.UCSendLast, 103, 5}}, nil, nil, 1},
		{"LAST is lost",
			[]packet{{wire.UCSendFirst, 100, mtu}, {wire.UCSendFirst, 102, mtu}, {wire.UCSendLast, 103, 5}}, nil,
			[]packet{{psn: 102, n: mtu}, {psn: 103, n: 5}}, 1},
		{"LAST is lost, nothing else", []packet{{wire.UCSendFirst, 100, mtu}, {wire.UCSendOnly, 101, 5}}, nil,
			[]packet{{psn: 101, n: 5}}, 1},
		{"FIRST is lost", []packet{{wire.UCSendMiddle, 101, mtu}, {wire.UCSendLast, 102, 5}}, nil, nil, 0},
		{"a message of two kinds", []packet{{wire.UCSendFirst, 100, mtu}, {wire.UCWriteLast, 101, 5}}, nil, nil, 1},
		{"FIRST of less than the MTU", []packet{{wire.UCSendFirst, 100, mtu - 4}, {wire.UCSendLast, 101, 5}}, nil, nil,
			1},
		{"more than the MTU", []packet{{wire.UCSendOnly, 100, mtu + 4}}, nil, nil, 1},
		{"longer than the RECV", []packet{{wire.UCSendFirst, 100, mtu}, {wire.UCSendMiddle, 101, mtu},
			{wire.UCSendLast, 102, 5}}, nil, nil, 1},
		{"WRITE with a wrong rkey", []packet{{wire.UCWriteOnly, 100, 8}}, write(everything, func(h *wire.RETH) {
			h.RKey ^= 1
		}), nil, 1},
		{"WRITE past the end", []packet{{wire.UCWriteOnly, 100, 8}}, write(everything, func(h *wire.RETH) {
			h.VA += 4089
		}), nil, 1},
		{"WRITE without the right", []packet{{wire.UCWriteOnly, 100, 8}}, write(verbs.LocalWrite, same), nil, 1},
		{"WRITE of another length", []packet{{wire.UCWriteOnly, 100, 8}}, write(everything, func(h *wire.RETH) {
			h.DMALen++
		}), nil, 1},
		{"WRITE whose FIRST is wrong", []packet{{wire.UCWriteFirst, 100, mtu}, {wire.UCWriteLastImm, 101, 8}},
			write(everything, func(h *wire.RETH) { h.RKey ^= 1 }), nil, 1},
		{"WRITE whose MIDDLE is lost", []packet{{wire.UCWriteFirst, 100, mtu}, {wire.UCWriteLastImm, 102, 8}},
			write(everything, func(h *wire.RETH) { h.DMALen += mtu + 8 }), nil, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{Typ: verbs.UC})
				mr := r.NewMR(2048, everything)
				r.Recv(verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 2048)}, verbs.RecvWR{WRID: 2, SGList: sge(mr, 0, 2048)})
				for i, k := range tt.packets {
					h := r.request(k.op, k.psn, k.n)
					if i == 0 && tt.first != nil {
						tt.first(r, h)
					}
					r.put(h)
				}
				next := uint64(1)
				if tt.want != nil {
					r.wantMessage(1, mr, func(yield func(wire.PSN, int) bool) {
						for _, k := range tt.want {
							if !yield(k.psn, k.n) {
								return
							}
						}
					})
					next = 2
				}
				r.Nothing()
				if got := counterOf(t, p, "soft0", "dropped_messages"); got != tt.dropped {
					t.Errorf("%d messages counted as dropped, want %d", got, tt.dropped)
				}
				r.put(r.request(wire.UCSendOnly, 200, 3))
				r.wantMessage(next, mr, func(yield func(wire.PSN, int) bool) { yield(200, 3) })
				if got := r.answers(); len(got) != 0 {
					t.Errorf("answered by %+v", got)
				}
				r.NoEvent()
				if r.State() != verbs.QPRTS {
					t.Errorf("the queue pair is in %s", r.State())
				}
			})
		})
	}
}

// TestUnreliableSequence: each gap in the PSNs counts once, also between packets that belong to no message.
func TestUnreliableSequence(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{Typ: verbs.UC})
		for i, tt := range []struct {
			op   wire.Opcode
			psn  wire.PSN
			gaps uint64
		}{{wire.UCSendMiddle, 101, 1}, {wire.UCSendMiddle, 102, 1}, {wire.UCSendLast, 103, 1},
			{wire.UCSendLast, 105, 2}, {wire.UCSendOnly, 106, 2}} {
			r.put(r.request(tt.op, tt.psn, 1024))
			if got := counterOf(t, p, "soft0", "out_of_seq_request"); got != tt.gaps {
				t.Errorf("packet %d: %d gaps, want %d", i, got, tt.gaps)
			}
		}
	})
}

// wantMessage takes the completion of a RECV and checks its bytes, which are those of the given packets.
func (r *rawPeer) wantMessage(wrID uint64, mr verbs.MR, packets func(yield func(wire.PSN, int) bool)) {
	r.T.Helper()
	wc := r.Want(wrID, verbs.WCSuccess)
	off := 0
	for psn, n := range packets {
		wantBytes(r.T, mr, pattern(n, byte(psn)), int64(off))
		off += n
	}
	if int(wc.ByteLen) != off {
		r.T.Errorf("byte_len %d, want %d", wc.ByteLen, off)
	}
}

// TestUnreliableWrites executes valid WRITEs, of which only one with immediate data takes a RECV.
func TestUnreliableWrites(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{Typ: verbs.UC})
		mr := r.NewMR(4096, everything)
		put := func(op wire.Opcode, psn wire.PSN, n, all int) {
			h := r.request(op, psn, n)
			h.RETH = wire.RETH{VA: mr.Addr(), RKey: mr.RKey(), DMALen: uint32(all)}
			h.ImmDt.Data = 0xfeed
			r.put(h)
		}
		r.Recv(verbs.RecvWR{WRID: 1})
		put(wire.UCWriteFirst, 100, 1024, 1030)
		put(wire.UCWriteLast, 101, 6, 0)
		r.Nothing()
		wantBytes(t, mr, pattern(1024, 100), 0)
		wantBytes(t, mr, pattern(6, 101), 1024)
		put(wire.UCWriteOnlyImm, 102, 9, 9)
		wc := r.Want(1, verbs.WCSuccess)
		if wc.Opcode != verbs.WCRecvRDMAWithImm || wc.ByteLen != 9 || wc.ImmData != 0xfeed ||
			wc.WCFlags != verbs.WCWithImm {
			t.Errorf("%+v", wc)
		}
		wantBytes(t, mr, pattern(9, 102), 0)
		put(wire.UCWriteOnlyImm, 103, 9, 9) // no RECV
		if got := counterOf(t, p, "soft0", "dropped_messages"); got != 1 {
			t.Errorf("%d dropped messages, want 1", got)
		}
		r.Nothing()
		r.NoEvent()
	})
}
