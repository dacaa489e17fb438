package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// Run is an experiment of the error lab, carried out a line at a time. Its methods are for one
// goroutine at a time, but for those of its results.
type Run struct {
	trial
	exp  *Experiment
	seen observer
}

// New prepares an experiment; the device "" is the first there is. Nothing is
// carried out yet; out is told of every event of the run, may be nil, and must not call
// it. The run must be ended by Destroy, or with the session.
func New(s *core.Session, name string, at Place, out func(timeline.Event)) (*Run, error) {
	exp, err := Find(name)
	if err != nil {
		return nil, err
	}
	return Prepare(s, exp, at, out)
}

// Prepare is New for an experiment that may be none of the lab's own.
func Prepare(s *core.Session, exp *Experiment, at Place, out func(timeline.Event)) (*Run, error) {
	r := &Run{exp: exp}
	err := r.start(s, &plan{name: exp.Name, script: exp.Script, lack: Lack, exec: r.exec, out: func(e timeline.Event) {
		r.seen.take(&e)
		if out != nil {
			out(e)
		}
	}}, at)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Experiment is what is carried out.
func (r *Run) Experiment() *Experiment { return r.exp }

// Step carries out the line that comes next. What fails in the experiment itself is what
// is looked for, and no error. Elsewhere, or where ctx ends or the session is closed,
// the error is a *script.Error, and Step may be called again.
func (r *Run) Step(ctx context.Context) (timeline.CommandDone, error) {
	at := r.At()
	if at < 0 {
		return r.Runner.Step(ctx)
	}
	r.seen.enter(r.PartOf(&r.Lines()[at]))
	done, err := r.Runner.Step(ctx)
	return done, r.seen.failed(err)
}

// exec carries out a line, and looks at what is observed.
func (r *Run) exec(ctx context.Context, cmd command.Command) (timeline.CommandDone, bool, error) {
	done, left, err := r.s.Exec(ctx, cmd)
	if r.seen.partNow() == Trying {
		r.lookAt(ctx, cmd)
		if err != nil && ctx.Err() == nil && r.s.Ctx.Err() == nil && isObservation(cmd.Text, &done) {
			err = nil
		}
	}
	return done, left, err
}

// isObservation tells what a device did from what is wrong with the script.
func isObservation(text string, done *timeline.CommandDone) bool {
	word := script.FirstWord(strings.TrimSpace(text))
	return done.Errno != "" || word == command.PollCQ.Name || word == "expect"
}

// How long a queue pair may take to come to the state that it is to be in: a device may
// tell of a request's end before it has moved.
const (
	settles = 500 * time.Millisecond
)

// lookAt notes the state of the queue pair that a query_qp is of.
func (r *Run) lookAt(ctx context.Context, cmd command.Command) {
	if cmd.Spec != command.QueryQP {
		return
	}
	r.s.Mu.RLock()
	n := r.s.Graph.ByName[cmd.String("qp")]
	r.s.Mu.RUnlock()
	if n == nil {
		return
	}
	q, ok := n.Body.(*queue.QP)
	if !ok {
		return
	}
	driver := r.driver()
	for wait := core.NewBackoff(settles); !r.exp.Settled(driver, q.Name,
		q.StateNow()); queue.ReadState(r.s, q, "query_qp") {
		if wait.Pause(ctx) != nil {
			break
		}
	}
	r.seen.state(q.Name, q.StateNow())
}

// driver is that of the device, which is remembered when the device is closed.
func (r *Run) driver() Driver {
	d := r.opened()
	if d == nil {
		return r.seen.driverWas()
	}
	return r.seen.driverIs(driverOf(d))
}

// Result is what is known so far.
func (r *Run) Result() Result {
	res := r.seen.result(r.exp, r.driver(), r.At() < 0)
	res.Device = r.device
	return res
}

// Run carries out what is left of the experiment and destroys what it made. before is
// called as in [script.Rest]; it may be nil. The error says that ctx has ended, or what could not be
// destroyed; what the experiment met is in the result.
func (r *Run) Run(ctx context.Context, before func(*script.Line) error) (Result, error) {
	err := script.Rest(ctx, r, before)
	res := r.Result()
	var failed *script.Error
	if errors.As(err, &failed) && ctx.Err() == nil && r.s.Ctx.Err() == nil {
		err = nil // it is in the result
	}
	return res, errors.Join(err, r.Destroy(ctx))
}

// Do is an experiment from its beginning to its end; see NewLabRun and Run.
func Do(ctx context.Context, s *core.Session, name string, at Place) (Result, error) {
	r, err := New(s, name, at, nil)
	if err != nil {
		return Result{}, err
	}
	return r.Run(ctx, nil)
}

// Lab carries out lab: it tells the names of experiments and of the areas of rules, makes a failure in a
// session of its own, or tries rules.
func Lab(c *core.Call) error {
	if !c.Cmd.Has("experiment") {
		c.Done.Result = strings.Join(Names(), " ") + "; rules: " + strings.Join(Areas(), " ")
		return nil
	}
	at := On(c.Cmd.String("device"))
	at.PortNum = uint8(c.Cmd.Uint("port_num"))
	if c.Cmd.Has("sgid_index") {
		at.GIDIndex = c.Cmd.Int("sgid_index")
	}
	name := c.Cmd.String("experiment")
	if rules, err := FindRules(name); err == nil {
		return tryRules(c, rules, at)
	}
	res, err := Do(c.Ctx, c.S, name, at)
	if err != nil {
		return err
	}
	c.Done.Result = res.String()
	if res.Verdict > Differs {
		return fmt.Errorf("%s", res.String())
	}
	return nil
}

// Lack returns an error where the experiments of the error lab cannot run on a device: they connect queue pairs by
// hand.
func Lack(info *verbs.DeviceInfo) error { return info.Lack(verbs.ByHand) }
