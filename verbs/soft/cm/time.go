package cm

import (
	"time"

	"rdmatui/verbs/soft/internal/object"
)

// Times of the connection manager are 4.096 µs·2ⁿ. What is said in requests is what Linux says, but for shorter timeouts: nobody should
// have to wait for minutes to be told that a host is not there.
const (
	responseTimeout   = 18 // 1.07 s: how long either side may take to answer
	MaxRetries        = 15
	packetLifetime    = 16 // 0.27 s
	ServiceTimeout    = 24 // 69 s: said where a program takes its time to accept
	MaxServiceTimeout = 28 // 18 min: the longest that a peer may ask for
	maxReplyTimeout   = 22 // 17 s: the longest between two REPs, whatever the peer says
	maxAskTimeout     = 21 // 8.6 s: the longest of each of the two times that make up the one between two REQs, whatever the peer says
	SidrSpacing       = 20 // 4.3 s: between two SIDR_REQs of Linux
	MaxTimewait       = 24 // 69 s: the longest that late packets are waited for, where a peer's delays would make it hours

	// restTime is how long the number of a queue pair that was connected is not given to another one: the peer remembers it for its own
	// time-wait, which on Linux is 2.1 s.
	restTime = 8 * time.Second
)

// Span returns 4.096 µs·2ⁿ.
func Span(n uint8) time.Duration { return 4096 * time.Nanosecond << min(n, 31) }

// late returns how long what was sent may still be on its way. The timeout that it is told by has in it what the peer says of itself.
func (c *conn) late() time.Duration { return lateAfter(c.timeout) }

func lateAfter(timeout uint8) time.Duration { return Span(min(timeout, MaxTimewait)) }

// ackTimeout returns the exponent of a queue pair's timeout: twice the packet's lifetime and the delay of the one who acknowledges,
// where the smaller of two powers counts only if it is the half of the sum or more; IBA 12.7.34.
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
