package scenarios

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/lab"
	"rdmatui/session/labrun"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
	"rdmatui/session/traffic"
	"rdmatui/ui/screen"
)

// phase is where a run is.
type phase uint8

const (
	phaseNone    phase = iota
	phaseBusy          // a line is carried out
	phasePaused        // a key decides what comes next
	phaseFailed        // a line has failed, and may be tried again
	phaseEnded         // every line has succeeded
	phaseStopped       // somebody did not want to go on
)

// past is what came of a line of the script.
type past struct {
	done   timeline.CommandDone
	times  int // that it was carried out
	failed bool
	told   []timeline.Event // failures that it brought to light, of an experiment
}

// status is a run as it is drawn. It is a value; past belongs to it.
type status struct {
	phase  phase
	params scenario.Params
	exp    *lab.Experiment // nil: it is a scenario
	both   bool
	keep   bool // what is made is not destroyed
	lines  []script.Line
	at     int // that comes next, or is carried out; -1 none
	last   int // that was carried out; -1 none
	began  time.Time
	past   []past
	err    string // why it does not go on
	hint   string
	other  string // how it stands with the other end, where it is here, too
	wrong  bool   // the other end has failed
	alive  int    // objects of the run that there are
	result traffic.PingpongResult
	times  scenario.RequestTimes
	timed  bool
	talk   []said // of a chat

	outcome *labrun.Result // of an experiment; nil: it is not that far
}

// runner carries out a scenario off the event loop. What it does is one piece of
// work at a time; between two it waits for a key.
type runner struct {
	env *screen.Env
	now func() time.Time

	mu      sync.Mutex
	st      status
	version int
	cancel  context.CancelFunc // of the work under way
	stopped bool               // it was ended by a key

	// Of the work under way.
	run    screen.ScenarioRun
	other  screen.Companion
	theirs *scenario.Params // of the other end, nil if that is elsewhere
}

func newRunner(env *screen.Env) *runner { return &runner{env: env, now: time.Now} }

// status returns how it stands, and a number that changes with it.
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

// begin claims the runner for a piece of work; ok is false while there is one.
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

// end gives the runner back.
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

// start begins a scenario: all of it, or with all false up to the first step.
// theirs is the other end if it is here, too.
func (r *runner) start(p scenario.Params, theirs *scenario.Params, all bool) tea.Cmd {
	return r.begins(status{params: p, both: theirs != nil}, theirs, all, func() (screen.ScenarioRun, error) { return r.env.Scenarios.Run(p) })
}

// begins is start of what open opens.
func (r *runner) begins(fresh status, theirs *scenario.Params, all bool, open func() (screen.ScenarioRun, error)) tea.Cmd {
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
			r.change(func(st *status) { st.err = oneLine(err) })
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

// told does a piece of work, and says when there is something new.
func told(work func()) tea.Cmd {
	return func() tea.Msg {
		work()
		return worked{}
	}
}

// meet sees to the other end: a server before our client goes on, a client when our
// server listens.
func (r *runner) meet(ctx context.Context, p scenario.Params) error {
	if r.other = nil; r.theirs == nil {
		return nil
	}
	if p.Server {
		var once sync.Once
		r.run.OnListening(func() { once.Do(r.bring) })
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

// bring lets the other end in, and tells if it fails.
func (r *runner) bring() {
	other := r.env.Scenarios.Companion(*r.theirs)
	r.other = other
	go func() {
		defer r.env.Crashed.Catch()
		<-other.Ended() // it ends with the session at the latest
		if err := other.Err(); err != nil && !errors.Is(err, context.Canceled) {
			r.change(func(st *status) { st.other, st.wrong = oneLine(err), true })
		}
	}()
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// next carries out the line that comes next, or with all true the rest.
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

// record keeps what came of a line.
func (r *runner) record(at int, done timeline.CommandDone, err error) {
	next, result := r.run.At(), r.run.Result()
	times, timed := r.run.Times()
	alive := len(r.run.Alive())
	experiment, isLab := r.run.(screen.LabRun)
	r.change(func(st *status) {
		p := &st.past[at]
		p.done, p.failed = done, err != nil || done.Err != ""
		if isLab {
			outcome := experiment.Outcome()
			p.told = failuresSince(st.outcome, &outcome)
			st.outcome = &outcome
		}
		p.times++
		st.hear(&st.lines[at], &done)
		if st.result, st.alive = result, alive; timed {
			st.times, st.timed = times, true
		}
		if err == nil {
			st.at, st.last = next, at
		}
	})
}

// fail ends the work with an error; what was made stays to be looked at, unless a
// key has ended it.
func (r *runner) fail(err error) {
	r.mu.Lock()
	stopped := r.stopped
	r.mu.Unlock()
	if stopped || errors.Is(err, context.Canceled) { // the wait was ended, wherever
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

// companionTime is how long the other end may take to come to its end after ours.
const companionTime = 5 * time.Second

// finish is the end of a scenario that went well.
func (r *runner) finish(destroy bool) {
	r.tellOther(true)
	keep := r.keeps()
	if destroy && !keep {
		r.destroy()
	}
	r.end(phaseEnded)
}

// tellOther says how it stands with the other end, which may be waited for.
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
			text, wrong = oneLine(err), true
		} else {
			text = "done"
		}
	default:
	}
	r.change(func(st *status) { st.other, st.wrong = text, wrong })
}

// stop ends the work under way, or takes down what was left standing.
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

// clear ends what is left of a run.
func (r *runner) clear() {
	if r.other != nil {
		r.other.Stop()
	}
	keep := r.keeps()
	if !keep {
		r.destroy()
	}
}

// destroy takes down what the run has made.
func (r *runner) destroy() {
	if r.run == nil {
		return
	}
	if err := r.run.Destroy(r.env.Ctx); err != nil {
		r.change(func(st *status) { st.err = oneLine(err) })
	}
}

// keeps says that what was made is to stay. Of an experiment nothing is: no other
// screen shows what it makes.
func (r *runner) keeps() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.st.keep && r.st.exp == nil
}

// toggleKeep decides what becomes of what is made.
func (r *runner) toggleKeep() (keep bool) {
	r.change(func(st *status) { st.keep = !st.keep; keep = st.keep })
	return keep
}

// forget goes back to the list.
func (r *runner) forget() {
	r.change(func(st *status) { *st = status{keep: st.keep, at: -1, last: -1} })
}
