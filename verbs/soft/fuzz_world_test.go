package soft

import (
	"bytes"
	"math/rand/v2"
	"net/netip"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/transport"
	"rdmatui/verbs/wire"
)

// hostileWorld is a device with live queue pairs of every type, memory that packets may access and memory that they
// must not, and a peer that sends anything. The test runs the engine's rounds itself, so that one packet sequence
// always has the same effect.
type hostileWorld struct {
	*side
	eng   *transport.Engine
	port  *link.Port
	path  *link.Path
	pairs []*hostilePair

	open     verbs.MR // what a peer may read, write and operate on
	inbox    verbs.MR // RECV buffers are in the middle of it
	landing  verbs.MR // and the data of READs and atomics in the middle of this
	outbox   verbs.MR
	readable verbs.MR
	secret   verbs.MR
	foreign  verbs.MR // of another domain
	regions  []verbs.MR
	before   [][]byte // the regions' content when a run begins
	ah       verbs.AH

	posted map[uint64]int // wr_id → completions
	next   uint64
}

// hostilePair is a queue pair with how it is brought up.
type hostilePair struct {
	*transport.QP
	o pairOptions
}

const (
	hostileMTU  = 256
	hostileSize = 2048
	guard       = 512 // bytes at both ends that nothing may touch
)

func newHostileWorld(t testing.TB) *hostileWorld {
	seeded := rand.New(rand.NewPCG(4, 791))
	p := New(Options{Rand: seeded.Uint64})
	o := pairOptions{
		MTU: verbs.MTU256, Depth: 16, CQE: 1024, Shared: 8,
		Access: verbs.RemoteRead | verbs.RemoteWrite | verbs.RemoteAtomic, KeepZero: true, Retry: 3, RNRRetry: 3,
		RDAtomic: 3, RNRTimer: 1,
	}
	o = o.WithDefaults()
	w := &hostileWorld{side: newSide(t, p, "soft0", o), posted: map[uint64]int{}}
	w.eng = p.adapters[0].eng
	w.eng.Halt() // rounds are run by settle
	addr := netip.MustParseAddr("127.0.0.77")
	w.port = must(p.Fabric().Attach(func() {}, addr))(t)
	closeAtEnd(t, w.port)
	w.path = must(link.NewPath(netip.AddrPortFrom(addr, 0xc001), netip.AddrPortFrom(w.GID.GID.Addr(), wire.Port)))(t)
	w.addPairs(o)
	w.ah = must(w.PD.CreateAH(w.RtrAttr(o, verbs.GIDFromAddr(addr), rawQPN, 0).AH))(t)
	closeAtEnd(t, w.ah)
	w.addRegions()
	return w
}

func (w *hostileWorld) addPairs(o pairOptions) {
	shared := w.SRQ
	w.pairs = []*hostilePair{{w.QP.(*transport.QP), o}} // on the shared queue
	w.SRQ = nil
	for _, typ := range []verbs.QPType{verbs.RC, verbs.UC, verbs.UD} {
		o.Typ, o.QKey = typ, 0x1234
		w.pairs = append(w.pairs, &hostilePair{w.NewQP(o).(*transport.QP), o})
	}
	w.SRQ = shared
}

func (w *hostileWorld) addRegions() {
	w.open = must(w.PD.RegMR(openSpec))(w.T)
	w.T.Cleanup(func() { w.open.Close() }) // not always this one
	w.inbox, w.landing = w.NewMR(hostileSize, verbs.LocalWrite), w.NewMR(hostileSize, verbs.LocalWrite)
	w.outbox, w.readable, w.secret = w.NewMR(hostileSize, 0), w.NewMR(hostileSize, verbs.RemoteRead),
		w.NewMR(hostileSize, verbs.LocalWrite)
	other := must(w.Dev.AllocPD())(w.T)
	closeAtEnd(w.T, other)
	w.foreign = must(other.RegMR(openSpec))(w.T)
	closeAtEnd(w.T, w.foreign)
	w.regions = []verbs.MR{w.open, w.inbox, w.landing, w.outbox, w.readable, w.secret, w.foreign}
	for i := range w.regions {
		w.before = append(w.before, pattern(hostileSize, byte(i)))
	}
}

var openSpec = verbs.MRSpec{Length: hostileSize, Access: everything | verbs.RemoteAtomic}

// replaceOpen deregisters the open region, also while requests use it, and registers a new one.
func (w *hostileWorld) replaceOpen() {
	ok(w.T, w.open.Close())
	w.open = must(w.PD.RegMR(openSpec))(w.T)
	w.regions[0] = w.open
}

// begin brings every queue pair up again, with RECVs posted and requests in flight.
func (w *hostileWorld) begin(t testing.TB) {
	w.T = t
	w.forget()
	for _, q := range w.pairs {
		w.QP = q
		ok(w.T, w.ToInit(q.o))
		ok(w.T, q.Modify(w.RtrAttr(q.o, verbs.GIDFromAddr(w.path.Src.Addr()), rawQPN, 100)))
		ok(w.T, q.Modify(rtsAttr(q.o, 200)))
		for range 3 {
			w.postRecv(q)
		}
		w.postSends(q)
	}
	w.settle()
}

// forget discards the state of the previous run, even if that run failed.
func (w *hostileWorld) forget() {
	for _, q := range w.pairs {
		ok(w.T, q.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPReset}))
	}
	w.settle()
	clear(w.posted)
	w.CQ.(*transport.CQ).Clear()
	w.SRQ.(*transport.SRQ).Clear()
	for i, m := range w.regions {
		fill(w.T, m, w.before[i], 0)
	}
}

// id numbers a request, whose completion must come once.
func (w *hostileWorld) id() uint64 {
	w.next++
	w.posted[w.next] = 0
	return w.next
}

// middle is two pieces of a region with a gap at both ends.
func middle(m verbs.MR) []verbs.SGE {
	const half = (hostileSize - 2*guard) / 2
	return append(sge(m, guard, half), sge(m, guard+half, half)...)
}

func (w *hostileWorld) postRecv(q *hostilePair) {
	wr := verbs.RecvWR{WRID: w.id(), SGList: middle(w.inbox)}
	post := q.PostRecv
	if q == w.pairs[0] {
		post = w.SRQ.PostRecv
	}
	if _, err := post(wr); err != nil {
		delete(w.posted, wr.WRID) // the queue is full
	}
}

func (w *hostileWorld) postSends(q *hostilePair) {
	for _, wr := range []verbs.SendWR{
		{Opcode: verbs.WRSend, SGList: sge(w.outbox, 0, 600)},
		{Opcode: verbs.WRRDMARead, SGList: middle(w.landing), RemoteAddr: 1 << 40, RKey: 7},
		{Opcode: verbs.WRAtomicFetchAndAdd, SGList: sge(w.landing, guard, 8), RemoteAddr: 1 << 40, RKey: 7},
		{Opcode: verbs.WRRDMAWrite, SGList: sge(w.outbox, 100, 300), RemoteAddr: 1 << 40, RKey: 7},
	} {
		wr.WRID, wr.SendFlags = w.id(), verbs.SendSignaled
		if q.Type() == verbs.UD {
			wr.AH, wr.RemoteQPN, wr.SGList = w.ah, rawQPN, sge(w.outbox, 0, 200)
		}
		if _, err := q.PostSend(wr); err != nil {
			delete(w.posted, wr.WRID) // the queue is full, or the state or the opcode wrong
		}
	}
}

// settle runs the engine until it is idle, for a bounded number of rounds: a queue pair may retry forever.
func (w *hostileWorld) settle() {
	for range 200 {
		if !w.eng.Round() {
			break
		}
	}
	for {
		answers := w.port.Receive(nil, 1000)
		if len(answers) == 0 {
			return
		}
		w.port.Pool().Put(answers)
	}
}

// read returns what a region holds.
func (w *hostileWorld) read(t testing.TB, m verbs.MR) []byte {
	b := make([]byte, m.Spec().Length)
	must(m.ReadAt(b, 0))(t)
	return b
}

// finish flushes every queue pair and checks the invariants that hold for any packets.
func (w *hostileWorld) finish(t testing.TB) {
	for _, q := range w.pairs {
		ok(t, q.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}))
	}
	w.settle()
	w.countCompletions(t)
	for i, m := range w.regions[1:] { // the first is open to all
		was, now := w.before[i+1], w.read(t, m)
		same := bytes.Equal(now, was)
		if m == w.inbox || m == w.landing {
			const end = hostileSize - guard
			same = bytes.Equal(now[:guard], was[:guard]) && bytes.Equal(now[end:], was[end:])
		}
		if !same {
			t.Fatalf("region %d was changed where nothing may be", i+1)
		}
	}
}

// countCompletions checks that each request has one completion. Requests still on the shared queue have none.
func (w *hostileWorld) countCompletions(t testing.TB) {
	var wcs [64]verbs.WC
	for {
		n := must(w.CQ.Poll(wcs[:]))(t)
		for _, wc := range wcs[:n] {
			count, known := w.posted[wc.WRID]
			if !known || count > 0 {
				t.Fatalf("completion %+v: known is %v, and it has had %d", wc, known, count)
			}
			if limit := uint32(hostileSize - 2*guard); !wc.Failed() && wc.ByteLen > limit {
				t.Fatalf("completion %+v is longer than any request", wc)
			}
			w.posted[wc.WRID]++
		}
		if n == 0 {
			break
		}
	}
	missing := 0
	for _, count := range w.posted {
		missing += 1 - count
	}
	if left := w.SRQ.(*transport.SRQ).Waiting(); missing != left {
		t.Fatalf("%d requests without a completion, %d are on the shared queue", missing, left)
	}
}
