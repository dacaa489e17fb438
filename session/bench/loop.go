package bench

import (
	"fmt"
	"sync/atomic"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// loop measures one message size. Only its goroutine uses it, except for the fields
// that say otherwise.
type loop struct {
	*Run
	queue.Loop
	size  uint64
	iters uint64 // of each queue pair; 0: until the duration is over
	depth uint64

	sendCQ, recvCQ *queue.CQ
	total          uint64 // messages completed

	base                uint64 // address of the region
	sendStep, sendSlots uint64 // see steps
	recvStep, recvSlots uint64

	start time.Time
	bw    Bandwidth
	came  time.Duration // when the last completions of send requests came; 0: none yet
	// Times of a latency test: when each message was posted.
	times []time.Duration

	// Of a test of given duration.
	clock    func() // starts phases
	phase    atomic.Int32
	counted  uint64        // messages between the margins
	from, to time.Duration // when the margins ended and began; set by phases
	// Messages completed in the middle and at the end of the time between the margins.
	atHalf, atEnd atomic.Uint64
}

// Phases of a test of given duration.
const (
	warming int32 = iota
	sampling
	cooling
	over
)

// newLoop prepares the loop for a message size.
func (r *Run) newLoop(size uint64) *loop {
	l := &loop{
		Run: r, size: size, iters: r.p.Iters, depth: uint64(r.p.TXDepth), sendCQ: r.lanes[0].q.SendCQ,
		recvCQ: r.lanes[0].q.RecvCQ,
	}
	l.Loop = queue.Loop{Queues: []*queue.CQ{l.sendCQ}, Failed: l.failed, Broken: notPolled,
		Thread: &r.thread, Events: r.p.Events}
	if l.recvCQ != l.sendCQ {
		l.Queues = append(l.Queues, l.recvCQ)
	}
	if r.p.Duration > 0 {
		l.iters, l.Over = 0, func() bool { return l.phase.Load() == over }
	}
	l.base = r.mr.MR.Addr()
	l.sendStep, l.sendSlots = l.steps(0)
	l.recvStep, l.recvSlots = l.steps(l.header())
	for i := range r.lanes {
		lane := &r.lanes[i]
		lane.posted, lane.completed, lane.received, lane.recvsPosted = 0, 0, 0, 0
		lane.shown[sent].Store(0)
		lane.shown[received].Store(0)
		if r.p.Sends() {
			l.sendRequests(lane, i)
		}
		l.recvRequest(lane, i)
	}
	total := l.iters * uint64(len(r.lanes))
	if !r.p.NoPeak && !r.p.Test.Latency {
		l.bw.Posted, l.bw.Completed = make([]time.Duration, 0, total), make([]time.Duration, total)
	}
	if r.p.Test.Latency && l.iters > 0 {
		l.times = make([]time.Duration, l.iters)
		r.progress.posted.Store(0) // before times: Samples reads them in the other order
		r.progress.times.Store(&l.times)
	}
	r.progress.size.Store(size)
	r.progress.messages.Store(0)
	r.progress.since.Store(time.Now().UnixNano())
	return l
}

var opcodes = [...]verbs.WROpcode{
	Write: verbs.WRRDMAWrite, Read: verbs.WRRDMARead,
	Send: verbs.WRSend, Atomic: verbs.WRAtomicFetchAndAdd,
}

// sendRequests makes the requests that a lane posts in one call. Its wr_id is the lane.
func (l *loop) sendRequests(lane *lane, index int) {
	wr := verbs.SendWR{WRID: uint64(index), Opcode: opcodes[l.p.Test.Verb]}
	switch l.p.Test.Verb {
	case Write, Read:
		wr.RemoteAddr, wr.RKey = lane.peer.VAddr, lane.peer.RKey
	case Atomic:
		wr.RemoteAddr, wr.RKey, wr.CompareAdd = lane.peer.VAddr, lane.peer.RKey, 1
		if l.p.CmpSwap {
			wr.Opcode, wr.CompareAdd = verbs.WRAtomicCmpAndSwp, 0
		}
	case Send:
		if l.p.Connection == verbs.UD {
			wr.AH, wr.RemoteQPN, wr.RemoteQKey = lane.ah.AH, lane.peer.QPN, lane.qkey
		}
	}
	if l.size <= uint64(l.p.Inline) && l.size <= uint64(lane.q.Limits.MaxInlineData) && l.p.Inline > 0 {
		wr.SendFlags |= verbs.SendInline
	}
	lane.send = make([]verbs.SendWR, l.p.PostList)
	for j := range lane.send {
		own := wr
		own.SGList = []verbs.SGE{{Addr: l.base + l.sendAt(index), Length: uint32(l.size), LKey: l.mr.MR.LKey()}}
		lane.send[j] = own
	}
}

func (l *loop) recvRequest(lane *lane, index int) {
	if l.p.Receives() {
		lane.recv = []verbs.RecvWR{{WRID: uint64(index), SGList: []verbs.SGE{{
			Addr: l.base + l.receiveAt(index), Length: uint32(l.size + l.header()), LKey: l.mr.MR.LKey()}}}}
	}
}

// steps returns the bytes from one message's address to the next one's, and how many
// addresses there are: large messages all use the same.
func (l *loop) steps(header uint64) (step, slots uint64) {
	cycle := uint64(l.info.Common.CycleBuffer)
	step = roundUp(l.size+header, uint64(l.info.Common.CacheLine))
	if l.p.Test.Latency || l.size > cycle/2 || step > cycle {
		return 0, 1
	}
	return step, cycle / step
}

// postRecvs fills a lane's receive queue.
func (l *loop) postRecvs(lane *lane, index int, n uint64) error {
	base := l.base + l.receiveAt(index)
	for range n {
		lane.recv[0].SGList[0].Addr = base + lane.recvsPosted%l.recvSlots*l.recvStep
		post := lane.q.QP.PostRecv
		if l.srq != nil {
			post = l.srq.SRQ.PostRecv
		}
		if _, err := post(lane.recv...); err != nil {
			return fmt.Errorf("post_recv %s: %w", lane.q.Name, err)
		}
		lane.recvsPosted++
	}
	return nil
}

// now returns the time since the start of the loop.
func (l *loop) now() time.Duration { return time.Since(l.start) }

// notPolled says which queue cannot be polled.
func notPolled(cq *queue.CQ, err error) error { return fmt.Errorf("poll_cq %s: %w", cq.Name, err) }

// failed says what a failed completion means here.
func (l *loop) failed(wc *verbs.WC) error {
	if l.link.left() {
		return left("the peer left after %s of this size: completion %s",
			format.Counted(int(l.total), "message"), wc.Status)
	}
	if wc.Status == verbs.WCRetryExcErr {
		return &core.TimeUpError{Awaited: core.Awaited{Status: wc.Status}, Text: fmt.Sprintf(
			"the peer does not answer message %s: completion %s", format.Count(l.total+1), wc.Status)}
	}
	return &core.TimeUpError{Awaited: core.Awaited{Status: wc.Status}, Text: fmt.Sprintf(
		"message %s failed: completion %s, vendor_err %#x", format.Count(l.total+1), wc.Status, wc.VendorErr)}
}

// done counts completed messages.
func (l *loop) done(n uint64) {
	l.total += n
	l.progress.messages.Store(l.total)
	if l.phase.Load() == sampling {
		l.counted += n
	}
	l.Spend()
}
