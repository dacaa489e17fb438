package session

import (
	"context"
	"errors"
	"slices"
	"strings"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/timeline"
)

// ScenarioRun is one end of a scenario in a session, carried out a line at a time.
// Its methods are for one goroutine at a time; the session goes on taking commands
// between the lines.
type ScenarioRun struct {
	s      *core.Session
	params ScenarioParams
	script *script
	walk   *walk
	made   []*core.Node

	onListening func()

	// Of the requests: what of the time line was looked at, and the last one.
	seen   uint64
	events []timeline.Event // room to copy some to
	times  RequestTimes
}

// NewScenarioRun prepares a scenario. It fails where the parameters do not go
// together; nothing is carried out yet.
func NewScenarioRun(s *core.Session, p ScenarioParams) (*ScenarioRun, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if sc := ScenarioNamed(p.Name); p.Device != "" || !sc.CM {
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
	sc, err := p.newScript(s.Taken)
	if err != nil {
		return nil, err
	}
	lastPingpong(s).Store(nil) // that of an earlier one
	seenBy(s).forgetAll()
	return &ScenarioRun{s: s, params: p, script: sc, walk: newWalk(sc.items...), seen: s.Log.Last(), events: make([]timeline.Event, 0, 64)}, nil
}

// Params are what it was told, with the device that was chosen.
func (r *ScenarioRun) Params() ScenarioParams { return r.params }

// Lines are the script, from the first line to the last. They do not change.
func (r *ScenarioRun) Lines() []ScenarioLine { return r.script.lines }

// At is the index in Lines of the line that comes next; -1 at the end.
func (r *ScenarioRun) At() int {
	if it := r.walk.at(); it != nil {
		return r.script.index[it]
	}
	return -1
}

// Step carries out the line that comes next. At the first line of a block it goes
// in, and says how often it will go round. Where the line fails outside a try, or
// ctx ends while it waits, the error is a *ScriptError, what was made stays, and
// Step may be called again. A line that fails in a try says so in its CommandDone.
func (r *ScenarioRun) Step(ctx context.Context) (timeline.CommandDone, error) {
	if r.walk.at() == nil {
		return timeline.CommandDone{}, errors.New("the scenario is at its end")
	}
	done, err := r.walk.step(ctx, r.s, r.exec)
	r.watchRequests()
	return done, named(r.params.Name, err)
}

// exec carries out a line and takes note of what it makes.
func (r *ScenarioRun) exec(ctx context.Context, text string) (done timeline.CommandDone, left bool, err error) {
	s := r.s
	if err := s.TakeTurn(ctx); err != nil {
		return core.Refused(text, err), false, err
	}
	defer s.Release()
	if name := r.opens(text); name != "" {
		return timeline.CommandDone{Line: text, Result: name + " is open already, and stays so"}, false, nil
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
	id, isID := n.Body.(*cmID)
	d, isDevice := n.Body.(*device.Device)
	return isID && id.from != nil || isDevice && d.Managed
}

// opens is the device that a line would open though it is open.
func (r *ScenarioRun) opens(text string) string {
	cmd, err := command.Parse(text)
	if err != nil || cmd.Spec == nil || cmd.Spec.Name != "open_device" || !r.s.Taken(cmd.String("device")) {
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
func (r *ScenarioRun) Result() PingpongResult {
	if res := lastPingpong(r.s).Load(); res != nil {
		return *res
	}
	return PingpongResult{}
}

// alive is what it made and is still there, in the order in which it goes.
func (r *ScenarioRun) alive() []*core.Node {
	return alive(r.s, func(n *core.Node) bool { return slices.Contains(r.made, n) })
}

// Alive names what it made and is still there, in the order in which it goes.
func (r *ScenarioRun) Alive() []string { return core.NodeNames(r.alive()) }

// Destroy gives back what it made, by command lines. What something else of the
// session was made from stays, and is told as an error. It may be called again.
func (r *ScenarioRun) Destroy(ctx context.Context) error { return giveBack(r.s, ctx, r.alive()) }

// ScenarioStep is one line of a scenario about to be carried out.
type ScenarioStep struct {
	N, Of int    // from 1; in a loop it goes round, too
	Again bool   // it was carried out before
	Text  string // what the line is for
	Line  string
}

// Next is the command that comes next; ok is false where a block does, or nothing.
func (r *ScenarioRun) Next() (st ScenarioStep, ok bool) {
	at := r.At()
	if at < 0 || r.script.lines[at].Block {
		return st, false
	}
	l := &r.script.lines[at]
	return ScenarioStep{N: l.Step, Of: r.script.steps, Again: !r.walk.first(), Text: l.Why, Line: l.Text}, true
}

// RunScenario carries out a scenario in this session and returns its figures,
// which are zero where it measures nothing. emit is told of each step before it is
// taken for the first time; it may be nil. It fails unless every step succeeds, and
// of a ping-pong unless every message had its size.
func RunScenario(s *core.Session, ctx context.Context, p ScenarioParams, emit func(ScenarioStep)) (PingpongResult, error) {
	r, err := NewScenarioRun(s, p)
	if err != nil {
		return PingpongResult{}, err
	}
	for r.At() >= 0 {
		if st, ok := r.Next(); ok && !st.Again && emit != nil {
			emit(st)
		}
		if _, err := r.Step(ctx); err != nil {
			return PingpongResult{}, err
		}
	}
	return r.Result(), nil
}
