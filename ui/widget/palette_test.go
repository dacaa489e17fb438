package widget_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

var paletteItems = []widget.PaletteItem{
	{Kind: "key", Text: "run", Note: "Post", Key: "enter"},
	{Kind: "key", Text: "previous screen", Note: "Post", Key: "shift+tab"},
	{Kind: "screen", Text: "Wire", Key: "6"},
	{Kind: "command", Text: "query_qp", Note: "read a queue pair's attributes  [QP]"},
	{Kind: "command", Text: "query_port", Note: "read a port's attributes"},
	{Kind: "command", Text: "destroy_qp", Note: "destroy a queue pair"},
	{Kind: "setting", Text: "theme dark", Note: "colours"},
	{Kind: "explain", Text: "status RNR_RETRY_EXC_ERR", Note: "no RECV at any try"},
	{Kind: "recent", Text: "note \x1b[2J hostile"},
}

func TestPaletteFind(t *testing.T) {
	tests := []struct {
		typed string
		want  []string // the first that are found
	}{
		{"", []string{"run", "previous screen"}},
		{"qqp", []string{"query_qp"}},
		{"query_", []string{"query_qp", "query_port"}},
		{"wire", []string{"Wire"}},
		{"dark theme", []string{"theme dark"}},
		{"theme dark", []string{"theme dark"}},
		{"rnr", []string{"status RNR_RETRY_EXC_ERR"}},
		{"QUEUE pair destroy", []string{"destroy_qp"}},
		{"zzz", nil},
	}
	for _, tt := range tests {
		p := widget.NewPalette(theme.New("none", true), "command", paletteItems)
		for _, r := range tt.typed {
			p.Update(uitest.Key(string(r)))
		}
		var got []string
		for _, item := range p.Found() {
			got = append(got, paletteItems[item].Text)
		}
		if !slices.Equal(got[:min(len(got), len(tt.want))], tt.want) || len(tt.want) == 0 && len(got) > 0 {
			t.Errorf("%q finds %q, want first %q", tt.typed, got, tt.want)
		}
	}
}

func TestPaletteKeys(t *testing.T) {
	p := widget.NewPalette(theme.New("none", true), "command", paletteItems)
	widget.Render(p.Theme(), p, 60, 6)
	for _, st := range []struct {
		key  string
		want int
		ev   widget.PaletteEvent
	}{
		{"down", 1, widget.PaletteUnchanged}, {"up", 0, widget.PaletteUnchanged}, {"up", 0, widget.PaletteUnchanged},
		{"pgdown", 4, widget.PaletteUnchanged}, {"tab", 5, widget.PaletteUnchanged},
		{"pgdown", 8, widget.PaletteUnchanged}, {"pgdown", 8, widget.PaletteUnchanged},
		{"enter", 8, widget.PaletteAccept}, {"esc", 8, widget.PaletteClosed},
	} {
		if ev := p.Update(uitest.Key(st.key)); ev != st.ev || p.Chosen() != st.want {
			t.Errorf("%s: event %d, item %d; want %d, %d", st.key, ev, p.Chosen(), st.ev, st.want)
		}
	}
	widget.Render(p.Theme(), p, 60, 6)
	if p.Mouse(widget.Mouse{Kind: widget.Click, Y: 2}); p.Chosen() != 5 {
		t.Errorf("a click marks item %d", p.Chosen())
	}
	for _, k := range strings.Split("zzz", "") {
		p.Update(uitest.Key(k))
	}
	if ev := p.Update(uitest.Key("enter")); ev != widget.PaletteUnchanged || p.Chosen() != -1 {
		t.Error("enter takes what is not there")
	}
}

func TestPaletteGolden(t *testing.T) {
	for _, uni := range []bool{true, false} {
		for _, size := range [][2]int{{76, 12}, {40, 6}, {3, 1}} {
			th := theme.New("none", uni)
			p := widget.NewPalette(th, "command", paletteItems)
			p.Update(uitest.Key("down"))
			got := widget.Render(th, p, size[0], size[1])
			uitest.Exact(t, got, size[0], size[1])
			uitest.Golden(t, fmt.Sprintf("%dx%d-%v", size[0], size[1], uni), uitest.Text(got))
		}
	}
}

// What the row under the cursor cuts is told whole below the list.
func TestAbout(t *testing.T) {
	th := theme.New("none", true)
	many := append(slices.Repeat([]widget.PaletteItem{{Kind: "key", Text: "short"}}, 20),
		widget.PaletteItem{Kind: "explain", Text: strings.Repeat("name ", 12) + "end",
			Note: strings.Repeat("text ", 10) + "end"})
	for _, w := range []int{40, 76, 96, 110} { // in 5, 3, 2 and 2 rows
		p := widget.NewPalette(th, "command", many)
		widget.Render(th, p, w, 20)
		if p.About() != nil {
			t.Errorf("%d cells: a short item is told twice", w)
		}
		p.Move(len(many))
		got := strings.Join(strings.Fields(uitest.Text(widget.Render(th, p, w, 20))), " ")
		if want := strings.Repeat("name ", 12) + "end: " + strings.Repeat("text ", 10) +
			"end"; !strings.HasSuffix(got, want) {
			t.Errorf("%d cells: %q does not end in %q", w, got, want)
		}
	}
}
