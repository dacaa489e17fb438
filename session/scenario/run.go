package scenario

import (
	"context"
	"slices"
	"strings"

	"rdmatui/session/cm"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/queue"
	"rdmatui/session/script"
	"rdmatui/session/stages"
	"rdmatui/session/timeline"
	"rdmatui/session/traffic"
)

// Run is one end of a scenario, carried out line by line in a session.
type Run struct {
	*script.Runner
	s      *core.Session
	params Params
	made   []*core.Node

	onListening func()

	// Progress in reading the time line, and the last request.
	seen   uint64
	events []timeline.Event // buffer for events
	last   stages.Request
	timed  bool
}

// New prepares a scenario without carrying out any line. It fails if the parameters
// are inconsistent.
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
	traffic.LastPingpong(s).Store(nil) // result of an earlier run
	queue.Seen(s).ForgetAll()
	r := &Run{s: s, params: p, seen: s.Log.Last(), events: make([]timeline.Event, 0, 64)}
	r.Runner = script.NewRunner(s, p.Name, sc, r.exec)
	return r, nil
}

// Params returns the parameters, with the chosen device.
func (r *Run) Params() Params { return r.params }

// Step carries out the next line, as [script.Runner.Step].
func (r *Run) Step(ctx context.Context) (timeline.CommandDone, error) {
	defer r.watchRequests()
	return r.Runner.Step(ctx)
}

// exec carries out a line and records what it makes.
func (r *Run) exec(ctx context.Context, cmd command.Command) (done timeline.CommandDone, left bool, err error) {
	s := r.s
	if err := s.TakeTurn(ctx); err != nil {
		return core.Refused(cmd.Text, err), false, err
	}
	defer s.Release()
	if name := r.opens(cmd); name != "" {
		return timeline.CommandDone{Line: cmd.Text, Result: name + " is already open and stays open"}, false, nil
	}
	before := nodes(s)
	after := r.announce(strings.TrimSpace(cmd.Text))
	done, left, err = s.ExecHeld(ctx, cmd)
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

// comesOfItself reports whether the manager made an object: a request's identifier,
// which belongs to the listener's owner, or its device, which exists as long as
// something uses it.
func comesOfItself(n *core.Node) bool {
	id, isID := n.Body.(*cm.ID)
	d, isDevice := n.Body.(*device.Device)
	return isID && id.From != nil || isDevice && d.Managed
}

// opens returns the device that a line would open although it is open.
func (r *Run) opens(cmd command.Command) string {
	if cmd.Spec != command.OpenDevice || !r.s.Taken(cmd.String("device")) {
		return ""
	}
	return cmd.String("device")
}

func nodes(s *core.Session) []*core.Node {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return slices.Clone(s.Graph.Nodes)
}

// Result returns the figures, zero if it measures nothing or has not got that far.
func (r *Run) Result() traffic.PingpongResult {
	if res := traffic.LastPingpong(r.s).Load(); res != nil {
		return *res
	}
	return traffic.PingpongResult{}
}

// alive returns its remaining objects, in the order of destruction.
func (r *Run) alive() []*core.Node {
	return script.Alive(r.s, func(n *core.Node) bool { return slices.Contains(r.made, n) })
}

// Alive names its remaining objects, in the order of destruction.
func (r *Run) Alive() []string { return core.NodeNames(r.alive()) }

// Destroy destroys its objects by command lines. It keeps those from which the
// session has made other objects, and returns an error. It may be called again.
func (r *Run) Destroy(ctx context.Context) error { return script.GiveBack(ctx, r.s, r.alive()) }
