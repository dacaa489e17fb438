package verbs

// Progress is a snapshot of how far a queue pair has processed its requests.
type Progress struct {
	Queued int // send requests with no packet sent
	Sent   int // send requests with at least one packet sent that are not complete

	// WRID to First describe the oldest incomplete send request. Packets is 0 if there is none, or if it has not
	// started.
	WRID    uint64
	Packets int // packets of the request; for a READ, of its response
	Out     int // of these, sent or requested
	Acked   int // of these, acknowledged or received
	First   PSN // PSN of its first packet

	RNRWait  bool // an RNR NAK of the peer makes the queue pair wait before it sends again
	Expected PSN  // PSN that the queue pair expects next as a responder
}

// ProgressTeller is implemented by queue pairs that report their Progress. A software device's does; a NIC reports
// nothing between the post of a request and its completion.
type ProgressTeller interface{ Progress() Progress }
