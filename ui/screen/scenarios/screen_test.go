package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/scenario"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// hello moves the cursor to the scenario of that name.
func (x *bench) hello() {
	x.Keys("/")
	x.Type("rdma_server")
	x.Keys("enter")
}

// faces are what the goldens show.
var faces = map[string]func(*bench){
	"list":      func(*bench) {},
	"elsewhere": func(x *bench) { x.hello(); x.Keys("b", "o") },
	"filter":    func(x *bench) { x.Keys("/"); x.Type("ping") },
	"nothing":   func(x *bench) { x.Keys("/"); x.Type("no such"); x.Keys("enter") },
	"form":      func(x *bench) { x.hello(); x.Keys("e", "down", "down", "down", "e") },
	"stepping":  func(x *bench) { x.hello(); x.Keys("s", "space", "space", "enter", "space") },
	"waiting":   func(x *bench) { x.hello(); x.Keys("b", "o"); x.press("enter") },
	"failed":    (*bench).alone,
	"ended":     func(x *bench) { x.hello(); x.Keys("s", "c") },
	"kept":      func(x *bench) { x.hello(); x.Keys("K", "enter") },
	"request":   func(x *bench) { x.hello(); x.Keys("enter", "]", "]") },
}

// bodies are the sizes that terminals of the named size leave for the screen.
var bodies = map[string][2]int{"80x24": {80, 17}, "120x40": {120, 30}, "200x60": {200, 50}, "40x10": {40, 7}}

func TestGolden(t *testing.T) {
	for name, set := range faces {
		for size, wh := range bodies {
			run(t, plain, func(x *bench) {
				set(x)
				uitest.Golden(x.t, name+"-"+size, x.View(wh[0], wh[1]))
			})
		}
	}
	run(t, theme.New("none", false), func(x *bench) {
		faces["stepping"](x)
		uitest.Golden(x.t, "ascii-80x24", x.View(80, 17))
	})
}

// Every size is drawn within its bounds, whatever is open, and shows the keys of the
// phase.
func TestSweep(t *testing.T) {
	for name, set := range faces {
		run(t, theme.New("16", name != "failed"), func(x *bench) {
			set(x)
			for range 3 {
				for _, w := range []int{1, 40, 64, 80, 110, 160} {
					for _, h := range []int{1, 5, 11, 12, 20, 36} {
						uitest.Exact(t, widget.Render(x.s.th, x.s, w, h), w, h)
					}
				}
				if !x.s.Typing() {
					x.Keys("]")
				}
			}
			b := line.New(x.s.th)
			b.Begin(80)
			widget.DrawHints(b, x.s.Context(), "")
			if b.Len() == 0 {
				t.Error("no key is told")
			}
		})
	}
}

// The run gets the parameters of the form, and the other end the other role.
func TestParameters(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.hello()
		x.Keys("enter")
		if p := x.asked[0]; p.Name != "hello" || p.Server || p.Address != "127.0.0.1" {
			t.Errorf("%+v", p)
		}
		if p := x.theirs[0]; p.Name != "hello" || !p.Server || p.Address != "" || p.Check() != nil {
			t.Errorf("%+v", p)
		}
		x.Keys("esc", "o", "e", "down", "down", "down", "e")
		for range 2 {
			x.Keys("backspace")
		}
		x.Type("64")
		x.Keys("enter", "esc", "enter")
		if p := x.asked[1]; !p.Server || p.Size != 64 || p.Address != "" {
			t.Errorf("%+v", p)
		}
		if !x.s.current().both {
			t.Error("the other end is elsewhere")
		}
		// Without a local other end the address has to be typed.
		x.Keys("esc", "o", "b", "enter")
		if n := len(x.asked); n != 2 ||
			!strings.Contains(strings.Join(x.Flashes, "|"), "enter or paste the server's address") {
			t.Errorf("%d asked for, said %q", n, x.Flashes)
		}
		x.Keys("e")
		x.Type("10.9.0.2")
		x.Keys("enter", "enter")
		if n := len(x.asked); n != 3 || x.asked[2].Address != "10.9.0.2" || x.asked[2].Size != 64 ||
			len(x.theirs) != 2 {
			t.Errorf("%+v, %+v", x.asked, x.theirs)
		}
	})
}

// A pasted address makes this end its client; other text changes nothing.
func TestPasteOfAddress(t *testing.T) {
	for text, want := range map[string][2]string{
		"10.9.0.2":           {"10.9.0.2", "took 10.9.0.2"},
		" 10.9.0.2 7000\r\n": {"10.9.0.2", "took 10.9.0.2 7000"},
		"fd00::2":            {"fd00::2", "took fd00::2"},
		"10.9.0.2 port":      {"10.9.0.2", "paste not taken whole: "},
		"hello\x1b world":    {"", "paste not taken: it is not an IP address; type a host name into address (e)"},
		"":                   {"", "paste not taken: it is not an IP address"},
	} {
		run(t, plain, func(x *bench) {
			x.hello()
			x.Send(tea.PasteMsg{Content: text})
			c := x.s.current()
			if c.p.Address != want[0] || c.both == (want[0] != "") || c.p.Server ||
				!strings.Contains(strings.Join(x.Flashes, "|"), want[1]) {
				t.Errorf("%q: %+v, both %v, said %q", text, c.p, c.both, x.Flashes)
			}
			if len(x.asked) != 0 {
				t.Errorf("%q ran %+v", text, x.asked)
			}
		})
	}
}

// A wrong value is refused below its field and does not reach the parameters.
func TestWrongValue(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.hello()
		x.Keys("e", "down", "down", "down", "e")
		x.Type("x")
		x.Keys("enter")
		if len(x.Flashes) != 0 || x.s.current().p.Size != 16 {
			t.Errorf("%q, %+v", x.Flashes, x.s.current().p)
		}
		x.Shows(80, 17, "size      16", "size: ")
		x.Keys("e")
		x.Type("32")
		if x.Keys("enter"); x.s.current().p.Size != 32 || x.s.form.Fields()[3].Err != "" {
			t.Errorf("corrected: %+v, %+v", x.s.current().p, x.s.form.Fields()[3])
		}
	})
}

// The default parameters of every scenario in every role are consistent with the
// other end here.
func TestDefaultsRun(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.refuse = true
		for i := range scenario.All {
			for range 2 {
				n := len(x.asked)
				x.Keys("enter")
				if len(x.asked) != n+1 {
					t.Errorf("%s: %q", scenario.All[i].Name, x.Flashes)
					continue
				}
				if p := x.s.current().theirs(&x.s.host); p == nil || p.Check() != nil {
					t.Errorf("%s: the other end: %+v, %v", scenario.All[i].Name, p, p.Check())
				}
				x.Keys("esc", "o")
			}
			x.Keys("down")
		}
	})
}

// A step at a time, retried, on to the end; esc destroys the objects.
func TestStepping(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.hello()
		x.Keys("s")
		x.Shows(120, 30, "step 1 of 24", "→    1  rdma_create_event_channel",
			"Create a channel for the connection manager", "line ")
		taken := uint64(0)
		for range 12 { // up to the first region, for which there is no memory
			x.Keys("space")
			if taken == 0 && strings.HasPrefix(x.s.st.lines[x.s.st.at].Text, "reg_mr") {
				taken = x.budget.Limit() - x.budget.Used()
				if err := x.budget.Take(taken); err != nil {
					t.Fatal(err)
				}
				x.Keys("enter")
				break
			}
		}
		x.Shows(120, 30, "✗", "reg_mr", "ENOMEM", "objects;")
		x.budget.Give(taken)
		was := x.s.st.at
		x.Keys("enter")
		if st := &x.s.st; st.at != was+1 || st.past[was].failed || st.past[was].times != 2 {
			t.Errorf("line %d after %d: %+v", st.at, was, st.past[was])
		}
		x.Keys("b")
		x.Shows(120, 30, "all 24 steps", "Finished. All its objects", "steps of wr 2 SEND")
		if n := x.left(); n != 0 {
			t.Errorf("%d objects are left", n)
		}
		x.Keys("esc")
		x.Shows(120, 30, "parameters")
	})
}

// After the last step by hand the objects stay until they are dismissed.
func TestLastStep(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.hello()
		x.Keys("s")
		x.Keys(slices.Repeat([]string{"space"}, 24)...)
		x.Shows(120, 30, "all 24 steps", "It leaves 8 objects: esc destroys them, K keeps them")
		x.Keys("esc")
		x.Shows(120, 30, "Stopped. All its objects are destroyed")
		x.Keys("esc")
		x.Shows(120, 30, "parameters")
		x.Keys("K", "enter")
		x.Shows(120, 30, "all 24 steps, kept", "It leaves 8 objects. See the other screens.")
		x.Keys("esc")
		x.Shows(120, 30, "parameters")
		if x.left() == 0 {
			t.Error("what is kept was destroyed")
		}
	})
}

// A key stops a wait, and the objects are destroyed.
func TestStopAtAWait(t *testing.T) {
	stops := map[string]func(*bench){
		"esc": func(x *bench) { x.s.Update(uitest.Key("esc")) },
		"D":   func(x *bench) { x.s.Update(uitest.Key("D"))().(screen.AskMsg).Yes() },
	}
	for name, stop := range stops {
		run(t, plain, func(x *bench) {
			x.hello()
			x.Keys("b", "o")
			x.press("enter")
			x.Shows(120, 30, "…    5  rdma_get_cm_event", "running for 0.0 s")
			x.s.Update(uitest.Key("enter")) // a second one must not start another
			stop(x)
			x.Await(120, 30, "Stopped. All its objects are destroyed")
			if n := x.left(); len(x.asked) != 1 || n != 0 {
				t.Errorf("%s: %d runs, %d objects are left", name, len(x.asked), n)
			}
		})
	}
}

// Nothing is redrawn while nothing happens.
func TestQuietFrames(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.hello()
		if x.Frame() {
			t.Error("a frame without news changed the list")
		}
		x.Keys("s", "space")
		if x.Frame() {
			t.Error("a frame without news changed the script")
		}
	})
}

// Clicks select, and the wheel scrolls.
func TestMouse(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.View(80, 17)
		if !x.s.Mouse(widget.Mouse{Kind: widget.Click, X: 5, Y: 6}) || x.s.name != "hello" {
			t.Errorf("a click chose %s", x.s.name)
		}
		x.Shows(80, 17, "╭ hello ")
		x.Keys("s")
		x.View(80, 17)
		if !x.s.Mouse(widget.Mouse{Kind: widget.WheelDown, X: 5, Y: 3}) || x.s.script.Cursor() != 3 {
			t.Errorf("the wheel moved to %d", x.s.script.Cursor())
		}
	})
}

// Each phase shows its own keys.
func TestContexts(t *testing.T) {
	run(t, plain, func(x *bench) {
		want := func(c keymap.Context) {
			t.Helper()
			if fmt.Sprint(x.s.Context()) != fmt.Sprint(c) {
				t.Errorf("the keys are %v", x.s.Context())
			}
		}
		want(screen.ContextNow(x.s, keymap.ScenariosScreen, choosing))
		x.Keys("/")
		want(keymap.FilterOpen)
		x.Keys("esc")
		x.hello() // a ping-pong polls busily, and virtual time stands still meanwhile: its timers would never fire
		x.Keys("e", "down", "down", "e")
		want(keymap.FieldOpen)
		x.Keys("esc", "esc", "s")
		want(screen.ContextNow(x.s, keymap.ScenarioStepping, replays))
		x.Keys("b")
		want(screen.ContextNow(x.s, keymap.ScenarioOver, replays))
		x.Keys("esc")
		x.alone()
		want(screen.ContextNow(x.s, keymap.ScenarioFailed, replays))
	})
}

// The list drops its least important columns first: names are never cut, and on a
// wide screen nothing is.
func TestListColumns(t *testing.T) {
	const name, what, against = "atomic-misaligned", "a stream of SENDs, with a credit for each posted RECV",
		"the-geek-in-the-corner 02_read-write"
	run(t, plain, func(x *bench) {
		for _, tt := range []struct {
			w    int
			has  []string
			lack []string
		}{
			{64, []string{name}, []string{"what it does", "  against  "}},
			{80, []string{name}, []string{"what it does", "  against  "}},
			{120, []string{name, "what it does", "a stream of SENDs, with"}, []string{"  against  "}},
			{140, []string{name, "what it does", "  against  "}, nil},
			{200, []string{name, what, against}, nil},
		} {
			view := x.View(tt.w, 50)
			for _, text := range tt.has {
				if !strings.Contains(view, text) {
					t.Errorf("%d columns: no %q in\n%s", tt.w, text, view)
				}
			}
			for _, text := range tt.lack {
				if strings.Contains(view, text) {
					t.Errorf("%d columns: %q in\n%s", tt.w, text, view)
				}
			}
		}
	})
}

// What the cursor is on can be copied: a row, a value, and for a line of a run its
// command, C call and result.
func TestCopy(t *testing.T) {
	run(t, plain, func(x *bench) {
		copied := func(keys ...string) string {
			x.Copied = nil
			x.Keys(keys...)
			return strings.Join(x.Copied, "|")
		}
		if got := copied("y"); !strings.HasPrefix(got, "rc-pingpong  SENDs back and forth over a reliable connection") {
			t.Errorf("the row is %q", got)
		}
		if got := copied("b", "y", "2"); !strings.HasPrefix(got, "ibv_rc_pingpong") {
			t.Errorf("at the peer: %q", got)
		}
		if got := copied("b", "tab", "down", "y", "1"); got != "here" {
			t.Errorf("the value is %q", got)
		}
		choose(t, x, "recv-too-small")
		if got := copied("tab", "tab", "y", "2"); got != "rdmatui lab recv-too-small -d soft0" {
			t.Errorf("without a screen: %q", got)
		}
		x.Keys("enter")
		x.Keys("g", "down", "down")
		x.Shows(200, 50, "alloc_pd pd")
		if got := copied("y", "2"); !strings.HasPrefix(got, "ibv_") {
			t.Errorf("the C call is %q", got)
		}
	})
}

// d enlarges the diagram of the last request once there is one, and shows all panes again.
func TestSteps(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.hello()
		x.Keys("s", "d")
		if x.s.Zoom {
			t.Error("d enlarges the diagram before there is a request")
		}
		x.Keys("b")
		x.Shows(120, 30, "all 24 steps", "steps of wr 2 SEND on qp", "8 polled")
		x.Keys("d")
		x.Shows(80, 24, "steps of wr 2 SEND on qp", "8 polled           0 ns  measured",
			"The program polled the completion queue")
		x.Keys("d")
		x.Shows(120, 30, "all 24 steps", "steps of wr 2 SEND on qp")
		x.Keys("esc")
		if _, ok := x.s.steps.Request(); ok || x.s.Zoom {
			t.Error("the request is kept after its scenario was left")
		}
	})
}
