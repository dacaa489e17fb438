package devices

import (
	"strings"
	"testing"

	inv "rdmatui/devices"
	"rdmatui/session"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// The first word of a search that a text contains is marked, wherever it is and in either case.
func TestHighlight(t *testing.T) {
	th := uitest.Tokens()
	s := newSheet(th, &section{cols: []widget.TableColumn{{Title: "x", Space: widget.Space{Weight: 1}}}})
	for _, tt := range []struct{ words, text, want string }{
		{"max", "max_qp", "‹Value+Match›max‹Value›_qp"},
		{"qp", "max_QP", "‹Value›max_‹Value+Match›QP"},
		{"x_", "max_qp", "‹Value›ma‹Value+Match›x_‹Value›qp"},
		{"none", "max_qp", "‹Value›max_qp"},
		{"none q", "max_qp", "‹Value›max_‹Value+Match›q‹Value›p"},
		{"p q", "max_qp", "‹Value›max_q‹Value+Match›p"},
		{"i", "İi", "‹Value›İi"}, // in lower case it has another length
	} {
		s.words = strings.Fields(tt.words)
		block := &widget.Func{Line: func(b *line.Buf, _, _, _ int) { s.highlight(b, &cell{text: tt.text}) }}
		if got := uitest.Marked(t, widget.Render(th, block, 20, 1), tt.text); got != tt.want+"\n" {
			t.Errorf("%q in %q: %s, want %s", tt.words, tt.text, got, tt.want)
		}
	}
}

// Before the list is read it takes a line that says so.
func TestListBeforeItIsRead(t *testing.T) {
	s := newScreen(uitest.NewSession(t, session.Options{}), lab(), testTheme())
	view := draw(s, 80, 24)
	if got := uitest.Boxes(view); len(got) != 2 || got[0] != "devices 80x4+0+0" {
		t.Errorf("%q\n%s", got, view)
	}
	if !contains(view, "reading the devices…") {
		t.Error(view)
	}
}

// Another screen can ask for a device, before the list is read or after, and for the diagnosis; one that is not there
// is not waited for.
func TestPick(t *testing.T) {
	for _, before := range []bool{true, false} {
		f := lab()
		s := newScreen(uitest.NewSession(t, session.Options{}), f, testTheme())
		if !before {
			readAll(s, s.Show())
			s.choose(ports)
		}
		readAll(s, s.Pick("soft1"))
		if before {
			readAll(s, s.Show())
		}
		if s.name != "soft1" || !s.inList || s.wish != "" {
			t.Errorf("before the list: %t: %q, in the list: %t, wish %q", before, s.name, s.inList, s.wish)
		}
		readAll(s, s.Pick("none"))
		if s.name != "soft1" || s.wish != "" {
			t.Errorf("a device that is not there: %q, wish %q", s.name, s.wish)
		}
		readAll(s, s.Pick(Doctor))
		if s.sec != diagnosis || s.inList || f.count("diagnose") != 1 {
			t.Errorf("the diagnosis: section %d, %d times read", s.sec, f.count("diagnose"))
		}
	}
}

// Where a section has no row, nothing is explained or copied.
func TestNoRow(t *testing.T) {
	f := lab()
	f.counters = nil
	d, r := start(t, f, 120, 40)
	press(d, r, "#", "E", "y")
	if !d.Contains("the device has no counters") {
		t.Errorf("nothing says that there is no row:\n%s", d.View())
	}
	sh := r.sheets[counters]
	if sh.explained() != nil || sh.text() != "" || sh.about() != "" || sh.row() != -1 {
		t.Errorf("%v, %q, %q, %d", sh.explained(), sh.text(), sh.about(), sh.row())
	}
}

// From the list, n leads into the next section with a match.
func TestNextMatchFromTheList(t *testing.T) {
	d, r := start(t, lab(), 120, 40)
	press(d, r, "a", "/")
	d.Type("mtu")
	press(d, r, "enter")
	r.inList = true
	press(d, r, "n")
	if r.inList || r.sheets[r.sec].hits == 0 {
		t.Errorf("in the list: %t, section %d", r.inList, r.sec)
	}
	press(d, r, "/", "ctrl+u")
	d.Type("no such thing")
	press(d, r, "enter")
	r.said = nil
	press(d, r, "n", "N")
	if want := "No row matches the search"; len(r.said) != 2 || r.said[0] != want || r.said[1] != want {
		t.Errorf("%q", r.said)
	}
}

// A line of the list for each port; a device without one says why, an error as such.
func TestListLines(t *testing.T) {
	th := uitest.Tokens()
	l := newList(th)
	port := func(n uint8, st verbs.PortState) inv.PortSummary { return inv.PortSummary{PortNum: n, State: st} }
	name := func(s string) verbs.DeviceInfo { return verbs.DeviceInfo{Name: s, Provider: "p"} }
	l.set([]inv.Summary{{DeviceInfo: name("one"), Ports: []inv.PortSummary{port(1, verbs.PortActive)}},
		{DeviceInfo: name("two"), Ports: []inv.PortSummary{port(1, 1), port(2, verbs.PortActive)}},
		{DeviceInfo: name("none")}, {DeviceInfo: name("bad"), Err: "EIO"}})
	l.SetCursor(4)
	raw := widget.Render(th, l, 60, 7)
	for i, want := range []string{"one ‹OK›ACTIVE", "two:1 ‹Warn›DOWN", "two:2 ‹OK›ACTIVE", "none ‹Warn›no port",
		"bad ‹Err+SelBlur›error"} {
		device, state, _ := strings.Cut(want, " ")
		row := strings.Split(raw, "\n")[i+1]
		if _, text, _ := strings.Cut(state, "›"); !strings.Contains(uitest.Marked(t, row, text), state) ||
			!strings.Contains(uitest.Text(row), device+" ") {
			t.Errorf("line %d: %s, want %s", i, uitest.Marked(t, row, text), want)
		}
	}
	if l.wants() != 6 || !l.has("bad") || l.has("worse") || !l.pick("two") || l.Cursor() != 1 || l.pick("worse") {
		t.Errorf("%d rows, the cursor is on %d", l.wants(), l.Cursor())
	}
}

// The users of a device of the host are read once a second while they are in sight; those of the software device never.
func TestPollingOfUsers(t *testing.T) {
	f := lab()
	d, r := start(t, f, 80, 24)
	reads := func(device string, keys ...string) int {
		press(d, r, keys...)
		before := f.count("resources " + device)
		for range 3 {
			r.clock = r.clock.Add(pollTime)
			d.Send(look{})
			settle(d, r)
			d.Send(look{}) // too early
			settle(d, r)
		}
		return f.count("resources "+device) - before
	}
	if n := reads("rxe0", "a"); n != 0 {
		t.Errorf("%d readings of users that cannot be seen", n)
	}
	if n := reads("rxe0", "U"); n != 3 {
		t.Errorf("%d readings in 3 seconds", n)
	}
	if n := reads("soft0", "esc", "down", "U"); n != 0 {
		t.Errorf("%d readings of the users of a software device", n)
	}
}

// The hints show only keys that work: next and previous match while something is searched for.
func TestOfferedKeys(t *testing.T) {
	d, r := start(t, lab(), 120, 40)
	with := func() string { return " " + uitest.Later(r.Context()) + " " }
	if got := with(); !strings.Contains(got, " n ") || !strings.Contains(got, " N ") {
		t.Errorf("without a search:%s", got)
	}
	press(d, r, "a", "/")
	d.Type("mtu")
	press(d, r, "enter")
	if got := with(); strings.Contains(got, " n ") || strings.Contains(got, " N ") {
		t.Errorf("with a search:%s", got)
	}
}
