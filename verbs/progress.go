package verbs

// Progress is how far a queue pair has come with what was posted to it, at one moment.
type Progress struct {
	Queued int // send requests of which no packet was sent
	Sent   int // send requests of which a packet was sent, and that are not complete

	// Of the oldest send request that is not complete. Packets is 0 where it has none, or was not begun.
	WRID    uint64
	Packets int // that it has; of a READ those of its answer
	Out     int // of these, sent or asked for
	Acked   int // of these, acknowledged or answered
	First   PSN // that of its first packet

	RNRWait  bool // the queue pair waits to send again, as the peer asked by an RNR NAK
	Expected PSN  // of the next packet that the queue pair takes as a responder
}

// ProgressTeller is a queue pair that tells its Progress. A software device's does; a NIC tells nothing between the post
// of a request and its completion.
type ProgressTeller interface{ Progress() Progress }
