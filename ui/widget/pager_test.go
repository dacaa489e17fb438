package widget_test

import (
	"slices"
	"strings"
	"testing"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

func TestWrap(t *testing.T) {
	tests := []struct {
		in   string
		w    int
		want []string
	}{
		{"one two three", 7, []string{"one two", "three"}},
		{"one two three", 99, []string{"one two three"}},
		{"  one two", 6, []string{"  one", "  two"}},
		{"unbreakable x", 4, []string{"unbreakable", "x"}},
		{"日本 語文", 4, []string{"日本", "語文"}},
		{"", 4, []string{""}},
		{"        ", 3, []string{"        "}},
	}
	for _, tt := range tests {
		if got := widget.Wrap(nil, tt.in, tt.w); !slices.Equal(got, tt.want) {
			t.Errorf("Wrap(%q, %d) = %q, want %q", tt.in, tt.w, got, tt.want)
		}
	}
}

func TestFill(t *testing.T) {
	tests := []struct {
		in   string
		w    int
		want []string
	}{
		{"f(x, IBV_QP_STATE|IBV_QP_AV|IBV_QP_PORT)", 26, []string{"f(x,", "IBV_QP_STATE|IBV_QP_AV|", "IBV_QP_PORT)"}},
		{"{one,two,three}", 8, []string{"{one,", "two,", "three}"}},
		{"A|B C|D", 3, []string{"A|B", "C|D"}},
		{"unbreakable|x", 4, []string{"unbr", "eaka", "ble|", "x"}},
	}
	for _, tt := range tests {
		if got := widget.Fill(nil, tt.in, tt.w); !slices.Equal(got, tt.want) {
			t.Errorf("Fill(%q, %d) = %q, want %q", tt.in, tt.w, got, tt.want)
		}
	}
}

func TestPagerScroll(t *testing.T) {
	th := theme.New("none", true)
	p := widget.NewPager(th)
	p.SetText(strings.Repeat("x\n", 100), th.Value)
	p.SetSize(10, 10)
	for _, step := range []struct {
		key string
		top int
	}{{"up", 0}, {"down", 1}, {"pgdown", 11}, {"end", 90}, {"j", 90}, {"pgup", 80}, {"k", 79}, {"g", 0}} {
		if !p.Update(uitest.Key(step.key)) || p.Top() != step.top {
			t.Errorf("%s: top %d, want %d", step.key, p.Top(), step.top)
		}
	}
	for _, step := range []struct {
		kind widget.MouseKind
		top  int
	}{{widget.WheelDown, 3}, {widget.WheelDown, 6}, {widget.WheelUp, 3}, {widget.Click, 3}} {
		used := p.Mouse(widget.Mouse{Kind: step.kind})
		if p.Top() != step.top || used == (step.kind == widget.Click) {
			t.Errorf("mouse %d: used %v, top %d, want %d", step.kind, used, p.Top(), step.top)
		}
	}
}

// Lines outside the window are not drawn.
func TestOnlyVisibleAreDrawn(t *testing.T) {
	th := theme.New("none", true)
	p, drawn := widget.NewPager(th), 0
	p.SetLines(1_000_000, func(b *line.Buf, _ int) { drawn++; b.Text("x", th.Value) })
	uitest.Exact(t, widget.Render(th, p, 20, 7), 20, 7)
	if drawn != 7 {
		t.Errorf("%d lines drawn, want 7", drawn)
	}
}

// Find goes to what it finds, n and N from one place to the next, and round.
func TestPagerFind(t *testing.T) {
	th := theme.New("dark", true)
	p := widget.NewPager(th)
	p.SetText(strings.Repeat("x\n", 20)+"a Needle\n"+strings.Repeat("x\n", 20)+"needle, needle\n"+
		strings.Repeat("x\n", 20), th.Value)
	p.SetSize(20, 5)
	p.Find("NEEDLE")
	for _, step := range []struct {
		key string
		top int
	}{{"", 20}, {"n", 41}, {"n", 20}, {"N", 41}, {"N", 20}} {
		if step.key != "" && !p.Update(uitest.Key(step.key)) {
			t.Errorf("%s was not taken", step.key)
		}
		if p.Top() != step.top {
			t.Errorf("%q leads to line %d, want %d", step.key, p.Top(), step.top)
		}
	}
	p.Update(uitest.Key("n"))
	if got := strings.Count(widget.Render(th, p, 20, 5), th.Match.SGR()); got != 2 {
		t.Errorf("%d places are marked, want 2", got)
	}
	p.Find("")
	if p.Update(uitest.Key("n")) || strings.Contains(widget.Render(th, p, 20, 5), th.Match.SGR()) {
		t.Error("something is searched for that was ended")
	}
	p.Find("nowhere")
	if top := p.Top(); top != 41 {
		t.Errorf("what is not there leads to line %d", top)
	}
}
