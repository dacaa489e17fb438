// Package session is what the user did and what is running: it carries out the
// command language on verbs objects, keeps those in a graph that is taken down
// in order, and tells what happens on one time line. It is the only owner of
// verbs objects; what it hands out are values.
package session

import (
	"context"
	"io"

	"rdmatui/session/bringup"
	"rdmatui/session/cm"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/incident"
	"rdmatui/session/lab"
	"rdmatui/session/labrun"
	"rdmatui/session/packets"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
	"rdmatui/session/traffic"
	"rdmatui/verbs"
)

// Session carries out commands, one at a time, and owns what they make. Its
// methods may be called from any goroutine.
type Session struct{ core *core.Session }

// New makes a session. It must be closed.
func New(opts core.Options) *Session { return &Session{core.New(opts, wiring)} }

// Timeline returns the events of the session.
func (s *Session) Timeline() *timeline.Log { return s.core.Timeline() }

// Exec carries out one line: it parses it, resolves what it refers to, makes
// the call and tells of it on the time line. It waits for the command before
// it. A command that failed returns its error, and a CommandDone that says the
// same; a blank or comment line does nothing.
func (s *Session) Exec(ctx context.Context, line string) (timeline.CommandDone, error) {
	return s.core.Exec(ctx, line)
}

// Close ends what is running and destroys every object, each before what it was
// made from. It returns what could not be destroyed. It is idempotent.
func (s *Session) Close() error { return s.core.Close() }

// Complete suggests how the word at the cursor may go on.
func (s *Session) Complete(line string, cursor int) []command.Candidate {
	return s.core.Complete(line, cursor)
}

// Snapshot returns the session as it is now. It is cheap: where nothing has
// changed since the last call it is that one.
func (s *Session) Snapshot() core.Snapshot { return s.core.Snapshot() }

// Waiting is the command that is being carried out, if there is one. Most end
// before anybody can see them.
func (s *Session) Waiting() (core.Wait, bool) { return s.core.Waiting() }

// StopWaiting ends the command that is being carried out; it fails as stopped.
func (s *Session) StopWaiting() { s.core.StopWaiting() }

// Managers lists the providers with a device and a connection manager, in the
// order in which a command that names no device takes the first. It asks the
// providers for their devices, which takes time.
func (s *Session) Managers() []cm.Manager {
	return cm.Managers(s.core)
}

// Incident returns what is known of a failed completion, by the number in its cause; ok is false where it is not kept any
// more.
func (s *Session) Incident(number uint64) (in incident.Incident, ok bool) {
	return incident.Of(s.core, number)
}

// CQFill tells how many entries of a completion queue are in use, and were at most;
// ok is false where there is no such queue or its device does not tell.
func (s *Session) CQFill(name string) (now, peak int, ok bool) {
	return queue.Fill(s.core, name)
}

// LookAtSends asks the devices how the requests fare that are posted and not complete; the next Snapshot has it. It is
// for who looks on, a few times a second.
func (s *Session) LookAtSends() { queue.LookAll(s.core) }

// ReadMem copies bytes of the named memory region. It returns how many there
// were, and io.EOF where the region ends before p is full.
func (s *Session) ReadMem(name string, off int64, p []byte) (int, error) {
	return region.ReadMem(s.core, name, off, p)
}

// Plan prepares the move of the named queue pair to a state.
func (s *Session) Plan(qp string, to verbs.QPState) (bringup.Plan, error) {
	return bringup.PlanFor(s.core, qp, to)
}

// WatchPackets keeps the packets of all software devices from now on, or no
// longer, and returns the names of these devices. It does not put them on the
// time line, as the capture command does.
func (s *Session) WatchPackets(on bool) ([]string, error) {
	return packets.Watch(s.core, on)
}

// PacketsSince appends to dst the packets after number seq that are kept, oldest
// first, at most limit of them and then the newest; 0 is no limit.
func (s *Session) PacketsSince(seq uint64, limit int, dst []*timeline.Packet) []*timeline.Packet {
	return packets.Since(s.core, seq, limit, dst)
}

// PacketTaps lists the devices that were ever tapped, by name.
func (s *Session) PacketTaps() []packets.Tap {
	return packets.Taps(s.core)
}

// RunScript carries out the lines of a script and stops at the first that
// fails, with a *ScriptError. What the script made stays until Close.
func (s *Session) RunScript(ctx context.Context, name string, r io.Reader) error {
	return script.Run(s.core, ctx, name, r)
}

// NewScenarioRun prepares a scenario. It fails where the parameters do not go
// together; nothing is carried out yet.
func (s *Session) NewScenarioRun(p scenario.Params) (*scenario.Run, error) {
	return scenario.New(s.core, p)
}

// RunScenario carries out a scenario in this session and returns its figures,
// which are zero where it measures nothing. emit is told of each step before it is
// taken for the first time; it may be nil. It fails unless every step succeeds, and
// of a ping-pong unless every message had its size.
func (s *Session) RunScenario(ctx context.Context, p scenario.Params, emit func(scenario.Step)) (traffic.PingpongResult, error) {
	return scenario.Play(s.core, ctx, p, emit)
}

// NewCompanion begins to play an end of a scenario, at once and to its end. The
// session waits for it when it is closed.
func (s *Session) NewCompanion(p scenario.Params) *scenario.Companion {
	return scenario.NewCompanion(s.core, p)
}

// NewLabRun prepares an experiment; the device "" is the first there is. Nothing is
// carried out yet; out is told of every event of the run, may be nil, and must not call
// it. The run must be ended by Destroy, or with the session.
func (s *Session) NewLabRun(name string, at lab.Place, out func(timeline.Event)) (*labrun.Run, error) {
	return labrun.New(s.core, name, at, out)
}

// RunLab is an experiment from its beginning to its end; see NewLabRun and Run.
func (s *Session) RunLab(ctx context.Context, name string, at lab.Place) (labrun.Result, error) {
	return labrun.Do(s.core, ctx, name, at)
}
