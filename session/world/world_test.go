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

// world is one run of one seed. All of it but what is said otherwise belongs to one goroutine.
type world struct {
	t     *testing.T
	seed  uint64
	rng   *rand.Rand
	begun time.Time
	trace bool

	net      *network
	hosts    []*host
	pace     time.Duration // mean time between the lines of a session
	left     int           // lines that are still to be begun
	begunRun int           // lines
	worked   int           // lines that succeeded
	timeline []event       // sorted by time, and at one time by when it was planned

	mu       sync.Mutex // guards what follows
	hash     uint64
	problems []string
}

// event is something that happens at a time.
type event struct {
	at time.Duration
	do func()
}

// result is what is known of a run when it has ended.
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
	defer func() { // goroutines that are left make the bubble panic, and they are when something has gone wrong before
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

// now is the virtual time since the world began.
func (w *world) now() time.Duration { return time.Since(w.begun) }

// fail notes something that must not be. It may be called from any goroutine.
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

// crashed is told of a panic in another goroutine. Its locks may be held for good, so that nothing can go on.
func (w *world) crashed(reason any, stack []byte) {
	fmt.Fprintf(os.Stderr, "seed %d: panic: %v\n%s\n%s\n", w.seed, reason, stack, replay(w.seed))
	os.Exit(2)
}

func (w *world) tracef(format string, args ...any) {
	if w.trace {
		fmt.Fprintf(os.Stderr, "%14v  %s\n", w.now(), strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
	}
}

// note makes something part of the digest. Where it stands among what happens at the same time does not count. It may be called from any
// goroutine.
func (w *world) note(what []byte) {
	h := fnv.New64a()
	fmt.Fprint(h, w.now())
	h.Write(what)
	w.mu.Lock()
	w.hash += h.Sum64()
	w.mu.Unlock()
}

// after has something done later.
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

// settle lets everything come to rest and takes what has come of it.
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
	w.fail("no rest: packets come without end")
}

// maxPackets is far beyond what any seed needs.
const maxPackets = 200000

// run lets things happen until a time, or until done says so.
func (w *world) run(limit time.Duration, done func() bool) {
	for !w.failed() {
		w.settle()
		if w.net.count > maxPackets {
			w.fail("%d packets, and no end", w.net.count)
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
		w.settle() // timers that are due at this very time come first
		next := w.timeline[0]
		w.timeline = w.timeline[1:]
		next.do()
	}
}

// sleep waits; it returns false where packets were sent meanwhile.
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

// chance is true with a probability.
func (w *world) chance(p float64) bool { return w.rng.Float64() < p }

// pick returns one of several.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// gap is a time that passes, with a mean.
func (w *world) gap(mean time.Duration) time.Duration {
	return time.Duration(w.rng.ExpFloat64()*float64(mean)) + time.Duration(1+w.rng.IntN(997))
}

// finish stops what still runs, closes the sessions, and looks that nothing is left.
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
	for _, h := range w.hosts { // also where it has failed, so that the bubble can end
		h.close()
	}
	w.settleFor(10 * time.Minute) // connections are kept for their time-wait
	for _, h := range w.hosts {
		h.checkEmpty()
	}
}

// settleFor lets time pass, whatever has failed.
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

// open names the lines that run.
func (w *world) open() (all string) {
	for _, h := range w.hosts {
		for _, l := range h.lines {
			all += fmt.Sprintf("%s: %q since %v; ", h.name, l.text, l.since)
		}
	}
	return all
}
