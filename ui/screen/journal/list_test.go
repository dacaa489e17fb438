package journal

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// filter types a filter.
func (x *bench) filter(text string) {
	x.keys("/")
	x.s.Update(tea.PasteMsg{Content: text})
	x.keys("enter")
}

// shown lists the kinds of the rows that pass.
func (x *bench) shown() string {
	var out []string
	for i := range x.s.entries.Len() {
		if e := x.s.entries.at(i); e != nil {
			out = append(out, e.Kind.String())
		} else {
			out = append(out, fmt.Sprint("+", x.s.entries.view[i].gap))
		}
	}
	return strings.Join(out, " ")
}

// TestShown: each filter leaves what it says, and the frame says which filter it is. Without the filter all is there.
func TestShown(t *testing.T) {
	const all = "command command wc wc state async note"
	const none = "No entry matches the filter. esC clears it."
	for _, tt := range []struct {
		keys, text string
		want       string
		note       string
	}{
		{"", "", all, "7 events"}, {"up", "", all, "end follows, 7 events"},
		{"K", "", "command command", "commands, 7 events"}, {"K K", "", "wc wc", "completions, 7 events"},
		{"K K K", "", "state async", "events and states, 7 events"}, {"K K K K", "", "note", "notes, 7 events"},
		{"K K K K K", "", "", "packets, 7 events"},
		{"K K K K K K", "", "command command state async note", "all but completions and packets, 7 events"},
		{"K K K K K K K", "", all, "7 events"},
		{"F", "", "command wc state", "failed only, 7 events"}, {"F F", "", all, "7 events"},
		{"K F", "", "command", "commands, failed only, 7 events"},
		{"", "PORT_err", "async", "/port_err, 7 events"}, {"", "retry_exc", "wc state", "/retry_exc, 7 events"},
		{"", "peer", "note", "/peer, 7 events"}, {"", "handle 1", "command", "/handle 1, 7 events"},
		{"", "sq_psn=0x111", "command", "/sq_psn=0x111, 7 events"}, {"", "ibv_alloc_pd(", "command",
			"/ibv_alloc_pd(, 7 events"},
		{"", "missing timeout", "command", "/missing timeout, 7 events"},
		{"", "them all", "command", "/them all, 7 events"}, {"", "einval", "command", "/einval, 7 events"},
		{"F", "retry_exc", "wc state", "failed only, /retry_exc, 7 events"}, {"", "nosuch", "", "/nosuch, 7 events"},
	} {
		tt.keys = strings.ReplaceAll(tt.keys, "K", "t") // the next kind
		x := newBench(t, theme.New("none", true), 64)
		x.journey()
		if x.keys(strings.Fields(tt.keys)...); tt.text != "" {
			x.filter(tt.text)
		}
		view := x.view(200, 50)
		first, _, _ := strings.Cut(view, "\n")
		if got := x.shown(); got != tt.want || !strings.Contains(first, "─ "+tt.note+" ─") {
			t.Errorf("%s %q: %s, want %s, note %q\n%s", tt.keys, tt.text, got, tt.want, tt.note, first)
		}
		if strings.Contains(view, none) != (tt.want == "") {
			t.Errorf("%s %q: said to be empty: %v", tt.keys, tt.text, tt.want != "")
		}
		for range 3 {
			x.keys("esc")
		}
		if got := x.shown(); got != all {
			t.Errorf("%s %q: esc leaves %s", tt.keys, tt.text, got)
		}
	}
	x := newBench(t, theme.New("none", true), 64)
	if x.refresh(); !strings.Contains(x.view(80, 20), "No entries yet. Press : and type a command.") {
		t.Errorf("nothing is said of an empty journal\n%s", x.view(80, 20))
	}
	x.command(timeline.CommandDone{Line: "one"})
	x.refresh()
	x.keys("F")
	if view := x.view(80, 20); !strings.Contains(view, none) || !strings.Contains(view, "1 event ") {
		t.Errorf("of one entry\n%s", view)
	}
}

// TestDetail: the detail tells everything of an entry, with the failure first, and lists nothing that is not known.
func TestDetail(t *testing.T) {
	x := newBench(t, uitest.Tokens(), 64)
	x.journey()
	x.command(timeline.CommandDone{Line: "quiet"})
	x.sess.Timeline().Append(timeline.Event{Kind: timeline.KindState,
		State: &timeline.StateChange{QP: "a", From: verbs.QPRTS, To: verbs.QPErr, Cause: strings.Repeat("because ",
			20)}})
	failed := sendDone(3, verbs.WCRemAccessErr)
	failed.Matched = false
	x.sess.Timeline().AppendBatch([]timeline.Completion{failed})
	x.refresh()
	x.keys("home")
	for i, want := range []string{
		"‹Label›line|‹Value›alloc_pd pd\n‹Label›call|‹Info›ibv_alloc_pd(ctx)\n‹Label›result|‹OK›handle 1\n" +
			"‹Label›created|‹Value›pd\n‹Label›took|‹Value›12 µs",
		"‹Label›error|‹Err›ibv_modify_qp: invalid argument (EINVAL)\n‹Label›errno|‹Err›EINVAL\n" +
			"‹Label›hint|‹Accent›give the missing attributes; connect_qps gives them all",
		"‹Label›wr_id|‹Value›1\n‹Label›status|‹Value›SUCCESS",
		"‹Label›wr_id|‹Value›2\n‹Label›status|‹Err›RETRY_EXC_ERR",
		"‹Label›event|qp ‹Value›a  RTS ‹Dim›→ ‹Err›ERR  ‹Dim›completion RETRY_EXC_ERR",
		"‹Label›event|‹Warn›PORT_ERR  ‹Value›rxe0‹Label›port ‹Value›1  ‹Dim›a port went down",
		"‹Label›info|‹Value›now the peer is started",
		"‹Label›line|‹Value›quiet",
		"‹Label›event|‹Err›qp a  RTS → ERR  because",
		"‹Label›wr_id|‹Value›3\n‹Label›status|‹Err›REM_ACCESS_ERR",
	} {
		view := widget.Render(x.s.th, x.s.detail, 100, 40)
		var got []string
		for l := range strings.SplitSeq(view, "\n") {
			text := strings.TrimSpace(uitest.Text(l))
			if text == "" {
				continue
			}
			label, _, _ := strings.Cut(text, " ")
			l = strings.TrimSpace(strings.TrimSuffix(uitest.Marked(t, l, label), "\n"))
			l = strings.Replace(l, "‹Label› ", "‹Label›", 1)
			if i := strings.Index(l, label) + len(label); i < len(l) {
				l = l[:i] + "|" + strings.TrimSpace(l[i:])
			}
			got = append(got, l)
		}
		text := strings.Join(got, "\n")
		if !strings.HasPrefix(text, want) || i == 7 && text != want {
			t.Errorf("entry %d:\n%s\nwant\n%s", i, text, want)
		}
		if i == 3 && (!strings.Contains(text, "request|‹Value›SEND") || !strings.Contains(text,
			"latency|‹Value›18 µs")) ||
			i == 9 && strings.Contains(text, "latency") {
			t.Errorf("entry %d, the request:\n%s", i, text)
		}
		x.keys("down")
	}
}

// TestRowStyles: the kind of a row that failed is an error; a row has its time, and how long a command took.
func TestRowStyles(t *testing.T) {
	x := newBench(t, uitest.Tokens(), 64)
	x.journey()
	x.s.table.Keeps, x.s.table.Focused = false, false
	view := widget.Render(x.s.th, x.s.table, 120, 10)
	for text, want := range map[string]string{
		"alloc_pd": "‹Label›command", "modify_qp": "‹Err›command", "SUCCESS": "‹Label›wc",
		"ERR  ": "‹Err›state", "PORT_ERR": "‹Label›async", "now the peer": "‹Label›note",
	} {
		if got := uitest.Marked(t, view, text); !strings.Contains(got, want+" ") {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if got := uitest.Marked(t, view, "alloc_pd"); !strings.HasPrefix(got, "    ‹Dim›12.001500 ") ||
		!strings.HasSuffix(got, " 12 µs\n") {
		t.Errorf("%q", got)
	}
}

// TestOldestGo: when more events have come than are kept, the cursor stays on its entry, or follows the end.
func TestOldestGo(t *testing.T) {
	x := newBench(t, theme.New("none", true), 1<<15)
	add := func(n int) {
		for range n {
			x.command(timeline.CommandDone{Line: "x"})
		}
		x.refresh()
	}
	add(keepEvents - 5)
	x.view(120, 30)
	x.keys("up", "up", "up")
	on := func() uint64 { return x.s.entries.at(x.s.table.Cursor()).Seq }
	was := on()
	for range 3 {
		add(7)
		if on() != was || len(x.s.entries.events) > keepEvents || x.s.entries.Len() != len(x.s.entries.events) {
			t.Errorf("on %d, was on %d, of %d rows", on(), was, x.s.entries.Len())
		}
	}
	x.keys("end")
	if add(9); x.s.table.Cursor() != keepEvents-1 || on() != was+3+21+9 {
		t.Errorf("on row %d, entry %d", x.s.table.Cursor(), on())
	}
	if x.refresh() {
		t.Error("nothing new, yet it is drawn")
	}
}

// TestFloods: of many completions in a row 32 are shown and of failed ones 64, the rest are counted, also at the end
// while they go on. With a filter they are not mentioned.
func TestFloods(t *testing.T) {
	x := newBench(t, theme.New("none", true), 1<<12)
	flood := func(n int, s verbs.WCStatus) {
		for i := range n {
			x.sess.Timeline().AppendBatch([]timeline.Completion{sendDone(uint64(i), s)})
		}
		x.refresh()
	}
	count := func() string {
		words := strings.Fields(x.shown())
		ok := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w != "wc" })
		gaps := slices.DeleteFunc(words, func(w string) bool { return w[0] != '+' })
		return fmt.Sprint(len(ok), gaps)
	}
	for _, tt := range []struct {
		n    int
		s    verbs.WCStatus
		want string
	}{{keepOK, 0, "32 []"}, {5, 0, "32 [+5]"}, {5, 0, "32 [+10]"}, {keepFailed, verbs.WCRetryExcErr, "96 [+10]"},
		{3, verbs.WCRetryExcErr, "96 [+10 +3]"}} {
		if flood(tt.n, tt.s); count() != tt.want {
			t.Errorf("after %d more: %s, want %s", tt.n, count(), tt.want)
		}
	}
	x.command(timeline.CommandDone{Line: "between"})
	if flood(2, 0); count() != "98 [+10 +3]" {
		t.Errorf("after a command: %s", count())
	}
	if view := x.view(120, 60); !strings.Contains(view, "… 3 more completions or packets") {
		t.Errorf("the gap is not told\n%s", view)
	}
	x.keys("F")
	if got := count(); got != "64 []" {
		t.Errorf("failed only: %s", got)
	}
	x.keys("F")
	x.filter("send")
	if got := count(); got != "98 []" {
		t.Errorf("with a filter: %s", got)
	}
}

// TestOffered: r and e are for commands; what another entry has is told.
func TestOffered(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	x.journey()
	has := func(name string) bool {
		own, _ := x.s.Context().Short()
		for _, b := range own {
			if b.Keys()[0] == name {
				return true
			}
		}
		return false
	}
	x.keys("home")
	if !has("r") || !has("e") {
		t.Error("a command cannot be run again")
	}
	if msg, _ := x.keys("e").(screen.EditMsg); msg.Line != "alloc_pd pd" {
		t.Errorf("e edits %q", msg.Line)
	}
	x.keys("end")
	if has("r") || has("e") {
		t.Error("a note can be run again")
	}
	for _, k := range []string{"r", "e"} {
		if msg, _ := x.keys(k).(screen.FlashMsg); msg.Text != "this entry is not a command" {
			t.Errorf("%s says %q", k, msg.Text)
		}
	}
	for choice, want := range map[string]string{"1": "export script session.rdma", "2": "export c session.c",
		"3": "save session.rdma"} {
		x.keys("w")
		if msg, _ := x.keys(choice).(screen.EditMsg); msg.Line != want {
			t.Errorf("w %s: %q, want %q", choice, msg.Line, want)
		}
	}
	x.keys("home")
	if got := x.s.texts(paneTable); len(got) != 4 || got[0].Text != "alloc_pd pd" ||
		got[1].Text != "ibv_alloc_pd(ctx)" ||
		got[2].Text != "handle 1" || !strings.HasPrefix(got[3].Text, "alloc_pd pd ") {
		t.Errorf("%+v", got)
	}
	x.keys("end")
	if got := x.s.texts(paneTable); len(got) != 1 || got[0].Text != "now the peer is started" {
		t.Errorf("%+v", got)
	}
}
