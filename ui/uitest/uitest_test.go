package uitest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

func TestKeyNames(t *testing.T) {
	for _, name := range []string{"a", "A", "é", "?", ":", "space", "enter", "esc", "tab", "shift+tab", "ctrl+c",
		"pgup", "pgdown", "home", "end", "up", "alt+b", "ctrl+left", "backspace", "delete", "8", "+"} {
		if got := Key(name).String(); got != name {
			t.Errorf("Key(%q) says %q", name, got)
		}
	}
}

type echo struct {
	w, h int
	seen []string
	late chan struct{}
}

func (e echo) Init() tea.Cmd {
	return tea.Sequence(func() tea.Msg { return "one" }, func() tea.Msg { return "two" })
}

func (e echo) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		e.w, e.h = msg.Width, msg.Height
	case tea.KeyPressMsg:
		switch msg.String() {
		case "q":
			return e, tea.Quit
		case "b":
			return e, tea.Batch(func() tea.Msg { return "batch" })
		case "w":
			late := e.late
			return e, func() tea.Msg { <-late; return "late" }
		}
		e.seen = append(e.seen, msg.String())
	case tea.MouseClickMsg:
		e.seen = append(e.seen, fmt.Sprintf("click %d %d", msg.X, msg.Y))
	case string:
		e.seen = append(e.seen, msg)
	}
	return e, nil
}

func (e echo) View() tea.View {
	return tea.NewView(fmt.Sprintf("\x1b[1m%dx%d\x1b[m   \n%s", e.w, e.h, strings.Join(e.seen, " ")))
}

func TestDriver(t *testing.T) {
	late := make(chan struct{})
	d := New(t, echo{late: late}, 80, 24)
	for _, s := range []string{"80x24", "one", "two"} {
		d.WaitFor(s)
	}
	d.Keys("down", "ctrl+a")
	d.Type("hi")
	d.Click(3, 4)
	d.Keys("b")
	d.WaitFor("batch")
	d.Keys("w")
	if d.Contains("late") {
		t.Error("an answer came before it was given")
	}
	close(late)
	d.WaitFor("late")
	if v := d.View(); !strings.Contains(v, "down ctrl+a h i click 3 4") || strings.Contains(v, "\x1b") {
		t.Errorf("view %q", v)
	}
	d.Keys("q")
	for range 100 {
		d.drain(settle)
	}
	if !d.Quit {
		t.Error("did not quit")
	}
}

// fake records failures, to see that the checks do fail.
type fake struct {
	testing.TB
	failed bool
}

func (f *fake) Helper()               {}
func (f *fake) Errorf(string, ...any) { f.failed = true }

func TestFitsCanFail(t *testing.T) {
	tests := []struct {
		view string
		ok   bool
	}{
		{"ab\ncd", true},
		{"\x1b[1;31mab\x1b[m", true},
		{"abc", false},
		{"a\nb\nc", false},
		{"a\tb", false},
		{"\x1b[2Ja", false},
		{"日本", false},
	}
	for _, tt := range tests {
		f := &fake{TB: t}
		Fits(f, tt.view, 2, 2)
		if f.failed == tt.ok {
			t.Errorf("Fits(%q) failed=%v", tt.view, f.failed)
		}
	}
}

// Marked names the style of each run, those laid over others too.
func TestMarked(t *testing.T) {
	th := Tokens()
	if n, want := len(styleNames), reflect.TypeOf(th.Styles).NumField(); n != want {
		t.Fatalf("%d of %d styles can be told apart", n, want)
	}
	b := line.New(th)
	b.Text("bad", th.Err)
	b.Text(" and ", theme.Style{})
	b.Text("good", th.OK)
	b.Newline()
	b.Over(th.Selection)
	b.Text("row", th.Value)
	b.Over(theme.Style{})
	b.Text("   ", theme.Style{})
	b.Finish()
	if got, want := Marked(t, b.String(), "bad", "row"),
		"‹Err›bad‹› and ‹OK›good\n‹Value+Selection›row\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	f := &fake{TB: t}
	if Marked(f, b.String(), "row", "missing"); !f.failed {
		t.Error("a text that is in no line was not missed")
	}
}
