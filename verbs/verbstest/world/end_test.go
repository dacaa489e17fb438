package world

import (
	"slices"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/verbstest/sim"
	"rdmatui/verbs/wire"
)

// end is a queue pair.
type end struct {
	w      *world
	dom    *domain
	qp     verbs.QP
	num    verbs.QPN
	typ    verbs.QPType
	peer   *end // nil: a queue pair of datagrams
	access verbs.Access
	cap    verbs.QPCap
	srq    *sharedQueue // nil: it has its own RECVs
	qkey   uint32

	gidIndex                  int
	mtu                       verbs.MTU
	timeout, retry, rnr, wait uint8
	reads                     uint8 // maximum number of its outstanding READs and atomics
	member                    bool  // of the multicast group of its row of the GID table
	stingy                    bool  // it answers no READs and atomics of the peer
	psn                       verbs.PSN
	next                      wire.PSN // first PSN of the next request
	sigAll                    bool
	byManager                 bool // moved by a connection manager
	spoiled                   bool // something was done that may make requests fail
	gone                      bool // closed
	stopped                   bool // in SQD

	sends   []*request // not complete, in order
	recvs   []*request
	inbound []*request // the peer's messages that need a RECV and have not taken one, in order
	owed    []slotRef  // slots of this side's memory that a request of the peer may still write to
}

// slotRef identifies a slot.
type slotRef struct {
	r    *region
	slot int
}

// sharedQueue is a shared receive queue.
type sharedQueue struct {
	srq    verbs.SRQ
	recvs  []*request
	latest uint64 // the completed RECV that was posted last
	leaky  bool   // a queue pair that may have taken a RECV was destroyed
}

// leave may move a queue pair to ERR before it is destroyed, which flushes the RECV that it has taken. Otherwise that
// RECV vanishes.
func (e *end) leave() {
	w := e.w
	switch {
	case e.srq == nil || e.state() == verbs.QPErr:
	case w.Chance(0.7):
		e.spoil() // requests that were not sent are flushed
		w.Must("modify_qp ERR", e.qp.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}))
		w.Settle()
	default:
		e.srq.leaky = true
	}
}

// checkFlushed moves all queue pairs of a shared receive queue to ERR. The RECVs that they have taken must then be
// complete.
func (s *sharedQueue) checkFlushed(w *world) {
	for _, e := range slices.Clone(w.ends) {
		if e.srq == s {
			e.spoil()
			w.Must("modify_qp ERR", e.qp.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}))
		}
	}
	w.Settle()
	if len(s.recvs) > 0 && s.recvs[0].id < s.latest && !s.leaky {
		w.Fail("liveness: RECV %d was taken from a shared receive queue whose queue pairs are all in ERR, but has no completion", s.recvs[0].id)
	}
}

func (d *domain) addSharedQueue() {
	srq, err := d.pd.CreateSRQ(verbs.SRQSpec{MaxWR: 12, MaxSGE: 2})
	if d.w.Must("create_srq", err) {
		d.srq = &sharedQueue{srq: srq}
	}
}

// newEnd makes a queue pair of the domain in RESET; make creates it directly or with a connection manager.
func (d *domain) newEnd(typ verbs.QPType, make func(verbs.QPSpec) (verbs.QP, error)) *end {
	w := d.w
	e := &end{
		w: w, dom: d, typ: typ, mtu: sim.Pick(w.Rng, w.plan.mtus...), timeout: w.plan.timeout + uint8(w.Rng.IntN(3)),
		retry: uint8(1 + w.Rng.IntN(7)), rnr: sim.Pick(w.Rng, uint8(7), 7, 7, 3, 1, 0), wait: uint8(1 + w.Rng.IntN(14)),
		reads: uint8(1 + w.Rng.IntN(4)), sigAll: w.Chance(0.3),
	}
	for _, right := range []verbs.Access{verbs.RemoteWrite, verbs.RemoteRead, verbs.RemoteAtomic} {
		if w.Chance(0.97) {
			e.access |= right
		}
	}
	if w.plan.placement {
		e.access |= verbs.FlushGlobal
	}
	e.cap = verbs.QPCap{
		MaxSendWR: uint32(2 + w.Rng.IntN(14)), MaxRecvWR: uint32(2 + w.Rng.IntN(10)), MaxSendSGE: 3,
		MaxRecvSGE: 2, MaxInlineData: 64,
	}
	spec := verbs.QPSpec{QPType: typ, SendCQ: d.cq, RecvCQ: d.recvCQ, Cap: e.cap, SQSigAll: e.sigAll}
	if d.srq != nil && w.Chance(0.5) {
		e.srq, spec.SRQ = d.srq, d.srq.srq
	}
	w.placementSpec(&spec)
	qp, err := make(spec)
	if !w.Must("create_qp", err) {
		return nil
	}
	e.qp, e.num = qp, qp.Num()
	d.ends[e.num] = e
	w.ends = append(w.ends, e)
	return e
}

// newPair makes two connected queue pairs, or one of datagrams.
func (w *world) newPair() {
	a := sim.Pick(w.Rng, w.hosts...)
	b := w.hosts[(a.n+1+w.Rng.IntN(len(w.hosts)-1))%len(w.hosts)]
	if w.Chance(0.12) {
		b = a // connected to itself
	}
	if a.dom.closed || b.dom.closed {
		return
	}
	typ := sim.Pick(w.Rng, verbs.RC, verbs.RC, verbs.RC, verbs.UC, verbs.UD)
	if w.plan.groups > 0 && w.Chance(0.3) {
		typ = verbs.UD
	}
	from, to := a.dom.newEnd(typ, a.dom.pd.CreateQP), b.dom.newEnd(typ, b.dom.pd.CreateQP)
	if from == nil || to == nil {
		return
	}
	w.Tracef("pair %s %s %s - %s %s", typ, a.name, from.num, b.name, to.num)
	from.gidIndex = w.Rng.IntN(2)
	to.gidIndex = from.gidIndex
	base := verbs.PSN(w.Rng.Uint32())
	if w.Chance(0.3) {
		base = verbs.MaxPSN - verbs.PSN(w.Rng.IntN(20)) // it wraps soon
	}
	from.psn, to.psn = base&verbs.MaxPSN, (base+0x7ff000)&verbs.MaxPSN
	if typ == verbs.UD {
		from.qkey, to.qkey = w.Rng.Uint32()&^(1<<31), w.Rng.Uint32()&^(1<<31)
		if w.plan.groups > 0 {
			from.qkey, to.qkey = groupQKey, groupQKey
		}
	} else {
		from.peer, to.peer = to, from
		to.stingy = w.plan.mistakes > 0 && w.Chance(0.1)
	}
	w.bringUp(from, to)
}

// bringUp takes queue pairs from RESET to RTS: two that are connected, or some of datagrams.
func (w *world) bringUp(ends ...*end) {
	mtu, reads := ends[0].mtu, ends[0].reads
	for _, e := range ends {
		mtu, reads = min(mtu, e.mtu), min(reads, e.reads)
		attr := verbs.QPAttr{
			Mask: verbs.AttrState | verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrAccessFlags, QPState: verbs.QPInit,
			PortNum: 1, QPAccessFlags: e.access, QKey: e.qkey,
		}
		if e.typ == verbs.UD {
			attr.Mask = verbs.AttrState | verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrQKey
		}
		w.Must("modify_qp INIT", e.qp.Modify(attr))
	}
	for _, e := range ends {
		e.mtu, e.reads, e.next = mtu, reads, wire.PSN(e.psn)
		w.ledgers[e.address()] = newLedger()
		w.ledger(e.address()).mtu = e.mtu.Bytes()
		attr := verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPRTR}
		if e.typ != verbs.UD {
			attr.Mask |= verbs.AttrAV | verbs.AttrPathMTU | verbs.AttrDestQPN | verbs.AttrRQPSN
			attr.PathMTU, attr.DestQPNum, attr.RQPSN = e.mtu, e.peer.num, e.peer.psn
			attr.AH = e.dom.vector(e.peer.dom, e.gidIndex)
		}
		if e.typ == verbs.RC {
			attr.Mask |= verbs.AttrMaxDestRDAtomic | verbs.AttrMinRNRTimer
			if attr.MaxDestRDAtomic, attr.MinRNRTimer = reads, e.wait; e.stingy {
				attr.MaxDestRDAtomic = 0
			}
		}
		w.Must("modify_qp RTR", e.qp.Modify(attr))
	}
	for _, e := range ends {
		attr := verbs.QPAttr{Mask: verbs.AttrState | verbs.AttrSQPSN, QPState: verbs.QPRTS, SQPSN: e.psn}
		if e.typ == verbs.RC {
			attr.Mask |= verbs.AttrTimeout | verbs.AttrRetryCnt | verbs.AttrRNRRetry | verbs.AttrMaxQPRDAtomic
			attr.Timeout, attr.RetryCnt, attr.RNRRetry, attr.MaxRDAtomic = e.timeout, e.retry, e.rnr, reads
		}
		w.Must("modify_qp RTS", e.qp.Modify(attr))
	}
}

// vector returns the address vector of a domain's device.
func (d *domain) vector(to *domain, index int) verbs.AHAttr {
	gid, _ := to.gid(index)
	return verbs.AHAttr{
		IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: gid, SGIDIndex: uint8(index), HopLimit: 64},
	}
}

// state queries the queue pair's state.
func (e *end) state() verbs.QPState {
	attr, _, err := e.qp.Query(verbs.AttrState)
	e.w.Must("query_qp", err)
	return attr.QPState
}

// usable reports whether requests can succeed.
func (e *end) usable() bool { return !e.gone && e.state() == verbs.QPRTS }

// spoil records that requests between the two may fail from now on.
func (e *end) spoil() {
	e.w.spoilt = true
	e.spoiled = true
	if e.peer != nil {
		e.peer.spoiled = true
	}
	if e.srq != nil { // the RECVs that it takes are missing for others
		for _, other := range e.w.ends {
			if other.srq == e.srq {
				other.spoiled = true
			}
		}
	}
}

// vanish discards the posted requests when the queue pair is reset or closed.
func (e *end) vanish() {
	for _, r := range e.sends {
		delete(e.w.requests, r.id)
		r.lost()
	}
	for _, r := range e.recvs {
		delete(e.w.requests, r.id)
		r.abandonLocal()
	}
	e.sends, e.recvs = nil, nil
	if e.typ == verbs.RC {
		e.inbound = nil
	}
	if e.typ == verbs.RC || e.gone {
		e.sweep()
	}
	e.dom.windowsGone(e)
}

// sweep frees the slots that a peer's request might have written to: no more requests arrive at this queue pair.
func (e *end) sweep() {
	for _, s := range e.owed {
		s.r.release(s.slot)
	}
	e.owed = nil
}

// close destroys the queue pair.
func (e *end) close() {
	if e.gone {
		return
	}
	w := e.w
	w.Tracef("close QP %s of %s", e.num, e.dom.host.name)
	e.leave()
	e.leaveGroup()
	if !w.Must("destroy_qp", e.qp.Close()) {
		return
	}
	e.gone = true
	w.numberGone(e.num)
	e.spoil()
	e.vanish()
	delete(e.dom.ends, e.num)
	w.ends = slices.DeleteFunc(w.ends, func(other *end) bool { return other == e })
}

// revive takes a queue pair and its peer to RESET and back to RTS.
func (w *world) revive(e *end) {
	both := []*end{e}
	if e.peer != nil {
		if e.peer.gone {
			e.close()
			return
		}
		both = append(both, e.peer)
	}
	if !w.plan.reset {
		for _, x := range both {
			x.close()
		}
		w.newPair()
		return
	}
	w.stopChecking()
	for _, x := range both {
		w.Tracef("reset QP %s of %s", x.num, x.dom.host.name)
		x.leave()
		w.Must("modify_qp RESET", x.qp.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPReset}))
		w.Settle()
		x.vanish()
		x.stopped, x.spoiled = false, x.typ != verbs.RC || x.srq != nil
		x.psn = (x.psn + 0x111000) & verbs.MaxPSN
	}
	w.bringUp(both...)
}

// patience is the maximum time per packet that a request of the queue pair may take if the peer exists and RECVs are
// posted.
func (e *end) patience() time.Duration {
	c := &e.w.plan.net
	way := 4*c.Delay + c.Jitter + 3*time.Millisecond
	return time.Duration(e.retry+2)*(4*verbs.AckTimeout(e.timeout)+way) + 8*verbs.RNRTimer(14)
}
