// Package replay shows the eight steps of a request as a moving diagram of both hosts.
package replay

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rdmatui/session/stages"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

const (
	playTime = 6 * time.Second // a replay takes at most this long
	longest  = 4               // a wait is shown as at most this many times all steps but the two longest
)

// Replay plays the steps of one request so slowly that they can be seen. It has no timer: its caller passes the time.
type Replay struct {
	req    stages.Request
	any    bool            // req is set
	taken  []int           // indices in req.Steps of the steps that happened
	real   []time.Duration // when it took them; guessed for those that are inferred
	at     []time.Duration // the same with the longest waits cut: the axis of the replay
	cut    bool            // waits are shown shorter than they were
	factor float64         // the replay's time is the request's multiplied by this

	playing bool
	began   time.Time     // when it was at from
	from    time.Duration // on the axis of at
	pos     time.Duration // likewise: what is shown
}

// Set shows another request, or more of the same. play plays what is new from the start; otherwise its end is shown.
func (r *Replay) Set(req stages.Request, now time.Time, play bool) (changed bool) {
	if r.any && r.req == req {
		return false
	}
	same := r.any && r.req.Is(&req) && r.req.Done == req.Done
	was := r.pos >= r.end()
	r.req, r.any = req, true
	r.scale()
	switch {
	case same && !was: // what it waits for has changed, not how it came there
	case play && !same:
		r.play(now)
	default:
		r.playing, r.pos = false, r.end()
	}
	r.pos = min(r.pos, r.end())
	return true
}

// Request returns the request that is shown; ok is false if there is none.
func (r *Replay) Request() (req *stages.Request, ok bool) { return &r.req, r.any }

// scale lays the steps out on the axis and chooses the speed.
func (r *Replay) scale() {
	r.taken, r.at, r.real = r.taken[:0], r.at[:0], r.real[:0]
	for i := range r.req.Steps {
		if r.req.Steps[i].Happened() {
			r.taken, r.at = append(r.taken, i), append(r.at, max(r.req.Steps[i].After, r.end()))
		}
	}
	r.spread()
	r.real = append(r.real, r.at...)
	r.shorten()
	r.factor = factorFor(r.end())
}

// spread gives each inferred step a time between those of the measured steps around it.
func (r *Replay) spread() {
	for i := 0; i < len(r.at); {
		next := i + 1
		for next < len(r.at) && r.req.Steps[r.taken[next]].Source != stages.Measured {
			next++
		}
		for k := i + 1; k < next; k++ {
			r.at[k] = r.at[i]
			if next < len(r.at) {
				r.at[k] += (r.at[next] - r.at[i]) * time.Duration(k-i) / time.Duration(next-i)
			}
		}
		i = next
	}
}

// shorten cuts waits that would leave no time for the other steps, such as that for a RECV, or for the poll.
func (r *Replay) shorten() {
	gaps := make([]time.Duration, 0, stages.Stages)
	for i := 1; i < len(r.at); i++ {
		gaps = append(gaps, r.at[i]-r.at[i-1])
	}
	sorted := slices.Sorted(slices.Values(gaps))
	var limit time.Duration
	for _, g := range sorted[:max(len(sorted)-2, 0)] {
		limit += longest * g
	}
	r.cut = false
	for i, g := range gaps {
		if limit > 0 && g > limit {
			g, r.cut = limit, true
		}
		r.at[i+1] = r.at[i] + g
	}
}

// factorFor returns the speed at which a time is played in at most playTime: 1, 2 or 5 times a power of ten, or one
// divided by that.
func factorFor(total time.Duration) float64 {
	if total <= 0 {
		return 1
	}
	wish := float64(playTime) / float64(total)
	best := 0.0
	for unit := 1e-6; unit <= 1e9; unit *= 10 {
		for _, n := range []float64{1, 2, 5} {
			if f := n * unit; f <= wish*(1+1e-9) {
				best = f
			}
		}
	}
	return max(best, 1e-6)
}

// end returns the length of the axis.
func (r *Replay) end() time.Duration {
	if len(r.at) == 0 {
		return 0
	}
	return r.at[len(r.at)-1]
}

func (r *Replay) play(now time.Time) { r.playing, r.began, r.from, r.pos = true, now, 0, 0 }

// Refresh moves the replay on to a time; it reports whether anything moved. A replay that has ended never does.
func (r *Replay) Refresh(now time.Time) (changed bool) {
	if !r.playing {
		return false
	}
	r.pos = r.from + time.Duration(float64(now.Sub(r.began))/r.factor)
	if r.pos >= r.end() {
		r.playing, r.pos = false, r.end()
	}
	return true
}

// Toggle pauses the replay, continues it, or plays it again after its end.
func (r *Replay) Toggle(now time.Time) {
	switch {
	case r.playing:
		r.Refresh(now)
		r.playing = false
	case r.pos >= r.end():
		r.play(now)
	default:
		r.playing, r.began, r.from = true, now, r.pos
	}
}

// Step stops at the next step, or the previous one.
func (r *Replay) Step(by int) {
	r.playing = false
	i := slices.IndexFunc(r.at, func(t time.Duration) bool { return t > r.pos })
	if by < 0 {
		i = slices.IndexFunc(r.at, func(t time.Duration) bool { return t >= r.pos }) - 1
	} else if i < 0 {
		i = len(r.at) - 1
	}
	if len(r.at) > 0 {
		r.pos = r.at[max(i, 0)]
	}
}

// position returns the last step taken, as an index in taken, and how far the way to the next is done.
func (r *Replay) position() (k int, fraction float64) {
	for k+1 < len(r.at) && r.at[k+1] <= r.pos {
		k++
	}
	if k+1 < len(r.at) {
		fraction = float64(r.pos-r.at[k]) / float64(r.at[k+1]-r.at[k])
	}
	return k, fraction
}

// Shown names the step that is shown, "" if there is none.
func (r *Replay) Shown() string {
	if len(r.taken) == 0 {
		return ""
	}
	k, _ := r.position()
	return r.req.Steps[r.taken[k]].Stage.String()
}

// ended reports whether all steps are shown.
func (r *Replay) ended() bool { return r.pos >= r.end() }

// Title names the request.
func (r *Replay) Title() string {
	if !r.any {
		return "steps of a request"
	}
	return fmt.Sprintf("steps of wr %d %s on %s", r.req.WRID, r.req.Opcode, r.req.QP)
}

// Note says what time of the request is shown, and how its time is scaled, in at most so many cells if possible.
func (r *Replay) Note(room int) string {
	if !r.any || r.end() == 0 {
		return ""
	}
	speed := "in real time"
	switch {
	case r.factor > 1:
		speed = format.Count(uint64(r.factor+0.5)) + " times slower"
	case r.factor < 1:
		speed = format.Count(uint64(1/r.factor+0.5)) + " times faster"
	}
	if r.cut {
		speed += ", waits cut"
	}
	if full := r.clock() + ", shown " + speed; len(full) <= room {
		return full
	}
	return speed
}

// clock tells the time of the request that is shown.
func (r *Replay) clock() string {
	k, fraction := r.position()
	at := r.real[k]
	if k+1 < len(r.real) {
		at += time.Duration(fraction * float64(r.real[k+1]-at))
	}
	text := format.Span(at) + " of " + format.Span(r.real[len(r.real)-1])
	if r.ended() {
		return text[strings.Index(text, " of ")+len(" of "):]
	}
	return text
}

// Now says in a sentence what the current step is; wrong says that the request failed.
func (r *Replay) Now() (text string, wrong bool) {
	if len(r.taken) == 0 {
		return "", false
	}
	k, _ := r.position()
	if stop := r.req.Stop; r.ended() && stop >= 0 && r.req.Steps[stop].Note != "" {
		st := &r.req.Steps[stop]
		if !r.req.Done {
			return fmt.Sprintf("Waiting for %q: %s.", st.Stage, st.Note), false
		}
		if st.Source == stages.NotReached {
			return fmt.Sprintf("%s: stopped before %q: %s.", r.req.Status, st.Stage, st.Note), true
		}
	}
	if st := &r.req.Steps[r.taken[k]]; st.Stage != stages.CQE || r.req.Status == verbs.WCSuccess {
		return Does(&r.req, st.Stage), false
	}
	return "The NIC wrote a completion with the status " + r.req.Status.String() + ".", true
}
