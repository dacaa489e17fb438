package transport

import (
	"fmt"
	"sync"
	"sync/atomic"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

// QP is a queue pair.
type QP struct {
	dev            *Device
	pd             *PD
	eng            *Engine
	num            verbs.QPN
	typ            verbs.QPType
	sendCQ, recvCQ *CQ
	cap            verbs.QPCap
	sigAll         bool
	sendOps        verbs.SendOps // those of them that are posted by ibv_wr_*

	rung   atomic.Bool // the doorbell was rung and the engine has not served it yet
	active bool        // used only by the engine

	sq sendQueue
	rq recvQueue

	// mu guards the transport state. The engine holds it while it serves the queue pair; modify, query and close take
	// it.
	mu     sync.Mutex
	state  verbs.QPState // written with sq.mu and rq.mu held as well, so that any of the three suffices to read it
	closed bool          // locked like state
	attr   verbs.QPAttr
	path   *link.Path // to the peer
	known  *link.Path // path of the last packet verified to be from the peer
	mtu    int        // bytes
	req    requester
	comp   completer
	resp   responder
	steps  *stepLog // nil: steps are not recorded
	fatal  bool     // a completion queue overran

	mem mem.View

	owner object.Owner // the identifier that controls it; nil: none
}

// requester is the sending part of a queue pair; IBA 9.7.2 and 9.7.3.
//
//	 sq.head                 next            started            sq.tail
//	─────┴─────────────────────┴────────────────┴──────────────────┴──▶ requests
//	  sent, not acknowledged     to be sent again   not sent yet
//
// Without retransmission next equals started.
type requester struct {
	q         *QP
	transport wire.Transport
	next      uint32     // position of the current request
	started   uint32     // position after the last request that has PSNs
	off       uint32     // bytes of the request at next already sent
	cursor    mem.Cursor // position of off in its SGE list
	psn       wire.PSN   // of the next packet
	top       wire.PSN   // one past the highest PSN ever sent
	reads     int        // incomplete READs and atomics before next
	window    int        // maximum number of unacknowledged packets
	unasked   int        // packets since the last one that requested an acknowledgement
}

// completer is the part of a queue pair that processes responses: it completes requests in the order in which they were
// posted, and has lost ones sent again; IBA 9.7.5 and 9.7.6.
type completer struct {
	q             *QP
	una           wire.PSN   // the oldest unacknowledged PSN
	into          mem.Cursor // destination of the data of the READ at sq.head
	asked         bool       // una was sent again after it was found lost, and has not advanced since
	retries       uint8      // since the last progress
	rnrTries      uint8
	tries         tries // for display only; the two fields above decide
	clock         ackTimer
	rnr           rnrTimer
	notifyDrained bool // SQ_DRAINED is to be raised
}

// responder is the receiving part of a queue pair; IBA 9.7.4.
type responder struct {
	q       *QP
	epsn    wire.PSN // expected
	msn     uint32   // messages completed
	nakSent bool     // a NAK was sent: no other until the expected packet arrives
	heard   bool     // the peer has sent a packet

	// The message being received.
	inside   bool
	op       wire.Operation
	received uint64     // bytes of a SEND
	cursor   mem.Cursor // position in the RECV's list
	va       uint64     // destination of the next bytes of a WRITE
	rkey     uint32
	length   uint32 // of the WRITE
	left     uint32 // remaining bytes of the WRITE

	// Responses to send, in this order.
	fetches []fetchJob
	nak     *refusal
	acks    int // acknowledgements to send of everything before epsn: 0 or 1

	ahead  wire.PSN      // the last PSN of those that arrived too early since nak was queued
	latest wire.PSN      // of the last processed request, new or duplicate
	saved  []atomicSaved // results of the latest atomics, oldest first
}

// refusal is a NAK that waits behind the responses to earlier READs.
type refusal struct {
	psn      wire.PSN
	syndrome wire.Syndrome
	fatal    bool // sending it moves the queue pair to ERR
	raise    bool // and raises event
	event    verbs.EventType
}

// fetchJob is a request of the peer that needs more than an acknowledgement: a READ, an atomic, a FLUSH or an
// ATOMIC_WRITE. The last two are answered like a READ of no bytes. The peer may have max_dest_rd_atomic of them
// outstanding.
type fetchJob struct {
	psn   wire.PSN // of the next packet
	last  wire.PSN
	again bool // the response was sent before
	flush bool

	// For a READ.
	va    uint64
	rkey  uint32
	left  uint32 // remaining bytes
	begun bool

	atomic bool
	orig   uint64 // the response to an atomic
}

// atomicSaved is the result of an atomic, kept in case its response is lost: the atomic must not be executed again. IBA
// 9.4.5.
type atomicSaved struct {
	psn  wire.PSN
	op   wire.Operation
	orig uint64
}

var _ verbs.QP = (*QP)(nil)

func (q *QP) name() string { return "QP " + q.num.String() }

// fail wraps an error. The name costs an allocation, so it is built only for an error.
func (q *QP) fail(op string, err error) error {
	if err == nil {
		return nil
	}
	return verbs.NewOpError(op, q.name(), err)
}

// Num returns the queue pair number.
func (q *QP) Num() verbs.QPN { return q.num }

// Type returns the transport service.
func (q *QP) Type() verbs.QPType { return q.typ }

// Cap returns the granted capacities: those requested, but no receive queue if a shared one is used.
func (q *QP) Cap() verbs.QPCap { return q.cap }

// setState changes the state; q.mu is held.
func (q *QP) setState(s verbs.QPState) {
	q.sq.mu.Lock()
	q.rq.mu.Lock()
	q.state = s
	q.rq.mu.Unlock()
	q.sq.mu.Unlock()
}

// raise reports an asynchronous event of this queue pair.
func (q *QP) raise(t verbs.EventType) { q.dev.Events.Put(verbs.AsyncEvent{Type: t, QP: q}) }

// transports maps queue pair types to the transport of their packets.
var transports = map[verbs.QPType]wire.Transport{verbs.RC: wire.RC, verbs.UC: wire.UC, verbs.UD: wire.UD}

// String returns the queue pair's name, type and state, for messages.
func (q *QP) String() string { return fmt.Sprintf("%s %s %s", q.name(), q.typ, q.state) }

// bth returns the header fields common to all packets of the queue pair.
func (q *QP) bth() wire.BTH {
	return wire.BTH{MigReq: true, PKey: object.FullPKey, DestQP: uint32(q.attr.DestQPNum)}
}
