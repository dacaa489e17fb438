package traffic

import (
	"fmt"
	"time"
)

// PingpongResult is the result of a ping-pong.
type PingpongResult struct {
	Size        int           `json:"size"`  // bytes of each message
	Iters       int           `json:"iters"` // messages in each direction
	Elapsed     time.Duration `json:"-"`
	Seconds     float64       `json:"seconds"`
	MbitPerSec  float64       `json:"mbit_per_sec"`            // both directions together
	UsecPerIter float64       `json:"usec_per_iter"`           // round trip
	CQEvents    int           `json:"cq_events"`               // completion events, 0 when polling
	CQEventGets int           `json:"cq_event_gets,omitempty"` // channel polls that found no event
	Validated   bool          `json:"validated,omitempty"`     // the bytes were checked
}

// String formats both figures on one line.
func (r PingpongResult) String() string {
	return r.Rate() + "; " + r.Latency()
}

// Rate formats bytes, seconds and Mbit/s.
func (r PingpongResult) Rate() string {
	return fmt.Sprintf("%d bytes in %.2f seconds = %.2f Mbit/sec", r.bytes(), r.Seconds, r.MbitPerSec)
}

// Latency formats iterations, seconds and usec/iter.
func (r PingpongResult) Latency() string {
	return fmt.Sprintf("%d iters in %.2f seconds = %.2f usec/iter", r.Iters, r.Seconds, r.UsecPerIter)
}

func (r PingpongResult) bytes() uint64 { return 2 * uint64(r.Size) * uint64(r.Iters) }
