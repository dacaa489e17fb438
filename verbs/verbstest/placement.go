package verbstest

import (
	"errors"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

// placements are the operations of annex A19.
const placements = verbs.SendOps(1<<11 | 1<<12)

// placed is every remote right, including FLUSH.
const placed = everyRemote | verbs.FlushGlobal

// hasPlacement reports whether the device has these operations, and checks that against the environment.
func (b *bench) hasPlacement() bool {
	b.t.Helper()
	ex, err := b.dev.QueryDeviceEx()
	if err != nil && !errors.Is(err, verbs.ErrUnsupported) {
		b.t.Fatal(err)
	}
	const both = verbs.CapFlushGlobal | verbs.CapAtomicWrite
	if has := ex.DeviceCapFlagsEx & both; has != 0 && has != both || (has != 0) != b.env.Placement {
		b.t.Fatalf("device_cap_flags_ex has %s; want both: %v", verbs.DeviceCaps.Name(has), b.env.Placement)
	}
	return b.env.Placement
}

func (b *bench) placementPair(access verbs.Access) *pair {
	b.t.Helper()
	return b.newPair(pairOptions{
		access: access, rdAtomic: 4, destRDAtomic: 4, specA: verbs.QPSpec{SendOps: placements},
	})
}

func atomicWrite(id uint64, src, dst verbs.MR) verbs.SendWR {
	return verbs.SendWR{
		WRID: id, Opcode: verbs.WRAtomicWrite, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, word),
		RemoteAddr: dst.Addr(), RKey: dst.RKey(),
	}
}

func flushOf(id uint64, dst verbs.MR, n uint32, level verbs.FlushLevel) verbs.SendWR {
	return verbs.SendWR{WRID: id, Opcode: verbs.WRFlush, SendFlags: verbs.SendSignaled,
		RemoteAddr: dst.Addr(), RKey: dst.RKey(),
		Flush: verbs.FlushWR{Length: n, Type: verbs.FlushToAll, Level: level}}
}

// testPlacement posts a WRITE, a FLUSH, an ATOMIC_WRITE and a READ of the result in one chain. A
// device without the operations reports that.
func testPlacement(t *testing.T, b *bench) {
	if !b.hasPlacement() {
		b.wantNoPlacement()
		return
	}
	const size = 4096
	p := b.placementPair(placed)
	src, dst, back := b.newMR(size, verbs.LocalWrite), b.newMR(size, localAndAll|verbs.FlushGlobal),
		b.newMR(size, verbs.LocalWrite)
	for _, level := range verbs.FlushLevels.Values() {
		fill(t, dst, make([]byte, size), 0)
		want := pattern(size, byte(level)+1)
		fill(t, src, want, 0)
		write := verbs.SendWR{
			WRID: 1, Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, size),
			RemoteAddr: dst.Addr(), RKey: dst.RKey(),
		}
		word8 := atomicWrite(3, src, dst)
		word8.SGList, word8.RemoteAddr = sge(src, 24, word), dst.Addr()+2048
		read := write
		read.WRID, read.Opcode, read.SGList = 4, verbs.WRRDMARead, sge(back, 0, size)
		b.postSend(p.a, write, flushOf(2, dst, size, level), word8, read)
		got := b.completions(4)
		for id, op := range map[uint64]verbs.WCOpcode{1: verbs.WCRDMAWrite, 2: verbs.WCFlush, 3: verbs.WCAtomicWrite,
			4: verbs.WCRDMARead} {
			if wc := wantStatus(t, got, id, verbs.WCSuccess); wc.Opcode != op {
				t.Errorf("%s; want %s", describe(wc), op)
			}
		}
		copy(want[2048:], want[24:24+word])
		wantBytes(t, dst, want, 0)
		wantBytes(t, back, want, 0)
	}
}

// wantNoPlacement fails unless the device refuses to create a queue pair for the operations, or
// fails their requests.
func (b *bench) wantNoPlacement() {
	b.t.Helper()
	for _, op := range []verbs.WROpcode{verbs.WRFlush, verbs.WRAtomicWrite} {
		qp, err := b.pd.CreateQP(verbs.QPSpec{
			QPType: verbs.RC, SendCQ: b.cq, RecvCQ: b.cq,
			Cap: verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 1}, SendOps: op.SendOp(),
		})
		if err == nil {
			b.closeAtEnd(qp)
			p := b.newPair(pairOptions{access: everyRemote, specA: verbs.QPSpec{SendOps: op.SendOp()}})
			mr := b.newMR(word, localAndAll)
			b.postSend(p.a, atomicWrite(1, mr, mr))
			if wc := b.completions(1)[1]; !wc.Failed() {
				b.t.Errorf("%s on a device that does not have it: %s", op, describe(wc))
			}
			continue
		}
		if !errors.Is(err, syscall.EOPNOTSUPP) && !errors.Is(err, verbs.ErrUnsupported) {
			b.t.Errorf("a queue pair for %s: %v", op, err)
		}
	}
}

// testRefusedPlacement posts operations that the peer does not permit: they fail and both queue
// pairs end in ERR.
func testRefusedPlacement(t *testing.T, b *bench) {
	if !b.hasPlacement() {
		return // testPlacement checks that they are refused
	}
	all := localAndAll | verbs.FlushGlobal
	word8 := func(src, dst verbs.MR) verbs.SendWR { return atomicWrite(1, src, dst) }
	flush := func(_, dst verbs.MR) verbs.SendWR { return flushOf(1, dst, 64, verbs.FlushRange) }
	tests := []struct {
		name   string
		make   func(src, dst verbs.MR) verbs.SendWR
		access verbs.Access // of the peer's queue pair
		remote verbs.Access
		change func(wr *verbs.SendWR)
		status verbs.WCStatus
	}{
		{"a word not on 8 bytes", word8, placed, all, func(wr *verbs.SendWR) { wr.RemoteAddr += 4 },
			verbs.WCRemInvReqErr},
		{"a word behind the end", word8, placed, all, func(wr *verbs.SendWR) { wr.RemoteAddr += 64 },
			verbs.WCRemAccessErr},
		{"a word with a bad rkey", word8, placed, all, func(wr *verbs.SendWR) { wr.RKey ^= 0x5a5a00 },
			verbs.WCRemAccessErr},
		{"a word in a region without REMOTE_WRITE", word8, placed, all &^ verbs.RemoteWrite, nil, verbs.WCRemAccessErr},
		{"a word for a queue pair without REMOTE_WRITE", word8, placed &^ verbs.RemoteWrite, all, nil,
			verbs.WCRemInvReqErr},
		{"a FLUSH beyond the end", flush, placed, all, func(wr *verbs.SendWR) { wr.Flush.Length = 65 },
			verbs.WCRemAccessErr},
		{"a FLUSH with a bad rkey", flush, placed, all, func(wr *verbs.SendWR) { wr.RKey ^= 0x5a5a00 },
			verbs.WCRemAccessErr},
		{"a FLUSH of all with a bad rkey", flush, placed, all,
			func(wr *verbs.SendWR) { wr.Flush.Level, wr.RKey = verbs.FlushMR, wr.RKey^0x5a5a00 }, verbs.WCRemAccessErr},
		{"a FLUSH of a region without FLUSH_GLOBAL", flush, placed, localAndAll, nil, verbs.WCRemAccessErr},
		{"a FLUSH for a queue pair without FLUSH_GLOBAL", flush, everyRemote, all, nil, verbs.WCRemInvReqErr},
		{"a FLUSH to persistent memory", flush, placed, all,
			func(wr *verbs.SendWR) { wr.Flush.Type = verbs.FlushToPersistent }, verbs.WCRemInvReqErr},
	}
	for _, tt := range tests {
		b.part(tt.name, func(t *testing.T, b *bench) {
			p := b.placementPair(tt.access)
			src, dst := b.newMR(word, 0), b.newMR(64, tt.remote)
			fill(t, dst, pattern(64, 3), 0)
			wr := tt.make(src, dst)
			if tt.change != nil {
				tt.change(&wr)
			}
			b.wantComplete(p.a, wr, tt.status)
			wantState(t, p.a, verbs.QPErr)
			wantBytes(t, dst, pattern(64, 3), 0)
		})
	}
}

// testExtendedPosts posts the operations of ibv_post_send by ibv_wr_*, in batches and mixed with
// ibv_post_send.
func testExtendedPosts(t *testing.T, b *bench) {
	ops := []verbs.WROpcode{verbs.WRSend, verbs.WRSendWithImm, verbs.WRRDMAWrite,
		verbs.WRRDMAWriteWithImm, verbs.WRRDMARead,
		verbs.WRAtomicFetchAndAdd, verbs.WRAtomicCmpAndSwp}
	var all verbs.SendOps
	for _, op := range ops {
		all |= op.SendOp()
	}
	for name, take := range map[string]verbs.SendOps{"all": all,
		"every other": verbs.WRSend.SendOp() | verbs.WRRDMAWrite.SendOp() | verbs.WRRDMARead.SendOp()} {
		b.part(name, func(t *testing.T, b *bench) {
			p := b.newPair(pairOptions{
				access: everyRemote, rdAtomic: 4, destRDAtomic: 4, specA: verbs.QPSpec{SendOps: take},
			})
			src, dst := b.newMR(1024, verbs.LocalWrite), b.newMR(1024, localAndAll)
			fill(t, src, pattern(1024, 5), 0)
			var wrs []verbs.SendWR
			first := expect(b.env, SGEsAsTheFirst, uint32(3), word/2)
			for i, op := range ops {
				at := uint64(i * 64)
				wrs = append(wrs, verbs.SendWR{WRID: uint64(i), Opcode: op, SendFlags: verbs.SendSignaled,
					ImmData:    0xa0b0c0d0 + uint32(i),
					SGList:     append(sge(src, at, first), sge(src, at+uint64(first), word-first)...),
					RemoteAddr: dst.Addr() + at, RKey: dst.RKey()})
			}
			wrs[0].SendFlags |= verbs.SendInline
			wrs[2].SendFlags |= verbs.SendInline
			wrs[6].Swap = 77
			for i := range uint64(3) {
				b.postRecv(p.b, verbs.RecvWR{WRID: 100 + i, SGList: sge(dst, 512+64*i, 64)})
			}
			b.postSend(p.a, wrs...)
			got := b.completions(len(ops) + 3)
			for i := range ops {
				wantStatus(t, got, uint64(i), verbs.WCSuccess)
			}
			for id, imm := range map[uint64]uint32{101: 0xa0b0c0d1, 102: 0xa0b0c0d3} {
				if wc := wantStatus(t, got, id, verbs.WCSuccess); wc.ImmData != imm {
					t.Errorf("RECV %d has imm_data 0x%x, want 0x%x", id, wc.ImmData, imm)
				}
			}
			wantBytes(t, dst, pattern(1024, 5)[:word], 512)
			wantBytes(t, dst, pattern(1024, 5)[64:64+word], 512+64)
			wantBytes(t, dst, pattern(1024, 5)[128:128+word], 128)
			wantBytes(t, dst, pattern(1024, 5)[192:192+word], 192)
			wantBytes(t, src, make([]byte, word), 256)
			wantWord(t, dst, 77, 384)
		})
	}
	b.part("a full queue", func(t *testing.T, b *bench) {
		p := b.newHalfPair(pairOptions{specA: verbs.QPSpec{SendOps: verbs.WRSend.SendOp(),
			Cap: verbs.QPCap{MaxSendWR: 4, MaxSendSGE: 1}}}.withDefaults())
		room := int(p.a.Cap().MaxSendWR)
		n, err := 0, error(nil)
		for ; err == nil && n <= 4*room+4096; n++ { // without a RECV none completes
			_, err = p.a.PostSend(verbs.SendWR{WRID: uint64(n), Opcode: verbs.WRSend})
		}
		if err == nil {
			t.Errorf("a queue of %d accepted %d requests", room, n)
		}
	})
}
