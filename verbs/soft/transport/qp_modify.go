package transport

import (
	"slices"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/transition"
	"rdmatui/verbs/wire"
)

// Modify changes attributes. It checks the whole call before it changes anything.
func (q *QP) Modify(attr verbs.QPAttr) error {
	q.mu.Lock()
	err := q.modify(&attr)
	q.mu.Unlock()
	if err != nil {
		return q.fail("ibv_modify_qp", err)
	}
	q.eng.ring(q)
	return nil
}

func (q *QP) modify(attr *verbs.QPAttr) error {
	if q.closed {
		return verbs.ErrClosed
	}
	if attr.Mask&verbs.AttrCurState != 0 && attr.CurQPState != q.state {
		return syscall.EINVAL
	}
	if transition.Check(q.typ, q.state, *attr) != nil {
		return syscall.EINVAL
	}
	if q.state == verbs.QPSQD && !q.comp.drained() && !leavesAll(attr) {
		return syscall.EINVAL
	}
	for _, c := range valueChecks {
		if attr.Mask&c.bit != 0 && !c.ok(attr) {
			return syscall.EINVAL
		}
	}
	if attr.Mask&verbs.AttrAltPath != 0 {
		return &verbs.UnsupportedError{Feature: "an alternate path on a software device"}
	}
	path := q.path
	if attr.Mask&verbs.AttrAV != 0 {
		var err error
		if path, err = q.dev.adapter.pathTo(&attr.AH); err != nil {
			return err
		}
	}
	for _, f := range modifiable {
		if attr.Mask&f.bit != 0 {
			f.set(&q.attr, attr)
		}
	}
	q.path, q.known = path, nil
	q.mtu = q.attr.PathMTU.Bytes()
	if q.typ == verbs.UD {
		q.mtu = q.dev.adapter.MTU.Bytes()
	}
	q.comp.clock.period = verbs.AckTimeout(q.attr.Timeout)
	if attr.Mask&verbs.AttrState != 0 {
		q.enter(attr.QPState)
	}
	return nil
}

// leavesAll reports whether a modify abandons the requests under way. No other modify is allowed on a queue pair whose
// send queue is draining; IBA 10.3.1.
func leavesAll(attr *verbs.QPAttr) bool {
	return attr.Mask&verbs.AttrState != 0 && (attr.QPState == verbs.QPReset || attr.QPState == verbs.QPErr)
}

// valueChecks are the constraints on values, in addition to the mask.
var valueChecks = []struct {
	bit verbs.AttrMask
	ok  func(a *verbs.QPAttr) bool
}{
	{verbs.AttrPort, func(a *verbs.QPAttr) bool { return a.PortNum == 1 }},
	{verbs.AttrPKeyIndex, func(a *verbs.QPAttr) bool { return a.PKeyIndex == 0 }},
	{verbs.AttrPathMTU, func(a *verbs.QPAttr) bool { return a.PathMTU >= verbs.MTU256 && a.PathMTU <= MaxMTU }},
	{verbs.AttrDestQPN, func(a *verbs.QPAttr) bool { return a.DestQPNum <= verbs.MaxQPN }},
	{verbs.AttrMaxQPRDAtomic, func(a *verbs.QPAttr) bool { return a.MaxRDAtomic <= object.MaxRDAtomic }},
	{verbs.AttrMaxDestRDAtomic, func(a *verbs.QPAttr) bool { return a.MaxDestRDAtomic <= object.MaxRDAtomic }},
	{verbs.AttrTimeout, func(a *verbs.QPAttr) bool { return a.Timeout <= object.MaxTimer }},
	{verbs.AttrMinRNRTimer, func(a *verbs.QPAttr) bool { return a.MinRNRTimer <= object.MaxTimer }},
	{verbs.AttrRetryCnt, func(a *verbs.QPAttr) bool { return a.RetryCnt <= object.MaxRetry }},
	{verbs.AttrRNRRetry, func(a *verbs.QPAttr) bool { return a.RNRRetry <= object.MaxRetry }},
	{verbs.AttrPathMigState, func(a *verbs.QPAttr) bool { return a.PathMigState == 0 }},
	{verbs.AttrAV, func(a *verbs.QPAttr) bool { return !a.AH.GRH.DGID.Addr().IsMulticast() }},
}

// modifiable lists the fields of each mask bit, except for the state.
var modifiable = []struct {
	bit verbs.AttrMask
	set func(to, from *verbs.QPAttr)
}{
	{verbs.AttrEnSQDAsyncNotify, func(to, from *verbs.QPAttr) { to.EnSQDAsyncNotify = from.EnSQDAsyncNotify }},
	{verbs.AttrAccessFlags, func(to, from *verbs.QPAttr) { to.QPAccessFlags = from.QPAccessFlags }},
	{verbs.AttrPKeyIndex, func(to, from *verbs.QPAttr) { to.PKeyIndex = from.PKeyIndex }},
	{verbs.AttrPort, func(to, from *verbs.QPAttr) { to.PortNum = from.PortNum }},
	{verbs.AttrQKey, func(to, from *verbs.QPAttr) { to.QKey = from.QKey }},
	{verbs.AttrAV, func(to, from *verbs.QPAttr) { to.AH = from.AH }},
	{verbs.AttrPathMTU, func(to, from *verbs.QPAttr) { to.PathMTU = from.PathMTU }},
	{verbs.AttrTimeout, func(to, from *verbs.QPAttr) { to.Timeout = from.Timeout }},
	{verbs.AttrRetryCnt, func(to, from *verbs.QPAttr) { to.RetryCnt = from.RetryCnt }},
	{verbs.AttrRNRRetry, func(to, from *verbs.QPAttr) { to.RNRRetry = from.RNRRetry }},
	{verbs.AttrRQPSN, func(to, from *verbs.QPAttr) { to.RQPSN = from.RQPSN & verbs.MaxPSN }},
	{verbs.AttrMaxQPRDAtomic, func(to, from *verbs.QPAttr) { to.MaxRDAtomic = from.MaxRDAtomic }},
	{verbs.AttrMinRNRTimer, func(to, from *verbs.QPAttr) { to.MinRNRTimer = from.MinRNRTimer }},
	{verbs.AttrSQPSN, func(to, from *verbs.QPAttr) { to.SQPSN = from.SQPSN & verbs.MaxPSN }},
	{verbs.AttrMaxDestRDAtomic, func(to, from *verbs.QPAttr) { to.MaxDestRDAtomic = from.MaxDestRDAtomic }},
	{verbs.AttrPathMigState, func(to, from *verbs.QPAttr) { to.PathMigState = from.PathMigState }},
	{verbs.AttrDestQPN, func(to, from *verbs.QPAttr) { to.DestQPNum = from.DestQPNum }},
}

// enter performs the effects of a transition to a state.
func (q *QP) enter(to verbs.QPState) {
	from := q.state
	switch to {
	case verbs.QPReset:
		q.clear()
	case verbs.QPErr:
		q.enterError()
	case verbs.QPRTR:
		q.resp.reset(wire.PSN(q.attr.RQPSN))
		q.startSending(transports[q.typ], wire.PSN(q.attr.SQPSN))
		q.setState(to)
	case verbs.QPRTS:
		switch from {
		case verbs.QPRTR:
			q.startSending(transports[q.typ], wire.PSN(q.attr.SQPSN))
		case verbs.QPSQD:
			q.attr.EnSQDAsyncNotify = false // requested anew each time
		case verbs.QPSQE:
			q.comp.flushSends() // requests posted in SQE are not sent
		}
		q.setState(to)
	case verbs.QPSQD:
		q.comp.notifyDrained = q.attr.EnSQDAsyncNotify && (q.comp.notifyDrained || from != to)
		q.setState(to)
	default:
		q.setState(to)
	}
}

// startSending makes the next request start at the given PSN.
func (q *QP) startSending(t wire.Transport, psn wire.PSN) {
	q.req.reset(t, psn, q.sq.head.Load())
	q.comp.reset(psn)
}

// clear performs RESET: posted requests vanish, and every attribute must be set again.
func (q *QP) clear() {
	q.setState(verbs.QPReset)
	q.comp.stopTimers()
	q.mem.FreeWindows()
	q.attr = verbs.QPAttr{}
	q.path, q.known, q.mtu = nil, nil, 0
	q.sq.mu.Lock()
	q.sq.head.Store(q.sq.tail.Load())
	q.sq.mu.Unlock()
	q.rq.mu.Lock()
	q.rq.head.Store(q.rq.tail.Load())
	q.rq.mu.Unlock()
	q.rq.holding = false
	q.startSending(0, 0)
	q.resp.reset(0)
	q.fatal, q.comp.notifyDrained = false, false
}

// Query reads the current attributes.
func (q *QP) Query(mask verbs.AttrMask) (verbs.QPAttr, verbs.QPInitAttr, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return verbs.QPAttr{}, verbs.QPInitAttr{}, q.fail("ibv_query_qp", verbs.ErrClosed)
	}
	attr := q.attr
	attr.Mask = mask
	attr.QPState, attr.CurQPState = q.state, q.state
	attr.Cap = q.cap
	attr.SQPSN = verbs.PSN(q.req.psn)
	attr.RQPSN = verbs.PSN(q.resp.epsn)
	attr.SQDraining = q.state == verbs.QPSQD && !q.comp.drained()
	return attr, verbs.QPInitAttr{Cap: q.cap, QPType: q.typ, SQSigAll: q.sigAll}, nil
}

// QueryDataInOrder tells that the bytes of a SEND, WRITE or READ appear in order; ibv_query_qp_data_in_order(3).
// Packets are executed in the order of their PSNs, each once, whatever the path loses, repeats or reorders. The bytes
// of a packet are stored under the lock of their region, which MR.ReadAt and DM.ReadAt take: such a reader sees whole
// packets, and the last byte of a message only after all others. The guarantee does not cover a reader without the
// lock, such as another process that maps the same file: it sees the packets in order, but not the bytes within a
// packet, because Go does not say in which order it copies.
func (q *QP) QueryDataInOrder(op verbs.WROpcode, flags verbs.DataInOrderFlags) (verbs.DataInOrder, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	known := op.Traits()
	switch {
	case q.closed:
		return 0, q.fail("ibv_query_qp_data_in_order", verbs.ErrClosed)
	case !known.Posted() || !slices.Contains(inOrder, known.Completion) || !known.On(q.typ):
		return 0, nil
	case flags&^(verbs.InOrderReturnCaps|verbs.InOrderDeviceOnly) != 0:
		return 0, nil
	case flags&verbs.InOrderReturnCaps == 0:
		return verbs.InOrderWholeMsg, nil
	}
	return verbs.InOrderWholeMsg | verbs.InOrder128ByteParts, nil
}

// inOrder are the completions of the operations that ibv_query_qp_data_in_order is about.
var inOrder = []verbs.WCOpcode{verbs.WCSend, verbs.WCRDMAWrite, verbs.WCRDMARead}
