package scenario_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/session/sessiontest"
	"rdmatui/session/stages"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// TestScenariosBesideOwnObjects: every scenario succeeds although the user's objects
// have the same names, and leaves no object behind.
func TestScenariosBesideOwnObjects(t *testing.T) {
	for _, sc := range scenario.All {
		t.Run(sc.Name, func(t *testing.T) {
			server, client := sessiontest.RunBoth(t, soft.New(soft.Options{}), sc)
			client.Gone(t)
			server.Gone(t)
		})
	}
}

// helloServer makes a session with a server of hello.
func helloServer(t *testing.T) (*session.Session, *scenario.Run) {
	t.Helper()
	s := sessiontest.NewSoft(t, core.Options{Live: true})
	p := scenario.DefaultParams("hello")
	p.Server = true
	r, err := s.NewScenarioRun(p)
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}

func TestScenarioStepsInOrder(t *testing.T) {
	s, r := helloServer(t)
	for i, want := range []string{"rdma_create_event_channel events", "rdma_create_id listen channel=events ps=TCP",
		"rdma_bind_addr listen port=7471"} {
		if l := r.Lines()[r.At()]; l.Block || l.Step != i+1 || l.Text != want || l.Why == "" || l.Of != 23 {
			t.Errorf("next is %+v", l)
		}
		if n := len(sessiontest.Commands(s)); n != i {
			t.Errorf("%d commands ran before step %d", n, i+1)
		}
		done, err := r.Step(t.Context())
		if err != nil || done.Line != want || done.Call() == "" {
			t.Errorf("%+v, %v", done, err)
		}
	}
	if alive := r.Alive(); !slices.Equal(alive, []string{"listen", "events"}) {
		t.Errorf("alive are %v", alive)
	}
}

// TestScenarioNext: what is next is a command with its number, or the first line of a block without one.
func TestScenarioNext(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	p := scenario.DefaultParams("chat")
	p.Server = true
	r, err := s.NewScenarioRun(p)
	if err != nil {
		t.Fatal(err)
	}
	steps, blocks := 0, 0
	for r.At() >= 0 {
		at := r.Lines()[r.At()]
		if at.Block == (at.Step > 0) || !at.Block && (at.Step != steps+1 || at.Of < at.Step) || r.Again() {
			t.Fatalf("%q is step %d of %d", at.Text, at.Step, at.Of)
		}
		if at.Block {
			blocks++
		} else {
			steps++
		}
		if blocks > 0 && !at.Block { // the loop waits for a client
			break
		}
		if _, err := r.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if steps == 0 || blocks == 0 {
		t.Errorf("%d steps, %d blocks", steps, blocks)
	}
	if err := r.Destroy(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestScenarioStoppedAtAWait: stopping a wait leaves the run at that line, and all
// its objects can be destroyed.
func TestScenarioStoppedAtAWait(t *testing.T) {
	s, r := helloServer(t)
	for range 4 {
		if _, err := r.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	at := r.At()
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := r.Step(ctx)
			ended <- err
		}()
		for len(s.Core().Slot) == 0 { // the waiting command holds the slot
			time.Sleep(time.Millisecond)
		}
		cancel()
		var failed *script.Error
		if err := <-ended; !errors.Is(err, context.Canceled) || !errors.As(err, &failed) || failed.Name != "hello" {
			t.Errorf("%v", err)
		}
		if r.At() != at {
			t.Errorf("it continued to %d", r.At())
		}
	}
	if err := r.Destroy(t.Context()); err != nil {
		t.Error(err)
	}
	if left := s.Snapshot().Objects; len(left) != 0 {
		t.Errorf("left are %+v", left)
	}
}

// TestScenarioStepFails: the error names the line that failed; objects stay until
// they are destroyed.
func TestScenarioStepFails(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{Live: true})
	p := scenario.DefaultParams("hello")
	p.Address = "127.0.0.1"
	r, err := s.NewScenarioRun(p)
	if err != nil {
		t.Fatal(err)
	}
	_, err = sessiontest.Walked(t.Context(), r, func(string) {})
	var failed *script.Error
	if !errors.As(err, &failed) || !strings.HasPrefix(failed.Text, "rdma_get_cm_event ESTABLISHED") ||
		failed.Line != r.Lines()[r.At()].N || failed.Hint == "" {
		t.Fatalf("%v at %d", err, r.At())
	}
	if qps := s.Snapshot().QPs; len(qps) != 1 {
		t.Errorf("the queue pair is gone: %+v", qps)
	}
	// A user's object made from a scenario's object keeps that object, and the error says so.
	sessiontest.RunLines(t, s, "reg_mr mine pd=pd length=64")
	if err := r.Destroy(t.Context()); err == nil || !strings.Contains(err.Error(), "mine") {
		t.Error(err)
	}
	if alive := r.Alive(); !slices.Equal(alive, []string{"pd"}) {
		t.Errorf("alive are %v", alive)
	}
	sessiontest.RunLines(t, s, "dereg_mr mine")
	if err := r.Destroy(t.Context()); err != nil || len(s.Snapshot().Objects) != 0 {
		t.Errorf("%v, left are %+v", err, s.Snapshot().Objects)
	}
}

// TestWalk steps through loops.
func TestWalk(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunLines(t, s, "open_device\nalloc_pd\nreg_mr m length=64")
	sc, err := script.Parse("a\nloop 2\nb\nloop\nc\nuntil\nend\nend\nd")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	times, fail := 0, true
	run := func(_ context.Context, cmd command.Command) (done timeline.CommandDone, left bool, err error) {
		line := cmd.Text
		if line == "c" && fail {
			fail = false
			return done, false, errors.New("not at first")
		}
		if line == "until" {
			times++
			left = times%2 == 0
		}
		return done, left, nil
	}
	w := script.NewRunner(s.Core(), "test", sc, run)
	for w.At() >= 0 {
		text, again := sc.Lines()[w.At()].Text, w.Again()
		_, err := w.Step(t.Context())
		if err != nil {
			text += " failed"
		}
		if again {
			text += " again"
		}
		got = append(got, text)
	}
	want := "a,loop 2,b,loop,c failed,c,until,c again,until again,b again,loop again,c again,until again,c again,until again,d"
	if strings.Join(got, ",") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ","), want)
	}
	var shape []string
	for _, l := range sc.Lines() {
		shape = append(shape, strings.Repeat(" ", l.Depth)+l.Text)
	}
	if got, want := strings.Join(shape, ","), "a,loop 2, b, loop,  c,  until, end,end,d"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestScenarioAbout: every scenario has a description and a command for the other
// end, and its head is not taken for the comment of the first line.
func TestScenarioAbout(t *testing.T) {
	for _, sc := range scenario.All {
		for _, server := range []bool{true, false} {
			p := scenario.DefaultParams(sc.Name)
			if p.Server = server; !server || sc.Group {
				p.Address = "10.9.0.2"
			}
			about, err := p.About()
			if err != nil || len(about.Teaches) < 80 || !strings.HasSuffix(about.Teaches, ".") ||
				strings.Contains(about.Teaches, "beside") {
				t.Errorf("%s: %+v, %v", sc.Name, about, err)
			}
			if (about.Partner == "") != (sc.Name == "serve" && !server) || strings.ContainsAny(about.Partner, "{}") {
				t.Errorf("%s, %s: %q", sc.Name, p.Role(), about.Partner)
			}
			if sc.Group && !strings.Contains(about.Partner, " -m 10.9.0.2 ") {
				t.Errorf("%s, %s: %q lacks the group", sc.Name, p.Role(), about.Partner)
			}
			if sc.Name == "serve" && !server {
				continue
			}
			script, err := p.NewScript(func(string) bool { return false })
			if err != nil || script.Lines()[0].Why == "" || strings.Contains(script.Lines()[0].Why, "teaches") {
				t.Errorf("%s: %v", sc.Name, err)
			}
		}
	}
	p := scenario.DefaultParams("rping")
	p.Server, p.Here, p.Count = true, "10.9.0.1", 7
	if about, _ := p.About(); about.Partner != "rping -c -a 10.9.0.1 -p 7174 -V -C 7 -S 64" {
		t.Error(about.Partner)
	}
}

// TestCompanion: both ends of a scenario in one program: the companion starts when
// our server listens, or listens before our client connects.
func TestCompanion(t *testing.T) {
	for _, name := range []string{"hello", "rc-pingpong", "rping"} {
		for _, server := range []bool{true, false} {
			t.Run(name+map[bool]string{true: ", our server", false: ", our client"}[server], func(t *testing.T) {
				s := sessiontest.NewSoft(t, core.Options{Live: true})
				if _, err := s.WatchPackets(true); err != nil {
					t.Fatal(err)
				}
				p := scenario.DefaultParams(name)
				p.Count, p.Port, p.Device = 3, sessiontest.FreePort(t), "soft0"
				p.Wait = 30 * time.Second // an end that never starts fails with its name
				theirs := p
				theirs.Device = "soft1"
				if p.Server = server; server {
					theirs.Address = "127.0.0.1"
				} else {
					theirs.Server, p.Address = true, "127.0.0.1"
				}
				r, err := s.NewScenarioRun(p)
				if err != nil {
					t.Fatal(err)
				}
				var c *scenario.Companion
				if server {
					r.OnListening(func() {
						if c == nil {
							c = s.NewCompanion(theirs)
						}
					})
				} else {
					c = s.NewCompanion(theirs)
					<-c.Listening()
				}
				if _, err := sessiontest.Walked(t.Context(), r, func(string) {}); err != nil {
					t.Fatal(err)
				}
				if err := c.Err(); err != nil {
					t.Error("companion:", err)
				}
				checkTimes(t, r, name)
				if err := r.Destroy(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// checkTimes checks that the measured times are in order, and that only the placement, which the companion's device
// records, may be inferred.
func checkTimes(t *testing.T, r *scenario.Run, name string) {
	t.Helper()
	last, ok := r.LastRequest()
	if name == "rc-pingpong" { // its runner records no single requests
		if ok {
			t.Errorf("%+v", last)
		}
		return
	}
	if !ok || last.QP != "qp" {
		t.Fatalf("%+v", last)
	}
	after := time.Duration(0)
	for _, st := range last.Steps {
		if st.Source != stages.Measured && (st.Source != stages.Inferred || st.Stage != stages.Placed) ||
			st.After < after && st.Source == stages.Measured {
			t.Errorf("%s: %+v", last.Opcode, st)
		}
		after = max(after, st.After)
	}
}

// TestCompanionStops: a waiting companion is stopped with its session.
func TestCompanionStops(t *testing.T) {
	p := scenario.DefaultParams("hello")
	p.Server = true
	s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	c := s.NewCompanion(p)
	<-c.Listening()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := c.Err(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	s = sessiontest.NewSoft(t, core.Options{})
	c = s.NewCompanion(p)
	<-c.Listening()
	c.Stop()
}

// TestScenarioOptions: an end lists only the options that affect it.
func TestScenarioOptions(t *testing.T) {
	for _, c := range []struct {
		name   string
		server bool
		want   string
	}{
		{"hello", true, "size,port,bind,wait"},
		{"hello", false, "size,port,bind"},
		{"rping", true, "size,port,bind,persistent,wait"},
		{"rping", false, "iters,size,port,bind"},
		{"rc-pingpong", true, "iters,size,mtu,port,bind,events,chk,rx-depth,gid-index,ib-port,wait"},
		{"mckey", false, "iters,size,bind"},
	} {
		p := scenario.DefaultParams(c.name)
		p.Server = c.server
		var got []string
		for _, o := range p.Options() {
			got = append(got, o.Name)
			q := p
			if text := o.Get(&q); text != "" {
				if err := o.Set(&q, text); err != nil || o.Get(&q) != text {
					t.Errorf("%s: %q becomes %q, %v", o.Name, text, o.Get(&q), err)
				}
			}
			if o.Name != "bind" && o.Name != "gid-index" && !o.Bool && o.Set(&q, "x y") == nil && o.Choices == nil {
				t.Errorf("%s takes anything", o.Name)
			}
		}
		if strings.Join(got, ",") != c.want {
			t.Errorf("%s: %s", c.name, strings.Join(got, ","))
		}
	}
}
