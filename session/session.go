// Package session carries out the command language on verbs objects. It keeps the
// objects in a graph, destroys them in the right order, and records all events on one
// time line. It is the only owner of verbs objects; callers get values.
package session

import (
	"context"
	"io"

	"rdmatui/session/bench"
	"rdmatui/session/bringup"
	"rdmatui/session/cm"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/incident"
	"rdmatui/session/lab"
	"rdmatui/session/measure"
	"rdmatui/session/packets"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/session/stages"
	"rdmatui/session/timeline"
	"rdmatui/session/tune"
	"rdmatui/verbs"
)

// Session carries out commands, one at a time, and owns the objects that they make.
// Its methods may be called from any goroutine.
type Session struct{ core *core.Session }

// New makes a session. It must be closed.
func New(opts core.Options) *Session { return &Session{core.New(opts, wiring)} }

// Core returns what the packages below share, for their tests.
func (s *Session) Core() *core.Session { return s.core }

// Timeline returns the events of the session.
func (s *Session) Timeline() *timeline.Log { return s.core.Timeline() }

// Exec carries out one line: it parses it, resolves references, makes the call and
// records it on the time line. It waits for the command before it. A failed command
// returns its error, and a CommandDone with the same error; a blank or comment line
// does nothing.
func (s *Session) Exec(ctx context.Context, line string) (timeline.CommandDone, error) {
	done, _, err := s.core.Exec(ctx, command.Read(line))
	return done, err
}

// Run is Exec for a command that is no line of text any more, or never was.
func (s *Session) Run(ctx context.Context, cmd command.Command) (timeline.CommandDone, error) {
	done, _, err := s.core.Exec(ctx, cmd)
	return done, err
}

// Close ends what is running and destroys every object before those that it was made
// from. It returns the errors of objects that could not be destroyed. It is
// idempotent.
func (s *Session) Close() error { return s.core.Close() }

// LookUp returns the text of an object's field, such as qp_num of a queue pair.
func (s *Session) LookUp(object, field string) (string, error) { return s.core.LookUp(object, field) }

// Complete returns candidates for the word at the cursor.
func (s *Session) Complete(line string, cursor int) []command.Candidate {
	return s.core.Complete(line, cursor)
}

// Snapshot returns the session's current state. It is cheap: if nothing has changed
// it returns the last snapshot.
func (s *Session) Snapshot() core.Snapshot { return s.core.Snapshot() }

// Waiting returns the command that is running, if any. Most end too quickly to be
// seen.
func (s *Session) Waiting() (core.Wait, bool) { return s.core.Waiting() }

// StopWaiting stops the running command, which fails as stopped.
func (s *Session) StopWaiting() { s.core.StopWaiting() }

// Managers lists the providers that have a device and a connection manager, in the
// order in which a command without a device tries them. It lists the providers'
// devices, which takes time.
func (s *Session) Managers() []cm.Manager {
	return cm.Managers(s.core)
}

// Incident returns what is known of a failed completion, by the number in its Cause;
// ok is false if it is no longer kept.
func (s *Session) Incident(number uint64) (in incident.Incident, ok bool) {
	return incident.Of(s.core, number)
}

// WriteIncidents makes the session write the failed completions that follow to files
// in a directory, in the background, at most limit in total.
func (s *Session) WriteIncidents(dir string, limit int) {
	incident.WriteAutomatically(s.core, dir, limit)
}

// LimitPackets sets the memory for kept packets, in MiB.
func (s *Session) LimitPackets(mebibytes int) { incident.LimitPackets(s.core, mebibytes) }

// CQFill returns how many entries of a completion queue are in use, and the maximum
// so far; ok is false if there is no such queue or its device does not report it.
func (s *Session) CQFill(name string) (now, peak int, ok bool) {
	return queue.Fill(s.core, name)
}

// LookAtSends reads from the devices how far outstanding requests have come; the next
// Snapshot has the result. A display may call it a few times a second.
func (s *Session) LookAtSends() { queue.LookAll(s.core) }

// LastRequest returns the steps of a queue pair's oldest outstanding send request, or
// else of the last that completed; ok is false if there is none.
func (s *Session) LastRequest(qp string) (r stages.Request, ok bool) {
	return stages.Last(s.core, qp)
}

// ReadMem copies bytes of the named memory region. It returns their number, and
// io.EOF if the region ends before p is full.
func (s *Session) ReadMem(name string, off int64, p []byte) (int, error) {
	return region.ReadMem(s.core, name, off, p)
}

// Plan prepares the transition of the named queue pair to a state.
func (s *Session) Plan(qp string, to verbs.QPState) (bringup.Plan, error) {
	return bringup.PlanFor(s.core, qp, to)
}

// WatchPackets starts or stops keeping the packets of all software devices, and what
// passes the network interfaces of open rxe devices. It returns the names of the
// software devices. Unlike the capture command it does not put the
// packets on the time line.
func (s *Session) WatchPackets(on bool) ([]string, error) {
	return packets.Watch(s.core, on)
}

// PacketsSince appends to dst the kept packets after number seq, oldest first. A
// limit other than 0 keeps only the newest that many.
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
	return script.Run(ctx, s.core, name, r)
}

// Again returns the lines that do once more what has succeeded, at most a thousand; cut is true if they are only the
// beginning. It waits for the running command, and works when the session is closed too.
func (s *Session) Again(ctx context.Context) (lines []string, cut bool, err error) {
	return script.Again(ctx, s.core)
}

// NewScenarioRun prepares a scenario without carrying out any line. It fails if the
// parameters are inconsistent.
func (s *Session) NewScenarioRun(p scenario.Params) (*scenario.Run, error) {
	return scenario.New(s.core, p)
}

// NewCompanion starts the other end of a scenario and runs it to its end. Close waits
// for it.
func (s *Session) NewCompanion(p scenario.Params) *scenario.Companion {
	return scenario.NewCompanion(s.core, p)
}

// NewLabRun prepares an experiment without carrying out any line; device "" is the
// first one. out is called with every event of the run; it may be nil, and must not
// call the run. End the run with Destroy, or by closing the session.
func (s *Session) NewLabRun(name string, at lab.Place, out func(timeline.Event)) (*lab.Run, error) {
	return lab.New(s.core, name, at, out)
}

// RunLab runs an experiment from beginning to end; see NewLabRun and Run.
func (s *Session) RunLab(ctx context.Context, name string, at lab.Place) (lab.Result, error) {
	return lab.Do(ctx, s.core, name, at)
}

// NewRuleRun prepares a rule of the specification without carrying out any line; see NewLabRun.
func (s *Session) NewRuleRun(rule *lab.Rule, at lab.Place, out func(timeline.Event)) (*lab.RuleRun, error) {
	return lab.PrepareRule(s.core, rule, at, out)
}

// TryRules tries rules of the specification one after another; told is called with each result.
func (s *Session) TryRules(ctx context.Context, rules []*lab.Rule, at lab.Place,
	told func(*lab.RuleResult) error) (lab.Card, error) {
	return lab.TryRules(ctx, s.core, rules, at, told)
}

// NewBench prepares one end of a test of perftest. It opens nothing, and fails if the
// test cannot have the parameters. watch is told how the run proceeds.
func (s *Session) NewBench(p bench.Params, watch bench.Watcher) (*bench.Run, error) {
	return bench.New(s.core, p, watch)
}

// NewTune prepares experiments with techniques of tuning on one device. It opens
// nothing, and fails if an experiment is unknown. watch is told what they found.
func (s *Session) NewTune(opts tune.Options, watch tune.Watcher) (*tune.Run, error) {
	return tune.New(s.core, opts, watch)
}

// Measure starts a test of perftest in sessions of its own, and with both also its
// server. Close stops it.
func (s *Session) Measure(p bench.Params, both bool) (*measure.Test, error) {
	return measure.Start(s.core, p, both)
}
