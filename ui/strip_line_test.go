package ui

import (
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// stripOf makes a strip that has seen what is added to a log.
func stripOf(th *theme.Theme, asking int, add func(l *timeline.Log)) *strip {
	l := ticking(512)
	add(l)
	st := &screen.State{Counts: l.Counts()}
	for range asking {
		st.Session.IDs = append(st.Session.IDs, session.IDView{State: session.IDRequest})
	}
	s := newStrip(th)
	s.refresh(l, st)
	return s
}

func portErr(l *timeline.Log) {
	l.Append(timeline.Event{Kind: timeline.KindAsync,
		Async: &timeline.AsyncEvent{Type: verbs.EventPortErr, Device: "rxe0", PortNum: 1}})
}

func noted(l *timeline.Log) {
	l.Append(timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Text: "a note"}})
}

func completed(l *timeline.Log) { l.AppendBatch([]timeline.Completion{recvDone(7)}) }

func failed(l *timeline.Log) { l.AppendBatch([]timeline.Completion{sendFailed(8)}) }

func ranWith(err, errno string) func(l *timeline.Log) {
	return func(l *timeline.Log) {
		l.Append(timeline.Event{Kind: timeline.KindCommand,
			Command: &timeline.CommandDone{Line: "modify_qp a RTS", Err: err, Errno: errno}})
	}
}

// TestStripLine: the line has the counts of completions and the last one at the left, who waits for an answer, the
// number of events and the last one at the right. What does not fit is left out, the least important first.
func TestStripLine(t *testing.T) {
	all := func(list ...func(*timeline.Log)) func(*timeline.Log) {
		return func(l *timeline.Log) {
			for _, add := range list {
				add(l)
			}
		}
	}
	for _, tt := range []struct {
		add         func(*timeline.Log)
		asking, w   int
		left, right string
	}{
		{all(), 0, 80, "No completions yet", ""}, {all(), 2, 80, "No completions yet", "2 asking"},
		{all(completed), 0, 80, "✓ 1 ok   last: wr 7 SUCCESS qp b · 14.001", ""},
		{all(completed), 1, 80, "✓ 1 ok   last: wr 7 SUCCESS qp b · 14.001", "1 asking"},
		{all(completed, failed), 0, 80, "✓ 1 ok ✗ 1 failed   last: wr 8 REM_ACCESS_ERR qp a · 14.003", ""},
		{all(completed, failed), 0, 56, "✓ 1 ok ✗ 1 failed   last: wr 8 REM_ACCESS_ERR qp a", ""},
		{all(completed, failed), 0, 50, "✓ 1 ok ✗ 1 failed   last: wr 8 REM_ACCESS_ERR", ""},
		{all(completed, failed), 0, 40, "✓ 1 ok ✗ 1 failed", ""},
		{all(portErr), 0, 90, "No completions yet", "events 1: PORT_ERR  rxe0 port 1  a port went down"},
		{all(portErr), 0, 72, "No completions yet", "events 1: PORT_ERR  rxe0 port 1  a port went down"},
		{all(portErr), 0, 71, "No completions yet", "events 1: PORT_ERR  rxe0 port 1"},
		{all(portErr), 0, 54, "No completions yet", "events 1: PORT_ERR  rxe0 port 1"},
		{all(portErr), 0, 53, "No completions yet", "events 1: PORT_ERR"},
		{all(noted), 0, 80, "No completions yet", "events: a note"},
		{all(portErr, noted), 1, 80, "No completions yet", "1 asking  events 1: a note"},
		{all(completed, portErr), 0, 140, "✓ 1 ok   last: wr 7 SUCCESS qp b · 14.001",
			"events 1: PORT_ERR  rxe0 port 1  a port went down"},
		{all(completed, portErr), 0, 95, "✓ 1 ok   last: wr 7 SUCCESS qp b · 14.001",
			"events 1: PORT_ERR  rxe0 port 1  a port went down"},
		{all(completed, portErr), 0, 94, "✓ 1 ok   last: wr 7 SUCCESS qp b · 14.001",
			"events 1: PORT_ERR  rxe0 port 1"},
		{all(completed, portErr), 0, 77, "✓ 1 ok   last: wr 7 SUCCESS qp b · 14.001",
			"events 1: PORT_ERR  rxe0 port 1"},
		{all(completed, portErr), 0, 76, "✓ 1 ok   last: wr 7 SUCCESS qp b · 14.001", "events 1: PORT_ERR"},
		{all(completed, portErr), 0, 40, "✓ 1 ok", "events 1: PORT_ERR"},
		{all(completed, portErr), 0, 29, "✓ 1 ok", "events 1: PORT_ERR"}, {all(completed, portErr), 0, 28, "✓ 1 ok",
			"PORT_ERR"},
		{all(ranWith("", "")), 0, 80, "No completions yet", ""},
		{all(ranWith("ibv_modify_qp: EINVAL", "EINVAL")), 0, 80, "No completions yet",
			"events: modify_qp a RTS ✗ EINVAL"},
		{all(ranWith("it is wrong", "")), 0, 80, "No completions yet", "events: modify_qp a RTS ✗ it is wrong"},
	} {
		s := stripOf(theme.New("none", true), tt.asking, tt.add)
		got := uitest.Text(widget.Render(s.th, s, tt.w, 1))
		want := " " + tt.left
		if tt.right != "" {
			want += strings.Repeat(" ", tt.w-1-len([]rune(want))-len([]rune(tt.right))) + tt.right
		}
		if got != want {
			t.Errorf("%d cells, %d asking:\n%q, want\n%q", tt.w, tt.asking, got, want)
		}
	}
}

// TestStripStyles: what waits is a warning, what failed an error, in the line and in the boxes.
func TestStripStyles(t *testing.T) {
	th := uitest.Tokens()
	s := stripOf(th, 1, func(l *timeline.Log) { completed(l); failed(l); ranWith("no", "")(l) })
	for _, tt := range []struct {
		h    int
		text string
		want string
	}{
		{1, "1 ok", " ‹OK›✓ ‹Value›1‹Dim› ok ‹Err›✗ 1 failed   ‹Dim›last: ‹Label›wr ‹Value›8 ‹Err›REM_ACCESS_ERR "},
		{1, "asking", "‹Warn›1 asking  ‹Dim›events: ‹Value›modify_qp a RTS ‹Err›✗ no\n"},
		{5, "wr 8", " ‹Err›14.003  ‹Label›wr ‹Value›8  ‹Err›REM_ACCESS_ERR"},
		{5, "wr 7", " ‹Dim›14.001  ‹Label›wr ‹Value›7  RECV  ‹OK›SUCCESS"}, {5, "asking", "‹Warn›1 asking"},
		{5, "modify_qp", " ‹Err›14.004  ‹Value›modify_qp a RTS ‹Err›✗ no"},
	} {
		if got := uitest.Marked(t, widget.Render(th, s, 160, tt.h), tt.text); !strings.Contains(strings.ReplaceAll(got,
			"‹›", ""),
			tt.want) {
			t.Errorf("%d rows, %s: %q, want %q", tt.h, tt.text, got, tt.want)
		}
	}
}

// TestStripPane: the pane has the last three completions and events in two boxes, in a narrow window one box with both.
// The last failed completion stays on top when later ones push it out.
func TestStripPane(t *testing.T) {
	for _, tt := range []struct {
		add  func(*timeline.Log)
		w, h int
		want []string // how each row goes on after the frame
	}{
		{func(l *timeline.Log) {}, 76, 5, []string{" none yet", "", ""}},
		{completed, 76, 5, []string{" 14.001  wr 7", "", ""}},
		{func(l *timeline.Log) {
			for range 3 {
				completed(l)
			}
		}, 76, 5, []string{" 14.001  wr 7", " 14.003  wr 7", " 14.004  wr 7"}},
		{func(l *timeline.Log) {
			failed(l)
			for range 3 {
				completed(l)
			}
		}, 76, 5, []string{" 14.001  wr 8", " 14.004  wr 7", " 14.006  wr 7"}},
		{func(l *timeline.Log) {
			completed(l)
			failed(l)
			completed(l)
		}, 76, 5, []string{" 14.001  wr 7", " 14.003  wr 8", " 14.004  wr 7"}},
		{func(l *timeline.Log) {
			for range 5 {
				completed(l)
			}
			failed(l)
		}, 76, 5, []string{" 14.006  wr 7", " 14.007  wr 7", " 14.009  wr 8"}},
		{func(l *timeline.Log) { failed(l); completed(l) }, 75, 3, []string{" 14.003  wr 7"}}, // one row has the last
		{func(l *timeline.Log) { completed(l); portErr(l) }, 75, 5, []string{" 14.001  wr 7", "", " 14.003  PORT_ERR"}},
		{func(l *timeline.Log) { completed(l); portErr(l) }, 75, 6, []string{" 14.001  wr 7", "", " 14.003  PORT_ERR",
			""}},
		{portErr, 75, 5, []string{" none yet", "", " 14.001  PORT_ERR"}},
	} {
		s := stripOf(theme.New("none", true), 0, tt.add)
		rows := strings.Split(uitest.Text(widget.Render(s.th, s, tt.w, tt.h)), "\n")
		for y, want := range tt.want {
			got := strings.TrimPrefix(rows[y+1], "│")
			if cell, _, _ := strings.Cut(got, "│"); !strings.HasPrefix(cell, want) ||
				want == "" && strings.TrimSpace(cell) != "" {
				t.Errorf("%dx%d, row %d: %q, want %q\n%s", tt.w, tt.h, y, cell, want, strings.Join(rows, "\n"))
			}
		}
		if got := strings.Contains(rows[0], "╮╭"); got != (tt.w >= stripTwo) {
			t.Errorf("%dx%d: two boxes: %v", tt.w, tt.h, got)
		}
	}
}

// TestStripTakesAll: however many events a frame brings, the strip has the last ones and has seen them all.
func TestStripTakesAll(t *testing.T) {
	for _, n := range []int{1, 3, 4, 5, stripLook - 1, stripLook, stripLook + 1, 2*stripLook + 7} {
		l := ticking(1024)
		s := newStrip(theme.New("none", true))
		s.refresh(l, &screen.State{})
		for i := range n {
			l.AppendBatch([]timeline.Completion{recvDone(uint64(i))})
		}
		for range 2 {
			s.refresh(l, &screen.State{Counts: l.Counts()})
		}
		if len(s.wcs) != min(n, stripKeep) || s.wcs[len(s.wcs)-1].WC.WC.WRID != uint64(n-1) || s.seen != l.Last() {
			t.Errorf("%d events: %d completions, seen %d of %d", n, len(s.wcs), s.seen, l.Last())
		}
		noted(l)
		if !s.refresh(l, &screen.State{Counts: l.Counts()}) || len(s.events) != 1 || len(s.wcs) != min(n, stripKeep) {
			t.Errorf("%d events and a note: %d events, %d completions", n, len(s.events), len(s.wcs))
		}
	}
	var list []timeline.Event
	for _, k := range []timeline.Kind{timeline.KindWC, timeline.KindNote, timeline.KindWC, timeline.KindWC} {
		list = append(list, timeline.Event{Kind: k})
	}
	for n, want := range map[int]int{1: 3, 2: 2, 3: 0, 4: 0} {
		if got := lastCompletions(list, n); got != want {
			t.Errorf("the last %d begin at %d, want %d", n, got, want)
		}
	}
}
