package transport

import "sync/atomic"

// Counters counts the transport events of one adapter. Received request packets that are out of sequence are counted in OutOfSequence or
// Duplicates; packets dropped before a queue pair accepts them, in Malformed, UnknownQP or WrongPeer.
type Counters struct {
	Malformed, UnknownQP, WrongPeer, OutOfSequence, Duplicates, RNRSent, RNRReceived,
	SequenceNAKs, Timeouts, Retransmits, Retries, RetriesUsed, RNRRetriesUsed,
	AccessErrors, InvalidRequests, Dropped, QKeyViolations, Sends, Recvs,
	MADsSent, MADsReceived atomic.Uint64
}
