package scenarios

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// onSoft is the screen on a session with software devices, in real time.
func onSoft(t *testing.T) (*uitest.ScreenDriver, *Screen, *uitest.Session) {
	t.Helper()
	sess := uitest.NewSession(t, session.Options{Live: true})
	_, _ = sess.WatchPackets(true) // as the Wire screen does
	env := sess.Env(theme.New("none", true))
	s := New(env)
	return uitest.NewScreen(t, env, s), s, sess
}

// A scenario by keys alone: step by step as a client with the other end here, then in
// one go as a server, beside the user's objects of the same names.
func TestJourneyOnSoft(t *testing.T) {
	d, _, sess := onSoft(t)
	sess.Do("open_device soft0", "alloc_pd pd", "create_cq cq")
	until := func(texts ...string) {
		t.Helper()
		d.Await(200, 50, texts...)
	}
	d.Keys("/")
	d.Type("hello")
	d.Keys("enter")
	until("The connection manager from end to end", "Both ends run here")
	d.Keys("s")
	until("hello as client of 127.0.0.1", "step 1 of 24", "Create a channel for the connection manager")
	for range 15 {
		d.Keys("space")
	}
	until("step 16 of 24", "15: rdma_get_cm_event(hello-events", "ESTABLISHED of hello-conn")
	if ids := sess.Snapshot().IDs; len(ids) != 1 || ids[0].State != session.IDConnected {
		t.Errorf("%+v", ids)
	}
	d.Keys("b")
	until("all 24 steps", "Finished. All its objects are destroyed", "other end: done",
		"steps of wr 2 SEND", "6 acknowledged")
	d.Keys("esc", "o", "enter")
	until("hello as server", "all 23 steps", "other end: done")
	d.Keys("esc")
	if left := sess.Snapshot().Objects; len(left) != 3 {
		t.Errorf("left are %+v", left)
	}
}

// A failed request is shown with its line, and the objects stay for inspection until
// they are dismissed.
func TestFailureOnSoft(t *testing.T) {
	d, _, sess := onSoft(t)
	d.Keys("/")
	d.Type("hello")
	d.Keys("enter", "b", "e", "down", "down", "e")
	d.Type("127.0.0.1")
	d.Keys("enter", "enter")
	d.Await(200, 50, "hello as client of 127.0.0.1", "expected ESTABLISHED, got", "esc destroys")
	if qps := sess.Snapshot().QPs; len(qps) != 1 {
		t.Errorf("%+v", qps)
	}
	d.Keys("D", "y")
	d.Await(200, 50, "Stopped. All its objects are destroyed")
	if left := sess.Snapshot().Objects; len(left) != 0 {
		t.Errorf("left are %+v", left)
	}
}

// A chat with the other end here: messages show as a conversation, escaped, beside
// the script; the end of the input ends the chat.
func TestChatOnSoft(t *testing.T) {
	for _, size := range [][2]int{{80, 17}, {120, 29}, {200, 50}} {
		d, s, sess := onSoft(t)
		for _, line := range []string{"one", "", "two \x1b[2J\u202e", "three"} {
			sess.Asker.Answer(line, nil)
		}
		sess.Asker.Answer("", io.EOF)
		d.Keys("/")
		d.Type("chat")
		d.Keys("enter", "enter")
		d.Await(size[0], size[1], "chat as client of 127.0.0.1", "Finished.", "the conversation", "you  disconnect")
		d.Shows(size[0], size[1], "you  three", "peer server get three")
		d.Shows(200, 50, "you  one", "peer server get one", `peer server get two \x1b[2J\u202e`)
		if view := d.View(200, 50); strings.ContainsAny(view, "\x1b\u202e") || len(s.st.talk) != 7 {
			t.Errorf("%v: %d messages, or one is not escaped:\n%q", size, len(s.st.talk), view)
		}
		d.Keys("esc")
	}
}

// What one writes has the colour of this end, what comes that of the other.
func TestTalkHasTwoEnds(t *testing.T) {
	s := &Screen{th: uitest.Tokens(), st: status{talk: []said{{true, "first"}, {false, "second"}}}}
	r := rows{th: s.th, w: 22}
	s.talkRows(&r, 2)
	got := widget.Render(s.th, &widget.Func{Line: func(b *line.Buf, y, _, _ int) { r.list[y](b) }}, r.w, len(r.list))
	for _, want := range []string{"‹Mine›first", "‹Theirs›second"} {
		if !strings.Contains(uitest.Marked(t, got, "first", "second"), want) {
			t.Errorf("%s is not in %s", want, uitest.Marked(t, got, "first", "second"))
		}
	}
}

// A message that is longer than a line goes on below; the last lines are shown.
func TestLongTalk(t *testing.T) {
	s := &Screen{th: plain, st: status{talk: []said{{true, "first"}, {false, "one two three four five six"}}}}
	const long = " peer one two three\n      four five six"
	for h, want := range map[int]string{1: "      four five six", 2: long, 3: " you  first\n" + long,
		9: " you  first\n" + long} {
		r := rows{th: s.th, w: 22}
		s.talkRows(&r, h)
		got := widget.Render(s.th, &widget.Func{Line: func(b *line.Buf, y, _, _ int) { r.list[y](b) }}, r.w,
			len(r.list))
		if text := uitest.Text(got); text != want {
			t.Errorf("%d rows: %q, want %q", h, text, want)
		}
	}
}

// The last messages of a conversation are kept, and none of a failed line.
func TestTalkIsBounded(t *testing.T) {
	st := &status{params: scenario.Params{Name: "chat"}}
	read := &script.Line{Text: "read_mem recv 0 4"}
	for i := range keptTalk + 10 {
		st.hear(read, &timeline.CommandDone{Result: fmt.Sprintf("6869 \"m%d\\x00\"", i)})
	}
	st.hear(read, &timeline.CommandDone{Result: "00 \"no\"", Err: "failed"})
	st.hear(&script.Line{Text: "post_send qp"}, &timeline.CommandDone{Result: "\"no\""})
	if n := len(st.talk); n != keptTalk || st.talk[n-1].text != fmt.Sprint("m", keptTalk+9) {
		t.Errorf("%d messages, the last %+v", n, st.talk[n-1])
	}
	for _, bad := range []string{"", "none", `"open`, `"bad \q"`} {
		if text, ok := quotedIn(bad); ok {
			t.Errorf("%q is read as %q", bad, text)
		}
	}
}

// freePort finds a TCP port that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// Each scenario runs by keys with the other end here, in both roles, except servers
// that run for ever.
func TestAllOnSoft(t *testing.T) {
	d, s, sess := onSoft(t)
	for range scenario.All {
		for range 2 {
			c := s.current()
			if c.sc.Forever && c.p.Server {
				d.Keys("o")
				continue
			}
			if c.sc.Count > 20 {
				_ = c.set("iters", "20")
			}
			if !c.sc.CM {
				_ = c.set("port", freePort(t))
			}
			if c.sc.Group && c.p.Server { // otherwise messages are sent before this end has joined
				d.Keys("o")
				continue
			}
			sess.Asker.Forget()
			sess.Asker.Answer("", io.EOF) // to a chat
			d.Keys("enter")
			d.Await(200, 50, c.sc.Name+" as "+c.p.Role(), "Finished. All its objects are destroyed")
			if s.st.wrong {
				t.Errorf("%s as %s: %s", c.sc.Name, c.p.Role(), s.st.other)
			}
			d.Keys("esc", "o")
		}
		d.Keys("down")
	}
	if left := sess.Snapshot().Objects; len(left) != 0 {
		t.Errorf("left are %+v", left)
	}
}

// TestRNICOffersManagerOnly: a scenario that no device can run is listed as such and does not start; if another device
// can run it, it is offered on that device only.
func TestRNICOffersManagerOnly(t *testing.T) {
	siw := hostDevice{name: "siw0", info: verbs.DeviceInfo{Name: "siw0", NodeType: "RNIC", Transport: "iWARP"}}
	soft0 := hostDevice{name: "soft0", provider: "soft", info: verbs.DeviceInfo{Name: "soft0"}}
	for _, tt := range []struct {
		name    string
		devices []hostDevice
		told    string // in the entry; "" if it is offered
		device  string // offered first
	}{
		{"rc-pingpong", []hostDevice{siw}, "no device here can run it", ""},
		{"udaddy", []hostDevice{siw}, "no device here can run it", ""},
		{"bad-rkey", []hostDevice{siw}, "no device here can run it", ""},
		{"hello", []hostDevice{siw}, "", "siw0"},
		{"rc-pingpong", []hostDevice{siw, soft0}, "", "soft0"},
		{"bad-rkey", []hostDevice{siw, soft0}, "", "soft0"},
	} {
		run(t, plain, func(x *bench) {
			x.s.takeHost(host{devices: tt.devices})
			choose(t, x, tt.name)
			entry := x.s.list.at(x.s.table.Cursor())
			if entry.lack != (tt.told != "") || tt.told != "" && entry.told() != tt.told {
				t.Errorf("%s: %q", tt.name, entry.told())
			}
			able, _ := x.s.host.ableTo(entry.Scenario)
			if got := able.device("").name; got != tt.device {
				t.Errorf("%s is offered on %q, want %q", tt.name, got, tt.device)
			}
			if tt.told == "" {
				return
			}
			if x.Keys("enter"); x.s.running() {
				t.Errorf("%s runs", tt.name)
			}
			if view := x.View(120, 40); !strings.Contains(view, "Not offered: siw0 is an RNIC") {
				t.Errorf("%s:\n%s", tt.name, view)
			}
		})
	}
}

// TestEarlyStart presses enter before the devices are known: the scenario starts once they are, with the other end
// here, unless another key was pressed first.
func TestEarlyStart(t *testing.T) {
	soft := host{
		devices: []hostDevice{{name: "soft0", provider: verbs.SoftProvider, address: "127.0.0.1", active: true}},
	}
	for _, keys := range [][]string{{"enter"}, {"enter", "esc"}} {
		run(t, plain, func(x *bench) {
			x.s.host, x.s.hosted = host{}, false
			for _, k := range keys {
				x.s.Update(uitest.Key(k))
			}
			if x.s.running() {
				t.Fatalf("%v: it runs before the devices are known", keys)
			}
			work := x.s.Update(screen.ReadMsg{What: soft})
			if started := x.s.early == nil && work != nil && x.s.running(); started != (len(keys) == 1) {
				t.Errorf("%v: started %t", keys, started)
			}
			if c := x.s.current(); c == nil || c.p.Server || !c.both {
				t.Errorf("%v: %+v", keys, c)
			}
		})
	}
}

// TestOpenDeviceIsOffered: a scenario is offered on the open device, whether that was opened before the devices were
// listed or afterwards.
func TestOpenDeviceIsOffered(t *testing.T) {
	devices := []hostDevice{{name: "rxe0", provider: "ibverbs"}, {name: "rxe9", provider: "ibverbs"}}
	opened := []session.DeviceView{{Name: "rxe9"}}
	for _, order := range [][]func(*Screen){
		{func(s *Screen) { s.takeHost(host{devices: devices}) }, func(s *Screen) { s.takeOpened(opened) }},
		{func(s *Screen) { s.takeOpened(opened) }, func(s *Screen) { s.takeHost(host{devices: devices}) }},
	} {
		run(t, plain, func(x *bench) {
			for _, do := range order {
				do(x.s)
			}
			if got := newChoice(scenario.Named("rc-pingpong"), &x.s.host).p.Device; got != "rxe9" {
				t.Errorf("offered on %q", got)
			}
		})
	}
}
