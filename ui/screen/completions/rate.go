package completions

import (
	"time"

	"rdmatui/ui/widget"
	"rdmatui/verbs/ring"
)

// ratePoints is how many seconds the sparkline covers.
const ratePoints = 60

// rate turns a counter that is sampled now and then into completions per second.
type rate struct {
	now    func() time.Time
	at     time.Time
	count  uint64
	values []float64 // the newest last
}

// sample samples the counter and reports whether the sparkline changed. After a gap
// of more than a second, the mean fills all seconds of the gap.
func (r *rate) sample(count uint64) bool {
	now := r.now()
	if r.at.IsZero() {
		r.at, r.count = now, count
		return false
	}
	gone := now.Sub(r.at)
	if gone < time.Second {
		return false
	}
	was := widget.MaxValue(r.values)
	v := float64(count-r.count) / gone.Seconds()
	for range min(int(gone/time.Second), ratePoints) {
		r.values = ring.Newest(append(r.values, v), ratePoints)
	}
	r.at, r.count = now, count
	return was > 0 || v > 0
}

// last is the newest rate, per second.
func (r *rate) last() uint64 {
	if len(r.values) == 0 {
		return 0
	}
	return uint64(r.values[len(r.values)-1] + 0.5)
}
