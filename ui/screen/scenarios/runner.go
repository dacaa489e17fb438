package scenarios

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/lab"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/session/stages"
	"rdmatui/session/timeline"
	"rdmatui/session/traffic"
	"rdmatui/ui/screen"
	"rdmatui/verbs/format"
)

// phase is the state of a run.
type phase uint8

const (
	phaseNone    phase = iota
	phaseBusy          // a line is running
	phasePaused        // a key decides what follows
	phaseFailed        // a line has failed, and can be retried
	phaseEnded         // every line has succeeded
	phaseStopped       // stopped by the user
)

// past is the outcome of a line of the script.
type past struct {
	done   timeline.CommandDone
	times  int // how often it was run
	failed bool
	told   []timeline.Event // failures it caused, in an experiment
}

// status is a run as it is drawn. It is a value, but shares past.
type status struct {
	phase  phase
	params scenario.Params
	exp    *lab.Experiment // nil: a scenario
	both   bool
	keep   bool // objects are not destroyed
	lines  []script.Line
	at     int // the next or running line; -1: none
	last   int // the last line run; -1: none
	began  time.Time
	past   []past
	err    string // why it stopped
	hint   string
	other  string // the state of the other end, if it is here too
	wrong  bool   // the other end has failed
	alive  int    // existing objects of the run
	result traffic.PingpongResult
	req    stages.Request // the last, if traced
	traced bool
	talk   []said // of a chat

	outcome *lab.Result // of an experiment; nil: not available yet
}

// runner runs a scenario off the event loop, one piece of work at a time; between two
// it waits for a key.
type runner struct {
	env *screen.Env
	now func() time.Time

	mu      sync.Mutex
	st      status
	version int
	cancel  context.CancelFunc // of the current work
	stopped bool               // ended by a key

	// Of the current work.
	run    program
	other  *scenario.Companion
	theirs *scenario.Params // of the other end, nil if it is remote

	asked func(p scenario.Params, companion bool) error // called before an end is started; an error prevents ours
}

// program is what a runner runs: one end of a scenario, or an experiment of the error lab.
type program interface {
	script.Steps
	Alive() []string                   // names of the objects that exist
	Destroy(ctx context.Context) error // destroys those objects
}

func newRunner(env *screen.Env) *runner {
	return &runner{env: env, now: time.Now, asked: func(scenario.Params, bool) error { return nil }}
}

// status returns the status, and a number that changes with it.
func (r *runner) status() (status, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	st := r.st
	st.past = append([]past(nil), st.past...)
	return st, r.version
}

func (r *runner) change(f func(st *status)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.st)
	r.version++
}

// begin claims the runner for a piece of work; ok is false while other work runs.
func (r *runner) begin(f func(st *status)) (ctx context.Context, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.st.phase == phaseBusy {
		return nil, false
	}
	ctx, r.cancel = context.WithCancel(r.env.Ctx)
	r.stopped = false
	f(&r.st)
	r.st.phase, r.st.err, r.st.hint, r.st.began = phaseBusy, "", "", r.now()
	r.version++
	return ctx, true
}

// end releases the runner.
func (r *runner) end(to phase) {
	r.mu.Lock()
	cancel := r.cancel
	r.mu.Unlock()
	cancel()
	alive := 0
	if r.run != nil {
		alive = len(r.run.Alive())
	}
	r.change(func(st *status) { st.phase, st.alive = to, alive })
}

// start starts a scenario: runs all of it, or if all is false pauses before the first
// step. theirs is the other end if it is here too.
func (r *runner) start(p scenario.Params, theirs *scenario.Params, all bool) tea.Cmd {
	return r.begins(status{params: p, both: theirs != nil}, theirs, all, func() (program, error) {
		if err := r.asked(p, false); err != nil {
			return nil, err
		}
		return r.env.Session.NewScenarioRun(p)
	})
}

// begins is start for the run that open returns.
func (r *runner) begins(fresh status, theirs *scenario.Params, all bool,
	open func() (program, error)) tea.Cmd {
	ctx, ok := r.begin(func(st *status) {
		fresh.keep, fresh.at, fresh.last = st.keep, -1, -1
		*st = fresh
	})
	if !ok {
		return nil
	}
	return told(func() {
		r.theirs = theirs
		run, err := open()
		if r.run = run; err != nil {
			r.run = nil
			r.change(func(st *status) { st.err = format.Problems(err) })
			r.end(phaseStopped)
			return
		}
		r.change(func(st *status) { st.lines, st.past, st.at = run.Lines(), make([]past, len(run.Lines())), run.At() })
		if err := r.meet(ctx, fresh.params); err != nil {
			r.fail(err)
			return
		}
		if !all {
			r.end(phasePaused)
			return
		}
		r.work(ctx, true)
	})
}

// worked says that a piece of work has ended.
type worked struct{}

// told runs a piece of work, and sends a message when it has ended.
func told(work func()) tea.Cmd {
	return func() tea.Msg {
		work()
		return worked{}
	}
}

// meet starts the other end: a server before our client goes on, a client once our
// server listens.
func (r *runner) meet(ctx context.Context, p scenario.Params) error {
	if r.other = nil; r.theirs == nil {
		return nil
	}
	if run, ok := r.run.(*scenario.Run); ok && p.Server {
		var once sync.Once
		run.OnListening(func() { once.Do(r.bring) })
		return nil
	}
	r.bring()
	select {
	case <-r.other.Listening():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// bring starts the other end, and reports if it fails.
func (r *runner) bring() {
	_ = r.asked(*r.theirs, true)
	other := r.env.Session.NewCompanion(*r.theirs)
	r.other = other
	go func() {
		defer r.env.Crashed.Catch()
		<-other.Ended() // it ends with the session at the latest
		if err := other.Err(); err != nil && !errors.Is(err, context.Canceled) {
			r.change(func(st *status) { st.other, st.wrong = format.Problems(err), true })
		}
	}()
}

// next runs the next line, or if all is true the rest.
func (r *runner) next(all bool) tea.Cmd {
	ctx, ok := r.begin(func(*status) {})
	if !ok {
		return nil
	}
	return told(func() { r.work(ctx, all) })
}

func (r *runner) work(ctx context.Context, all bool) {
	for at := r.run.At(); at >= 0; at = r.run.At() {
		r.change(func(st *status) { st.at, st.began = at, r.now() })
		done, err := r.run.Step(ctx)
		r.record(at, done, err)
		if err != nil {
			r.fail(err)
			return
		}
		if !all {
			break
		}
	}
	if r.run.At() >= 0 {
		r.end(phasePaused)
		return
	}
	r.finish(all)
}

// record stores the outcome of a line.
func (r *runner) record(at int, done timeline.CommandDone, err error) {
	next, alive := r.run.At(), len(r.run.Alive())
	r.change(func(st *status) {
		p := &st.past[at]
		p.done, p.failed = done, err != nil || done.Err != ""
		switch run := r.run.(type) {
		case *lab.Run:
			outcome := run.Result()
			p.told = failuresSince(st.outcome, &outcome)
			st.outcome = &outcome
		case *scenario.Run:
			st.result = run.Result()
			if req, ok := run.LastRequest(); ok {
				st.req, st.traced = req, true
			}
		}
		p.times++
		st.hear(&st.lines[at], &done)
		st.alive = alive
		if err == nil {
			st.at, st.last = next, at
		}
	})
}

// fail ends the work with an error; the objects stay for inspection, unless a key
// ended the work.
func (r *runner) fail(err error) {
	r.mu.Lock()
	stopped := r.stopped
	r.mu.Unlock()
	if stopped || errors.Is(err, context.Canceled) { // the wait was ended
		r.clear()
		r.end(phaseStopped)
		return
	}
	text, hint := err.Error(), ""
	var failed *script.Error
	if errors.As(err, &failed) {
		text, hint = failed.Err.Error(), failed.Hint
	}
	r.change(func(st *status) { st.err, st.hint = strings.ReplaceAll(text, "\n", "; "), hint })
	r.tellOther(false)
	r.end(phaseFailed)
}

// companionTime is how long the other end may take to end after ours.
const companionTime = 5 * time.Second

// finish ends a successful scenario.
func (r *runner) finish(destroy bool) {
	r.tellOther(true)
	keep := r.keeps()
	if destroy && !keep {
		r.destroy()
	}
	r.end(phaseEnded)
}

// tellOther reports the state of the other end; wait says to wait for its end.
func (r *runner) tellOther(wait bool) {
	if r.other == nil {
		return
	}
	if sc := scenario.Named(r.theirs.Name); wait && sc != nil && r.theirs.Stays() {
		r.other.Stop()
		r.change(func(st *status) { st.other = "stopped" })
		return
	}
	if wait {
		t := time.NewTimer(companionTime)
		defer t.Stop()
		select {
		case <-r.other.Ended():
		case <-t.C:
		}
	}
	text, wrong := "still at it", false
	select {
	case <-r.other.Ended():
		if err := r.other.Err(); err != nil {
			text, wrong = format.Problems(err), true
		} else {
			text = "done"
		}
	default:
	}
	r.change(func(st *status) { st.other, st.wrong = text, wrong })
}

// stop ends the current work, or destroys the remaining objects.
func (r *runner) stop() tea.Cmd {
	r.mu.Lock()
	if r.st.phase == phaseBusy {
		r.stopped = true
		r.cancel()
		r.mu.Unlock()
		return nil
	}
	r.mu.Unlock()
	_, ok := r.begin(func(*status) {})
	if !ok {
		return nil
	}
	return told(func() {
		r.clear()
		r.end(phaseStopped)
	})
}

// clear removes what is left of a run.
func (r *runner) clear() {
	if r.other != nil {
		r.other.Stop()
	}
	keep := r.keeps()
	if !keep {
		r.destroy()
	}
}

// destroy destroys the run's objects.
func (r *runner) destroy() {
	if r.run == nil {
		return
	}
	if err := r.run.Destroy(r.env.Ctx); err != nil {
		r.change(func(st *status) { st.err = format.Problems(err) })
	}
}

// keeps reports whether objects are kept. Those of an experiment are not: no other
// screen shows them.
func (r *runner) keeps() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.st.keep && r.st.exp == nil
}

// toggleKeep switches whether the objects are kept.
func (r *runner) toggleKeep() (keep bool) {
	r.change(func(st *status) { st.keep = !st.keep; keep = st.keep })
	return keep
}

// forget returns to the list.
func (r *runner) forget() {
	r.change(func(st *status) { *st = status{keep: st.keep, at: -1, last: -1} })
}
