package transport

import "sync/atomic"

// Counters is what the transport counts of one adapter. Packets that carry a request and are received out of their turn are in OutOfSequence
// or Duplicates, those that are dropped before a queue pair takes them in Malformed, UnknownQP or WrongPeer.
type Counters struct {
	Malformed, UnknownQP, WrongPeer, OutOfSequence, Duplicates, RNRSent, RNRReceived,
	SequenceNAKs, Timeouts, Retransmits, Retries, RetriesUsed, RNRRetriesUsed,
	AccessErrors, InvalidRequests, Dropped, QKeyViolations, Sends, Recvs,
	MADsSent, MADsReceived atomic.Uint64
}
