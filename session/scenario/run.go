package scenario

import (
	"context"
	"errors"
	"slices"
	"strings"

	"rdmatui/session/cm"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/queue"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
	"rdmatui/session/traffic"
)

// Run is one end of a scenario in a session, carried out a line at a time.
// Its methods are for one goroutine at a time; the session goes on taking commands
// between the lines.
type Run struct {
	s      *core.Session
	params Params
	script *script.Script
	walk   *script.Walk
	made   []*core.Node

	onListening func()

	// Of the requests: what of the time line was looked at, and the last one.
	seen   uint64
	events []timeline.Event // room to copy some to
	times  RequestTimes
}

// New prepares a scenario. It fails where the parameters do not go
// together; nothing is carried out yet.
func New(s *core.Session, p Params) (*Run, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if sc := Named(p.Name); p.Device != "" || !sc.CM {
		place, err := device.Choose(s, p.Device, sc.Lack, p.reached())
		if err != nil {
			return nil, err
		}
		device.TellChoice(s, place)
		p.Device = place.Name
	}
	if p.Messages == nil && s.Opts.Input == nil {
		p.Messages = chatSaid
	}
	sc, err := p.NewScript(s.Taken)
	if err != nil {
		return nil, err
	}
	traffic.LastPingpong(s).Store(nil) // that of an earlier one
	queue.Seen(s).ForgetAll()
	return &Run{s: s, params: p, script: sc, walk: script.NewWalk(sc.Items...), seen: s.Log.Last(), events: make([]timeline.Event, 0, 64)}, nil
}

// Params are what it was told, with the device that was chosen.
func (r *Run) Params() Params { return r.params }

// Lines are the script, from the first line to the last. They do not change.
func (r *Run) Lines() []script.Line { return r.script.Lines }

// At is the index in Lines of the line that comes next; -1 at the end.
func (r *Run) At() int {
	if it := r.walk.At(); it != nil {
		return r.script.Index[it]
	}
	return -1
}

// Step carries out the line that comes next. At the first line of a block it goes
// in, and says how often it will go round. Where the line fails outside a try, or
// ctx ends while it waits, the error is a *ScriptError, what was made stays, and
// Step may be called again. A line that fails in a try says so in its CommandDone.
func (r *Run) Step(ctx context.Context) (timeline.CommandDone, error) {
	if r.walk.At() == nil {
		return timeline.CommandDone{}, errors.New("the scenario has ended")
	}
	done, err := r.walk.Step(ctx, r.s, r.exec)
	r.watchRequests()
	return done, script.Named(r.params.Name, err)
}

// exec carries out a line and takes note of what it makes.
func (r *Run) exec(ctx context.Context, text string) (done timeline.CommandDone, left bool, err error) {
	s := r.s
	if err := s.TakeTurn(ctx); err != nil {
		return core.Refused(text, err), false, err
	}
	defer s.Release()
	if name := r.opens(text); name != "" {
		return timeline.CommandDone{Line: text, Result: name + " is already open and stays open"}, false, nil
	}
	before := nodes(s)
	after := r.announce(strings.TrimSpace(text))
	done, left, err = s.ExecHeld(ctx, text)
	after()
	done.Hint = r.params.offered(done.Hint, err)
	now := nodes(s)
	r.made = slices.DeleteFunc(r.made, func(n *core.Node) bool { return !slices.Contains(now, n) })
	for _, n := range now {
		if !slices.Contains(before, n) && !comesOfItself(n) {
			r.made = append(r.made, n)
		}
	}
	return done, left, err
}

// comesOfItself tells what the manager makes: a request's identifier, which
// belongs to whoever listens, and its device, which goes with what uses it.
func comesOfItself(n *core.Node) bool {
	id, isID := n.Body.(*cm.ID)
	d, isDevice := n.Body.(*device.Device)
	return isID && id.From != nil || isDevice && d.Managed
}

// opens is the device that a line would open though it is open.
func (r *Run) opens(text string) string {
	cmd, err := command.Parse(text)
	if err != nil || cmd.Spec != command.OpenDevice || !r.s.Taken(cmd.String("device")) {
		return ""
	}
	return cmd.String("device")
}

func nodes(s *core.Session) []*core.Node {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return slices.Clone(s.Graph.Nodes)
}

// Result are the figures, zero where it measures nothing or is not that far.
func (r *Run) Result() traffic.PingpongResult {
	if res := traffic.LastPingpong(r.s).Load(); res != nil {
		return *res
	}
	return traffic.PingpongResult{}
}

// alive is what it made and is still there, in the order in which it goes.
func (r *Run) alive() []*core.Node {
	return script.Alive(r.s, func(n *core.Node) bool { return slices.Contains(r.made, n) })
}

// Alive names what it made and is still there, in the order in which it goes.
func (r *Run) Alive() []string { return core.NodeNames(r.alive()) }

// Destroy gives back what it made, by command lines. What something else of the
// session was made from stays, and is told as an error. It may be called again.
func (r *Run) Destroy(ctx context.Context) error { return script.GiveBack(r.s, ctx, r.alive()) }

// Step is one line of a scenario about to be carried out.
type Step struct {
	N, Of int    // from 1; in a loop it goes round, too
	Again bool   // it was carried out before
	Text  string // what the line is for
	Line  string
}

// Next is the command that comes next; ok is false where a block does, or nothing.
func (r *Run) Next() (st Step, ok bool) {
	at := r.At()
	if at < 0 || r.script.Lines[at].Block {
		return st, false
	}
	l := &r.script.Lines[at]
	return Step{N: l.Step, Of: r.script.Steps, Again: !r.walk.First(), Text: l.Why, Line: l.Text}, true
}

// Play carries out a scenario in this session and returns its figures,
// which are zero where it measures nothing. emit is told of each step before it is
// taken for the first time; it may be nil. It fails unless every step succeeds, and
// of a ping-pong unless every message had its size.
func Play(s *core.Session, ctx context.Context, p Params, emit func(Step)) (traffic.PingpongResult, error) {
	r, err := New(s, p)
	if err != nil {
		return traffic.PingpongResult{}, err
	}
	for r.At() >= 0 {
		if st, ok := r.Next(); ok && !st.Again && emit != nil {
			emit(st)
		}
		if _, err := r.Step(ctx); err != nil {
			return traffic.PingpongResult{}, err
		}
	}
	return r.Result(), nil
}
