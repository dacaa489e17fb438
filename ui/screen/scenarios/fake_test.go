package scenarios

import (
	"context"
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps/steptest"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// fakeRun is a scenario that carries nothing out, in times that do not change.
type fakeRun struct {
	lines    []session.ScenarioLine
	at       int
	fails    int           // this line fails the first time; -1 none
	waits    int           // this line waits for release or the end of ctx; -1 none
	release  chan struct{} // closed: the wait is over
	waiting  chan struct{} // closed when it waits
	alive    int
	destroys int
}

func newFakeRun() *fakeRun {
	text := []string{"rdma_create_id conn ps=TCP", "rdma_resolve_addr conn 127.0.0.1 port=7471", "loop 2", "post_send qp SEND wr_id=2 sge=send", "end",
		"poll_cq cq n=2 timeout=10s", "rdma_disconnect conn"}
	why := []string{"The identifier of the connection.", "Which device leads there, and who is the neighbour on the way?", "", "Send it.", "", "It has arrived when its completion comes.", "The end."}
	r := &fakeRun{fails: -1, waits: -1, release: make(chan struct{}), waiting: make(chan struct{})}
	n := 0
	for i := range text {
		l := session.ScenarioLine{N: 2*i + 5, Text: text[i], Why: why[i], Block: i == 2, End: i == 4}
		if i == 3 {
			l.Depth = 1
		}
		if !l.Block && !l.End {
			n++
			l.Step = n
		}
		r.lines = append(r.lines, l)
	}
	return r
}

func (r *fakeRun) Lines() []session.ScenarioLine { return r.lines }

func (r *fakeRun) At() int {
	if r.at >= len(r.lines) {
		return -1
	}
	return r.at
}

func (r *fakeRun) Step(ctx context.Context) (timeline.CommandDone, error) {
	i := r.at
	l := &r.lines[i]
	if r.waits == i {
		close(r.waiting)
		r.waits = -1
		select {
		case <-r.release:
		case <-ctx.Done():
			return timeline.CommandDone{Line: l.Text, Err: "stopped"}, &session.ScriptError{Name: "hello", Line: l.N, Text: l.Text, Err: ctx.Err()}
		}
	}
	if r.fails == i {
		r.fails = -1
		d := timeline.CommandDone{Line: l.Text, Call: "rdma_resolve_addr(conn, NULL, …)", Err: "no route to host", Errno: "EHOSTUNREACH", Hint: "ip route get shows the way"}
		return d, &session.ScriptError{Name: "hello", Line: l.N, Text: l.Text, Hint: d.Hint, Err: errors.New(d.Err)}
	}
	r.alive++
	if r.at++; r.lines[min(r.at, len(r.lines)-1)].End {
		r.at++
	}
	return timeline.CommandDone{Line: l.Text, Resolved: l.Text, Call: "rdma_" + l.Text[:6] + "(…)", Result: "done \x1b[2J so far", Took: 12300}, nil
}

func (r *fakeRun) Alive() []string { return make([]string, r.alive) }

func (r *fakeRun) Destroy(context.Context) error {
	r.alive, r.destroys = 0, r.destroys+1
	return nil
}

func (r *fakeRun) Result() session.PingpongResult { return session.PingpongResult{} }
func (r *fakeRun) OnListening(func())             {}

func (r *fakeRun) Times() (t session.RequestTimes, ok bool) {
	if r.at <= 5 {
		return t, false
	}
	t = session.RequestTimes{QP: "qp", Opcode: verbs.WRSend, WRID: 2}
	for i, name := range []string{"WQE posted", "fetched", "packet built", "sent", "placed", "acknowledged", "CQE", "polled"} {
		t.Stages[i] = session.RequestStage{Name: name, After: time.Duration(i) * 7300, Known: i%2 == 1 || i == 0}
	}
	t.Stages[4].Note = "arrived at the peer after 31 µs"
	return t, true
}

// fakeCompanion is another end that listens at once and ends when it is told.
type fakeCompanion struct{ listening, ended chan struct{} }

func newFakeCompanion() *fakeCompanion {
	c := &fakeCompanion{make(chan struct{}), make(chan struct{})}
	close(c.listening)
	return c
}

func (c *fakeCompanion) Listening() <-chan struct{} { return c.listening }
func (c *fakeCompanion) Ended() <-chan struct{}     { return c.ended }
func (c *fakeCompanion) Err() error                 { <-c.ended; return nil }
func (c *fakeCompanion) Stop() {
	select {
	case <-c.ended:
	default:
		close(c.ended)
	}
}

// bench is a screen on a fake session with fake scenarios, at a time that stands
// still.
type bench struct {
	*uitest.ScreenDriver
	t      *testing.T
	s      *Screen
	run    *fakeRun // the last
	asked  []session.ScenarioParams
	theirs []session.ScenarioParams
	change func(*fakeRun) // the next
}

func newBench(t *testing.T, th *theme.Theme) *bench {
	env, _ := steptest.NewEnv(t, th)
	x := &bench{t: t, change: func(*fakeRun) {}}
	env.Scenarios = screen.ScenarioStarter{
		Run: func(p session.ScenarioParams) (screen.ScenarioRun, error) {
			if err := p.Check(); err != nil {
				return nil, err
			}
			x.asked = append(x.asked, p)
			x.run = newFakeRun()
			x.change(x.run)
			return x.run, nil
		},
		Companion: func(p session.ScenarioParams) screen.Companion {
			x.theirs = append(x.theirs, p)
			c := newFakeCompanion()
			c.Stop()
			return c
		},
	}
	x.s = New(env)
	begin := time.Unix(1000, 0)
	x.s.runner.now = func() time.Time { return begin }
	x.ScreenDriver = uitest.NewScreen(t, env, x.s)
	return x
}

// press gives the screen a key whose work does not end, and waits until it waits.
func (x *bench) press(name string) {
	x.t.Helper()
	began := make(chan struct{})
	x.change = func(r *fakeRun) { r.waits = 1; close(began) }
	var carryOut func(cmd tea.Cmd)
	carryOut = func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		if list, ok := cmd().(tea.BatchMsg); ok {
			for _, c := range list {
				go carryOut(c)
			}
		}
	}
	go carryOut(x.s.Update(uitest.Key(name)))
	limit := time.After(30 * time.Second)
	for _, ch := range []func() chan struct{}{func() chan struct{} { return began }, func() chan struct{} { return x.run.waiting }} {
		select {
		case <-ch():
		case <-limit:
			x.t.Fatal("it never waited")
		}
	}
	x.Frame()
}
