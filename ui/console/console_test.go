package console

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

func verbs(text string, cursor int) []widget.Candidate {
	var out []widget.Candidate
	for _, v := range []string{"alloc_pd", "create_cq", "create_qp", "modify_qp", "post_recv", "post_send"} {
		if strings.HasPrefix(v, text[:cursor]) {
			out = append(out, widget.Candidate{Text: v, Help: "ibv_" + v})
		}
	}
	return out
}

// rig is an open console over a log.
type rig struct {
	*Console
	t   *testing.T
	log *timeline.Log
	th  *theme.Theme
}

func newRig(t *testing.T, uni bool) *rig {
	r := &rig{t: t, log: timeline.New(0, nil), th: theme.New("none", uni)}
	r.Console = New(r.th, r.log, verbs)
	r.Open("")
	return r
}

func (r *rig) press(keys ...string) (ev Event) {
	for _, k := range keys {
		ev = r.Update(uitest.Key(k))
	}
	return ev
}

func (r *rig) done(c timeline.CommandDone) {
	r.log.Append(timeline.Event{Kind: timeline.KindCommand, Command: &c})
	r.Refresh()
}

func (r *rig) view(w, h int) string {
	r.t.Helper()
	got := widget.Render(r.th, r.Console, w, h)
	uitest.Exact(r.t, got, w, h)
	return uitest.Text(got)
}

func (r *rig) shows(text string, want bool) {
	r.t.Helper()
	if v := r.view(60, 12); strings.Contains(v, text) != want {
		r.t.Errorf("%q is shown: %v, want %v\n%s", text, !want, want, v)
	}
}

func TestGolden(t *testing.T) {
	for _, uni := range []bool{true, false} {
		for _, size := range [][2]int{{78, 16}, {40, 8}, {20, 3}, {3, 1}} {
			r := newRig(t, uni)
			r.done(timeline.CommandDone{Line: "open_device soft0",
				Result: "soft device, port 1 ACTIVE, ETHERNET, active_mtu 4096", Took: 83 * time.Microsecond})
			r.done(timeline.CommandDone{Line: "modify_qp a RTR dest_qp_num=\x1b[2J", Check: "missing rq_psn",
				Err: "ibv_modify_qp: invalid argument", Errno: "EINVAL",
				Hint: "set rq_psn to the first PSN that the peer sends, which is its sq_psn: take it from the peer's line"})
			r.press("c", "r", "tab")
			r.Fail("which pd?", len(r.Value()), nil)
			uitest.Golden(t, fmt.Sprintf("%dx%d-%v", size[0], size[1], uni), r.view(size[0], size[1]))
		}
	}
}

func TestKeys(t *testing.T) {
	r := newRig(t, true)
	if ev := r.press("p", "o", "tab", "tab", "x", "enter"); ev != Accept || r.Value() != "post_sendx" {
		t.Errorf("event %d value %q", ev, r.Value())
	}
	r.Remember(r.Value())
	r.Fail("no", 0, nil)
	r.shows("no", true)
	if r.press("delete"); r.Value() != "ost_sendx" {
		t.Errorf("the cursor is not at the mistake: %q", r.Value())
	}
	if r.shows(" no\n", false); r.press("esc") != Closed || r.IsOpen() {
		t.Error("esc did not close")
	}
	if r.press("a"); r.Height(20) != 0 {
		t.Error("a closed console takes keys or room")
	}
	r.Open("draft")
	if r.press("up"); r.Value() != "post_sendx" {
		t.Errorf("up: %q", r.Value())
	}
	if r.press("up", "down"); r.Value() != "draft" {
		t.Errorf("down: %q", r.Value())
	}
}

// An empty line leaves its rows to results; tab lists all commands.
func TestCandidatesOfAnEmptyLine(t *testing.T) {
	r := newRig(t, true)
	r.shows("alloc_pd", false)
	if r.press("tab"); r.Value() != "" {
		t.Errorf("tab took %q", r.Value())
	}
	r.shows("alloc_pd", true)
	if r.press("tab"); r.Value() != "alloc_pd" {
		t.Errorf("the second tab took %q", r.Value())
	}
}

// Tab replaces a mistyped word with the suggestion.
func TestMeant(t *testing.T) {
	r := newRig(t, true)
	r.SetValue("qury_qp a")
	r.Fail("unknown command", 7, &widget.Candidate{Text: "query_qp", From: 0, To: 7})
	if r.press("tab"); r.Value() != "query_qp a" {
		t.Errorf("tab made it %q", r.Value())
	}
}

func TestSearch(t *testing.T) {
	lines := []string{"reg_mr one length=8", "alloc_pd pd", "reg_mr two length=16", "alloc_pd pd"}
	tests := []struct {
		keys []string
		want string
	}{
		{[]string{"ctrl+r", "enter"}, "alloc_pd pd"},
		{[]string{"ctrl+r", "r", "e", "g", "enter"}, "reg_mr two length=16"},
		{[]string{"ctrl+r", "r", "e", "g", "ctrl+r", "enter"}, "reg_mr one length=8"},
		{[]string{"ctrl+r", "r", "e", "g", "down", "up", "tab"}, "reg_mr two length=16"},
		{[]string{"ctrl+r", "M", "R", "space", "8", "enter"}, "reg_mr one length=8"},
		{[]string{"ctrl+r", "x", "x", "enter"}, "draft"},
		{[]string{"ctrl+r", "r", "esc"}, "draft"},
		{[]string{"ctrl+r", "r", "esc", "x"}, "draftx"},
	}
	for _, tt := range tests {
		r := newRig(t, true)
		r.SetHistory(lines)
		r.SetValue("draft")
		if ev := r.press(tt.keys...); ev != None || r.Value() != tt.want || !r.IsOpen() {
			t.Errorf("%v: %q, event %d, want %q", tt.keys, r.Value(), ev, tt.want)
		}
	}
}

// A result is shown in full: wrapped, from its beginning if it is longer than the
// view, and scrolled by keys and wheel.
func TestScroll(t *testing.T) {
	r := newRig(t, true)
	var rows []string
	for i := range 50 {
		rows = append(rows, fmt.Sprintf("row %d.", i))
	}
	r.done(timeline.CommandDone{Line: "note old", Result: "old"})
	r.done(timeline.CommandDone{Line: "help", Result: strings.Join(rows, "\n")})
	r.shows(":help", true)
	r.shows("row 9.", false)
	r.press("pgdown")
	r.shows("row 9.", true)
	for range 10 {
		r.press("pgdown")
	}
	r.shows("row 49.", true)
	r.done(timeline.CommandDone{Line: "note new", Result: "new"})
	r.shows(":note new", true)
	for range 3 {
		r.Mouse(widget.Mouse{Kind: widget.WheelUp, Y: 3})
	}
	r.done(timeline.CommandDone{Line: "note newest"})
	r.shows("newest", false) // the position stays where the user scrolled to
	for range 20 {
		r.press("pgup")
	}
	r.shows(":note old", true)
	r.press("ctrl+o")
	if r.Height(30) != 30 {
		t.Errorf("enlarged it has %d rows of 30", r.Height(30))
	}
}

func TestLongLinesAreWrapped(t *testing.T) {
	r := newRig(t, true)
	r.done(timeline.CommandDone{Line: "note x", Result: strings.Repeat("0123456789", 20) + "END"})
	r.shows("END", true)
}

// The transcript is bounded in commands and in bytes, and the scroll position stays.
func TestBounds(t *testing.T) {
	r := newRig(t, true)
	r.view(60, 12)
	for i := range maxEntries + 100 {
		r.done(timeline.CommandDone{Line: fmt.Sprintf("note %d", i), Result: strings.Repeat("x", 1000)})
	}
	if n := len(r.lines.entries); n != maxEntries {
		t.Errorf("%d entries", n)
	}
	for range 20 {
		r.done(timeline.CommandDone{Line: "note", Result: strings.Repeat("x", maxEntryBytes+7)})
	}
	r.shows("7 more bytes: see the Journal (8)", false)
	r.press("pgdown")
	total := 0
	for i := range r.lines.entries {
		total += len(r.lines.entries[i].rows)
	}
	if r.lines.bytes > maxBytes || total != r.lines.total {
		t.Errorf("%d bytes; %d rows, counted as %d", r.lines.bytes, total, r.lines.total)
	}
}

// A closed console takes no keys; commands run meanwhile are shown when it opens.
func TestClosedTakesNothing(t *testing.T) {
	r := newRig(t, true)
	r.Close()
	r.log.Append(timeline.Event{Kind: timeline.KindCommand, Command: &timeline.CommandDone{Line: "note by a key"}})
	r.log.Append(timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Text: "no command"}})
	if r.Refresh() || len(r.lines.entries) != 0 {
		t.Error("it took something")
	}
	r.Open("")
	r.Tell("theme", "dark")
	if r.Refresh() {
		t.Error("it took something twice")
	}
	if got := r.Text(); got != ":note by a key\n:theme\n  dark\n" {
		t.Errorf("the transcript is %q", got)
	}
	if r.LastResult() != "dark" {
		t.Errorf("the last result is %q", r.LastResult())
	}
}

// The history is bounded, and does not keep the same line twice in a row.
func TestHistory(t *testing.T) {
	r := newRig(t, true)
	for i := range maxHistory + 10 {
		r.Remember(fmt.Sprint("note ", i/2))
	}
	h := r.History()
	if len(h) > maxHistory || len(slices.Compact(slices.Clone(h))) != len(h) ||
		h[len(h)-1] != fmt.Sprint("note ", (maxHistory+9)/2) {
		t.Errorf("%d lines, the last is %q", len(h), h[len(h)-1])
	}
}
