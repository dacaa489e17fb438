package soft

import (
	"sync/atomic"

	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/transport"
)

// counters holds the counters of one adapter.
type counters struct {
	transport *transport.Counters
	manager   cm.Counters  // what the connection manager counts
	closed    linkCounters // of links that are closed; guarded by adapter.mu
}

// linkCounters holds the counters of an adapter's link, and of the faults applied to its packets.
type linkCounters struct {
	link   link.Counters
	faults link.FaultCounters
}

func (c linkCounters) plus(l *link.Faulty) linkCounters {
	return linkCounters{c.link.Plus(l.Counters()), c.faults.Plus(l.FaultCounters())}
}

// hwCounters lists the counters that a device reports. The first ones are those of the kernel's rxe driver, with the
// same meanings; ack_deferred and link_downed are missing, because neither happens here.
var hwCounters = []struct {
	name, help string
	read       func(*counters, *linkCounters) uint64
}{
	{"sent_pkts", "packets sent", func(_ *counters, l *linkCounters) uint64 { return l.link.Sent }},
	{"rcvd_pkts", "packets received", func(_ *counters, l *linkCounters) uint64 { return l.link.Received }},
	{"duplicate_request", "requests received twice: the peer did not get the ACK",
		own(func(c *transport.Counters) *atomic.Uint64 { return &c.Duplicates })},
	{"out_of_seq_request", "requests with a PSN beyond the expected one: packets were lost",
		own(func(c *transport.Counters) *atomic.Uint64 { return &c.OutOfSequence })},
	{"rcvd_rnr_err", "RNR NAKs received: the peer had no RECV posted", own(func(c *transport.Counters) *atomic.Uint64 {
		return &c.RNRReceived
	})},
	{"send_rnr_err", "RNR NAKs sent: no RECV was posted here", own(func(c *transport.Counters) *atomic.Uint64 {
		return &c.RNRSent
	})},
	{"rcvd_seq_err", "sequence NAKs received: packets were lost on the path",
		own(func(c *transport.Counters) *atomic.Uint64 { return &c.SequenceNAKs })},
	{"retry_exceeded_err", "retry_cnt was used up: the peer does not answer",
		own(func(c *transport.Counters) *atomic.Uint64 { return &c.RetriesUsed })},
	{"retry_rnr_exceeded_err", "rnr_retry was used up: the peer posts no RECV",
		own(func(c *transport.Counters) *atomic.Uint64 { return &c.RNRRetriesUsed })},
	{"completer_retry_err", "times that the requester went back and resent",
		own(func(c *transport.Counters) *atomic.Uint64 { return &c.Retries })},
	{"send_err", "packets that could not be sent: no device has the address",
		func(_ *counters, l *linkCounters) uint64 { return l.link.Unreachable }},
	{"rdma_sends", "SENDs done", own(func(c *transport.Counters) *atomic.Uint64 { return &c.Sends })},
	{"rdma_recvs", "RECVs done", own(func(c *transport.Counters) *atomic.Uint64 { return &c.Recvs })},

	{"retransmits", "request packets resent", own(func(c *transport.Counters) *atomic.Uint64 {
		return &c.Retransmits
	})},
	{"timeouts", "timeouts: no answer within the queue pair's timeout", own(func(c *transport.Counters) *atomic.Uint64 {
		return &c.Timeouts
	})},
	{"access_err", "requests of peers refused: wrong rkey, range, access or protection domain",
		own(func(c *transport.Counters) *atomic.Uint64 { return &c.AccessErrors })},
	{"invalid_request", "requests of peers refused: not allowed by the queue pair, or too long for the RECV",
		own(func(c *transport.Counters) *atomic.Uint64 { return &c.InvalidRequests })},
	{"bad_icrc", "packets dropped: damaged on the path", func(_ *counters, l *linkCounters) uint64 {
		return l.link.BadICRC
	}},
	{"odd_ip_id", "packets dropped: the ICRC is right only for an IPv4 identification that does not match the sender's other packets", func(_ *counters, l *linkCounters) uint64 { return l.link.OddID }},
	{"malformed", "packets dropped: not a RoCEv2 packet with a known opcode",
		own(func(c *transport.Counters) *atomic.Uint64 { return &c.Malformed })},
	{"unknown_qp", "packets dropped: the queue pair does not exist, or cannot receive yet",
		own(func(c *transport.Counters) *atomic.Uint64 { return &c.UnknownQP })},
	{"wrong_peer", "packets dropped: address, P_Key or transport differs from the queue pair's peer",
		own(func(c *transport.Counters) *atomic.Uint64 { return &c.WrongPeer })},
	{"qkey_violation", "datagrams dropped: wrong Q_Key", own(func(c *transport.Counters) *atomic.Uint64 {
		return &c.QKeyViolations
	})},
	{"dropped_messages", "UC and UD messages lost: a packet or a RECV was missing; the sender is not told",
		own(func(c *transport.Counters) *atomic.Uint64 { return &c.Dropped })},
	{"sent_mads", "messages of the connection manager sent", own(func(c *transport.Counters) *atomic.Uint64 {
		return &c.MADsSent
	})},
	{"rcvd_mads", "messages of the connection manager received", own(func(c *transport.Counters) *atomic.Uint64 {
		return &c.MADsReceived
	})},
	{"dropped_mads",
		"connection manager messages dropped: unknown message or connection, unexpected source or time, or no room",
		managers(func(c *cm.Counters) *atomic.Uint64 { return &c.MADsDropped })},
	{"cm_expired", "connection requests dropped: the program did not answer before the peer's retries were used up",
		managers(func(c *cm.Counters) *atomic.Uint64 { return &c.RequestsExpired })},
	{"cm_evicted", "connection requests dropped in favour of another source: too many were unanswered, most of them from that address", managers(func(c *cm.Counters) *atomic.Uint64 { return &c.RequestsEvicted })},
	{"cm_no_room", "connection requests dropped: too many were unanswered, most of them from that address",
		managers(func(c *cm.Counters) *atomic.Uint64 { return &c.RequestsRefused })},
	{"cm_unanswered", "connection requests refused: the program destroyed their identifiers without an answer",
		managers(func(c *cm.Counters) *atomic.Uint64 { return &c.RequestsUnanswered })},
	{"cm_sidr_forgotten", "answers to SIDR_REQ not kept for a repeated request: too many were kept",
		managers(func(c *cm.Counters) *atomic.Uint64 { return &c.SIDRAnswersDropped })},
	{"cm_timewait_cut", "connections removed before their time-wait was over: too many were in it",
		managers(func(c *cm.Counters) *atomic.Uint64 { return &c.TimewaitsCut })},
	{"cm_stale_alive", "requests that would have ended a connection as stale, but whose peer answered a probe",
		managers(func(c *cm.Counters) *atomic.Uint64 { return &c.DoubtsDispelled })},
	{"queue_full", "packets dropped: the receive queue was full", func(_ *counters, l *linkCounters) uint64 {
		return l.link.NoRoom
	}},
	{"send_queue_full", "packets not sent: too many waited for room in the socket",
		func(_ *counters, l *linkCounters) uint64 { return l.link.Unsent }},

	{"fault_lost", "packets lost by the fault command", func(_ *counters, l *linkCounters) uint64 {
		return l.faults.Lost
	}},
	{"fault_duplicated", "packets sent twice by the fault command", func(_ *counters, l *linkCounters) uint64 {
		return l.faults.Duplicated
	}},
	{"fault_reordered", "packets sent after later ones by the fault command",
		func(_ *counters, l *linkCounters) uint64 { return l.faults.Reordered }},
	{"fault_corrupted", "packets damaged by the fault command", func(_ *counters, l *linkCounters) uint64 {
		return l.faults.Corrupted
	}},
	{"fault_delayed", "packets delayed by the fault command", func(_ *counters, l *linkCounters) uint64 {
		return l.faults.Delayed
	}},
	{"fault_overflow", "packets lost since too many were delayed by the fault command",
		func(_ *counters, l *linkCounters) uint64 { return l.faults.Overflow }},
}

// own returns a reader of a counter of the transport.
func own(of func(*transport.Counters) *atomic.Uint64) func(*counters, *linkCounters) uint64 {
	return func(c *counters, _ *linkCounters) uint64 { return of(c.transport).Load() }
}

// managers returns a reader of a counter of the connection manager.
func managers(of func(*cm.Counters) *atomic.Uint64) func(*counters, *linkCounters) uint64 {
	return func(c *counters, _ *linkCounters) uint64 { return of(&c.manager).Load() }
}
