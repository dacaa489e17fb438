package wire

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
)

// TestFaultPanel: each change is in force at once, by the line that the panel shows.
func TestFaultPanel(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		x.sess.Do("fault soft0 off")
		x.refresh()
		x.keys("d", "f")
		for _, tt := range []struct {
			keys []string
			line string
		}{
			{[]string{"+"}, "fault soft0 loss=0.1%"},
			{[]string{"+"}, "fault soft0 loss=0.5%"},
			{[]string{"e", "7", "%", "enter"}, "fault soft0 loss=7%"},
			{[]string{"+"}, "fault soft0 loss=10%"},
			{[]string{"-"}, "fault soft0 loss=5%"},
			{[]string{"down", "="}, "fault soft0 loss=5% duplicate=0.1%"},
			{[]string{"end", "up", "e", "3", "m", "s", "enter"}, "fault soft0 loss=5% duplicate=0.1% delay=3ms"},
			{[]string{"-"}, "fault soft0 loss=5% duplicate=0.1% delay=1ms"},
			{[]string{"home", "delete"}, "fault soft0 duplicate=0.1% delay=1ms"},
			{[]string{"C"}, "fault soft0 off"},
			{[]string{"-"}, "fault soft0 off"},
		} {
			x.sess.Lines()
			x.keys(tt.keys...)
			x.refresh()
			if ran := x.sess.Lines(); !slices.Equal(ran, []string{tt.line}) {
				t.Errorf("%q ran %q, want %s", tt.keys, ran, tt.line)
			}
			for _, size := range [][2]int{{80, 20}, {120, 36}, {200, 56}} {
				if view := x.view(size[0], size[1]); !strings.Contains(view, tt.line) {
					t.Errorf("%q in %v: %s is not shown:\n%s", tt.keys, size, tt.line, view)
				}
			}
			if on := !strings.HasSuffix(tt.line, " off"); on != x.s.taps.faults["soft0"].Active() {
				t.Errorf("%s: in force are %v", tt.line, x.s.taps.faults["soft0"])
			}
		}
		x.keys("o")
		if x.s.faults.device != "soft1" {
			t.Errorf("o shows %s", x.s.faults.device)
		}
		x.keys("e", "2", "0", "0", "%", "enter")
		if view := x.view(120, 36); !strings.Contains(view, "200%") || len(x.sess.Lines()) > 0 {
			t.Errorf("a wrong value is taken, or not shown:\n%s", view)
		}
		x.keys("esc", "esc")
		if x.s.faulting || x.s.Focus != panePackets {
			t.Errorf("esc leaves the panel open, the focus is %d", x.s.Focus)
		}
	})
}

// TestFaultsInTurn: of changes that are made while a line runs, only the last is put in force after it.
func TestFaultsInTurn(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		x.sess.Do("fault soft0 off")
		x.refresh()
		x.keys("d", "f")
		press := func(key string) tea.Cmd { return x.s.Update(tea.KeyPressMsg{Code: rune(key[0]), Text: key}) }
		first := press("+")
		for range 2 {
			if press("+") != nil {
				t.Fatal("a second line runs beside the first")
			}
		}
		x.refresh()
		if got := x.s.faults.now.Loss; got != 0.01 {
			t.Errorf("while the line runs the form shows a loss of %v", got)
		}
		next := x.s.Update(first().(screen.DoneMsg))
		if next == nil {
			t.Fatal("the last change is forgotten")
		}
		if x.s.Update(next()) != nil {
			t.Error("it runs once more")
		}
		x.refresh()
		if ran := x.sess.Lines(); !slices.Equal(ran[max(len(ran)-2, 0):],
			[]string{"fault soft0 loss=0.1%", "fault soft0 loss=1%"}) {
			t.Errorf("ran %q", ran)
		}
	})
}

// TestStepped: + and - go to the next value of the list, also from a value between.
func TestStepped(t *testing.T) {
	for _, tt := range []struct {
		from time.Duration
		by   int
		want time.Duration
	}{{0, 1, 10 * time.Microsecond}, {0, -1, 0}, {time.Minute, 1, time.Minute}, {time.Minute, -1, 10 * time.Second},
		{3 * time.Millisecond, 1, 5 * time.Millisecond}, {3 * time.Millisecond, -1, time.Millisecond}} {
		if got := stepped(spanSteps, tt.from, tt.by); got != tt.want {
			t.Errorf("%v by %d: %v, want %v", tt.from, tt.by, got, tt.want)
		}
	}
	if !slices.IsSorted(shareSteps) || !slices.IsSorted(spanSteps) {
		t.Error("the steps are not in ascending order")
	}
}
