package verbs

import "time"

// Tries counts the attempts at a queue pair's oldest send request since the peer last acknowledged anything. After the
// request has failed, the counts stay until the queue pair is reset.
type Tries struct {
	RNRNAKs      uint64        // RNR NAKs received: the peer had no RECV
	SequenceNAKs uint64        // NAKs "PSN sequence error" received
	Timeouts     uint64        // times that no response arrived within the timeout
	Resends      uint64        // times that the queue pair went back and sent again
	Span         time.Duration // from the first of these to the last
}

// TryTeller is implemented by queue pairs that report their Tries. A software device's does; a NIC has no such counters
// for a single queue pair.
type TryTeller interface{ Tries() Tries }
