package conversation

import (
	"time"

	"rdmatui/verbs/wire"
)

// Request is one message or operation of a requester, with what became of it.
type Request struct {
	Operation   wire.Operation
	First, Last wire.PSN // of a READ, Last is that of its last answer
	Bytes       uint64   // captured payload; of a READ, that of its answers
	Length      uint64   // the length that its RETH names; 0 without one
	Packets     uint64   // captured, of a READ those of its answers
	Again       uint64   // of them sent again
	RNR         uint64   // how often the receiver was not ready for it
	Begin       time.Time
	Sent        time.Time // its last packet
	Answered    time.Time // zero: not
	Outcome     Outcome
	Code        wire.NAKCode // if Outcome is Refused

	ends bool // its last packet was captured
	data int  // of a READ, how many of its answers have come, in packets from First
}

// Outcome is what became of a request.
type Outcome uint8

// The outcomes.
const (
	Open         Outcome = iota // no answer captured
	Acknowledged                // or answered with data
	Refused                     // by a NAK other than that of a PSN sequence error
	Unreliable                  // of a transport that acknowledges nothing
)

// has reports whether a PSN is one of the request's.
func (r *Request) has(psn wire.PSN) bool { return psn.Sub(r.First) >= 0 && psn.Sub(r.Last) <= 0 }

// Kind sums up the requests of one operation.
type Kind struct {
	Requests, Packets, Bytes    uint64
	Acknowledged, Refused, Open uint64
	Latencies                   []time.Duration // from the first packet of each request to its answer
}

// add counts a request that has ended, or has not.
func (k *Kind) add(r *Request) {
	k.Requests++
	k.Packets += r.Packets
	k.Bytes += r.Bytes
	switch r.Outcome {
	case Acknowledged:
		k.Acknowledged++
		k.Latencies = append(k.Latencies, r.Answered.Sub(r.Begin))
	case Refused:
		k.Refused++
	case Open:
		k.Open++
	}
}

// Reason is why packets were sent again, as far as the answers tell.
type Reason uint8

// The reasons.
const (
	AfterTimeout Reason = iota // no answer asked for them
	AfterRNR
	AfterNAK // of a PSN sequence error
	reasons
)

var reasonNames = [reasons]string{"after a timeout", "after an RNR NAK", "after a NAK"}

// String says the reason.
func (r Reason) String() string { return reasonNames[r] }

// Reasons lists all reasons.
func Reasons() []Reason { return []Reason{AfterTimeout, AfterRNR, AfterNAK} }
