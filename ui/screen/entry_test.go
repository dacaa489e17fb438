package screen_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// TestCompletedFilter: tab and shift+tab take one way to go on after the other, and each applies at once. What follows
// is
// asked for again with the next letter.
func TestCompletedFilter(t *testing.T) {
	p := two()
	var applied, asked []string
	q := screen.Filter(func(text string) { applied = append(applied, text) })
	q.Complete = func(text string, cursor int) (list []widget.Candidate) {
		asked = append(asked, fmt.Sprint(text, cursor))
		for _, word := range []string{"psn", "port", "pad"} {
			if strings.HasPrefix(word, text) {
				list = append(list, widget.Candidate{Text: word, Help: "the " + word, To: len(text)})
			}
		}
		return list
	}
	p.Entry.Ask(q, "p")
	bottom := func() string {
		rows := strings.Split(uitest.Text(widget.Render(p.Entry.Theme(), p, 60, 8)), "\n")
		return rows[len(rows)-1]
	}
	for _, tt := range []struct{ key, applied, bottom string }{
		{"", "", " filter: p    psn  port  pad"},
		{"tab", "psn", " filter: psn    psn  port  pad  the psn"},
		{"tab", "port", " filter: port    psn  port  pad  the port"},
		{"shift+tab", "psn", " filter: psn    psn  port  pad  the psn"},
		{"shift+tab", "pad", " filter: pad    psn  port  pad  the pad"},
		{"backspace", "pa", " filter: pa    pad  the pad"}, // the only way is told at once
		{"x", "pax", " filter: pax"},
		{"tab", "pax", " filter: pax"},
		{"backspace", "pa", " filter: pa    pad  the pad"},
		{"shift+tab", "pad", " filter: pad    pad  the pad"},
	} {
		if tt.key != "" {
			p.Input(uitest.Key(tt.key))
		}
		if got := bottom(); got != tt.bottom {
			t.Errorf("%s: %q, want %q", tt.key, got, tt.bottom)
		}
		if tt.key != "" && applied[len(applied)-1] != tt.applied {
			t.Errorf("%s: applied %q, want %q", tt.key, applied, tt.applied)
		}
	}
	if want := []string{"p1", "pa2", "pax3", "pa2"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	p.Input(uitest.Key("esc"))
	if applied[len(applied)-1] != "" || p.Typing() {
		t.Errorf("cancelled, and %q applies", applied[len(applied)-1])
	}
	p.Entry.Ask(screen.Filter(func(string) {}), "p")
	if got := bottom(); got != " filter: p" {
		t.Errorf("without ways to go on: %q", got)
	}
}

// TestManyWays: at most eight ways to go on are shown, around the one that is taken, which stands out.
func TestManyWays(t *testing.T) {
	p := two()
	p.Entry.SetTheme(uitest.Tokens())
	q := screen.Filter(func(string) {})
	q.Complete = func(string, int) (list []widget.Candidate) {
		for i := range 12 {
			list = append(list, widget.Candidate{Text: fmt.Sprintf("w%02d", i), Help: "help"})
		}
		return list
	}
	p.Entry.Ask(q, "")
	for i, tt := range []struct{ first, at int }{{0, -1}, {0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 5}, {2, 6}, {3,
		7}, {4, 8},
		{4, 9}, {4, 10}, {4, 11}, {0, 0}} {
		if i > 0 {
			p.Input(uitest.Key("tab"))
		}
		rows := strings.Split(widget.Render(p.Entry.Theme(), p, 100, 8), "\n")
		l := rows[len(rows)-1]
		words := strings.Fields(uitest.Text(l))[1:]
		if tt.at >= 0 {
			words = words[1:]
			if words[len(words)-1] != "help" {
				t.Errorf("%d: what it means is not told: %q", i, uitest.Text(l))
			}
			words = words[:len(words)-1]
			if want := fmt.Sprintf("‹Value›w%02d", tt.at); !strings.Contains(strings.ReplaceAll(uitest.Marked(t, l,
				"w0"), " ", ""),
				want) {
				t.Errorf("%d: %q does not stand out: %s", i, want, uitest.Marked(t, l, "w0"))
			}
		}
		if len(words) != 8 || words[0] != fmt.Sprintf("w%02d", tt.first) {
			t.Errorf("%d: %q, want eight from %d on", i, words, tt.first)
		}
	}
}

// TestChoices: at most nine choices are offered, each with its number; the marked one stands out, and a click takes the
// one under it. A single one is taken at once, none is no question.
func TestChoices(t *testing.T) {
	var done []string
	choices := func(n int) (list []screen.Choice) {
		for i := range n {
			name := fmt.Sprint("c", i+1)
			list = append(list, screen.Choice{name, func() tea.Cmd {
				done = append(done, name)
				return screen.Flash(name)
			}})
		}
		return list
	}
	p := two()
	p.Entry.SetTheme(uitest.Tokens())
	if cmd := p.Entry.Pick("do", nil); cmd != nil || p.Typing() {
		t.Error("there is a question without a choice")
	}
	if cmd := p.Entry.Pick("do", choices(1)); cmd == nil || p.Typing() || len(done) != 1 {
		t.Error("a single choice is not taken at once")
	}
	p.Entry.Pick("do", choices(11))
	render := func() string {
		rows := strings.Split(widget.Render(p.Entry.Theme(), p, 90, 8), "\n")
		return rows[len(rows)-1]
	}
	text := uitest.Text(render())
	if want := " do:  1 c1   2 c2   3 c3   4 c4   5 c5   6 c6   7 c7   8 c8   9 c9"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	for i, k := range []string{"", "right", "tab", "left", "left", "shift+tab", "right"} {
		if k != "" {
			p.Input(uitest.Key(k))
		}
		at := []int{1, 2, 3, 2, 1, 9, 1}[i]
		want := fmt.Sprintf("‹TabActive› %d c%d", at, at)
		if got := uitest.Marked(t, render(), "do:"); !strings.Contains(got, want) || strings.Count(got,
			"TabActive") != 1 {
			t.Errorf("%s: %q is not marked in %q", k, want, got)
		}
	}
	p.Input(uitest.Key("esc"))
	for x := range 75 {
		p.Entry.Pick("do", choices(9))
		render()
		want := 0
		if x >= 5 && (x-5)%7 < 6 && x < 5+9*7 {
			want = (x-5)/7 + 1
		}
		done = nil
		if taken := p.Mouse(widget.Mouse{X: x, Y: 7}); taken != (want > 0) {
			t.Fatalf("a click at %d of %q is taken: %v", x, text, taken)
		}
		cmd, taken := p.Input(tea.MouseClickMsg{})
		if want > 0 && (!taken || cmd == nil || !slices.Equal(done, []string{fmt.Sprint("c", want)})) || want == 0 &&
			len(done) > 0 {
			t.Fatalf("a click at %d takes %q, want %d", x, done, want)
		}
		p.Input(uitest.Key("esc"))
	}
	p.Entry.Pick("do", choices(9))
	if p.Mouse(widget.Mouse{X: 6, Y: 6}) || p.Mouse(widget.Mouse{Kind: widget.WheelUp, X: 6, Y: 7}) {
		t.Error("a click above the line, or the wheel, takes a choice")
	}
	for _, msg := range []tea.Msg{tea.PasteMsg{Content: "x"}, tea.WindowSizeMsg{}} {
		p.Entry.Pick("do", choices(2))
		if _, paste := msg.(tea.PasteMsg); p.Leave(msg) != paste || p.Typing() == paste {
			t.Errorf("%T leaves the choice open: %v", msg, p.Typing())
		}
	}
	p.Entry.StopPicking()
	if p.Leave(uitest.Key("x")) {
		t.Error("a choice is left that was not open")
	}
}

// TestLineBelow: the line for typing has the last row of the panes, which are laid out for the others, and no pane has
// the focus meanwhile.
func TestLineBelow(t *testing.T) {
	p := two()
	var heights []int
	lay := p.Lay
	p.Lay = func() widget.Block { heights = append(heights, p.H); return lay() }
	p.Boxes = append(p.Boxes, nil) // one that has not been laid out
	view(p)
	p.Entry.Ask(&screen.Question{Label: "to", Placeholder: "a file"}, "")
	if v := view(p); !strings.HasSuffix(v, " to:  a file") || p.Boxes[0].Focused || p.Has(0) {
		t.Errorf("%s\nthe pane has the focus: %v", v, p.Boxes[0].Focused)
	}
	if heights[0] != 8 || heights[len(heights)-1] != 7 || p.W != 20 {
		t.Errorf("heights %v", heights)
	}
	p.Input(uitest.Key("esc"))
	if view(p); !p.Boxes[0].Focused || !p.Has(0) || p.Has(1) || heights[len(heights)-1] != 8 {
		t.Errorf("after that: %v", heights)
	}
	p.Entry.Ask(&screen.Question{Label: "to"}, "")
	p.SetSize(20, 0)
	if p.H != 0 {
		t.Errorf("without room: %d rows", p.H)
	}
}

// TestUsed: after the mouse did something on a pane the screen is told, and otherwise not.
func TestUsed(t *testing.T) {
	p := two()
	view(p)
	used := 0
	p.Used = func() { used++ }
	if !p.Mouse(widget.Mouse{X: 3, Y: 5}) || used != 1 {
		t.Errorf("told %d times after a click", used)
	}
	if p.Mouse(widget.Mouse{Kind: widget.WheelUp, X: 3, Y: 5}) || used != 1 {
		t.Errorf("told %d times after a wheel that nothing took", used)
	}
	p.Used = nil
	if !p.Mouse(widget.Mouse{X: 3, Y: 1}) || p.Focus != 0 {
		t.Error("a click does not focus the pane")
	}
}

// TestFocusGoesRound: the keys of the panes go round among those that are shown, in both directions.
func TestFocusGoesRound(t *testing.T) {
	p := two()
	p.Count, p.First = 3, 1
	p.Focus = 1
	for _, tt := range []struct {
		key  string
		want screen.Pane
	}{{"]", 2}, {"]", 3}, {"]", 1}, {"[", 3}, {"[", 2}, {"shift+tab", 1}, {"tab", 2}, {"shift+tab", 1}} {
		if _, taken := p.Input(uitest.Key(tt.key)); !taken && len(tt.key) == 1 {
			t.Errorf("%s is not taken", tt.key)
		} else if taken && p.Focus != tt.want {
			t.Errorf("%s: pane %d, want %d", tt.key, p.Focus, tt.want)
		}
	}
	if !p.Back() && p.Focus != 1 {
		t.Errorf("esc: pane %d", p.Focus)
	}
	if _, taken := p.Input(tea.PasteMsg{Content: "x"}); taken {
		t.Error("a paste is taken, and nothing is being typed")
	}
	if _, taken := p.Input(tea.WindowSizeMsg{}); taken {
		t.Error("another message is taken")
	}
}

// TestNothingToCopy: y says so if a pane shows nothing.
func TestNothingToCopy(t *testing.T) {
	p := two()
	p.Boxes[0] = nil
	cmd, taken := p.Input(uitest.Key("y"))
	if msg := cmd(); !taken || msg.(screen.FlashMsg).Text != "Nothing to copy here" {
		t.Errorf("%v", msg)
	}
}

// TestActions: the first action of a key that does something wins; those whose condition does not hold are told apart.
func TestActions(t *testing.T) {
	did := ""
	do := func(name string) func(*screen.Panes) tea.Cmd {
		return func(*screen.Panes) tea.Cmd { did += name; return nil }
	}
	never := func(*screen.Panes) bool { return false }
	list := []screen.Action[*screen.Panes]{screen.On[*screen.Panes](&keymap.Wire.Fold, nil),
		screen.On(&keymap.Wire.Talk, do("v")).When(never),
		screen.On(&keymap.Wire.Device, do("d")).When(func(*screen.Panes) bool { return true })}
	more := []screen.Action[*screen.Panes]{screen.On(&keymap.Wire.Fold, do(".")),
		screen.On(&keymap.Wire.Device, do("D"))}
	p := two()
	for name, want := range map[string]string{"v": "v", "d": "d", ".": ".", "x": ""} {
		did = ""
		if _, taken := screen.Do(p, uitest.Key(name), list, more); did != want || taken != (want != "") {
			t.Errorf("%s does %q, want %q", name, did, want)
		}
	}
	own, _ := screen.ContextNow(p, keymap.WireScreen, list).Short()
	for name, want := range map[string]bool{"v": false, "d": true, ".": true, "f": true} {
		if got := slices.ContainsFunc(own, func(b key.Binding) bool { return b.Keys()[0] == name }); got != want {
			t.Errorf("%s is offered: %v", name, got)
		}
	}
}
