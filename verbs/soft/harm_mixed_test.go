package soft

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
)

const mixedSlot = 3000 // bytes; each operation has its own slot

// mixedOp is one operation of many.
type mixedOp struct {
	op verbs.WROpcode
	n  uint32 // bytes
}

// mixedWay is one direction of a connection that carries operations of every kind.
type mixedWay struct {
	from, to             *side
	ops                  []mixedOp
	recvs                []int // the operations that take a RECV
	src, into            verbs.MR
	far, shelf, inbox    verbs.MR // written to, read from, received in
	counter              verbs.MR
	done, ready, arrived int
}

func newMixedWay(from, to *side, n int, rnd *rand.Rand) *mixedWay {
	kinds := []verbs.WROpcode{
		verbs.WRSend, verbs.WRSendWithImm, verbs.WRRDMAWrite, verbs.WRRDMAWriteWithImm, verbs.WRRDMARead,
		verbs.WRAtomicFetchAndAdd,
	}
	size := n * mixedSlot
	w := &mixedWay{from: from, to: to, src: from.NewMR(size, 0), into: from.NewMR(size, everything)}
	w.far, w.shelf, w.inbox, w.counter = to.NewMR(size, everything), to.NewMR(size, everything),
		to.NewMR(size, everything), to.NewMR(8, everything)
	fill(from.T, w.src, pattern(size, 1), 0)
	fill(from.T, w.shelf, pattern(size, 2), 0)
	for i := range n {
		o := mixedOp{kinds[rnd.IntN(len(kinds))], rnd.Uint32N(mixedSlot + 1)}
		if o.op.Traits().NeedRecv {
			w.recvs = append(w.recvs, i)
		}
		w.ops = append(w.ops, o)
	}
	return w
}

func (w *mixedWay) post() {
	for i, o := range w.ops {
		off := uint64(i * mixedSlot)
		wr := verbs.SendWR{
			WRID: uint64(i), Opcode: o.op, SendFlags: verbs.SendSignaled,
			ImmData: uint32(i), SGList: sge(w.src, off, o.n),
		}
		to, at := w.far, off
		switch o.op {
		case verbs.WRRDMARead:
			to, wr.SGList = w.shelf, sge(w.into, off, o.n)
		case verbs.WRAtomicFetchAndAdd:
			to, at, wr.SGList, wr.CompareAdd = w.counter, 0, sge(w.into, off, 8), 1
		}
		wr.RemoteAddr, wr.RKey = to.Addr()+at, to.RKey()
		w.from.Send(wr)
	}
}

// prepare posts the next RECV if one is still needed.
func (w *mixedWay) prepare() {
	if w.ready < len(w.recvs) {
		w.to.Recv(verbs.RecvWR{WRID: uint64(w.ready), SGList: sge(w.inbox, uint64(w.ready*mixedSlot), mixedSlot)})
		w.ready++
	}
}

func (w *mixedWay) sent(wc verbs.WC) {
	w.from.T.Helper()
	if wc.WRID != uint64(w.done) || wc.Status != verbs.WCSuccess || wc.Opcode != completedAs[w.ops[w.done].op] {
		w.from.T.Fatalf("%+v, want request %d", wc, w.done)
	}
	w.done++
}

func (w *mixedWay) received(wc verbs.WC) {
	w.to.T.Helper()
	i := w.recvs[w.arrived]
	o := w.ops[i]
	if wc.WRID != uint64(w.arrived) || wc.Status != verbs.WCSuccess || wc.ByteLen != o.n || o.op.Traits().Imm &&
		wc.ImmData != uint32(i) {
		w.to.T.Fatalf("%+v, want RECV %d of request %d, %d bytes", wc, w.arrived, i, o.n)
	}
	if o.op != verbs.WRRDMAWriteWithImm {
		w.wantSlot(w.inbox, w.arrived, o.n, 1, i)
	}
	w.arrived++
}

// wantSlot compares a slot with the first n bytes of slot of of a pattern, and the rest with zeros.
func (w *mixedWay) wantSlot(mr verbs.MR, slot int, n uint32, seed byte, of int) {
	w.from.T.Helper()
	want := make([]byte, mixedSlot)
	copy(want, pattern((of+1)*mixedSlot, seed)[of*mixedSlot:][:n])
	wantBytes(w.from.T, mr, want, int64(slot*mixedSlot))
}

// check compares memory with the result of the operations.
func (w *mixedWay) check() {
	w.from.T.Helper()
	adds := uint64(0)
	for i, o := range w.ops {
		written := uint32(0)
		switch o.op {
		case verbs.WRRDMAWrite, verbs.WRRDMAWriteWithImm:
			written = o.n
		case verbs.WRRDMARead:
			w.wantSlot(w.into, i, o.n, 2, i)
		case verbs.WRAtomicFetchAndAdd:
			if got := word(w.from.T, w.into, int64(i*mixedSlot)); got != adds {
				w.from.T.Errorf("request %d found %d, want %d", i, got, adds)
			}
			adds++
		}
		w.wantSlot(w.far, i, written, 1, i)
	}
	if got := word(w.from.T, w.counter, 0); got != adds {
		w.from.T.Errorf("%d adds executed, want %d", got, adds)
	}
	wantBytes(w.from.T, w.shelf, pattern(len(w.ops)*mixedSlot, 2), 0)
}

// TestMixedHarm sends every kind of operation both ways at once through heavy faults, to receivers that are mostly not
// ready. Each completes once and in order, each message arrives once, whole and in order, and no other byte is written.
func TestMixedHarm(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				const n = 80
				o := pairOptions{
					MTU: verbs.MTU256 + verbs.MTU(seed%3), PSNA: 0xffffe0, PSNB: 0xfffff0, Depth: 128,
					CQE: 512, RNRTimer: 1,
				}
				o.RDAtomic = uint8(1 + seed%4)
				a, b := connect(t, p, "soft0", "soft1", o)
				rnd := rand.New(rand.NewPCG(seed, 3))
				there, back := newMixedWay(a, b, n, rnd), newMixedWay(b, a, n, rnd)
				harm(t, p, heavy, 100+seed)
				there.post()
				back.post()
				for end := time.Now().Add(24 * time.Hour); there.done+there.arrived+back.done+back.arrived < 2*n+
					len(there.recvs)+len(back.recvs); {
					there.prepare()
					back.prepare()
					time.Sleep(20 * time.Millisecond)
					synctest.Wait()
					drainMixed(there, back)
					drainMixed(back, there)
					if time.Now().After(end) {
						t.Fatalf("%d and %d of %d are complete", there.done, back.done, n)
					}
				}
				there.check()
				back.check()
			})
		})
	}
}

// drainMixed takes the completions of the side that one way leaves from and the other arrives at.
func drainMixed(leaving, arriving *mixedWay) {
	var wcs [32]verbs.WC
	for {
		n := must(leaving.from.CQ.Poll(wcs[:]))(leaving.from.T)
		for _, wc := range wcs[:n] {
			if wc.Opcode.IsRecv() {
				arriving.received(wc)
			} else {
				leaving.sent(wc)
			}
		}
		if n == 0 {
			return
		}
	}
}
