package soft

import (
	"encoding/binary"
	"errors"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// placed is every right, including FLUSH.
const placed = everything | verbs.FlushGlobal

// atomicWrite and flushOf are the requests of annex A19, to the first bytes of a region.
func atomicWrite(id uint64, src, dst verbs.MR) verbs.SendWR {
	return verbs.SendWR{
		WRID: id, Opcode: verbs.WRAtomicWrite, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, 8),
		RemoteAddr: dst.Addr(), RKey: dst.RKey(),
	}
}

func flushOf(id uint64, dst verbs.MR, n uint32) verbs.SendWR {
	return verbs.SendWR{WRID: id, Opcode: verbs.WRFlush, SendFlags: verbs.SendSignaled,
		RemoteAddr: dst.Addr(), RKey: dst.RKey(),
		Flush: verbs.FlushWR{Length: n, Type: verbs.FlushToAll}}
}

// TestPlacement writes, flushes and writes a word, and checks the bytes and the completions. An ATOMIC_WRITE sends the
// data that it had when it was posted.
func TestPlacement(t *testing.T) {
	for _, way := range ways {
		t.Run(way.from+" "+way.to, func(t *testing.T) {
			a, b := connect(t, New(Options{}), way.from, way.to,
				pairOptions{PSNA: 0xfffffe, Access: placed &^ verbs.LocalWrite})
			src, dst := a.NewMR(64, 0), b.NewMR(64, placed)
			fill(t, src, pattern(64, 7), 0)
			for _, level := range verbs.FlushLevels.Values() {
				flush := flushOf(2, dst, 64)
				if flush.Flush.Level = level; level == verbs.FlushMR {
					flush.RemoteAddr, flush.Flush.Length = 1, 1<<32-1 // ignored
				}
				word := atomicWrite(3, src, dst)
				word.RemoteAddr += 48
				a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled,
					SGList: sge(src, 8, 5), RemoteAddr: dst.Addr(), RKey: dst.RKey()},
					flush, word)
				fill(t, src, make([]byte, 8), 0)
				for i, want := range []verbs.WCOpcode{verbs.WCRDMAWrite, verbs.WCFlush, verbs.WCAtomicWrite} {
					if wc := a.Want(uint64(i+1), verbs.WCSuccess); wc.Opcode != want || wc.ByteLen != 0 {
						t.Errorf("%d: %s, byte_len %d", i+1, wc.Opcode, wc.ByteLen)
					}
				}
				wantBytes(t, dst,
					slices.Concat(pattern(64, 7)[8:13], make([]byte, 43), pattern(64, 7)[:8], make([]byte, 8)), 0)
				fill(t, src, pattern(64, 7), 0)
				fill(t, dst, make([]byte, 64), 0)
			}
			b.Nothing()
		})
	}
}

// TestPlacementLost loses packets of both directions. Each word is written once: a later write by the program stays.
func TestPlacementLost(t *testing.T) {
	for seed := range uint64(6) {
		virtual(t, func(t *testing.T, p *Provider) {
			const n = 200
			a, b := connect(t, p, "soft0", "soft1", pairOptions{
				Access: placed &^ verbs.LocalWrite, RDAtomic: uint8(1 + seed), Depth: 4 * n, CQE: 4 * n,
			})
			src, dst := a.NewMR(8*n, 0), b.NewMR(8*n, placed)
			ok(t, p.SetFaults("soft0", verbs.Faults{Loss: 0.1, Seed: seed}))
			ok(t, p.SetFaults("soft1", verbs.Faults{Loss: 0.1, Seed: seed + 100}))
			for i := range uint64(n) {
				setWord(t, src, int64(8*i), i+1)
				word := atomicWrite(2*i, src, dst)
				word.SGList, word.RemoteAddr = sge(src, 8*i, 8), dst.Addr()+8*i
				a.Send(word, flushOf(2*i+1, dst, 8*n))
			}
			for id := range uint64(2 * n) {
				a.Want(id, verbs.WCSuccess)
				if id%2 == 1 {
					if got := word(t, dst, int64(8*(id/2))); got != id/2+1 {
						t.Fatalf("seed %d: word %d is %d", seed, id/2, got)
					}
					setWord(t, dst, int64(8*(id/2)), 1000) // an ATOMIC_WRITE that is executed again overwrites this
				}
			}
			synctest.Wait()
			for i := range int64(n) {
				if got := word(t, dst, 8*i); got != 1000 {
					t.Errorf("seed %d: word %d was written again: %d", seed, i, got)
				}
			}
		})
	}
}

// TestPlacementRefused sends requests that this peer may not make, and some that no peer may make.
func TestPlacementRefused(t *testing.T) {
	word := func(h *wire.Packet, mr verbs.MR) {
		h.BTH.Opcode = wire.RCAtomicWrite
		h.RETH.DMALen = 8
		h.Payload = make([]byte, 8)
	}
	flush := func(h *wire.Packet, mr verbs.MR) {
		h.BTH.Opcode = wire.RCFlush
		h.FETH.Type = wire.FlushGlobal
		h.RETH.DMALen = 64
	}
	tests := []struct {
		name   string
		kind   func(h *wire.Packet, mr verbs.MR)
		qp, mr verbs.Access
		change func(h *wire.Packet)
		want   wire.NAKCode
	}{
		{"a word of a queue pair without REMOTE_WRITE", word, placed &^ verbs.RemoteWrite, placed, nil,
			wire.NAKInvalidRequest},
		{"a word in a region without REMOTE_WRITE", word, placed, placed &^ verbs.RemoteWrite, nil,
			wire.NAKRemoteAccess},
		{"a word not on 8 bytes", word, placed, placed, func(h *wire.Packet) { h.RETH.VA += 4 },
			wire.NAKInvalidRequest},
		{"a word past the end", word, placed, placed, func(h *wire.Packet) { h.RETH.VA += 64 }, wire.NAKRemoteAccess},
		{"a word of 4 bytes", word, placed, placed,
			func(h *wire.Packet) { h.RETH.DMALen, h.Payload = 4, h.Payload[:4] }, wire.NAKInvalidRequest},
		{"a word that announces 16 bytes", word, placed, placed, func(h *wire.Packet) { h.RETH.DMALen = 16 },
			wire.NAKInvalidRequest},
		{"a word with 16 bytes of data", word, placed, placed, func(h *wire.Packet) { h.Payload = make([]byte, 16) },
			wire.NAKInvalidRequest},
		{"a FLUSH of a queue pair without FLUSH_GLOBAL", flush, everything, placed, nil, wire.NAKInvalidRequest},
		{"a FLUSH of a region without FLUSH_GLOBAL", flush, placed, everything, nil, wire.NAKRemoteAccess},
		{"a FLUSH to persistent memory", flush, placed, placed,
			func(h *wire.Packet) { h.FETH.Type = wire.FlushPersistent }, wire.NAKInvalidRequest},
		{"a FLUSH beyond the end", flush, placed, placed, func(h *wire.Packet) { h.RETH.DMALen = 65 },
			wire.NAKRemoteAccess},
		{"a FLUSH of no bytes with a bad key", flush, placed, placed,
			func(h *wire.Packet) { h.RETH.DMALen = 0; h.RETH.RKey ^= 1 }, wire.NAKRemoteAccess},
		{"a FLUSH of a region with a bad key", flush, placed, placed,
			func(h *wire.Packet) { h.FETH.Level = wire.FlushRegion; h.RETH.RKey ^= 1 }, wire.NAKRemoteAccess},
		{"a FLUSH of a reserved level", flush, placed, placed, func(h *wire.Packet) { h.FETH.Level = 2 },
			wire.NAKInvalidRequest},
		{"a FLUSH with data", flush, placed, placed, func(h *wire.Packet) { h.Payload = make([]byte, 4) },
			wire.NAKInvalidRequest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{Access: tt.qp &^ verbs.LocalWrite})
				mr := r.NewMR(64, tt.mr)
				fill(t, mr, pattern(64, 3), 0)
				h := reth(r.request(wire.RCAtomicWrite, 100, 0), mr, 0)
				tt.kind(h, mr)
				if tt.change != nil {
					tt.change(h)
				}
				r.put(h)
				r.wantAETH(100, wire.NAK(tt.want))
				event := verbs.EventQPReqErr
				if tt.want == wire.NAKRemoteAccess {
					event = verbs.EventQPAccessErr
				}
				r.NextEvent(event)
				wantBytes(t, mr, pattern(64, 3), 0)
			})
		})
	}
}

// TestPlacementDuplicates repeats both requests: they are answered again, but not executed. The peer may send more
// FLUSHes than max_dest_rd_atomic.
func TestPlacementDuplicates(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{RDAtomic: 1, Access: placed &^ verbs.LocalWrite})
		mr := r.NewMR(64, placed)
		request := func(op wire.Opcode, psn wire.PSN) *wire.Packet {
			h := reth(r.request(op, psn, 0), mr, 8)
			if h.FETH.Type = wire.FlushGlobal; op == wire.RCAtomicWrite {
				h.Payload = binary.NativeEndian.AppendUint64(nil, uint64(psn))
			}
			return h
		}
		check := func(want ...wire.PSN) {
			t.Helper()
			got := []wire.PSN{}
			for _, h := range r.answers() {
				if h.BTH.Opcode != wire.RCReadResponseOnly || h.AETH.Syndrome != wire.ACKUnlimited ||
					len(h.Payload) > 0 {
					t.Errorf("%+v", h)
				}
				got = append(got, h.BTH.PSN)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("answered %v, want %v", got, want)
			}
		}
		r.put(request(wire.RCAtomicWrite, 100))
		check(100)
		if got := word(t, mr, 0); got != 100 {
			t.Errorf("the word is %d", got)
		}
		setWord(t, mr, 0, 7)
		var flushes []*wire.Packet
		for i := range 5 {
			flushes = append(flushes, request(wire.RCFlush, wire.PSN(101+i)))
		}
		r.putTogether(flushes...)
		check(101, 102, 103, 104, 105)
		r.putTogether(slices.Concat([]*wire.Packet{request(wire.RCAtomicWrite, 100)}, flushes)...)
		check(100, 101, 102, 103, 104, 105)
		if got := word(t, mr, 0); got != 7 {
			t.Errorf("a repeated ATOMIC_WRITE was executed: %d", got)
		}
	})
}

// TestPlacementRequester checks the packets sent, that both operations count against max_rd_atomic, and that a wrong
// answer is refused.
func TestPlacementRequester(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{RDAtomic: 1})
		mr := r.NewMR(64, everything)
		fill(t, mr, pattern(8, 5), 0)
		flush := flushOf(1, mr, 4096)
		flush.Flush.Type, flush.Flush.Level = verbs.FlushToAll|verbs.FlushToPersistent, verbs.FlushMR
		r.Send(flush, atomicWrite(2, mr, mr))
		synctest.Wait()
		got := r.answers()
		if len(got) != 1 || got[0].BTH.Opcode != wire.RCFlush ||
			got[0].FETH != (wire.FETH{Level: wire.FlushRegion, Type: 3}) || !got[0].BTH.AckReq ||
			got[0].RETH != (wire.RETH{VA: mr.Addr(), RKey: mr.RKey(), DMALen: 4096}) || got[0].BTH.PSN != 200 {
			t.Fatalf("%+v", got)
		}
		r.put(r.response(wire.RCReadResponseOnly, 200, 0))
		r.Want(1, verbs.WCSuccess)
		got = r.answers()
		if len(got) != 1 || got[0].BTH.Opcode != wire.RCAtomicWrite ||
			string(got[0].Payload) != string(pattern(8, 5)) ||
			got[0].RETH != (wire.RETH{VA: mr.Addr(), RKey: mr.RKey(), DMALen: 8}) || got[0].BTH.PSN != 201 {
			t.Fatalf("%+v", got)
		}
		r.put(r.response(wire.RCReadResponseOnly, 201, 8))
		r.Want(2, verbs.WCBadRespErr)
	})
}

// TestPlacementPosts posts invalid requests, which are refused.
func TestPlacementPosts(t *testing.T) {
	a, _ := connect(t, New(Options{}), "soft0", "soft1", pairOptions{})
	mr := a.NewMR(64, everything)
	for name, change := range map[string]func(wr *verbs.SendWR){
		"no data":           func(wr *verbs.SendWR) { wr.SGList = nil },
		"4 bytes":           func(wr *verbs.SendWR) { wr.SGList[0].Length = 4 },
		"two pieces":        func(wr *verbs.SendWR) { wr.SGList = slices.Concat(sge(mr, 0, 4), sge(mr, 4, 4)) },
		"INLINE":            func(wr *verbs.SendWR) { wr.SendFlags |= verbs.SendInline },
		"a FLUSH with data": func(wr *verbs.SendWR) { wr.Opcode = verbs.WRFlush },
	} {
		wr := atomicWrite(1, mr, mr)
		change(&wr)
		if n, err := a.QP.PostSend(wr); n != 0 || !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
	wr := atomicWrite(1, mr, mr)
	wr.SGList[0].Addr = 1
	if n, err := a.QP.PostSend(wr); n != 0 || !errors.Is(err, syscall.EFAULT) {
		t.Errorf("bytes outside all regions: %d, %v", n, err)
	}
}

// TestSendOps: an operation that ibv_post_send lacks needs a queue pair created for it; creating one fails if its type
// does not support the operation.
func TestSendOps(t *testing.T) {
	a := newSide(t, New(Options{}), "soft0", pairOptions{}.WithDefaults())
	spec := verbs.QPSpec{QPType: verbs.RC, SendCQ: a.CQ, RecvCQ: a.CQ, Cap: verbs.QPCap{MaxSendWR: 1}}
	for _, tt := range []struct {
		typ  verbs.QPType
		ops  verbs.SendOps
		want error
	}{
		{verbs.RC, verbs.WRFlush.SendOp() | verbs.WRAtomicWrite.SendOp() | verbs.WRSend.SendOp() |
			verbs.WRBindMW.SendOp(), nil},
		{verbs.RC, verbs.WRTSO.SendOp(), syscall.EOPNOTSUPP},
		{verbs.RC, 1 << 40, syscall.EOPNOTSUPP},
		{verbs.UC, verbs.WRSend.SendOp(), nil},
		{verbs.UC, verbs.WRFlush.SendOp(), syscall.EOPNOTSUPP},
		{verbs.UD, verbs.WRAtomicWrite.SendOp(), syscall.EOPNOTSUPP},
	} {
		spec.QPType, spec.SendOps = tt.typ, tt.ops
		qp, err := a.PD.CreateQP(spec)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s with %s: %v", tt.typ, tt.ops, err)
		}
		if qp != nil {
			closeAtEnd(t, qp)
		}
	}
	spec.QPType, spec.SendOps = verbs.RC, verbs.WRFlush.SendOp()
	a.QP = must(a.PD.CreateQP(spec))(t)
	closeAtEnd(t, a.QP)
	o := pairOptions{}.WithDefaults()
	ok(t, a.ToInit(o))
	ok(t, a.QP.Modify(a.RtrAttr(o, a.GID.GID, a.QP.Num(), 1)))
	ok(t, a.QP.Modify(rtsAttr(o, 1)))
	mr := a.NewMR(64, everything)
	if _, err := a.QP.PostSend(atomicWrite(1, mr, mr)); !errors.Is(err, verbs.ErrUnsupported) {
		t.Errorf("an ATOMIC_WRITE that the queue pair was not created for: %v", err)
	}
}
