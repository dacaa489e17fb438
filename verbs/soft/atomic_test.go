package soft

import (
	"encoding/binary"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// word reads the 8 bytes at an offset as the host does.
func word(t testing.TB, mr verbs.MR, off int64) uint64 {
	t.Helper()
	var b [8]byte
	must(mr.ReadAt(b[:], off))(t)
	return binary.NativeEndian.Uint64(b[:])
}

func setWord(t testing.TB, mr verbs.MR, off int64, v uint64) {
	t.Helper()
	fill(t, mr, binary.NativeEndian.AppendUint64(nil, v), off)
}

// TestAtomics executes atomics with a known result, and checks all bytes around both words. The result is scattered to
// two places.
func TestAtomics(t *testing.T) {
	const was = 0x0102030405060708
	tests := []struct {
		name       string
		op         verbs.WROpcode
		compareAdd uint64
		swap       uint64
		want       uint64
		opcode     verbs.WCOpcode
	}{
		{"swap", verbs.WRAtomicCmpAndSwp, was, 0x1112131415161718, 0x1112131415161718, verbs.WCCompSwap},
		{"the word has another value", verbs.WRAtomicCmpAndSwp, was + 1, 0x1112131415161718, was, verbs.WCCompSwap},
		{"add", verbs.WRAtomicFetchAndAdd, 0x100, 77, was + 0x100, verbs.WCFetchAdd},
		{"add around the end", verbs.WRAtomicFetchAndAdd, 1<<64 - 9, 0, was - 9, verbs.WCFetchAdd},
	}
	for _, w := range ways {
		a, b := connect(t, New(Options{}), w.from, w.to, pairOptions{PSNA: 0xfffffe})
		for _, tt := range tests {
			t.Run(w.from+" "+w.to+" "+tt.name, func(t *testing.T) {
				one, two, far := a.NewMR(16, everything), a.NewMR(16, everything), b.NewMR(32, everything)
				for _, mr := range []verbs.MR{one, two, far} {
					fill(t, mr, pattern(16, 9), 0)
				}
				setWord(t, far, 8, was)
				list := append(append(sge(one, 2, 3), verbs.SGE{}), sge(two, 1, 11)...)
				a.Send(verbs.SendWR{
					WRID: 5, Opcode: tt.op, SGList: list, SendFlags: verbs.SendSignaled,
					RemoteAddr: far.Addr() + 8, RKey: far.RKey(), CompareAdd: tt.compareAdd, Swap: tt.swap,
				})
				if wc := a.Want(5, verbs.WCSuccess); wc.Opcode != tt.opcode || wc.ByteLen != 8 {
					t.Errorf("%s, byte_len %d", wc.Opcode, wc.ByteLen)
				}
				found := binary.NativeEndian.AppendUint64(nil, was)
				wantBytes(t, one, slices.Concat(pattern(16, 9)[:2], found[:3], pattern(16, 9)[5:]), 0)
				wantBytes(t, two, slices.Concat(pattern(16, 9)[:1], found[3:], pattern(16, 9)[6:]), 0)
				wantBytes(t, far, slices.Concat(pattern(16, 9)[:8], binary.NativeEndian.AppendUint64(nil, tt.want),
					make([]byte, 16)), 0)
				b.Nothing()
			})
		}
	}
}

// TestAtomicsTogether lets queue pairs of both devices count in one word at the same time.
func TestAtomicsTogether(t *testing.T) {
	const conns, n = 4, 200
	p := New(Options{})
	home := newSide(t, p, "soft1", pairOptions{}.WithDefaults())
	counter := home.NewMR(8, everything)
	seen := make([][]uint64, conns)
	var wg sync.WaitGroup
	for i := range conns {
		o := pairOptions{RDAtomic: uint8(1 + i), Depth: 256}.WithDefaults()
		a := newSide(t, p, []string{"soft0", "soft1"}[i%2], o)
		b := &side{T: t, Dev: home.Dev, PD: home.PD, CQ: home.CQ, GID: home.GID}
		b.QP = b.NewQP(o)
		bringUp(t, a, b, o)
		into := a.NewMR(8*n, everything)
		wg.Go(func() {
			for k := range uint64(n) {
				a.Send(verbs.SendWR{
					WRID: k, Opcode: verbs.WRAtomicFetchAndAdd, SGList: sge(into, 8*k, 8),
					SendFlags: verbs.SendSignaled, RemoteAddr: counter.Addr(), RKey: counter.RKey(), CompareAdd: 1,
				})
			}
			for k := range uint64(n) {
				a.Want(k, verbs.WCSuccess)
				seen[i] = append(seen[i], word(t, into, int64(8*k)))
			}
		})
	}
	wg.Wait()
	all := slices.Concat(seen...)
	slices.Sort(all)
	for i, v := range all {
		if v != uint64(i) {
			t.Fatalf("value %d found at place %d: the adds are not atomic", v, i)
		}
	}
}

// TestAtomicsUnderHarm counts over a link that loses, duplicates and reorders packets: each add is executed once, in
// order, with the right result.
func TestAtomicsUnderHarm(t *testing.T) {
	for seed := range uint64(8) {
		virtual(t, func(t *testing.T, p *Provider) {
			const n = 60
			a, b := connect(t, p, "soft0", "soft1", pairOptions{PSNA: 0xfffff0, RDAtomic: 3, Depth: 128})
			far, into := b.NewMR(1024, everything), a.NewMR(8*n, everything)
			harm(t, p, heavy, seed)
			for k := range uint64(n) {
				a.Send(verbs.SendWR{
					WRID: k, Opcode: verbs.WRAtomicFetchAndAdd, SGList: sge(into, 8*k, 8),
					SendFlags: verbs.SendSignaled, RemoteAddr: far.Addr(), RKey: far.RKey(), CompareAdd: 3,
				})
				if k%5 == 0 {
					a.Send(verbs.SendWR{WRID: 99, Opcode: verbs.WRRDMAWrite, SGList: sge(into, 0, 0),
						SendFlags: verbs.SendSignaled})
				}
			}
			for k := range uint64(n) {
				a.Want(k, verbs.WCSuccess)
				if k%5 == 0 {
					a.Want(99, verbs.WCSuccess)
				}
			}
			for k := range uint64(n) {
				if got := word(t, into, int64(8*k)); got != 3*k {
					t.Fatalf("seed %d: add %d found %d, want %d", seed, k, got, 3*k)
				}
			}
			if got := word(t, far, 0); got != 3*n {
				t.Errorf("seed %d: the word is %d, want %d", seed, got, 3*n)
			}
			wantBytes(t, far, make([]byte, 1016), 8)
		})
	}
}

// add makes a fetch-and-add of 1 to the first word of a region.
func (r *rawPeer) add(psn wire.PSN, mr verbs.MR) *wire.Packet {
	h := r.request(wire.RCFetchAdd, psn, 0)
	h.AtomicETH = wire.AtomicETH{VA: mr.Addr(), RKey: mr.RKey(), SwapAdd: 1}
	return h
}

// TestAtomicDuplicates repeats atomics: the last max_dest_rd_atomic ones get their first answer again and are executed
// once.
func TestAtomicDuplicates(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{RDAtomic: 2})
		mr := r.NewMR(64, everything)
		setWord(t, mr, 0, 40)
		type answer struct {
			psn  wire.PSN
			orig uint64
		}
		check := func(want ...answer) {
			t.Helper()
			got := []answer{}
			for _, h := range r.answers() {
				if h.BTH.Opcode != wire.RCAtomicAcknowledge || h.AETH.Syndrome != wire.ACKUnlimited {
					t.Errorf("%+v", h)
				}
				got = append(got, answer{h.BTH.PSN, h.AtomicAckETH.Orig})
			}
			if !slices.Equal(got, want) {
				t.Fatalf("answered %v, want %v", got, want)
			}
		}
		for i := range 3 {
			r.put(r.add(wire.PSN(100+i), mr))
			check(answer{wire.PSN(100 + i), uint64(40 + i)})
		}
		setWord(t, mr, 0, 1000) // an atomic that is executed again finds this
		r.put(r.add(102, mr))
		check(answer{102, 42})
		r.put(r.add(101, mr))
		check(answer{101, 41})
		r.put(r.add(100, mr)) // more than the resources allow
		check()
		other := r.add(102, mr)
		other.BTH.Opcode = wire.RCCompareSwap
		r.put(other) // not a duplicate: it was never sent
		check()
		r.putTogether(r.add(102, mr), r.add(103, mr)) // a peer that goes back and continues
		check(answer{102, 42}, answer{103, 1000})
		r.putTogether(r.add(103, mr), r.add(103, mr)) // duplicated
		check(answer{103, 1000})
		if got := word(t, mr, 0); got != 1001 {
			t.Errorf("the word is %d, want 1001", got)
		}
	})
}

// TestTooManyOutstanding sends one READ or atomic more than max_dest_rd_atomic before the first is answered.
func TestTooManyOutstanding(t *testing.T) {
	for name, last := range map[string]func(r *rawPeer, mr verbs.MR) *wire.Packet{
		"a READ":    func(r *rawPeer, mr verbs.MR) *wire.Packet { return r.read(106, mr, 0, 8) },
		"an atomic": func(r *rawPeer, mr verbs.MR) *wire.Packet { return r.add(106, mr) },
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{RDAtomic: 2})
				mr := r.NewMR(8192, everything)
				r.putTogether(r.read(100, mr, 0, 5*1024), r.add(105, mr), last(r, mr))
				got := r.answers()
				if len(got) != 7 {
					t.Fatalf("%d answers, want two and a NAK", len(got))
				}
				if end := got[6]; end.BTH.PSN != 106 || end.AETH.Syndrome != wire.NAK(wire.NAKInvalidRequest) {
					t.Errorf("%+v", end)
				}
				r.NextEvent(verbs.EventQPReqErr)
				if got := word(t, mr, 0); got != 1 {
					t.Errorf("the word is %d, want 1", got)
				}
			})
		})
	}
}

// TestAtomicRequester checks the packets of the requester for an atomic, and that it respects the limit and the fence.
func TestAtomicRequester(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{RDAtomic: 1})
		mr := r.NewMR(64, everything)
		wr := verbs.SendWR{
			SGList: sge(mr, 0, 8), SendFlags: verbs.SendSignaled, RemoteAddr: 0x1000, RKey: 7, CompareAdd: 5, Swap: 6,
		}
		swap, add := wr, wr
		swap.Opcode, add.Opcode = verbs.WRAtomicCmpAndSwp, verbs.WRAtomicFetchAndAdd
		fenced := verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendFence | verbs.SendSignaled}
		r.Send(swap, add, fenced)
		for i, want := range []wire.Packet{
			{BTH: wire.BTH{Opcode: wire.RCCompareSwap},
				AtomicETH: wire.AtomicETH{VA: 0x1000, RKey: 7, SwapAdd: 6, Compare: 5}},
			{BTH: wire.BTH{Opcode: wire.RCFetchAdd}, AtomicETH: wire.AtomicETH{VA: 0x1000, RKey: 7, SwapAdd: 5}},
		} {
			synctest.Wait()
			psn := wire.PSN(200 + i)
			if got := r.answers(); len(got) != 1 || got[0].BTH.PSN != psn || got[0].BTH.Opcode != want.BTH.Opcode ||
				got[0].AtomicETH != want.AtomicETH {
				t.Fatalf("%+v", got)
			}
			h := r.request(wire.RCAtomicAcknowledge, psn, 0)
			h.AETH.Syndrome, h.AtomicAckETH.Orig = wire.ACKUnlimited, uint64(0x77+i)
			r.put(h)
			r.Want(0, verbs.WCSuccess)
			if got := word(t, mr, 0); got != uint64(0x77+i) {
				t.Errorf("0x%x", got)
			}
		}
		if got := r.answers(); len(got) != 1 || got[0].BTH.Opcode != wire.RCSendOnly {
			t.Fatalf("%+v", got)
		}
	})
}
