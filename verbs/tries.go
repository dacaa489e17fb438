package verbs

import "time"

// Tries is how a queue pair fared with its oldest send request since the peer last acknowledged something. After the
// request has failed it stays as it is until the queue pair is reset.
type Tries struct {
	RNRNAKs      uint64        // RNR NAKs received: the peer had no RECV
	SequenceNAKs uint64        // NAKs "PSN sequence error" received
	Timeouts     uint64        // times that no answer came within the timeout
	Resends      uint64        // times that the queue pair went back to send again
	Span         time.Duration // from the first of these to the last
}

// TryTeller is a queue pair that tells its Tries. A software device's does; a NIC keeps no such numbers for one queue pair.
type TryTeller interface{ Tries() Tries }
