package tour

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/store"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// noted is a part that is done by a note with a text.
func noted(text string) Part {
	return Part{Name: text, Event: func(_ *World, e *timeline.Event) bool {
		return e.Note != nil &&
			e.Note.Text == text
	}}
}

// state is a part that is done while a field of the screen has a text.
func state(name string) Part {
	return Part{Name: name, State: func(w *World) bool { return w.Field(name) == "yes" }}
}

// lead makes a guide through a tour of three steps: one that lasts while "made" says so, one of two events, and one
// that needs the first.
func lead(t *testing.T, at int) (*Guide, *uitest.Session, *World) {
	t.Helper()
	sess := uitest.NewSession(t, session.Options{})
	first := &Step{Name: "make it", Why: "It is needed.", Parts: []Part{state("made"), state("named")},
		Moves: []Move{{On: screen.BringUp, Key: &keymap.Bringup.New, Does: "make one"}}}
	tr := &Tour{ID: "t", Name: "Test", Steps: []*Step{first,
		{Name: "say both", Why: "They are said.", WhyNow: func(w *World) string {
			return "They are said: " +
				w.Field("why")
		},
			Parts: []Part{noted("one"), noted("two")}, Moves: []Move{
				{When: func(w *World) bool { return w.Field("typed") == "yes" }, Typing: true,
					Key:  &keymap.Entry.Accept,
					Does: "send it"},
				{Any: true, Key: &keymap.Global.Console, Says: func(w *World) string {
					return "say " +
						w.Field("why")
				}}}},
		{Name: "use it", Why: "At last.", Needs: []*Step{first}, Parts: []Part{noted("used")},
			Moves: []Move{{On: screen.Post, Does: "use it"}}},
	}, Learned: [3]string{"a", "b", "c"}, Next: "more"}
	g := New(tr, sess.Session, at)
	t.Cleanup(g.Close)
	fields := map[string]string{}
	return g, sess, &World{Field: func(name string) string { return fields[name] }, At: screen.Home}
}

// set gives a world other fields.
func (w *World) set(pairs ...string) {
	was := w.Field
	w.Field = func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return was(name)
	}
}

func say(sess *uitest.Session, texts ...string) {
	for _, text := range texts {
		sess.Timeline().Append(timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Text: text}})
	}
}

// TestGuide: a step is done when all its parts are; an event of a later step leads there at once, and what is not there
// any more is asked for again.
func TestGuide(t *testing.T) {
	g, sess, w := lead(t, 0)
	want := func(when string, at int, changed bool, parts, key, does, why string) {
		t.Helper()
		got, _ := g.Refresh(*w)
		a := g.show()
		done := ""
		for _, p := range a.parts {
			if p.name != "" {
				done += map[bool]string{true: "+", false: "-"}[p.done] + p.name + " "
			}
		}
		if g.at != at || got != changed || strings.TrimSpace(done) != parts || a.key != key || a.does != does ||
			a.why != why ||
			g.Key() != key {
			t.Errorf("%s: step %d, changed %v, parts %q, %q: %q, %q", when, g.at, got, done, a.key, a.does, a.why)
		}
	}
	go3 := fmt.Sprint("go to ", screen.Names[screen.BringUp])
	want("at first", 0, false, "-made -named", "2", go3, "It is needed.")
	w.At = screen.BringUp
	want("on the screen", 0, true, "-made -named", "n", "make one", "It is needed.")
	want("the same again", 0, false, "-made -named", "n", "make one", "It is needed.")
	w.set("made", "yes")
	want("one part", 0, true, "+made -named", "n", "make one", "It is needed.")
	w.Busy = Over
	want("something over it", 0, true, "+made -named", "esc", "close what lies over the screen", "It is needed.")
	w.Busy = Typing
	want("typing", 0, true, "+made -named", "esc", "end typing", "It is needed.")
	w.Busy = Running
	w.set("running", "bench")
	want("running", 0, true, "+made -named", "", "wait for the end of bench", "It is needed.")
	w.Busy = Free
	w.set("named", "yes", "why", "twice")
	want("the other part", 1, true, "-one -two", ":", "say twice", "They are said: twice")
	say(sess, "none", "two")
	want("the second event", 1, true, "-one +two", ":", "say twice", "They are said: twice")
	say(sess, "two", "used") // the last step has not begun
	want("the same event", 1, false, "-one +two", ":", "say twice", "They are said: twice")
	say(sess, "one", "used")
	want("events of two steps", 3, true, "", "", "", "")
	if !g.Over() || g.Step() != nil || g.Place() != (Place{Done: true}) || g.Begins() != screen.BringUp {
		t.Errorf("%+v, begins on %d", g.Place(), g.Begins())
	}
	if changed, _ := g.Refresh(*w); changed {
		t.Error("a tour that is over goes on")
	}
}

// TestGuideSkips: an event of the next step proves that the one before it was done, though its result is gone already.
func TestGuideSkips(t *testing.T) {
	g, sess, w := lead(t, 0)
	g.Refresh(*w)
	say(sess, "used")
	if g.Refresh(*w); g.at != 0 {
		t.Errorf("an event of the last step leads to step %d", g.at)
	}
	say(sess, "two")
	if g.Refresh(*w); g.at != 1 || !g.got[1] || g.got[0] {
		t.Errorf("step %d, parts %v", g.at, g.got)
	}
}

// TestGuideNeeds: a step whose needs are gone leads back to what makes them, and goes on after that.
func TestGuideNeeds(t *testing.T) {
	g, sess, w := lead(t, 2)
	w.At = screen.Post
	w.set("made", "no", "named", "yes")
	g.Refresh(*w)
	a := g.show()
	if !a.stray || a.why != "This is missing now: made. Do it again, then the tour goes on." ||
		a.does != "go to Bring-up" ||
		a.head != "use it" || g.Begins() != screen.BringUp || g.missing(g.Steps[0]) != "made" {
		t.Errorf("%+v, begins on %d", a, g.Begins())
	}
	w.set("named", "no")
	g.Refresh(*w)
	if got := g.missing(g.Steps[0]); got != "made, named" {
		t.Errorf("missing %s", got)
	}
	w.set("made", "yes", "named", "yes")
	g.Refresh(*w)
	if a := g.show(); a.stray || a.why != "At last." || a.does != "use it" || a.key != "" || g.Begins() != screen.Post {
		t.Errorf("%+v, begins on %d", a, g.Begins())
	}
	if g.Place() != (Place{Step: 2}) {
		t.Errorf("%+v", g.Place())
	}
	say(sess, "used")
	if changed, _ := g.Refresh(*w); !changed || !g.Over() {
		t.Error("it is not over")
	}
	for at, want := range map[int]int{-3: 0, 1: 1, 2: 2, 9: 2} {
		if g, _, _ := lead(t, at); g.at != want {
			t.Errorf("begun at %d, it is at %d", at, g.at)
		}
	}
}

// TestGuideTyping: while the user types, the moves for that are shown.
func TestGuideTyping(t *testing.T) {
	g, _, w := lead(t, 1)
	for _, tt := range []struct {
		busy  Busy
		typed string
		want  string
	}{{Free, "no", ": say x"}, {Free, "yes", ": say x"}, {Typing, "no", "esc end typing"}, {Typing, "yes",
		"enter send it"}} {
		w.Busy = tt.busy
		w.set("typed", tt.typed, "why", "x")
		g.Refresh(*w)
		if a := g.show(); a.key+" "+a.does != tt.want {
			t.Errorf("%v, %s: %s %s, want %s", tt.busy, tt.typed, a.key, a.does, tt.want)
		}
	}
	if g.Begins() != w.At {
		t.Errorf("begins on %d", g.Begins())
	}
}

// TestPanel: the panel names the tour, the step and the key to press, marks what is done, and is as high for each step.
// A click reaches the key that is shown there.
func TestPanel(t *testing.T) {
	g, sess, w := lead(t, 0)
	p := NewPanel(uitest.Tokens(), g)
	w.At = screen.BringUp
	w.set("made", "yes")
	g.Refresh(*w)
	draw := func(w int) []string {
		h := p.Height(w)
		view := widget.Render(p.th, p, w, h)
		uitest.Exact(t, view, w, h)
		return strings.Split(view, "\n")
	}
	rows := draw(80)
	for y, want := range []string{
		" tour: Test · step 1 of 3: make it" + strings.Repeat(" ", 80-34-14) + " ctrl+t leave",
		"  press  n  make one", "  It is needed.", "  ✓ made  ○ named",
	} {
		if got := uitest.Text(rows[y]); got != want {
			t.Errorf("row %d: %q, want %q", y, got, want)
		}
	}
	if len(rows) != 4 {
		t.Errorf("%d rows", len(rows))
	}
	if got := uitest.Marked(t, rows[3], "made"); got != "  ‹OK›✓ made  ‹Dim›○ named\n" {
		t.Errorf("%q", got)
	}
	if got := uitest.Marked(t, rows[1], "press"); got != "  ‹Value›press ‹TabActive› n  ‹Accent›make one\n" {
		t.Errorf("%q", got)
	}
	if got := uitest.Marked(t, rows[2], "needed"); got != "  ‹Dim›It is needed.\n" {
		t.Errorf("%q", got)
	}
	if got := uitest.Marked(t, rows[0], "tour"); strings.Count(got, "‹") != 1 || !strings.HasPrefix(got,
		"‹TabActive› tour") {
		t.Errorf("%q", got)
	}
	for _, tt := range []struct {
		x, y int
		want string
	}{{65, 0, ""}, {66, 0, "ctrl+t"}, {79, 0, "ctrl+t"}, {1, 1, ""}, {2, 1, "n"}, {19, 1, "n"}, {20, 1, ""}, {2, 2, ""},
		{70, 3, ""}} {
		if name, ok := p.At(tt.x, tt.y); name != tt.want && ok || ok != (tt.want != "") {
			t.Errorf("at %d, %d: %q %v, want %q", tt.x, tt.y, name, ok, tt.want)
		}
	}
	if got := uitest.Text(draw(40)[0]); got != " tour: Test · step 1 of 3  ctrl+t leave" {
		t.Errorf("in 40 cells: %q", got)
	}
	for w, named := range map[int]bool{48: true, 47: false} { // the name of the step is shown if all of it fits
		if got := uitest.Text(draw(w)[0]); strings.Contains(got, "of 3:") != named {
			t.Errorf("in %d cells: %q", w, got)
		}
	}
	g.Steps[1].Why = strings.Repeat("because ", 12)
	if h := p.Height(80); h != 5 {
		t.Errorf("%d rows for a reason of two lines", h)
	}
	for w, want := range map[int]int{40: 6, 36: 6, 35: 7} { // 32, and 31 cells for four words of 8
		if h := p.Height(w); h != want {
			t.Errorf("%d rows in %d cells", h, w)
		}
	}
	g.Steps[1].Why = ""
	w.set("named", "yes", "made", "yes")
	g.Refresh(*w)
	say(sess, "one", "two", "used")
	g.Refresh(*w)
	rows = draw(80)
	for y, want := range []string{" tour: Test · done" + strings.Repeat(" ", 80-18-14) + " ctrl+t close", "  a", "  b",
		"  c",
		"  Next: more"} {
		if got := uitest.Text(rows[y]); got != want {
			t.Errorf("at the end, row %d: %q, want %q", y, got, want)
		}
	}
	if name, ok := p.At(5, 1); ok {
		t.Errorf("at the end a click presses %q", name)
	}
	if len(rows) != 5 {
		t.Errorf("%d rows at the end", len(rows))
	}
}

// TestStrayIsWarned: what is missing is told as a warning.
func TestStrayIsWarned(t *testing.T) {
	g, _, w := lead(t, 2)
	g.Refresh(*w)
	p := NewPanel(uitest.Tokens(), g)
	if got := uitest.Marked(t, widget.Render(p.th, p, 80, 4), "missing"); !strings.HasPrefix(got,
		"  ‹Warn›This is missing") {
		t.Errorf("%q", got)
	}
	plain := NewPanel(theme.New("none", false), g)
	uitest.Exact(t, widget.Render(plain.th, plain, 12, 4), 12, 4)
}

// TestLanded: a WRITE has landed if the first bytes of its list are at its address, in a region of this session.
func TestLanded(t *testing.T) {
	sess := uitest.NewSession(t, session.Options{}, uitest.BenchLines...)
	sess.Do(`write_mem src "abcdefghijklmnop" offset=8`, `write_mem dst "abcdefghijklmnop" offset=100`)
	var dst uint64
	snap := sess.Snapshot()
	for _, m := range snap.MRs {
		if m.Name == "dst" {
			dst = m.Addr
		}
	}
	for _, tt := range []struct {
		sge  string
		addr uint64
		want bool
	}{
		{"src:8:16", dst + 100, true}, {"src:8:17", dst + 100, true}, {"src:7:16", dst + 100, false},
		{"src:8:16", dst + 101, false}, {"src:9:15", dst + 101, true}, {"src:8:8,src:0:8", dst + 100, true},
		{"src:8:0", dst + 100, false}, {"src:8", dst + 100, false}, {"none:8:16", dst + 100, false},
		{"src:8:16", 1, false}, {"src:8:16", dst + 4090, false}, {"src:0:1", dst + 4095, true}, {"src:0:1", dst + 4096,
			false},
		{"src:x:16", dst + 100, false}, {"src:8:x", dst + 100, false},
	} {
		line := fmt.Sprintf("post_send a RDMA_WRITE sge=%s remote_addr=%#x rkey=0x1", tt.sge, tt.addr)
		if got := landed(sess.Session, line); got != tt.want {
			t.Errorf("%s: landed %v", line, got)
		}
	}
	if landed(sess.Session, "post_send a RDMA_WRITE sge=src:8:16") {
		t.Error("landed without an address")
	}
}

// TestRemembered: the bytes of the last successful WRITE are compared once, when its post is known.
func TestRemembered(t *testing.T) {
	g, _, w := lead(t, 0)
	post := func(n uint64) *timeline.Event {
		return &timeline.Event{Kind: timeline.KindCommand, Command: &timeline.CommandDone{Number: n,
			Line:     "post_send a",
			Resolved: "post_send a RDMA_WRITE sge=src:0:8 remote_addr=1"}}
	}
	done := func(n uint64, op verbs.WROpcode, status verbs.WCStatus) *timeline.Event {
		return &timeline.Event{Kind: timeline.KindWC, WC: timeline.Completion{Command: n, Matched: true, Opcode: op,
			WC: verbs.WC{Status: status}}}
	}
	if g.compare() != nil {
		t.Error("there is nothing to compare")
	}
	for _, e := range []*timeline.Event{done(1, verbs.WRSend, 0), done(1, verbs.WRRDMAWrite, verbs.WCRemAccessErr),
		post(1)} {
		if g.remember(e); g.wrote != 0 {
			t.Error("no WRITE has succeeded")
		}
	}
	if g.remember(done(2, verbs.WRRDMAWriteWithImm, 0)); g.wrote != 2 || g.compare() != nil {
		t.Errorf("WRITE %d, or it is compared before its post is known", g.wrote)
	}
	g.remember(post(2))
	work := g.compare()
	if work == nil || g.compare() != nil {
		t.Fatal("it is not compared once")
	}
	msg := work()
	if !Told(msg) || Told(7) || msg.(told) != (told{wrote: 2}) {
		t.Errorf("%+v", msg)
	}
	g.Take(told{wrote: 2, landed: true})
	if !g.world.landed || g.wrote != 0 || g.busy {
		t.Error("it has not landed")
	}
	g.remember(done(3, verbs.WRRDMAWrite, 0))
	if g.world.landed {
		t.Error("the next one has landed at once")
	}
	g.Take(told{wrote: 2, landed: true}) // of an older one
	if g.world.landed || g.wrote != 3 {
		t.Error("an older one has landed in its place")
	}
	g.Take(told{stock: true, have: true})
	if _, work := g.Refresh(*w); !g.world.HaveStock || work == nil {
		t.Error("the stock program is not known, or not looked for")
	}
	if _, work := g.Refresh(*w); work != nil || !g.world.HaveStock {
		t.Error("it is looked for twice")
	}
	for n := range uint64(maxPosts + 1) {
		g.remember(post(10 + n))
	}
	if len(g.posts) != 3 { // all were forgotten when there were 64
		t.Errorf("%d posts are remembered", len(g.posts))
	}
	g.Explained("RC", "UD")
	if !g.world.explained["RC"] || !g.world.explained["UD"] || g.world.explained["UC"] {
		t.Errorf("%v", g.world.explained)
	}
	g.enter(1)
	if g.world.explained["RC"] || g.wrote != 0 {
		t.Error("the next step begins with what was done before")
	}
}

// TestBookInStore: what the store has of a tour is taken up if it makes sense.
func TestBookInStore(t *testing.T) {
	kept, _ := store.Open(store.Folders{}, nil)
	id, steps := All[0].ID, len(All[0].Steps)
	for text, want := range map[string]Place{"": {}, "0": {}, "1": {Step: 1}, fmt.Sprint(steps - 1): {Step: steps - 1},
		fmt.Sprint(steps): {}, "-1": {}, "x": {}, "done": {Done: true}} {
		kept.Remember("tour-"+id, text)
		if got := NewBook(kept).Place(id); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	b := NewBook(kept)
	for _, p := range []Place{{Step: 1}, {Done: true}, {}} {
		b.Put(id, p)
		want := map[bool]string{true: "done", false: fmt.Sprint(p.Step)}[p.Done]
		if got := kept.Recall("tour-" + id); got != want {
			t.Errorf("%+v is kept as %q", p, got)
		}
	}
	if Named("nosuch") != nil {
		t.Error("there is a tour without a name")
	}
}
