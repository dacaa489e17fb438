package cm

import (
	"time"

	"rdmatui/verbs/soft/internal/object"
)

// Times of the connection manager are 4.096 µs·2ⁿ. Requests carry Linux's values, except for shorter timeouts: a user
// should not wait minutes to learn that a host does not exist.
const (
	responseTimeout   = 18 // 1.07 s: how long either side may take to answer
	MaxRetries        = 15
	packetLifetime    = 16 // 0.27 s
	ServiceTimeout    = 24 // 69 s: announced while a program takes its time to accept
	MaxServiceTimeout = 28 // 18 min: the maximum that a peer may ask for
	maxReplyTimeout   = 22 // 17 s: the maximum between two REPs, whatever the peer announces
	// 8.6 s: the maximum of each of the two times that add up to the interval between two REQs, whatever the peer
	// announces
	maxAskTimeout = 21
	SidrSpacing   = 20 // 4.3 s: Linux's interval between two SIDR_REQs
	MaxTimewait   = 24 // 69 s: the maximum time-wait, even if the peer's delays would make it hours

	// restTime is how long the number of a previously connected queue pair is not reused: the peer remembers it for its
	// own time-wait, 2.1 s on Linux.
	restTime = 8 * time.Second
)

// Span returns 4.096 µs·2ⁿ.
func Span(n uint8) time.Duration { return 4096 * time.Nanosecond << min(n, 31) }

func lateAfter(timeout uint8) time.Duration { return Span(min(timeout, MaxTimewait)) }

// ackTimeout returns the exponent of a queue pair's timeout: twice the packet lifetime plus the acknowledging side's
// delay. The smaller power of two counts only if it is at least half of the sum; IBA 12.7.34.
func ackTimeout(delay, lifetime uint8) uint8 {
	t := lifetime + 1
	if t >= delay {
		if delay >= lifetime {
			t++
		}
	} else {
		carry := t >= delay-1
		t = delay
		if carry {
			t++
		}
	}
	return min(t, object.MaxTimer)
}
