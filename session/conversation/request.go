package conversation

import (
	"fmt"
	"time"

	"rdmatui/verbs/format"
	"rdmatui/verbs/wire"
)

// Request is one message or operation of a requester, with what became of it.
type Request struct {
	Begin       time.Time
	Sent        time.Time       // its last packet
	Answered    time.Time       // zero: not
	Bytes       uint64          // captured payload; of a READ, that of its answers
	First, Last wire.PSN        // of a READ, Last is that of its last answer
	Length      uint32          // the length that its RETH names; 0 without one
	Packets     uint32          // captured, of a READ those of its answers
	Again       [reasons]uint32 // of them sent again, by the reason
	RNR         uint32          // how often the receiver was not ready for it
	Operation   wire.Operation
	Outcome     Outcome
	Code        wire.NAKCode // if Outcome is Refused

	loose        bool  // of a READ: Last is only known to be before the next request
	cut          bool  // the capture does not hold the length that its RETH names
	begins, ends bool  // its first and its last packet were captured
	data         int32 // of a READ, how many of its answers have come, in packets from First
}

// Outcome is what became of a request.
type Outcome uint8

// The outcomes.
const (
	Open         Outcome = iota // no answer captured
	Acknowledged                // or answered with data
	Refused                     // by a NAK other than that of a PSN sequence error
	Unreliable                  // of a transport that acknowledges nothing
	Unread                      // answered, but the capture does not hold whether by an ACK or a NAK
)

// operationNames are the words for the operations that ask.
var operationNames = map[wire.Operation]string{
	wire.OpSend: "SEND", wire.OpWrite: "RDMA WRITE", wire.OpRead: "RDMA READ", wire.OpCompareSwap: "ATOMIC CMP_AND_SWP",
	wire.OpFetchAdd: "ATOMIC FETCH_AND_ADD", wire.OpFlush: "FLUSH", wire.OpAtomicWrite: "ATOMIC WRITE",
}

// OperationName returns the word for an operation that asks, "" for any other.
func OperationName(o wire.Operation) string { return operationNames[o] }

// Asked says what was asked, and in how many packets.
func (r *Request) Asked() string {
	text, bytes := operationNames[r.Operation], r.Bytes
	switch r.Operation {
	case wire.OpFlush: // its bytes are at the responder
		if bytes = uint64(r.Length); r.cut {
			return text + " of unknown length in " + format.Counted(r.Packets, "packet")
		}
		fallthrough
	default:
		text += " of " + format.Counted(bytes, "byte")
	case wire.OpCompareSwap, wire.OpFetchAdd: // always 8 bytes, in the header
	}
	return text + " in " + format.Counted(r.Packets, "packet")
}

// Fate says what became of the request, and what was sent again for it.
func (r *Request) Fate() string {
	text := r.outcome()
	for why, n := range r.Again {
		if n > 0 {
			text += fmt.Sprintf(", %s retransmitted %s", format.Count(uint64(n)), Reason(why))
		}
	}
	if r.RNR > 0 {
		text += fmt.Sprintf(", %s", format.Counted(r.RNR, "RNR NAK"))
	}
	return text
}

func (r *Request) outcome() string {
	switch r.Outcome {
	case Acknowledged:
		return "acknowledged after " + format.Span(r.Answered.Sub(r.Begin))
	case Refused:
		return "refused after " + format.Span(r.Answered.Sub(r.Begin)) + ": " + r.Code.String()
	case Unread:
		return "answered after " + format.Span(r.Answered.Sub(r.Begin)) + ", ACK or NAK truncated by the capture"
	case Unreliable:
		return "not acknowledged on this transport"
	}
	return "no answer captured"
}

// Kind sums up the requests of one operation.
type Kind struct {
	Requests, Packets, Bytes    uint64
	Acknowledged, Refused, Open uint64
	Unread                      uint64 // answered by what the capture cut
	// of the acknowledged ones; of a random sample of them beyond the bounds of a table
	Latencies []Latency
}

// Latency is how long a request took to be answered.
type Latency struct {
	First time.Duration // from its first packet
	Last  time.Duration // from its last packet, as sent last
}

// add counts a request that has ended, or has not.
func (k *Kind) add(t *Table, r *Request) {
	k.Requests++
	k.Packets += uint64(r.Packets)
	k.Bytes += r.Bytes
	switch r.Outcome {
	case Acknowledged:
		k.Acknowledged++
		k.sample(t, Latency{r.Answered.Sub(r.Begin), r.Answered.Sub(r.Sent)})
	case Refused:
		k.Refused++
	case Unread:
		k.Unread++
	case Open:
		k.Open++
	}
}

// sample keeps a latency as long as there is room, then each with the same probability.
func (k *Kind) sample(t *Table, l Latency) {
	if len(k.Latencies) < minLatencies || t.latencies < maxLatencies {
		t.latencies++
		k.Latencies = append(k.Latencies, l)
	} else if i := t.random.Uint64N(k.Acknowledged); i < uint64(len(k.Latencies)) {
		k.Latencies[i] = l
	}
}

// Reason is why packets were sent again, as far as the answers tell.
type Reason uint8

// The reasons.
const (
	AfterTimeout Reason = iota // no answer asked for them
	AfterRNR
	AfterNAK // of a PSN sequence error
	// Soon after the packet was captured first, no answer asked for it, and the capture does not tell on which way
	// packets were: a short timeout, or the same packet captured at a second place.
	Soon
	reasons
)

var reasonNames = [reasons]struct{ text, key string }{
	{"after a timeout", "after_a_timeout"}, {"after an RNR NAK", "after_an_RNR_NAK"}, {"after a NAK", "after_a_NAK"},
	{"or captured twice, within 1 ms", "soon"},
}

// String says the reason, after "retransmitted".
func (r Reason) String() string { return reasonNames[r].text }

// Key names the reason in JSON.
func (r Reason) Key() string { return reasonNames[r].key }

// Reasons lists all reasons.
func Reasons() []Reason { return []Reason{AfterTimeout, AfterRNR, AfterNAK, Soon} }
