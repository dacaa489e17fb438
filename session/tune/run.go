package tune

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// Options say what to run, and for how long.
type Options struct {
	Device      string   // "": the first with an ACTIVE port
	Experiments []string // names; none: all
	// Round is how long a measurement takes; Least is how many messages it has at least,
	// and Tries how many measurements make a turn of a variant. The zero values mean the
	// usual ones.
	Round time.Duration
	Least uint64
	Tries int
	// Turns is the least number of turns of each variant; MostTurns the largest.
	Turns, MostTurns int
}

// The usual values of Options. Rule names them.
const (
	usualRound     = 5 * time.Millisecond
	usualLeast     = 8
	usualTries     = 12
	usualTurns     = 13
	usualMostTurns = 41
)

// limit is the time after which an experiment begins no further turn if it has enough
// of them for a verdict.
const limit = 9 * time.Second

// Watcher is told what a run found; nil functions are skipped. They are called on the
// goroutine of [Run.Do].
type Watcher struct {
	Opened   func(Place)  // the device is open
	Measured func(Result) // an experiment has ended
}

// Run runs experiments. Do may be called once.
type Run struct {
	s     *core.Session
	opts  Options
	watch Watcher
	todo  []*Experiment
	dev   *device.Device
	host  host
}

// New prepares a run. It opens nothing, and fails if an experiment is unknown.
func New(s *core.Session, opts Options, watch Watcher) (*Run, error) {
	r := &Run{s: s, opts: opts, watch: watch}
	names := opts.Experiments
	if len(names) == 0 {
		names = Names()
	}
	for _, name := range names {
		e, err := Find(name)
		if err != nil {
			return nil, err
		}
		r.todo = append(r.todo, e)
	}
	o := &r.opts
	o.Round, o.Least, o.Tries = cmp.Or(o.Round, usualRound), cmp.Or(o.Least, usualLeast), cmp.Or(o.Tries, usualTries)
	o.Turns, o.MostTurns = cmp.Or(o.Turns, usualTurns), cmp.Or(o.MostTurns, usualMostTurns)
	return r, nil
}

// Do runs the experiments. One that fails is a result; the error is that the device
// cannot be used or that ctx has ended.
func (r *Run) Do(ctx context.Context) error {
	ctx, end := r.s.Within(ctx)
	defer end()
	if err := r.open(ctx); err != nil {
		return err
	}
	for _, e := range r.todo {
		res := r.experiment(ctx, e)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if r.watch.Measured != nil {
			r.watch.Measured(res)
		}
	}
	return nil
}

// open opens the device and reads what the experiments depend on.
func (r *Run) open(ctx context.Context) error {
	place, err := device.Choose(r.s, r.opts.Device, func(d *verbs.DeviceInfo) error { return d.Lack(verbs.ByHand) }, "")
	if err != nil {
		return err
	}
	if err := r.exec(ctx, "open_device "+place.Name); err != nil {
		return err
	}
	r.dev = core.ObjectOf[*device.Device](r.s, place.Name)
	if r.host, err = r.readHost(); err != nil {
		return err
	}
	if r.watch.Opened != nil {
		r.watch.Opened(r.host.Place)
	}
	return nil
}

// experiment runs one experiment and destroys its objects.
func (r *Run) experiment(ctx context.Context, e *Experiment) Result {
	res := Result{Name: e.Name, Title: e.Title, Reason: e.Reason, Unit: e.unit.name, unit: e.unit}
	names := strings.NewReplacer(r.host.names()...)
	res.Without.Label, res.With.Label = names.Replace(e.without.label), names.Replace(e.with.label)
	if e.lack != nil {
		if res.Why = e.lack(&r.host); res.Why != "" {
			res.Verdict = Unavailable
			return res
		}
	}
	err := r.measure(ctx, e, &res)
	var cannot cannotMake
	switch {
	case errors.As(err, &cannot):
		res.Verdict, res.Why = Unavailable, err.Error()
	case err != nil:
		res.Verdict, res.Why = Failed, err.Error()
	default:
		res.Advice = names.Replace(map[Verdict]string{Better: e.Use, Same: e.Same, Worse: e.Avoid}[res.Verdict])
	}
	return res
}

// cannotMake is an error of making objects: the device or the host lacks something.
type cannotMake struct{ error }

// measure makes the objects of both variants, measures them in turns and compares.
func (r *Run) measure(ctx context.Context, e *Experiment, res *Result) (failed error) {
	var loops [2]*loop
	for i, v := range []*variant{&e.without, &e.with} {
		l, destroy, err := r.ready(ctx, [...]string{"a", "b"}[i], v.settled(&r.host))
		defer func() { failed = errors.Join(failed, destroy()) }()
		if err != nil {
			return cannotMake{err}
		}
		if err := r.warmUp(e, l); err != nil {
			return err
		}
		loops[i] = l
	}
	var values, cpu [2][]float64
	var c comparison
	start := time.Now()
	for n := 1; n <= r.opts.MostTurns && (n <= r.opts.Turns || c.unclear); n++ {
		if strays(n) > 0 && time.Since(start) > limit {
			break
		}
		got, err := r.turn(e, loops)
		if err != nil {
			return err
		}
		for i := range got {
			values[i], cpu[i] = append(values[i], got[i].value), append(cpu[i], got[i].cpu)
		}
		c = compare(values[0], values[1], e.unit.less)
	}
	res.Verdict, res.Change, res.Turns = c.verdict, &c.change, len(values[0])
	for i, side := range []*Side{&res.Without, &res.With} {
		sum := summarize(values[i])
		side.Summary, side.CPU = &sum, summarize(cpu[i]).Median
	}
	return nil
}

// turn is what a variant achieved in one turn.
type turn struct {
	value float64 // the best of its measurements, or that of all of them
	cpu   float64 // percent of one CPU
}

// turn measures one turn of both variants. Other programs only make a time or a rate
// worse, so the best one tells most about the variant; they can make a count smaller or
// larger, and a short measurement may count nothing at all.
func (r *Run) turn(e *Experiment, loops [2]*loop) (turns [2]turn, err error) {
	var sums [2]round
	for try := range r.opts.Tries {
		for i, l := range loops {
			got, err := l.round(e.work, r.opts.Round, r.opts.Least)
			if err != nil {
				return turns, err
			}
			sums[i].add(got)
			value := e.unit.value(got)
			if try == 0 || value < turns[i].value == e.unit.less {
				turns[i].value = value
			}
		}
	}
	for i := range turns {
		sum := &sums[i]
		turns[i].cpu = 100 * sum.cpu.Seconds() / sum.took.Seconds()
		if e.unit.whole {
			turns[i].value = e.unit.value(sum)
		}
	}
	return turns, nil
}

// ready makes the objects of a variant and the loop that uses them. destroy destroys
// what was made, also after an error.
func (r *Run) ready(ctx context.Context, prefix string, s setup) (l *loop, destroy func() error, err error) {
	var cpus []int
	if s.node != 0 {
		cpus = r.host.nodes.cpus[r.host.nodes.at(s.node)]
		release, err := pin(cpus)
		if err != nil {
			return nil, func() error { return nil }, err
		}
		defer release()
	}
	o, err := r.makeObjects(ctx, prefix, s)
	if err != nil {
		return nil, func() error { return r.destroy(o) }, err
	}
	release := r.claim(o)
	l = newLoop(ctx, o, 0, r.s.Opts.Crashed)
	l.cpus = cpus
	return l, func() error { release(); return r.destroy(o) }, nil
}

// warmUp runs a round that does not count. A hybrid receiver learns how long a round
// trip takes when it only polls.
func (r *Run) warmUp(e *Experiment, l *loop) error {
	l.spin = silence
	got, err := l.round(e.work, 4*r.opts.Round, r.opts.Least)
	if err == nil {
		l.spin = got.took / time.Duration(got.messages)
	}
	return err
}

// claim keeps the session's pollers off the queues of a variant while it is measured.
func (r *Run) claim(o *objects) (release func()) {
	var qps []*queue.QP
	for i := range o.lanes {
		qps = append(qps, o.lanes[i].ends[:]...)
	}
	return queue.Own(r.s, slices.Concat(o.sendCQ[:], o.recvCQ[:]), qps)
}
