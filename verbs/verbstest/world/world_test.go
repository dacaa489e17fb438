package world

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

	"rdmatui/verbs/verbstest/wirecheck"
)

// world is one run of one seed. One goroutine owns it and makes every call, except where noted.
type world struct {
	t     *testing.T
	seed  uint64
	rng   *rand.Rand
	plan  plan
	begun time.Time
	trace bool

	net      *network
	hosts    []*host
	ends     []*end // queue pairs that are not closed
	secrets  secrets
	ledgers  map[address]*ledger
	spread   [len(groups)][]*request // datagrams that were sent to groups
	asks     map[string]int          // how often a message of a connection manager was sent, by its tag
	attacker *attacker
	// checks each packet; nil if there is an insider, whose packets are answered like a peer's
	checker   *wirecheck.Checker
	requests  map[uint64]*request // requests without a completion, by wr_id
	lastID    uint64
	unchecked bool // the checker is no longer used
	timeline  schedule
	order     int
	hash      uint64
	steps     int
	ending    bool // no new work is started
	spoilt    bool // a connection was spoiled at some time
	perfect   bool // nothing was done so far that may make a request fail

	mu       sync.Mutex
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

func (s schedule) Len() int { return len(s) }
func (s schedule) Less(i, j int) bool {
	return s[i].at < s[j].at || s[i].at == s[j].at && s[i].order < s[j].order
}
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

// result describes a run after its end.
type result struct {
	digest   uint64
	packets  int
	steps    int
	requests uint64
	virtual  time.Duration
	problems []string
}

// running holds the current seeds and their start times.
var running sync.Map

// simulate runs one seed from beginning to end.
func simulate(t *testing.T, seed uint64, trace bool) (r result) {
	var w *world
	running.Store(seed, time.Now())
	defer running.Delete(seed)
	defer func() { // remaining goroutines make the bubble panic; they remain after an earlier failure
		if left := recover(); left != nil {
			r.problems = append(w.problems, fmt.Sprintf("conservation: %v", left))
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		w = &world{
			t: t, seed: seed, trace: trace, begun: time.Now(), requests: map[uint64]*request{},
			ledgers: map[address]*ledger{}, asks: map[string]int{}, perfect: true,
		}
		w.rng = rand.New(rand.NewPCG(seed, 0x776f726c64))
		w.plan = draw(w.rng)
		w.plan.placement = drawPlacement(seed)
		w.perfect = w.faultless()
		w.tracef("plan %+v", w.plan)
		if !w.insecure() {
			w.checker = wirecheck.New()
		}
		w.net = newNetwork(w)
		w.build()
		w.play()
		w.finish()
		w.closeAll()
		w.net.close()
		r = result{w.hash, w.net.count, w.steps, w.lastID, w.now(), w.problems}
	})
	return r
}

// faultless reports whether exactly the sent packets arrive, unchanged.
func (w *world) faultless() bool { return w.plan.net.faultless() && w.plan.hostile == peaceful }

// now returns the virtual time since the start of the run.
func (w *world) now() time.Duration { return time.Since(w.begun) }

// fail records a problem. It may be called from any goroutine.
func (w *world) fail(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.problems) < 3 {
		w.problems = append(w.problems, fmt.Sprintf("%v: %s", w.now(), fmt.Sprintf(format, args...)))
	}
}

// crashed reports a panic in a goroutine of a device. That goroutine may still hold locks, so the run cannot continue.
func (w *world) crashed(reason any, stack []byte) {
	fmt.Fprintf(os.Stderr, "seed %d: panic: %v\n%s\n%s\n", w.seed, reason, stack, replay(w.seed))
	os.Exit(2)
}

// replay returns the command that runs a seed again.
func replay(seed uint64) string {
	return fmt.Sprintf("again: go test ./verbs/verbstest/world -run 'TestWorld$' -seed=%d -v", seed)
}

func (w *world) failed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.problems) > 0
}

// must fails the run if a call fails that must succeed.
func (w *world) must(what string, err error) bool {
	if err != nil {
		w.fail("%s: %v", what, err)
	}
	return err == nil
}

func (w *world) tracef(format string, args ...any) {
	if w.trace {
		fmt.Fprintf(os.Stderr, "%12v  %s\n", w.now(), strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
	}
}

// note adds a number to the digest. The order of notes at the same time does not matter.
func (w *world) note(what uint64) {
	x := what ^ uint64(w.now())*0x9e3779b97f4a7c15
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 32
	w.hash += x * 0xd6e8feb86659fd93
}

// after schedules a function for later.
func (w *world) after(d time.Duration, do func()) {
	w.order++
	heap.Push(&w.timeline, event{w.now() + d, w.order, do})
}

// settle waits until all goroutines are idle and takes the results.
func (w *world) settle() {
	for range 1000 {
		synctest.Wait()
		sent := w.net.take()
		w.net.launch(sent)
		if got := w.collect(); len(sent) == 0 && got == 0 {
			w.checkDuplicates()
			return
		}
	}
	w.fail("the goroutines do not become idle: packets or completions arrive without end")
}

// maxPackets is far more than any seed needs.
const maxPackets = 100000

// run runs events until none is left before a time, or until done returns true.
func (w *world) run(limit time.Duration, done func() bool) {
	for !w.failed() {
		w.settle()
		if w.net.count > maxPackets {
			w.fail("liveness: %d packets without an end", w.net.count)
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
		w.settle() // device timers that are due at this instant fire first
		heap.Pop(&w.timeline).(event).do()
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

// chance returns true with a probability.
func (w *world) chance(p float64) bool { return w.rng.Float64() < p }

// pick returns one of several.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// gap returns a random duration with a mean.
func (w *world) gap(mean time.Duration) time.Duration {
	return time.Duration(w.rng.ExpFloat64()*float64(mean)) + time.Duration(1+w.rng.IntN(997))
}

// play performs the steps of the plan.
func (w *world) play() {
	left := w.plan.steps
	var step func()
	step = func() {
		if left--; left < 0 || w.failed() {
			return
		}
		w.step()
		w.after(w.gap(w.plan.pace), step)
	}
	w.after(w.gap(w.plan.pace), step)
	w.run(time.Hour, func() bool { return left < 0 })
}
