// Package conversation tells what a capture shows. It joins packets into requests and
// requests into conversations of two queue pairs, and says of each packet what the
// others tell about it: sent again, late, after a gap, refused.
//
// The capture may be taken anywhere between the two ends, may begin in the middle, and
// may lack packets. What a stranger's packets can fill is bounded by the constants
// below; what does not fit is counted in [Table.Unfollowed].
//
// A [Trace] keeps the packets of a capture, a [Live] those of a session; a [Filter] selects
// some of them by an expression, and a [Join] compares two captures of the same traffic.
package conversation

import (
	"net/netip"
	"time"

	"rdmatui/verbs/wire"
)

// Bounds of the state that packets can make.
const (
	maxConversations = 1 << 16
	maxOpen          = 1 << 14 // unanswered requests of one side
	maxHoles         = 1 << 10 // missing ranges of one side
	maxRequests      = 1 << 12 // connection requests without a reply
	maxCandidates    = 1 << 8  // conversations that an answer is tried on
	maxSources       = 1 << 16 // addresses of senders
	maxLatencies     = 1 << 21 // latencies, of 16 bytes, before there are only samples of them
	minLatencies     = 1 << 4  // latencies of one operation of a side that are kept all the same
	// farPSN is further than any requester is ahead of its answers: a PSN beyond it
	// means that the queue pair was connected anew.
	farPSN = 1 << 16
)

// End is a queue pair on the wire; QP 0 means that nothing has told its number.
type End struct {
	Addr netip.Addr
	QP   uint32
}

// Talk names a conversation.
type Talk struct {
	Number int    // 1, 2, 3 … in the order of their first packets; 0: none
	Ends   [2]End // the first one asked first
}

// Conversation is what two queue pairs exchange.
type Conversation struct {
	Talk
	Transport   wire.Transport
	Joined      Joined   // how the ends were found to belong together
	Sides       [2]*Side // what each end asked of the other; nil: nothing
	First, Last time.Time
	Packets     uint64

	into *Conversation // the one that this was merged into; nil: none
}

// Whole returns the conversation that c has turned out to be a part of; c itself if it
// is whole.
func (c *Conversation) Whole() *Conversation {
	for c.into != nil {
		c = c.into
	}
	return c
}

// Joined is how the two ends of a conversation were found.
type Joined uint8

// The ways, from none to the surest.
const (
	Apart      Joined = iota // only one end is known: no answer was captured
	ByAnswers                // inferred: answers had the PSNs of the requests
	ByDatagram               // a datagram names both
	ByCM                     // the connection manager's messages named both
)

var joinedNames = [...]string{
	Apart: "no answer captured", ByAnswers: "inferred from the PSNs of answers",
	ByDatagram: "named in each datagram", ByCM: "named by the connection manager",
}

// String says how the ends were found.
func (j Joined) String() string { return joinedNames[j] }

// Marks is what the other packets say of one.
type Marks uint32

// The marks.
const (
	Again     Marks = 1 << iota // its PSN was captured before
	Twice                       // the same packet, copied on the way: the identification is the same as well
	Late                        // later packets were captured before it
	Gap                         // packets before it were not captured
	Lost                        // it never arrived at an end that is captured as well
	RNR                         // the receiver was not ready
	NAK                         // refuses a request, or asks for packets again
	CNP                         // asks the sender to slow down
	Congested                   // a router marked congestion in the IP header (ECN CE)
	BadICRC                     // damaged, or its addresses were rewritten
	Malformed                   // could not be decoded whole
	CM                          // a message of the connection manager
	Second                      // the same packet at another place: the capture has it where it was sent, too
	Tunnel                      // encapsulated: in a tunnel, or in the header of a mirror
	Cut                         // the capture holds only its beginning
)

// Mark is one of the marks with its word and what it means.
type Mark struct {
	Bit       Marks
	Name, Doc string
}

// markTable has the marks in the order of their bits.
var markTable = []Mark{
	{Again, "retry", "retransmitted: its PSN was captured before"},
	{Twice, "duplicate", "duplicated by the network"},
	{Late, "late", "arrived after packets with later PSNs"},
	{Gap, "gap", "follows packets that were not captured"},
	{Lost, "lost", "never arrived; known only between the devices of a session"},
	{RNR, "rnr", "RNR NAK: the receiver was not ready"},
	{NAK, "nak", "NAK: refuses a request or asks for retransmission"},
	{CNP, "cnp", "congestion notification: asks the sender to slow down"},
	{Congested, "ecn",
		"congestion mark (ECN CE) set on the way; ecn==1 and the like compare the two bits of the IP header"},
	{BadICRC, "icrc", "wrong ICRC"},
	{Malformed, "malformed", "cannot be decoded completely"},
	{CM, "cm", "connection manager message"},
	{Second, "second",
		"seen again: the same packet captured a second time, for example where it arrives; it is not counted"},
	{Tunnel, "tunnel", "encapsulated in a tunnel or a mirror header, whose outer addresses are shown"},
	{Cut, "cut", "truncated by the capture; what it does not hold is unknown"},
}

// MarkTable lists all marks.
func MarkTable() []Mark { return markTable }

// Names lists the words of the marks that are set.
func (m Marks) Names() (names []string) {
	for i := range markTable {
		if m.Has(markTable[i].Bit) {
			names = append(names, markTable[i].Name)
		}
	}
	return names
}

// Has reports whether one of the marks of any is set.
func (m Marks) Has(any Marks) bool { return m&any != 0 }
