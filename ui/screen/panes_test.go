package screen_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// two is two panes above each other.
func two() *screen.Panes {
	th := theme.New("none", true)
	text := func(s string) widget.Block {
		return &widget.Func{Line: func(b *line.Buf, _, _, _ int) { b.Text(s, th.Value) }}
	}
	p := &screen.Panes{
		Count: 2, Entry: screen.NewEntry(th),
		Boxes: []*widget.Box{widget.NewBox(th, "one", text("a")), widget.NewBox(th, "two", text("b"))},
	}
	p.Lay = func() widget.Block {
		if p.Zoom {
			return p.Box()
		}
		return widget.NewCol(widget.Flex(1, 3, p.Boxes[0]), widget.Flex(1, 3, p.Boxes[1]))
	}
	return p
}

func view(p *screen.Panes) string {
	return uitest.Text(widget.Render(theme.New("none", true), p, 20, 8))
}

func TestPanes(t *testing.T) {
	p := two()
	if v := view(p); !strings.Contains(v, "one") || !strings.Contains(v, "two") || !p.Boxes[0].Focused {
		t.Errorf("not both panes, or the first has no focus:\n%s", v)
	}
	for _, k := range []string{"[", "z"} {
		if _, taken := p.Input(uitest.Key(k)); !taken {
			t.Errorf("%s was not taken", k)
		}
	}
	if v := view(p); strings.Contains(v, "one") || !p.Boxes[1].Focused || p.Boxes[0].Focused {
		t.Errorf("the second does not have all the room:\n%s", v)
	}
	if _, taken := p.Input(uitest.Key("x")); taken {
		t.Error("a key of the screen was taken")
	}
	if !p.Back() || p.Zoom || p.Focus != 1 || !p.Back() || p.Focus != 0 || p.Back() {
		t.Errorf("esc led to pane %d, zoom %v", p.Focus, p.Zoom)
	}
	p.First, p.Count, p.Focus = 1, 1, 1 // as if one is hidden
	if p.Input(uitest.Key("]")); p.Focus != 1 {
		t.Errorf("the keys went to pane %d", p.Focus)
	}
}

// A filter applies with every key and after it is accepted; a cancelled one has no effect.
func TestFilter(t *testing.T) {
	for _, tt := range []struct {
		name string
		from string
		msgs []tea.Msg
		want string
		open bool
	}{
		{"typed", "", []tea.Msg{uitest.Key("A"), uitest.Key("b")}, "Ab", true},
		{"replaced", "rc", []tea.Msg{uitest.Key("x"), uitest.Key("y")}, "xy", true},
		{"added to", "rc", []tea.Msg{uitest.Key("end"), uitest.Key("x")}, "rcx", true},
		{"pasted over", "rc", []tea.Msg{tea.PasteMsg{Content: "SEND"}}, "SEND", true},
		{"pasted", "", []tea.Msg{tea.PasteMsg{Content: "SEND"}}, "SEND", true},
		{"accepted", "rc", []tea.Msg{uitest.Key("enter")}, "rc", false},
		{"cancelled", "rc", []tea.Msg{uitest.Key("x"), uitest.Key("esc")}, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, got := two(), tt.from
			p.Entry.Ask(screen.Filter(func(text string) { got = text }), tt.from)
			if p.Entry.Context().Name != keymap.FilterOpen.Name || p.Mouse(widget.Mouse{Y: 1}) {
				t.Error("it is no filter, or the mouse goes to the panes")
			}
			for _, msg := range tt.msgs {
				p.Input(msg)
			}
			if got != tt.want || p.Typing() != tt.open || strings.Contains(view(p), "filter: ") != tt.open {
				t.Errorf("%q, open %v; want %q, %v", got, p.Typing(), tt.want, tt.open)
			}
		})
	}
}

// A question's answer counts when it is accepted.
func TestQuestion(t *testing.T) {
	p, got := two(), "nothing"
	q := &screen.Question{Label: "to", Done: func(text string) tea.Cmd { got = text; return screen.Flash(text) }}
	p.Entry.Ask(q, "a")
	p.Input(uitest.Key("end"))
	p.Input(uitest.Key("b"))
	if v := view(p); !strings.Contains(v, " to: ab") || p.Entry.Context().Name != keymap.FieldOpen.Name {
		t.Errorf("not asked:\n%s", v)
	}
	p.Input(uitest.Key("esc"))
	if p.Typing() || got != "nothing" {
		t.Errorf("cancelled, and it is %q", got)
	}
	p.Entry.Ask(q, "c")
	if cmd, taken := p.Input(uitest.Key("enter")); cmd == nil || !taken || got != "c" {
		t.Errorf("accepted, and it is %q", got)
	}
}

func TestNotes(t *testing.T) {
	var n screen.Notes
	n.Add(true, "%d rows", 3)
	n.Add(false, "paused")
	n.Add(true, "/x")
	if n.String() != "3 rows, /x" {
		t.Errorf("%q", n)
	}
}

// A click focuses the pane, and y copies the pane's text, or one of the texts that
// the screen offers.
func TestCopy(t *testing.T) {
	p := two()
	view(p)
	if !p.Mouse(widget.Mouse{Y: 5, X: 3}) || p.Focus != 1 {
		t.Errorf("a click left the keys with pane %d", p.Focus)
	}
	copied := func(cmd tea.Cmd) string {
		t.Helper()
		for _, c := range cmd().(tea.BatchMsg) {
			if f, ok := c().(screen.FlashMsg); ok {
				return f.Text
			}
		}
		return ""
	}
	cmd, taken := p.Input(uitest.Key("y"))
	if !taken || !strings.HasPrefix(copied(cmd), "copied: b") {
		t.Error("the text of the pane was not copied")
	}
	p.Texts = func(screen.Pane) []screen.CopyText {
		return screen.CopyTexts(screen.CopyText{"row", "1 2"}, screen.CopyText{"none", ""},
			screen.CopyText{"C call", "f()\x1b"})
	}
	p.Input(uitest.Key("y"))
	if v := view(p); !strings.Contains(v, " copy:  1 row   2 C") || p.Entry.Context().Name != keymap.PickOpen.Name {
		t.Errorf("nothing is offered:\n%s", v)
	}
	if cmd, _ = p.Input(uitest.Key("2")); copied(cmd) != `copied: f()\x1b` || p.Typing() {
		t.Error("the second was not copied")
	}
	p.Input(uitest.Key("y"))
	for _, k := range []string{"right", "right", "left", "enter"} {
		cmd, _ = p.Input(uitest.Key(k))
	}
	if copied(cmd) != `copied: f()\x1b` {
		t.Error("the marked one was not copied")
	}
	p.Input(uitest.Key("y"))
	view(p)
	if !p.Mouse(widget.Mouse{Y: 7, X: 8}) {
		t.Error("a click on a choice was not taken")
	}
	if cmd, taken = p.Input(tea.MouseClickMsg{}); !taken || copied(cmd) != "copied: 1 2" {
		t.Error("a click copied nothing")
	}
	p.Input(uitest.Key("y"))
	if p.Input(uitest.Key("esc")); p.Typing() {
		t.Error("esc does not close the line")
	}
}

// A key that is no choice closes the choice and does what it does without it.
func TestLeaveAChoice(t *testing.T) {
	p := two()
	view(p)
	for _, tt := range []struct {
		key   string
		leave bool
	}{{"x", true}, {"3", true}, {"l", true}, {":", true}, {"1", false}, {"right", false},
		{"enter", false}, {"esc", false}} {
		p.Texts = func(screen.Pane) []screen.CopyText {
			return screen.CopyTexts(screen.CopyText{"row", "1 2"}, screen.CopyText{"C call", "f()"})
		}
		p.Input(uitest.Key("y"))
		if _, taken := p.Input(uitest.Key(tt.key)); taken == tt.leave || p.Typing() != (tt.key == "right") {
			t.Errorf("%s: taken is %v, still open is %v", tt.key, taken, p.Typing())
		}
		p.Input(uitest.Key("esc"))
	}
	p.Input(uitest.Key("y"))
	if p.Input(uitest.Key("z")); !p.Zoom || p.Typing() {
		t.Error("z after y does not enlarge the pane")
	}
}
