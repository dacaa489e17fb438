package world

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// world is one run of one seed. One goroutine owns all of it, unless a comment says otherwise.
type world struct {
	t     *testing.T
	seed  uint64
	rng   *rand.Rand
	begun time.Time
	trace bool

	net      *network
	hosts    []*host
	pace     time.Duration // mean time between the lines of a session
	left     int           // lines not started yet
	begunRun int           // lines started
	worked   int           // lines that succeeded
	timeline []event       // sorted by time; events at one time by when they were planned

	mu       sync.Mutex // guards the fields below
	hash     uint64
	problems []string
}

// event is a call at a given time.
type event struct {
	at time.Duration
	do func()
}

// result is the outcome of a run.
type result struct {
	digest           uint64
	lines, succeeded int
	packets          int
	virtual          time.Duration
	problems         []string
}

// simulate runs one seed from beginning to end.
func simulate(t *testing.T, seed uint64, trace bool) (r result) {
	var w *world
	running.Store(seed, time.Now())
	defer running.Delete(seed)
	defer func() { // leftover goroutines make the bubble panic, which happens after an earlier problem
		if left := recover(); left != nil {
			r.problems = append(w.problems, fmt.Sprintf("goroutines are left: %v", left))
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		w = &world{t: t, seed: seed, trace: trace, begun: time.Now()}
		w.rng = rand.New(rand.NewPCG(seed, 0x73657373))
		w.pace = time.Duration(1+w.rng.IntN(2000)) * time.Microsecond
		w.left = 80 + w.rng.IntN(320)
		w.net = newNetwork(w)
		for i := range 2 {
			w.hosts = append(w.hosts, newHost(w, i))
		}
		for _, h := range w.hosts {
			w.after(w.gap(w.pace), h.step)
		}
		w.run(time.Hour, func() bool { return w.left == 0 })
		w.finish()
		w.net.close()
		r = result{w.hash, w.begunRun, w.worked, w.net.count, w.now(), w.problems}
	})
	return r
}

// now returns the virtual time since the run began.
func (w *world) now() time.Duration { return time.Since(w.begun) }

// fail records a problem. Any goroutine may call it.
func (w *world) fail(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.problems) < 3 {
		w.problems = append(w.problems, fmt.Sprintf("%v: %s", w.now(), fmt.Sprintf(format, args...)))
	}
}

func (w *world) failed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.problems) > 0
}

// crashed handles a panic in another goroutine. That goroutine may have left locks held, so the process ends.
func (w *world) crashed(reason any, stack []byte) {
	fmt.Fprintf(os.Stderr, "seed %d: panic: %v\n%s\n%s\n", w.seed, reason, stack, replay(w.seed))
	os.Exit(2)
}

func (w *world) tracef(format string, args ...any) {
	if w.trace {
		fmt.Fprintf(os.Stderr, "%14v  %s\n", w.now(), strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
	}
}

// note adds bytes to the digest. The order among events of the same time does not matter. Any goroutine may call it.
func (w *world) note(what []byte) {
	h := fnv.New64a()
	fmt.Fprint(h, w.now())
	h.Write(what)
	w.mu.Lock()
	w.hash += h.Sum64()
	w.mu.Unlock()
}

// after schedules a call.
func (w *world) after(d time.Duration, do func()) {
	at := w.now() + d
	i, _ := slices.BinarySearchFunc(w.timeline, at, func(e event, at time.Duration) int {
		if e.at <= at {
			return -1
		}
		return 1
	})
	w.timeline = slices.Insert(w.timeline, i, event{at, do})
}

// settle waits until all goroutines block, launches the packets sent and removes the lines that ended, until nothing is
// sent any more.
func (w *world) settle() {
	for range 1000 {
		synctest.Wait()
		sent := w.net.take()
		for _, p := range sent {
			w.net.launch(p)
		}
		for _, h := range w.hosts {
			h.reap()
		}
		if len(sent) == 0 {
			return
		}
	}
	w.fail("packets are sent without end")
}

// maxPackets is far more than any seed needs.
const maxPackets = 200000

// run runs events until a time, or until done returns true.
func (w *world) run(limit time.Duration, done func() bool) {
	for !w.failed() {
		w.settle()
		if w.net.count > maxPackets {
			w.fail("%d packets, and the run has not ended", w.net.count)
		}
		if done() {
			return
		}
		if len(w.timeline) == 0 || w.timeline[0].at > limit {
			if w.sleep(limit - w.now()) {
				return
			}
			continue
		}
		if !w.sleep(w.timeline[0].at - w.now()) {
			continue
		}
		w.settle() // timers that are due at the same time come first
		next := w.timeline[0]
		w.timeline = w.timeline[1:]
		next.do()
	}
}

// sleep waits; it returns false if packets were sent meanwhile.
func (w *world) sleep(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-w.net.some:
		return false
	}
}

// chance returns true with a probability of p.
func (w *world) chance(p float64) bool { return w.rng.Float64() < p }

// pick returns one of several values.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// gap returns a random time with a given mean.
func (w *world) gap(mean time.Duration) time.Duration {
	return time.Duration(w.rng.ExpFloat64()*float64(mean)) + time.Duration(1+w.rng.IntN(997))
}

// finish stops running lines, closes the sessions, and checks that nothing is left.
func (w *world) finish() {
	for _, h := range w.hosts {
		h.stopAll()
	}
	w.run(w.now()+stopsWithin, func() bool { return !w.busy() })
	if w.busy() {
		w.fail("lines do not end: %s", w.open())
	}
	if !w.failed() {
		for _, h := range w.hosts {
			h.agree()
		}
	}
	for _, h := range w.hosts { // also after a failure, so that the bubble can end
		h.close()
	}
	w.settleFor(10 * time.Minute) // connections stay in time-wait
	for _, h := range w.hosts {
		h.checkEmpty()
	}
}

// settleFor lets time pass, even after a failure.
func (w *world) settleFor(d time.Duration) {
	for end := w.now() + d; w.now() < end; {
		w.settle()
		w.timeline = nil
		w.sleep(end - w.now())
	}
	w.settle()
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
