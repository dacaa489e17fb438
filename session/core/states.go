package core

import (
	"fmt"
	"time"
)

// IDState is where an identifier stands on its way to a connection.
type IDState uint8

// States, in the order in which an identifier goes through them.
const (
	IDIdle          IDState = iota // it has no address
	IDBound                        // it has a local one
	IDAddrResolved                 // the device and the neighbour are known
	IDRouteResolved                // the path is known
	IDListening                    // it lets requests in
	IDRequest                      // it is a request that waits for an answer
	IDConnecting                   // the peer is to answer
	IDConnected
	IDDisconnected
	IDError // the last step failed
)

var idStateNames = [...]string{
	IDIdle: "IDLE", IDBound: "BOUND", IDAddrResolved: "ADDR_RESOLVED", IDRouteResolved: "ROUTE_RESOLVED",
	IDListening: "LISTENING", IDRequest: "REQUEST", IDConnecting: "CONNECTING", IDConnected: "CONNECTED",
	IDDisconnected: "DISCONNECTED", IDError: "ERROR",
}

// String returns the state in capitals: "ROUTE_RESOLVED".
func (s IDState) String() string {
	if int(s) < len(idStateNames) {
		return idStateNames[s]
	}
	return "unknown"
}

// CQMode is a way to take the completions of a queue.
type CQMode uint8

// Ways to take completions. All but ByHand are those of a live session.
const (
	ByHand      CQMode = iota // lines say when: poll_cq, get_cq_event and their kin
	Resting                   // polled, with a rest that grows to 10 ms while nothing comes
	Busy                      // polled without a rest: the least latency, and a whole core
	Blocking                  // armed; the reader sleeps in ibv_get_cq_event until there is an event
	Nonblocking               // armed; the channel is asked again and again, and nobody sleeps in the call
	NumCQModes
)

var cqModeNames = [NumCQModes]string{ByHand: "by hand", Resting: "poll", Busy: "busy", Blocking: "blocking", Nonblocking: "nonblocking"}

// String returns the way's name, which cq_mode takes too.
func (m CQMode) String() string { return cqModeNames[min(m, NumCQModes-1)] }

// CQModes lists the ways in which a live session can take completions.
var CQModes = []CQMode{Resting, Busy, Blocking, Nonblocking}

// WithEvents reports whether the way needs a completion channel.
func (m CQMode) WithEvents() bool { return m >= Blocking }

// CQStats counts how completions were taken from a queue in one way. A first poll
// is one that no event asked for; the second is that after an event, once the queue
// was armed again: it is empty where the first had taken already what the event
// told of.
type CQStats struct {
	FirstFull, FirstEmpty   uint64
	SecondFull, SecondEmpty uint64
	Events, Acked           uint64 // completion events that were got, and acknowledged
	EmptyReads              uint64 // times that the channel was asked and had no event
	Completions             uint64
	CPU                     time.Duration // of the thread that took them; 0 unless Measured
	Wall                    time.Duration // time in which they were taken in this way; 0 by hand
	Measured                bool
}

// Polls is how many calls of ibv_poll_cq there were.
func (c *CQStats) Polls() uint64 { return c.FirstFull + c.FirstEmpty + c.SecondFull + c.SecondEmpty }

// Used reports whether completions were asked for in this way at all.
func (c *CQStats) Used() bool { return c.Polls()+c.Events+c.Acked+c.EmptyReads > 0 }

// PerCompletion is the CPU time of one completion; 0 where it was not measured, or
// none came.
func (c *CQStats) PerCompletion() time.Duration {
	if c.Completions == 0 {
		return 0
	}
	return c.CPU / time.Duration(c.Completions)
}

// Share is the part of one core that was in use, 0 to 1; 0 where it is not known.
func (c *CQStats) Share() float64 {
	if c.Wall <= 0 {
		return 0
	}
	return float64(c.CPU) / float64(c.Wall)
}

// CQStatsByMode are the counts of each way, so that one stands beside the other.
type CQStatsByMode [NumCQModes]CQStats

// Polled counts one poll that brought n completions.
func (c *CQStats) Polled(second bool, n int) {
	switch {
	case second && n > 0:
		c.SecondFull++
	case second:
		c.SecondEmpty++
	case n > 0:
		c.FirstFull++
	default:
		c.FirstEmpty++
	}
	c.Completions += uint64(n)
}

// String is the counts in one line.
func (c *CQStats) String() string {
	text := fmt.Sprintf("completions=%d first_poll_nonempty=%d first_poll_empty=%d second_poll_nonempty=%d second_poll_empty=%d events=%d acked=%d empty_reads=%d",
		c.Completions, c.FirstFull, c.FirstEmpty, c.SecondFull, c.SecondEmpty, c.Events, c.Acked, c.EmptyReads)
	if c.Measured {
		text += fmt.Sprintf(" cpu_us=%d wall_us=%d", c.CPU.Microseconds(), c.Wall.Microseconds())
		if c.Completions > 0 {
			text += fmt.Sprintf(" cpu_ns_per_completion=%d", c.PerCompletion().Nanoseconds())
		}
	}
	return text
}
