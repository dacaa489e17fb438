package steps_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/ccall"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

const (
	values = "ibv_modify_qp(a, {.qp_state = IBV_QPS_INIT}"
	mask   = "IBV_QP_STATE|IBV_QP_PORT"
)

// shown draws an outcome, and returns its lines without trailing blanks and empty lines at the end.
func shown(o *steps.Outcome, w, h int) []string {
	text := strings.TrimRight(uitest.Text(widget.Render(theme.New("none", true), o, w, h)), "\n")
	return strings.Split(text, "\n")
}

// The mask of a modify_qp is split off its call, without the prefix of its names; other calls stay whole.
func TestSplitMask(t *testing.T) {
	for call, want := range map[string]struct {
		values, names string
		ok            bool
	}{
		values + ", " + mask + ")": {values + ", mask)", "STATE|PORT", true},
		"ibv_query_qp(a, &attr)":   {"ibv_query_qp(a, &attr)", "", false},
		"f(a);\ng(b, IBV_QP_X)":    {"f(a);\ng(b, IBV_QP_X)", "", false},
		"":                         {"", "", false},
	} {
		if v, n, ok := steps.SplitMask(call); v != want.values || n != want.names || ok != want.ok {
			t.Errorf("%q: %q, %q, %t", call, v, n, ok)
		}
	}
}

// Where an outcome has no room, the mask gets lines of its own so that the values are cut before it.
func TestMaskHasItsOwnLines(t *testing.T) {
	o := steps.NewOutcome(theme.New("none", true))
	o.Set(screen.DoneMsg{Done: timeline.CommandDone{
		C: ccall.Text("ibv_modify_qp(a, {" + strings.Repeat(".x = 1, ", 12) + "}, " + mask + ")"), Result: "INIT"}})
	got := shown(o, 60, 3)
	if len(got) != 3 || !strings.HasPrefix(got[0], " ✓       ibv_modify_qp(a, {") || !strings.HasSuffix(got[0], "…") ||
		got[1] != " IBV_QP_ STATE|PORT" || got[2] != " =       INIT" {
		t.Errorf("%q", got)
	}
	if got = shown(o, 60, 10); !strings.Contains(strings.Join(got, ""), mask+")") ||
		strings.Contains(strings.Join(got, ""), "IBV_QP_ STATE") {
		t.Errorf("with room: %q", got)
	}
	if got = shown(o, 60, 2); len(got) != 2 || strings.Contains(got[1], "IBV_QP_") {
		t.Errorf("in two lines: %q", got)
	}
}

// An outcome has the mark of its success or failure, the call or else the line, the result with its duration, and what
// came later, each in its style; before the first command there is a hint.
func TestOutcomeLines(t *testing.T) {
	th := uitest.Tokens()
	failed := errors.New("no")
	for _, tt := range []struct {
		name string
		msg  screen.DoneMsg
		want []string
	}{
		{"the call", screen.DoneMsg{Line: "x", Done: timeline.CommandDone{C: ccall.Text("f()"), Resolved: "r",
			Line: "l", Result: "5", Took: time.Millisecond}}, []string{"✓ f() Value", "= 5 · 1 ms OK"}},
		{"the resolved line", screen.DoneMsg{Line: "x", Done: timeline.CommandDone{Resolved: "r", Line: "l"}},
			[]string{"✓ r Value", "= done OK"}},
		{"the line", screen.DoneMsg{Line: "x", Done: timeline.CommandDone{Line: "l"}},
			[]string{"✓ l Value", "= done OK"}},
		{"what was typed", screen.DoneMsg{Line: "x"}, []string{"✓ x Value", "= done OK"}},
		{"a failure", screen.DoneMsg{Line: "x", Err: failed, Done: timeline.CommandDone{Result: "5", Took: time.Second,
			Err: "bad", Errno: "EINVAL"}}, []string{"✗ x Value", "it said EINVAL: bad · 1 s Err"}},
		{"a failure without a report", screen.DoneMsg{Line: "x", Err: failed}, []string{"✗ x Value", "it said no Err"}},
		{"a check", screen.DoneMsg{Line: "x", Err: failed, Done: timeline.CommandDone{Check: "missing", Err: "bad",
			Hint: "set it"}}, []string{"✗ x Value", "ours missing Warn", "it said bad Err", "hint set it Info"}},
		{"a check of what worked", screen.DoneMsg{Line: "x", Done: timeline.CommandDone{Check: "odd"}},
			[]string{"✓ x Value", "= done OK", "ours odd Warn"}},
	} {
		for _, then := range []string{"", "OK", "Err"} {
			o := steps.NewOutcome(th)
			o.Set(tt.msg)
			want := slices.Clone(tt.want)
			if then != "" {
				o.Then("wc", "wr_id 1", then == "Err")
				want = append(want, "wc wr_id 1 "+then)
			}
			o.SetSize(80, 10)
			if o.Len() != len(want) {
				t.Errorf("%s: %d lines, want %d", tt.name, o.Len(), len(want))
			}
			check(t, tt.name, widget.Render(th, o, 80, 10), o.Lines(), want)
		}
	}
	o := steps.NewOutcome(th)
	o.Empty = "Nothing yet."
	if got := shown(o, 40, 3); !slices.Equal(got, []string{" Nothing yet."}) {
		t.Errorf("before the first command: %q", got)
	}
	if got := o.Lines(); len(got) != 1 || got[0].Text != "Nothing yet." || got[0].Label != "" {
		t.Errorf("before the first command: %+v", got)
	}
	o.Then("memory", "2 bytes changed", false)
	if got := shown(o, 40, 3); !slices.Equal(got, []string{" memory  2 bytes changed"}) {
		t.Errorf("a later result alone: %q", got)
	}
}

// check compares a drawn outcome, and its lines in full, with "label text Style" of each line.
func check(t *testing.T, name, raw string, lines []steps.Line, want []string) {
	t.Helper()
	var got []string
	for _, l := range lines {
		text := l.Label + " " + l.Text + " "
		marked := uitest.Marked(t, raw, l.Text)
		for _, style := range []string{"OK", "Err", "Warn", "Info", "Value"} {
			if strings.Contains(marked, "‹"+style+"›"+l.Text) {
				text += style
			}
		}
		if !strings.Contains(marked, "‹Label›"+l.Label) {
			t.Errorf("%s: the label is drawn as %s", name, marked)
		}
		got = append(got, text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", name, got, want)
	}
}

// Another size breaks the texts again; the same size keeps them.
func TestOutcomeIsBrokenAgain(t *testing.T) {
	o := steps.NewOutcome(theme.New("none", true))
	o.Set(screen.DoneMsg{Line: strings.Repeat("word ", 20), Done: timeline.CommandDone{Result: "5"}})
	for _, tt := range []struct{ w, h, want int }{
		{120, 9, 2}, {60, 9, 3}, {60, 2, 2}, {30, 9, 6}, {30, 1, 1}, {120, 9, 2},
	} {
		if o.SetSize(tt.w, tt.h); o.Len() != tt.want {
			t.Errorf("%dx%d: %d lines, want %d", tt.w, tt.h, o.Len(), tt.want)
		}
	}
	if o.SetSize(0, 0); o.Len() != 0 {
		t.Errorf("without room: %d lines", o.Len())
	}
}

// Labelled texts are wrapped to the width, without cutting any, and only the first line of each has the label.
func TestRows(t *testing.T) {
	th := uitest.Tokens()
	r := steps.NewRows(th)
	text := strings.Repeat("word ", 20)
	list := []steps.Line{{Label: "one", Text: "a\nb", Style: th.OK}, {Label: "two", Text: text, Style: th.Err}}
	draw := func(w, h int) []string {
		r.Set(list)
		return strings.Split(uitest.Text(widget.Render(th, r, w, h)), "\n")
	}
	for w, n := range map[int]int{109: 3, 108: 4, 60: 4, 40: 6} {
		got := draw(w, 8)
		rows := strings.Split(strings.TrimRight(strings.Join(got, "\n"), "\n"), "\n")
		if len(rows) != n || rows[0] != " one     a" || rows[1] != "         b" ||
			!strings.HasPrefix(rows[2], " two     word") {
			t.Errorf("%d cells: %q, want %d rows", w, rows, n)
		}
		words := 0
		for i, l := range rows[2:] {
			if words += strings.Count(l, "word"); i > 0 && !strings.HasPrefix(l, "         word") {
				t.Errorf("%d cells: %q", w, l)
			}
		}
		if words != 20 {
			t.Errorf("%d cells: %d words of 20", w, words)
		}
	}
	draw(40, 2)
	r.Update(uitest.Key("end"))
	if got := draw(40, 2); !strings.HasPrefix(got[0], "         word") || r.Below() != 0 {
		t.Errorf("at the end: %q, %d below", got, r.Below())
	}
	if got := draw(5, 1); got[0] != " two" && got[0] == "" {
		t.Errorf("in 5 cells: %q", got)
	}
}

// The objects of a bench are those of the first device and its first protection domain, and each line names what
// exists.
func TestBenchUsesWhatThereIs(t *testing.T) {
	full := append([]string{"open_device soft0"}, uitest.BenchLines[1:]...)
	for n := range len(full) + 1 {
		snap := uitest.NewSession(t, session.Options{}, full[:n]...).Snapshot()
		for i, need := range steps.Bench(&snap, "soft1") {
			want := full[i]
			if n == 0 && i == 0 {
				want = "open_device soft1"
			}
			if name := strings.Fields(full[i])[1]; i < n {
				if need.Have != name || need.Line != "" {
					t.Errorf("%d objects: %s has %q and %q", n, need.What, need.Have, need.Line)
				}
			} else if need.Have != "" || need.Line != want {
				t.Errorf("%d objects: %s has %q and %q, want %q", n, need.What, need.Have, need.Line, want)
			}
		}
		if line, ok := steps.NewQP(&snap); ok != (n >= 5) {
			t.Errorf("%d objects: a new queue pair: %t, %s", n, ok, line)
		}
	}
	other := uitest.NewSession(t, session.Options{}, "open_device soft0", "alloc_pd x", "alloc_pd y",
		"reg_mr m pd=y length=64", "create_srq s pd=y", "create_srq r pd=x").Snapshot()
	bench := steps.Bench(&other, "")
	if got := bench[2]; got.Have != "" || got.Line != "reg_mr src pd=x length=4096 access=LOCAL_WRITE" {
		t.Errorf("memory of another domain is taken: %+v", got)
	}
	if got := bench[5].Line; !strings.Contains(got, " srq=r ") {
		t.Errorf("the shared receive queue of the domain is not used: %s", got)
	}
}

// A new queue pair has the first free letter, and after z a number.
func TestNamesOfQPs(t *testing.T) {
	lines := slices.Clone(uitest.BenchLines[:5])
	names := func() string {
		snap := uitest.NewSession(t, session.Options{}, lines...).Snapshot()
		line, _ := steps.NewQP(&snap)
		return strings.Fields(line)[1]
	}
	lines = append(lines, "alloc_pd a", "alloc_pd c")
	if got := names(); got != "b" {
		t.Errorf("%s after a", got)
	}
	for c := 'b'; c <= 'z'; c++ {
		if c != 'c' {
			lines = append(lines, fmt.Sprintf("alloc_pd %c", c))
		}
	}
	if got := names(); got != "qp" {
		t.Errorf("%s after z", got)
	}
	lines = append(lines, "alloc_pd qp", "alloc_pd qp2")
	if got := names(); got != "qp3" {
		t.Errorf("%s after qp2", got)
	}
}

// A runner without lines has nothing to do, and passes on what comes then; while it runs it starts nothing else.
func TestRunnerWithoutLines(t *testing.T) {
	r := steps.NewRunner(uitest.NewSession(t, session.Options{}).Env(theme.New("none", true)))
	then := screen.Send("then")
	if r.Start() != nil || r.Busy() || r.Running() != "" || r.StartThen(then)() != "then" {
		t.Error("no line is something to run")
	}
	if next, over := r.Take(screen.DoneMsg{}); next != nil || over {
		t.Error("a report without a line is taken")
	}
	work := r.Start("note one", "note two")
	if r.Running() != "note one" {
		t.Errorf("%q runs", r.Running())
	}
	if f, ok := r.StartThen(then, "note three")().(screen.FlashMsg); !ok || f.Text != "still running: note one" {
		t.Errorf("%+v", f)
	}
	work, over := r.Take(work().(screen.DoneMsg))
	if over || r.Running() != "note two" {
		t.Errorf("%q runs", r.Running())
	}
	if next, over := r.Take(work().(screen.DoneMsg)); next != nil || !over {
		t.Error("what another start wanted comes after these lines")
	}
}
