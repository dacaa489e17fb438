package core

import (
	"fmt"
	"time"
)

// IDState is the state of an identifier.
type IDState uint8

// States, in the order in which an identifier passes through them.
const (
	IDIdle          IDState = iota // it has no address
	IDBound                        // it has a local one
	IDAddrResolved                 // the device and the neighbour are known
	IDRouteResolved                // the path is known
	IDListening                    // it accepts requests
	IDRequest                      // a request that waits for an answer
	IDConnecting                   // waiting for the peer's answer
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

// CQMode is a mode of taking a queue's completions.
type CQMode uint8

// Modes. All but ByHand are for a live session.
const (
	ByHand      CQMode = iota // by commands: poll_cq, get_cq_event and related ones
	Resting                   // polled, with sleeps that grow to 10 ms while the queue is empty
	Busy                      // busy polled: lowest latency, one full core
	Blocking                  // armed; the reader sleeps in ibv_get_cq_event until there is an event
	Nonblocking               // armed; the channel is polled without blocking
	NumCQModes
)

var cqModeNames = [NumCQModes]string{
	ByHand: "by commands", Resting: "poll", Busy: "busy", Blocking: "blocking", Nonblocking: "nonblocking",
}

// String returns the mode's name, which cq_mode accepts.
func (m CQMode) String() string { return cqModeNames[min(m, NumCQModes-1)] }

// CQModes lists the modes in which a live session can take completions.
var CQModes = []CQMode{Resting, Busy, Blocking, Nonblocking}

// WithEvents reports whether the mode needs a completion channel.
func (m CQMode) WithEvents() bool { return m >= Blocking }

// CQStats counts how completions were taken from a queue in one mode. A first poll is
// one that follows no event; a second poll follows an event, after the queue was
// armed again: it is empty if the first had already taken the completions.
type CQStats struct {
	FirstFull, FirstEmpty   uint64
	SecondFull, SecondEmpty uint64
	Events, Acked           uint64 // completion events received and acknowledged
	EmptyReads              uint64 // polls of the channel that found no event
	Completions             uint64
	CPU                     time.Duration // of the polling thread; 0 unless Measured
	Wall                    time.Duration // time spent in this mode; 0 by commands
	Measured                bool
}

// Polls returns the number of ibv_poll_cq calls.
func (c *CQStats) Polls() uint64 { return c.FirstFull + c.FirstEmpty + c.SecondFull + c.SecondEmpty }

// Used reports whether the mode was used at all.
func (c *CQStats) Used() bool { return c.Polls()+c.Events+c.Acked+c.EmptyReads > 0 }

// PerCompletion returns the CPU time per completion; 0 if it was not measured or
// there were none.
func (c *CQStats) PerCompletion() time.Duration {
	if c.Completions == 0 {
		return 0
	}
	return c.CPU / time.Duration(c.Completions)
}

// Share returns the share of one core that was used, 0 to 1; 0 if unknown.
func (c *CQStats) Share() float64 {
	if c.Wall <= 0 {
		return 0
	}
	return float64(c.CPU) / float64(c.Wall)
}

// CQStatsByMode holds the counts of each mode, for comparison.
type CQStatsByMode [NumCQModes]CQStats

// Polled counts one poll that returned n completions.
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

// String formats the counts on one line.
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
