package sim

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// World is one run of one seed. One goroutine owns it and makes every call, except where noted.
type World struct {
	Seed uint64
	Rng  *rand.Rand
	Net  *Network
	// Rest is called when all goroutines are idle and the packets that they sent are under way. It takes the results
	// and reports whether goroutines may have been woken.
	Rest func(sent int) (again bool)

	kind     *Kind
	begun    time.Time
	trace    bool
	timeline schedule
	order    int

	mu       sync.Mutex // guards the fields below
	hash     uint64
	problems []string
}

// event is an action at a time.
type event struct {
	at    time.Duration
	order int
	do    func()
}

// schedule is a heap of events.
type schedule []event

// Len implements heap.Interface.
func (s schedule) Len() int { return len(s) }

// Less implements heap.Interface.
func (s schedule) Less(i, j int) bool {
	return s[i].at < s[j].at || s[i].at == s[j].at && s[i].order < s[j].order
}

// Swap implements heap.Interface.
func (s schedule) Swap(i, j int) { s[i], s[j] = s[j], s[i] }

// Push implements heap.Interface.
func (s *schedule) Push(x any) { *s = append(*s, x.(event)) }

// Pop implements heap.Interface.
func (s *schedule) Pop() any {
	old := *s
	e := old[len(old)-1]
	old[len(old)-1] = event{}
	*s = old[:len(old)-1]
	return e
}

// simulate runs one seed from beginning to end.
func (k *Kind) simulate(t *testing.T, seed uint64, trace bool) (r result) {
	var w *World
	running.Store(seed, time.Now())
	defer running.Delete(seed)
	defer func() { // remaining goroutines make the bubble panic; they remain after an earlier failure
		if left := recover(); left != nil {
			r.problems = append(w.problems, fmt.Sprintf("conservation: %v", left))
		}
	}()
	synctest.Test(t, func(*testing.T) {
		w = &World{Seed: seed, Rng: rand.New(rand.NewPCG(seed, 0x776f726c64)), kind: k, begun: time.Now(), trace: trace}
		w.Net = newNetwork(w)
		counts := k.Play(w)
		w.Net.close()
		r = result{w.hash, append(counts, Count{"packets", w.Net.Count}), w.Now(), w.problems}
	})
	return r
}

// Now returns the virtual time since the start of the run.
func (w *World) Now() time.Duration { return time.Since(w.begun) }

// Fail records a problem. It may be called from any goroutine.
func (w *World) Fail(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.problems) < 3 {
		w.problems = append(w.problems, fmt.Sprintf("%v: %s", w.Now(), fmt.Sprintf(format, args...)))
	}
}

// Failed reports whether there is a problem.
func (w *World) Failed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.problems) > 0
}

// Must fails the run if a call fails that must succeed.
func (w *World) Must(what string, err error) bool {
	if err != nil {
		w.Fail("%s: %v", what, err)
	}
	return err == nil
}

// Crashed reports a panic in another goroutine. That goroutine may still hold locks, so the process ends.
func (w *World) Crashed(reason any, stack []byte) {
	fmt.Fprintf(os.Stderr, "seed %d: panic: %v\n%s\n%s\n", w.Seed, reason, stack, w.kind.replay(w.Seed))
	os.Exit(2)
}

// Tracing reports whether the time line of the run is printed.
func (w *World) Tracing() bool { return w.trace }

// Tracef prints a line of the time line.
func (w *World) Tracef(format string, args ...any) {
	if w.trace {
		fmt.Fprintf(os.Stderr, "%14v  %s\n", w.Now(), strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
	}
}

// Note adds a number to the digest. The order of notes at the same time does not matter. It may be called from any
// goroutine.
func (w *World) Note(what uint64) {
	x := what ^ uint64(w.Now())*0x9e3779b97f4a7c15
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 32
	w.mu.Lock()
	w.hash += x * 0xd6e8feb86659fd93
	w.mu.Unlock()
}

// After schedules a function for later.
func (w *World) After(d time.Duration, do func()) {
	w.order++
	heap.Push(&w.timeline, event{w.Now() + d, w.order, do})
}

// Settle waits until all goroutines are idle and launches the packets that they sent, until none is sent any more.
func (w *World) Settle() {
	for range 1000 {
		synctest.Wait()
		sent := w.Net.take()
		w.Net.launch(sent)
		if again := w.Rest(len(sent)); len(sent) == 0 && !again {
			return
		}
	}
	w.Fail("the goroutines do not become idle: packets or completions arrive without end")
}

// maxPackets is far more than any seed needs.
const maxPackets = 200000

// Run runs events until none is left before a time, or until done returns true.
func (w *World) Run(limit time.Duration, done func() bool) {
	for !w.Failed() {
		w.Settle()
		if w.Net.Count > maxPackets {
			w.Fail("liveness: %d packets without an end", w.Net.Count)
		}
		if done() {
			return
		}
		if len(w.timeline) == 0 || w.timeline[0].at > limit {
			if w.Sleep(limit - w.Now()) {
				return
			}
			continue
		}
		if !w.Sleep(w.timeline[0].at - w.Now()) {
			continue
		}
		w.Settle() // timers that are due at this instant fire first
		heap.Pop(&w.timeline).(event).do()
	}
}

// Sleep waits; it returns false if packets were sent meanwhile.
func (w *World) Sleep(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-w.Net.some:
		return false
	}
}

// Chance returns true with a probability.
func (w *World) Chance(p float64) bool { return w.Rng.Float64() < p }

// Gap returns a random duration with a mean.
func (w *World) Gap(mean time.Duration) time.Duration {
	return time.Duration(w.Rng.ExpFloat64()*float64(mean)) + time.Duration(1+w.Rng.IntN(997))
}

// Pick returns one of several.
func Pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }
