package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// fakeScreen shows its name and the keys it received.
type fakeScreen struct {
	widget.Func
	keys   []string
	typing bool
	drawn  int
	shown  int
	got    []tea.Msg // neither keys nor terminal messages
	wants  tea.Cmd   // work that the next frame asks for
	onKey  tea.Cmd   // work that a key asks for
}

func newFakeScreen(name string) *fakeScreen {
	s := &fakeScreen{}
	s.Line = func(b *line.Buf, y, _, _ int) {
		if y == 0 {
			s.drawn++
			b.Text(name+" "+strings.Join(s.keys, ","), theme.Style{})
		}
	}
	return s
}

func (s *fakeScreen) Context() keymap.Context { return keymap.JournalScreen }
func (s *fakeScreen) Typing() bool            { return s.typing }
func (s *fakeScreen) Show() tea.Cmd           { s.shown++; return nil }
func (s *fakeScreen) Refresh(*screen.State) (bool, tea.Cmd) {
	work := s.wants
	s.wants = nil
	return false, work
}
func (s *fakeScreen) Mouse(widget.Mouse) bool { return false }
func (s *fakeScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		s.keys = append(s.keys, msg.String())
		return s.onKey
	case screen.DoneMsg, tea.PasteMsg, string:
		s.got = append(s.got, msg)
	}
	return nil
}

type rig struct {
	*uitest.Driver
	app     *App
	sess    *uitest.Session
	screens map[screen.ID]*fakeScreen
	now     time.Time
}

// newRig shows three screens over a session that has run the given lines.
func newRig(t *testing.T, w, h int, lines ...string) *rig {
	t.Helper()
	r := &rig{sess: uitest.NewSession(t, session.Options{}, lines...), screens: map[screen.ID]*fakeScreen{}}
	env := r.sess.Env(theme.New("none", true))
	screens := map[screen.ID]screen.Screen{}
	for _, id := range []screen.ID{screen.Devices, screen.BringUp, screen.Journal} {
		r.screens[id] = newFakeScreen(fmt.Sprintf("screen %d", id))
		screens[id] = r.screens[id]
	}
	r.app = NewApp(env, screens)
	r.app.now = func() time.Time { return r.now }
	r.Driver = uitest.New(t, r.app, w, h)
	return r
}

func TestScreensByKeyTabAndMouse(t *testing.T) {
	r := newRig(t, 120, 40)
	steps := []struct {
		do   func()
		want screen.ID
	}{
		{func() { r.Keys("2") }, screen.BringUp},
		{func() { r.Keys("8") }, screen.Journal},
		{func() { r.Keys("tab") }, screen.Journal}, // tab moves between the screen's panes
		{func() { r.Click(16, 1) }, screen.BringUp},
		{func() { r.Keys("5") }, screen.BringUp}, // no such screen: a message says so
	}
	for i, st := range steps {
		st.do()
		if r.app.at != st.want {
			t.Fatalf("step %d shows screen %d, want %d\n%s", i, r.app.at, st.want, r.View())
		}
	}
	if !r.Contains("Connections has nothing to show of a capture") {
		t.Errorf("nothing says why screen 5 does not come:\n%s", r.View())
	}
}

func TestKeysGoToWhoHasThem(t *testing.T) {
	r := newRig(t, 120, 40)
	first := r.screens[screen.Devices]
	r.Keys("x")
	first.typing = true
	r.Keys("2", "q", ":", "?")
	if got := strings.Join(first.keys, " "); got != "x 2 q : ?" {
		t.Errorf("the screen got %q", got)
	}
	first.typing = false
	r.Keys("?")
	if !r.Contains("keys of Devices") {
		t.Errorf("no help:\n%s", r.View())
	}
	r.Keys("2", "esc", "2")
	if r.app.at != screen.BringUp {
		t.Errorf("the help kept the keys after esc:\n%s", r.View())
	}
}

// TestPasteGoesToWhoHasKeys pastes while something lies over a screen that would take the text.
func TestPasteGoesToWhoHasKeys(t *testing.T) {
	for _, tt := range []struct {
		over string
		open []string
		want string // on the screen after the paste; "": the screen gets the text
	}{
		{"nothing", nil, ""},
		{"the question before leaving", []string{"q"}, "quit?"},
		{"the palette", []string{"ctrl+p"}, "devices"},
		{"the help", []string{"?"}, "keys of Devices"},
		{"the search of the help", []string{"?", "/"}, "/ devices"},
		{"the console", []string{":"}, "devices"},
	} {
		t.Run(tt.over, func(t *testing.T) {
			r := newRig(t, 120, 40, "open_device soft0", "alloc_pd pd")
			first := r.screens[screen.Devices]
			r.Keys(tt.open...)
			r.Send(tea.PasteMsg{Content: "devices"})
			if got := len(first.got) > 0; got != (tt.want == "") {
				t.Errorf("the screen got %q", first.got)
			}
			if !r.Contains(tt.want) {
				t.Errorf("no %q:\n%s", tt.want, r.View())
			}
		})
	}
}

func TestConsoleRunsALine(t *testing.T) {
	r := newRig(t, 120, 40, "open_device soft0")
	r.Keys(":")
	r.Type("alloc_")
	if !r.Contains("alloc_pd") {
		t.Errorf("no completion:\n%s", r.View())
	}
	r.Keys("tab", "enter")
	r.WaitFor("  pd\n")
	r.sess.WantLines("alloc_pd")
	if r.Keys("enter"); r.app.console.IsOpen() {
		t.Errorf("enter on an empty line does not close it:\n%s", r.View())
	}
}

// A paste that is too long for the command line is refused with one message, and the
// typed text stays.
func TestPasteIntoConsoleTooLong(t *testing.T) {
	r := newRig(t, 80, 24)
	r.Keys(":")
	r.Type("note ")
	r.Send(tea.PasteMsg{Content: strings.Repeat("x", 1<<20)})
	if v := r.View(); !strings.Contains(v, "paste not taken: it has 1,048,576 bytes, the console takes 65,536") ||
		!strings.Contains(v, ":note") {
		t.Errorf("not told:\n%s", v)
	}
}

// Completing in the middle of a word replaces the rest of the word.
func TestConsoleCompletesTheWholeWord(t *testing.T) {
	r := newRig(t, 120, 40)
	r.Keys(":")
	r.Type("alloc_qd")
	r.Keys("left", "left", "tab")
	if got := strings.TrimSpace(r.app.console.Value()); got != "alloc_pd" {
		t.Errorf("the line is %q", got)
	}
}

func TestFailureIsOneLineWithHint(t *testing.T) {
	r := newRig(t, 200, 40, "open_device soft0", "alloc_pd pd")
	r.Keys(":")
	r.Type(`reg_mr m backing="file:/none\n\x1b[31m"`)
	r.Keys("enter")
	r.WaitFor(`no such file`)
	if v := r.View(); !strings.Contains(v, `\x1b[31m`) || !strings.Contains(v, "create the file first: truncate") {
		t.Errorf("not one line, or no hint:\n%s", v)
	}
}

func TestHintIsNotSaidTwice(t *testing.T) {
	r := newRig(t, 120, 40)
	r.Keys(":")
	r.Type("modify_qp a RTZ")
	r.Keys("enter")
	r.WaitFor("did you mean RTR?")
	if n := strings.Count(r.View(), "did you mean"); n != 1 {
		t.Errorf("said %d times:\n%s", n, r.View())
	}
}

func TestLeaving(t *testing.T) {
	quits := func(t *testing.T, cmd tea.Cmd) bool {
		t.Helper()
		if cmd == nil {
			return false
		}
		_, ok := cmd().(tea.QuitMsg)
		return ok
	}
	press := func(r *rig, key string) tea.Cmd { _, cmd := r.app.Update(uitest.Key(key)); return cmd }
	t.Run("with nothing alive", func(t *testing.T) {
		if !quits(t, press(newRig(t, 80, 24), "q")) {
			t.Error("q did not leave")
		}
	})
	t.Run("with objects alive it asks", func(t *testing.T) {
		r := newRig(t, 80, 24, "open_device soft0", "alloc_pd pd", "create_cq cq")
		r.app.refresh()
		if quits(t, press(r, "q")) {
			t.Fatal("q left without asking")
		}
		if !r.Contains("2 objects exist") {
			t.Errorf("no question:\n%s", r.View())
		}
		if !r.Contains("y yes") || r.Contains("? help") {
			t.Errorf("the bottom line does not show the keys of the question:\n%s", r.View())
		}
		if quits(t, press(r, "enter")) || !r.Contains("objects exist") {
			t.Error("enter within the grace period answered the question")
		}
		r.now = r.now.Add(time.Second)
		if quits(t, press(r, "enter")) || r.Contains("objects exist") {
			t.Error("enter alone destroys the objects, or does not take the question away")
		}
		for _, key := range []string{"n", "esc"} {
			press(r, "q")
			r.now = r.now.Add(time.Second)
			if quits(t, press(r, key)) || r.Contains("objects exist") {
				t.Errorf("%s did not take the question away", key)
			}
		}
		press(r, "q")
		press(r, "right")
		r.now = r.now.Add(time.Second)
		press(r, "right")
		if !quits(t, press(r, "enter")) {
			t.Error("enter on yes did not leave")
		}
	})
	t.Run("a quick y is not lost", func(t *testing.T) {
		r := newRig(t, 80, 24, "open_device soft0", "alloc_pd pd")
		r.app.refresh()
		press(r, "q")
		if !quits(t, press(r, "y")) {
			t.Error("y right after q did not leave")
		}
	})
}

func TestViewDrawsOnlyWhatChanged(t *testing.T) {
	r := newRig(t, 120, 40)
	r.Raw()
	before := r.screens[screen.Devices].drawn
	for range 10 {
		r.app.Update(tick{})
		r.Raw()
	}
	if got := r.screens[screen.Devices].drawn; got != before {
		t.Errorf("drawn %d times while nothing changed", got-before)
	}
	r.sess.Timeline().Append(timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Text: "news"}})
	r.app.Update(tick{})
	if r.Raw(); r.screens[screen.Devices].drawn != before+1 {
		t.Error("an event did not bring a new frame")
	}
}

// TestFaultsAreSeen looks for faults in the title, also in a narrow window and while another device is selected.
func TestFaultsAreSeen(t *testing.T) {
	for _, w := range []int{60, 80, 120} {
		for _, faulty := range []string{"soft0", "soft1"} {
			r := newRig(t, w, 24, "open_device soft0", "open_device soft1", "fault "+faulty+" loss=5%")
			title, _, _ := strings.Cut(r.View(), "\n")
			faultOf := map[string]string{"soft0": "soft0 fault: loss 5%", "soft1": "⚠ fault: loss 5%"}
			for _, name := range []string{"soft0", "soft1"} {
				if strings.Contains(title, faultOf[name]) != (name == faulty) {
					t.Errorf("%d columns: %s", w, title)
				}
			}
		}
	}
}

// What the title has no room for leaves whole: no value in it is cut.
func TestTitleCutsNothing(t *testing.T) {
	for _, w := range []int{60, 72, 80, 100, 120} {
		for _, fault := range []string{"off", "loss=5%", "loss=5% reorder=10%", "delay=2ms"} {
			r := newRig(t, w, 24, "open_device soft0", "fault soft0 "+fault)
			title, _, _ := strings.Cut(r.View(), "\n")
			if strings.Contains(title, "…") || !strings.Contains(title, "soft0") {
				t.Errorf("%d columns, fault %s: %s", w, fault, title)
			}
			if fault == "delay=2ms" && !strings.HasSuffix(strings.TrimSpace(title), "fault: delay 2 ms") {
				t.Errorf("%d columns: %s", w, title)
			}
			if w >= 100 && (!strings.Contains(title, "gid 1 127.0.0.1") || !strings.Contains(title, "1 ACTIVE")) {
				t.Errorf("%d columns, fault %s, lacks the GID: %s", w, fault, title)
			}
		}
	}
}

// A device that is also open for the connection manager is told of once.
func TestFaultOfDeviceOpenTwice(t *testing.T) {
	r := newRig(t, 120, 24, "open_device soft0", "rdma_create_event_channel events",
		"rdma_create_id id channel=events ps=TCP",
		"rdma_resolve_addr id 127.0.0.1 port=7471", "fault soft0 loss=5%")
	r.WaitFor("ADDR_RESOLVED")
	if title, _, _ := strings.Cut(r.View(), "\n"); strings.Count(title, "fault: loss 5%") != 1 {
		t.Error(title)
	}
}

func TestAppGolden(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}, {40, 10}, {30, 8}} {
		w, h := size[0], size[1]
		t.Run(fmt.Sprintf("%dx%d", w, h), func(t *testing.T) {
			r := newRig(t, w, h, "open_device soft0")
			uitest.Golden(t, "app", r.View())
		})
	}
}

// S cycles through the strip's three forms; a screen that shows the same data has no
// strip.
func TestStripForms(t *testing.T) {
	r := newRig(t, 120, 40, "open_device soft0")
	for _, want := range []struct {
		shown string
		rows  int
	}{{"No completions yet", 1}, {"╭ completions", 5}, {"", 0}, {"No completions yet", 1}} {
		if v := r.View(); r.app.stripHeight() != want.rows || !strings.Contains(v, want.shown) {
			t.Errorf("%d rows, want %d with %q:\n%s", r.app.stripHeight(), want.rows, want.shown, v)
		}
		r.Keys("S")
	}
	r.Keys("8", "S")
	if v := r.View(); strings.Contains(v, "completions") || !strings.Contains(v, "The strip is hidden here") {
		t.Errorf("the Journal has a strip, or does not say why not:\n%s", v)
	}
}

// A screen's question covers it; only yes runs the action, and the result goes to the
// screen that asked.
func TestScreenAsks(t *testing.T) {
	r := newRig(t, 80, 24)
	first := r.screens[screen.Devices]
	first.onKey = screen.Send(screen.AskMsg{Title: "destroy?", Text: "Destroy it?", Yes: func() tea.Cmd {
		return screen.Send("destroyed")
	}})
	for key, want := range map[string]int{"n": 0, "esc": 0, "y": 1} {
		first.got = nil
		r.Keys("D")
		if !r.Contains("Destroy it?") {
			t.Fatalf("no question:\n%s", r.View())
		}
		r.now = r.now.Add(time.Second)
		if r.Keys(key); len(first.got) != want || r.Contains("Destroy it?") {
			t.Errorf("%s: the screen got %q", key, first.got)
		}
	}
}

// ctrl+z suspends from anywhere.
func TestSuspend(t *testing.T) {
	r := newRig(t, 80, 24)
	for _, key := range []string{"", ":", "esc", "?"} {
		if key != "" {
			r.Keys(key)
		}
		if _, cmd := r.app.Update(uitest.Key("ctrl+z")); cmd == nil || cmd() != (tea.SuspendMsg{}) {
			t.Errorf("after %q it does not suspend", key)
		}
	}
}

// A click on a hint presses its key.
func TestClickOnHint(t *testing.T) {
	r := newRig(t, 120, 24)
	line := r.View()[strings.LastIndexByte(r.View(), '\n')+1:]
	r.Click(strings.Index(line, "t kinds")+2, 23)
	if got := strings.Join(r.screens[screen.Devices].keys, ","); got != "t" {
		t.Errorf("the screen got %q from %q", got, line)
	}
	r.Click(strings.Index(line, "? help"), 23)
	if !r.Contains("keys of Devices") {
		t.Errorf("no help:\n%s", r.View())
	}
}
