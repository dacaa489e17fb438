package world

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"rdmatui/verbs/verbstest/sim"
)

// world is one run of one seed. One goroutine owns all of it.
type world struct {
	*sim.World
	hosts  []*host
	pace   time.Duration // mean time between the lines of a session
	left   int           // lines not started yet
	begun  int           // lines started
	worked int           // lines that succeeded
}

// play runs a world from beginning to end.
func play(s *sim.World) []sim.Count {
	w := &world{World: s}
	w.Rest = w.rest
	w.pace = time.Duration(1+w.Rng.IntN(2000)) * time.Microsecond
	w.left = 80 + w.Rng.IntN(320)
	w.Net.Conditions = sim.Draw(w.Rng)
	for i := range 2 {
		w.hosts = append(w.hosts, newHost(w, i))
	}
	for _, h := range w.hosts {
		w.After(w.Gap(w.pace), h.step)
	}
	w.Run(time.Hour, func() bool { return w.left == 0 })
	w.finish()
	return []sim.Count{{What: "lines", N: w.begun}, {What: "of them succeeded", N: w.worked}}
}

// rest removes the lines that ended.
func (w *world) rest(int) (again bool) {
	for _, h := range w.hosts {
		h.reap()
	}
	return false
}

// digest returns a number for bytes.
func digest(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

// finish stops running lines, closes the sessions, and checks that nothing is left.
func (w *world) finish() {
	for _, h := range w.hosts {
		h.stopAll()
	}
	w.Run(w.Now()+stopsWithin, func() bool { return !w.busy() })
	if w.busy() {
		w.Fail("lines do not end: %s", w.open())
	}
	if !w.Failed() {
		for _, h := range w.hosts {
			h.agree()
		}
	}
	for _, h := range w.hosts { // also after a failure, so that the bubble can end
		h.close()
	}
	time.Sleep(10 * time.Minute) // connections stay in time-wait
	w.Settle()
	for _, h := range w.hosts {
		h.checkEmpty()
	}
}

// busy reports whether a line runs.
func (w *world) busy() bool {
	return slices.ContainsFunc(w.hosts, func(h *host) bool { return len(h.lines) > 0 })
}

// open names the running lines.
func (w *world) open() (all string) {
	for _, h := range w.hosts {
		for _, l := range h.lines {
			all += fmt.Sprintf("%s: %q since %v; ", h.name, l.text, l.since)
		}
	}
	return all
}
