package devices

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/verbstest/race"
)

func testTheme() *theme.Theme { return theme.New("dark", true) }

// draw draws a screen as root does.
func draw(s *Screen, w, h int) string {
	b := line.New(s.th)
	drawTo(b, s, w, h)
	return uitest.Text(b.String())
}

func drawTo(b *line.Buf, s *Screen, w, h int) { widget.Draw(b, s, w, h) }

func contains(view, text string) bool { return strings.Contains(view, text) }

func widgetMouse(msg tea.Msg) (widget.Mouse, bool) { return widget.MouseOf(msg) }

var sizes = []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}, {40, 10}}

func TestGolden(t *testing.T) {
	for _, tt := range []struct {
		name string
		host func() *fakeHost
		keys []string
	}{
		{"first", lab, nil},
		{"attributes", lab, []string{"a", "down", "down", "down"}},
		{"laptop", laptop, nil},
		{"missing", laptop, []string{"d"}},
		{"gids", lab, []string{"i", "down"}},
		{"counters", lab, []string{"#"}},
		{"ports", func() *fakeHost { return twoPorts(1, verbs.PortActive) }, []string{"down"}},
		{"search", lab, []string{"/", "r", "d", "_", "a"}},
	} {
		for _, sz := range sizes {
			d, r := start(t, tt.host(), sz.w, sz.h)
			press(d, r, tt.keys...)
			uitest.Golden(t, fmt.Sprintf("%s-%dx%d", tt.name, sz.w, sz.h), d.View())
			uitest.Exact(t, d.Raw(), sz.w, around(sz.h))
		}
	}
}

func TestASCII(t *testing.T) {
	d, r := startIn(t, lab(), theme.New("none", false), 120, 40)
	press(d, r, "P")
	uitest.Golden(t, "120x40", d.View())
	for i, r := range d.View() {
		if r >= 0x80 {
			t.Fatalf("%q at byte %d is not ASCII", r, i)
		}
	}
}

// A pane's height depends on its content, and the amount of content on whether the
// pane is high enough to wrap: the layout must settle at once.
func TestPanesDoNotJump(t *testing.T) {
	widths := race.Sample([]int{140, 110, 180, 200}, 1)
	for _, key := range []string{"a", "P", "i", "#", "H", "U", "d"} {
		for h := 20; h <= 60; h += 5 {
			for _, w := range widths {
				d, r := start(t, lab(), w, h)
				press(d, r, key)
				first := d.View()
				d.Keys("down", "up")
				for range 3 {
					r.SetSize(w, h)
				}
				if again := d.View(); again != first {
					t.Fatalf("%s at %dx%d: first\n%s\nthen\n%s", key, w, h, first, again)
				}
			}
		}
	}
}
