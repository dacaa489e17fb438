package soft

import (
	"sync/atomic"

	"rdmatui/verbs/soft/link"
)

// Counters is what a device has seen since it was made, as a card's hw_counters tell it.
type Counters struct {
	SentPackets       uint64
	ReceivedPackets   uint64
	BadICRC           uint64 // dropped: damaged
	QueueFull         uint64 // dropped: the receive queue was full
	Unreachable       uint64 // sent to an address that nobody has
	Malformed         uint64 // dropped: no packet of a known opcode
	UnknownQP         uint64 // dropped: no such queue pair, or not able to receive
	WrongPeer         uint64 // dropped: addresses, P_Key or transport are not the queue pair's
	OutOfSequence     uint64 // requests ahead of the expected PSN
	DuplicateRequests uint64 // requests behind it
	RNRNAKsSent       uint64 // a SEND found no RECV
	RNRNAKsReceived   uint64
	SequenceNAKs      uint64 // received
	Timeouts          uint64 // of the transport timer
	Retransmits       uint64 // request packets sent again
	AccessErrors      uint64 // requests refused for key, range, right or domain
	InvalidRequests   uint64 // requests refused for another reason
	DroppedMessages   uint64 // of UC and UD: nobody is told
	QKeyViolations    uint64 // datagrams with another Q_Key
}

// counters is the live form of what the transport itself counts.
type counters struct {
	malformed, unknownQP, wrongPeer, outOfSequence, duplicates, rnrSent, rnrReceived,
	sequenceNAKs, timeouts, retransmits, accessErrors, invalidRequests, dropped, qkeyViolations atomic.Uint64

	// Of links that are closed.
	sent, received, badICRC, queueFull, unreachable atomic.Uint64
}

func (c *counters) add(l link.Counters) {
	c.sent.Add(l.Sent)
	c.received.Add(l.Received)
	c.badICRC.Add(l.BadICRC)
	c.queueFull.Add(l.NoRoom)
	c.unreachable.Add(l.Unreachable)
}

// Counters reads the counters of a device; ok is false where there is none of that name.
func (p *Provider) Counters(device string) (c Counters, ok bool) {
	for _, a := range p.adapters {
		if a.name == device {
			return a.readCounters(), true
		}
	}
	return Counters{}, false
}

func (a *adapter) readCounters() Counters {
	a.mu.Lock()
	var now link.Counters
	if a.eng != nil {
		now = a.eng.link.Counters()
	}
	a.mu.Unlock()
	c := &a.counts
	return Counters{
		SentPackets: c.sent.Load() + now.Sent, ReceivedPackets: c.received.Load() + now.Received,
		BadICRC: c.badICRC.Load() + now.BadICRC, QueueFull: c.queueFull.Load() + now.NoRoom,
		Unreachable: c.unreachable.Load() + now.Unreachable, Malformed: c.malformed.Load(),
		UnknownQP: c.unknownQP.Load(), WrongPeer: c.wrongPeer.Load(), OutOfSequence: c.outOfSequence.Load(),
		DuplicateRequests: c.duplicates.Load(), RNRNAKsSent: c.rnrSent.Load(), RNRNAKsReceived: c.rnrReceived.Load(),
		SequenceNAKs: c.sequenceNAKs.Load(), Timeouts: c.timeouts.Load(), Retransmits: c.retransmits.Load(),
		AccessErrors: c.accessErrors.Load(), InvalidRequests: c.invalidRequests.Load(),
		DroppedMessages: c.dropped.Load(), QKeyViolations: c.qkeyViolations.Load(),
	}
}
