package verbs

import "time"

// RequestSteps are the times at which a device took one send request through its steps. A time is zero if the request
// did not get that far, or if its operation has no such step.
type RequestSteps struct {
	WRID        uint64
	First, Last PSN // of its packets
	Peer        GID // where its packets go
	PeerQP      QPN
	Resent      int       // how often its first packet was sent again
	Fetched     time.Time // the device took the request from the send queue
	Built       time.Time // its first packet was complete
	Sent        time.Time // its first packet was passed to the link
	Answered    time.Time // the acknowledgement, response or NAK that ended it arrived
	Placed      time.Time // READs and atomics: all data of the response was in local memory
	Completed   time.Time // its completion was added to the completion queue
}

// ServedRequest is a request of the peer that a device executed as the responder.
type ServedRequest struct {
	Last PSN       // of its last packet
	From QPN       // sender of a datagram; 0: the peer of the connection
	At   time.Time // its data was placed, or read
}

// StepRecorder is implemented by queue pairs that can record the steps of their latest requests. A software device's
// does; a NIC reports nothing between the post of a request and its completion.
type StepRecorder interface {
	// RecordSteps turns recording on or off. It is off at first, because it reads the clock several times per request.
	RecordSteps(on bool)
	// Steps returns what was recorded of the latest send requests, oldest first.
	Steps() []RequestSteps
}

// ServeTeller is implemented by providers that can tell what the queue pairs of their devices have served, whoever
// created them.
type ServeTeller interface {
	// Served returns what the queue pair with this number, at this address, has recorded, oldest first. recorded is
	// false if it is not on a device of the provider, or does not record.
	Served(at GID, num QPN) (served []ServedRequest, recorded bool)
}
