package home

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/tour"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// drawItems draws items in a theme in which styles can be told apart, without a focus.
func drawItems(th *theme.Theme, items []item, w int) string {
	l := &list{th: th, items: items}
	return widget.Render(th, l, w, max(l.height(), 1))
}

// A device has two lines: its kind and the state of its default port, and its address or what it lacks.
func TestDevices(t *testing.T) {
	gid := func(text string, typ verbs.GIDType, index int) route.ChosenGID {
		g, err := verbs.ParseGID(text)
		if err != nil {
			t.Fatal(err)
		}
		return route.ChosenGID{GIDEntry: verbs.GIDEntry{GID: g, Type: typ, Index: index}}
	}
	port := func(n uint8, st verbs.PortState, rate float64, netdev string) devices.PortSummary {
		return devices.PortSummary{PortNum: n, State: st, Rate: rate, Netdev: netdev}
	}
	v2 := gid("10.0.0.2", verbs.GIDTypeRoCEv2, 3)
	for name, tt := range map[string]struct {
		d      device
		opened bool
		want   []string
		styles []string
	}{
		"soft": {device{Summary: devices.Summary{DeviceInfo: verbs.DeviceInfo{Provider: verbs.SoftProvider},
			Ports: []devices.PortSummary{port(1, verbs.PortActive, 0, "")}}, gid: v2}, false,
			[]string{"  x         software device · port 1 ACTIVE", "            RoCE v2 GID 3 10.0.0.2"},
			[]string{"‹OK›port 1 ACTIVE", "‹Value›10.0.0.2"}},
		"a card": {device{Summary: devices.Summary{DeviceInfo: verbs.DeviceInfo{Provider: "ibverbs"},
			Ports: []devices.PortSummary{port(1, verbs.PortActive, 100, "ens1")}},
			gid: gid("fe80::1", verbs.GIDTypeIB, 0)}, true,
			[]string{"  x         ibverbs · port 1 ACTIVE · 100 Gb/s · ens1 · open",
				"            InfiniBand GID 0 fe80::1"},
			[]string{"‹Value›100 Gb/s", "‹Value›ens1", "‹Info›open"}},
		"two ports": {device{Summary: devices.Summary{DeviceInfo: verbs.DeviceInfo{Provider: "ibverbs"},
			Ports: []devices.PortSummary{port(1, 1, 2.5, "a"), port(2, verbs.PortActive, 2.5, "b")}},
			gid: gid("10.0.0.2", verbs.GIDTypeRoCEv1, 1)}, false,
			[]string{"  x         ibverbs · port 2 ACTIVE · 2.5 Gb/s · b · 2 ports",
				"            RoCE v1 GID 1 10.0.0.2"},
			nil},
		"down": {device{Summary: devices.Summary{DeviceInfo: verbs.DeviceInfo{Provider: "ibverbs"},
			Ports: []devices.PortSummary{port(1, 1, 0, "")}}}, false,
			[]string{"  x         ibverbs · port 1 DOWN", "            no GID: give its netdev an address"},
			[]string{"‹Warn›port 1 DOWN", "‹Warn›no GID"}},
		"no port": {device{Summary: devices.Summary{DeviceInfo: verbs.DeviceInfo{Provider: "ibverbs"}}}, false,
			[]string{"  x         ibverbs", "            no GID: give its netdev an address"}, nil},
		"unreadable": {device{Summary: devices.Summary{DeviceInfo: verbs.DeviceInfo{Provider: "ibverbs"}},
			problem: "EACCES:\n denied", gid: v2}, false,
			[]string{"  x         ibverbs", "            EACCES: denied"}, []string{"‹Err›EACCES"}},
	} {
		tt.d.Name = "x"
		th := uitest.Tokens()
		items := (&here{devices: []device{tt.d}}).items(&Screen{th: th, opened: map[string]bool{"x": tt.opened}}, 80)
		raw := drawItems(th, items, 80)
		if got := strings.Split(uitest.Text(raw), "\n"); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		for _, style := range tt.styles {
			if _, text, _ := strings.Cut(style, "›"); !strings.Contains(uitest.Marked(t, raw, text), style) {
				t.Errorf("%s: not %s in %s", name, style, uitest.Marked(t, raw, text))
			}
		}
		addr := ""
		if !tt.d.gid.GID.IsZero() {
			addr = tt.d.gid.GID.Addr().String()
		}
		if items[0].addr != addr || items[0].name != "x" {
			t.Errorf("%s: the address %q of %q can be copied, want %q", name, items[0].addr, items[0].name, addr)
		}
	}
}

// The first finding that blocks the host's devices is told with its remedy; while another device works, all take one
// line.
func TestBlocked(t *testing.T) {
	th := uitest.Tokens()
	fail := func(meaning, next string) devices.Finding {
		return devices.Finding{Status: devices.Fail, Meaning: meaning, Next: next}
	}
	g := th.Glyphs
	for name, tt := range map[string]struct {
		list  []devices.Finding
		w     int
		want  []string
		works bool
	}{
		"none": {findings[:2], 80, nil, false},
		"one": {[]devices.Finding{findings[0], fail("broken", "mend it")}, 80,
			[]string{"", "  " + g.Ban + " broken", "  " + g.Right + " mend it"}, false},
		"while another works": {[]devices.Finding{fail("broken", "mend it"), fail("lost", "")}, 80,
			[]string{"", "  " + g.Hollow + " doctor: 2 things to mend: broken; lost"}, true},
		"no remedy": {[]devices.Finding{fail("broken", "")}, 80, []string{"", "  " + g.Ban + " broken"}, false},
		"two": {[]devices.Finding{fail("one", ""), fail("two", "x")}, 80,
			[]string{"", "  " + g.Ban + " one"}, false},
		"narrow": {[]devices.Finding{fail("a word and another one", "")}, 26,
			[]string{"", "  " + g.Ban + " a word and another", "    one"}, false},
		"less narrow": {[]devices.Finding{fail("a word and another one", "")}, 27,
			[]string{"", "  " + g.Ban + " a word and another one"}, false},
	} {
		items := blocked(th, tt.list, tt.w, tt.works)
		var got []string
		if len(items) > 0 {
			got = strings.Split(uitest.Text(drawItems(th, items, 90)), "\n")
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A tour says how far it has come, and enter starts it or goes on.
func TestTours(t *testing.T) {
	book := tour.NewBook(nil)
	n := len(tour.All[1].Steps)
	book.Put(tour.All[1].ID, tour.Place{Step: 1})
	book.Put(tour.All[2].ID, tour.Place{Done: true})
	th := uitest.Tokens()
	s := &Screen{th: th, book: book, tours: &list{th: th}}
	for _, it := range tourItems(s, 2*len(tour.All)-1)[1:] {
		if len(it.lines) != 1 {
			t.Errorf("%s has %d lines where there is no room for all", it.name, len(it.lines))
		}
	}
	items := tourItems(s, 2*len(tour.All))
	raw := drawItems(th, items, 80)
	lines := strings.Split(uitest.Text(raw), "\n")
	for i, want := range []struct{ head, does string }{
		{"  " + tour.All[0].Name, "start the tour"},
		{"  " + tour.All[1].Name + fmt.Sprintf("  step 2 of %d", n), "go on with the tour"},
		{"  " + tour.All[2].Name + "  ✓ done", "start the tour"},
	} {
		if lines[2*i] != want.head || items[i].does != want.does || lines[2*i+1] != "     "+tour.All[i].About {
			t.Errorf("tour %d: %q, enter: %s", i, lines[2*i:2*i+2], items[i].does)
		}
		if msg := items[i].open()(); msg != (tour.Start{ID: tour.All[i].ID}) {
			t.Errorf("tour %d: enter leads to %+v", i, msg)
		}
	}
	for _, style := range []string{"‹Info›  step 2", "‹OK›  ✓ done"} {
		if _, text, _ := strings.Cut(style, "›  "); !strings.Contains(uitest.Marked(t, raw, text), style) {
			t.Errorf("not %s in %s", style, uitest.Marked(t, raw, text))
		}
	}
}

// The other screens are listed with their keys; enter goes there, and the hints say so.
func TestScreens(t *testing.T) {
	d, s := newHome(t, nil)
	d.View(120, 40)
	d.Keys("]")
	if s.Focus != paneScreens {
		t.Fatalf("pane %d has the focus", s.Focus)
	}
	for id := screen.Devices; id < screen.Count; id++ {
		row := fmt.Sprintf("%d %-12s %s", int(id), screen.Names[id], about[id])
		d.Shows(120, 60, row)
		if msg := s.Update(uitest.Key("enter"))(); msg != (screen.GotoMsg{To: id}) {
			t.Errorf("%s: enter leads to %+v", screen.Names[id], msg)
		}
		if got := fmt.Sprint(s.Context()); got != fmt.Sprint(screen.ContextNow(s, keymap.HomeIn("go to the screen"),
			actions)) {
			t.Errorf("the hints are %s", got)
		}
		d.Keys("down")
	}
}

// Each window shows the panes that fit: the tours have their lines, at most half of it, the devices theirs, at least 4
// and at most a third; from 28 lines on the screens have what is left. The first line says that no device is open.
func TestPanesFit(t *testing.T) {
	for _, tt := range []struct {
		keys  []string
		w, h  int
		boxes []string
		focus screen.Pane
	}{
		{nil, 80, 27, []string{"what 80x16+0+1", "guided 80x10+0+17"}, paneTours},
		{nil, 80, 20, []string{"what 80x9+0+1", "guided 80x10+0+10"}, paneTours},
		{nil, 80, 19, []string{"what 80x9+0+1", "guided 80x9+0+10"}, paneTours},
		{nil, 80, 28, []string{"what 80x6+0+1", "guided 80x10+0+7", "screens 80x11+0+17"}, paneTours},
		{nil, 80, 60, []string{"what 80x6+0+1", "guided 80x16+0+7", "screens 80x37+0+23"}, paneTours},
		{[]string{"]"}, 80, 28, []string{"what 80x6+0+1", "guided 80x10+0+7", "screens 80x11+0+17"}, paneScreens},
		{[]string{"]"}, 80, 27, []string{"what 80x16+0+1", "guided 80x10+0+17"}, paneTours},
		{[]string{"z"}, 80, 28, []string{"guided 80x27+0+1"}, paneTours},
		{[]string{"[", "z"}, 80, 20, []string{"what 80x19+0+1"}, paneDevices},
	} {
		d, s := newHome(t, nil)
		d.View(80, 60)
		d.Keys(tt.keys...)
		if got := uitest.Boxes(d.View(tt.w, tt.h)); !slices.Equal(got, tt.boxes) || s.Focus != tt.focus {
			t.Errorf("%q in %dx%d: %q and pane %d, want %q", tt.keys, tt.w, tt.h, got, s.Focus, tt.boxes)
		}
		for i, l := range s.lists {
			if l != nil && l.Focused != (screen.Pane(i) == tt.focus) {
				t.Errorf("%q in %dx%d: pane %d is drawn with the focus: %t", tt.keys, tt.w, tt.h, i, l.Focused)
			}
		}
	}
	d, s := newHome(t, findings) // 4 lines of devices, and 2 of findings
	if got := uitest.Boxes(d.View(80, 30))[0]; got != "what 80x8+0+1" {
		t.Errorf("with findings: %s", got)
	}
	s.take(append(s.here.devices, s.here.devices...))
	if got := uitest.Boxes(d.View(80, 28))[0]; got != "what 80x9+0+1" {
		t.Errorf("with findings, a third of the window: %s", got)
	}
}

// The wheel and a click move the cursor of a list; a click beside the items does not, nor does one on blank lines.
func TestMouse(t *testing.T) {
	th := uitest.Tokens()
	l := &list{th: th, Focused: true}
	var items []item
	for i := range 5 {
		items = append(items, item{name: fmt.Sprint(i), lines: [][]span{{{text: "a", style: &th.Value}},
			{{text: "b", style: &th.Value}}}})
	}
	l.set(items)
	l.SetSize(20, 4)
	for _, tt := range []struct {
		m           widget.Mouse
		taken       bool
		cursor, top int
	}{
		{widget.Mouse{Kind: widget.Click, Y: 3}, true, 1, 0}, {widget.Mouse{Kind: widget.Click, Y: 0}, true, 0, 0},
		{widget.Mouse{Kind: widget.WheelDown}, true, 1, 0}, {widget.Mouse{Kind: widget.WheelDown}, true, 2, 2},
		{widget.Mouse{Kind: widget.Click, Y: 1}, true, 1, 2}, {widget.Mouse{Kind: widget.WheelUp}, true, 0, 0},
		{widget.Mouse{Kind: widget.Click, Y: -1}, false, 0, 0}, {widget.Mouse{Kind: widget.Click, Y: 40}, false, 0, 0},
	} {
		if taken := l.Mouse(tt.m); taken != tt.taken || l.cursor != tt.cursor || l.top != tt.top {
			t.Errorf("%+v: taken %t, on %d, from line %d", tt.m, taken, l.cursor, l.top)
		}
	}
	if l.Below() != 6 {
		t.Errorf("%d lines below", l.Below())
	}
	if l.SetSize(20, 40); l.Below() != 0 {
		t.Errorf("%d lines below in a large window", l.Below())
	}
}

// An item whose lines do not all fit shows from its first line on; spans keep their columns, and a blank between two.
func TestListLines(t *testing.T) {
	th := uitest.Tokens()
	items := []item{
		{name: "a", lines: [][]span{{{"long name", &th.Accent, 0}, {"state", &th.Dim, 4}, {"!", &th.Dim, 0}}}},
		{name: "b", lines: [][]span{{{"b", &th.Accent, 0}, {"state", &th.Dim, 10}}, {{"more", &th.Dim, 3}}}},
	}
	l := &list{th: th, Focused: true, Empty: "none"}
	l.set(items)
	want := "▸ long name state!\n  b         state\n     more\n"
	if got := uitest.Text(widget.Render(th, l, 24, 4)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	l.move(1)
	raw := widget.Render(th, l, 24, 4)
	if got, want := uitest.Text(raw), "  long name state!\n▸ b         state\n     more\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for i, l := range strings.Split(raw, "\n") {
		if got := strings.Contains(l, th.Selection.SGR()); got != (i == 1 || i == 2) {
			t.Errorf("line %d is marked: %t", i, got)
		}
	}
	for i, l := range strings.Split(raw, "\n")[1:3] {
		_, end, _ := strings.Cut(l, th.Selection.SGR())
		if !strings.HasSuffix(strings.TrimSuffix(end, theme.Reset), "  ") {
			t.Errorf("the mark of line %d ends before the line: %q", i, l)
		}
	}
	if got, want := items[1].text(), "b state more"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	l.set(nil)
	if got := uitest.Text(widget.Render(th, l, 24, 2)); got != "  none\n" {
		t.Errorf("%q without items", got)
	}
}

// A device that cannot be opened shows why, and only the first 16 are opened.
func TestReadDevices(t *testing.T) {
	inv := &many{}
	env := &screen.Env{Inventory: inv}
	list := readDevices(env)
	if len(list) != 20 || inv.opened != maxDetailed {
		t.Errorf("%d devices, %d opened", len(list), inv.opened)
	}
	for i, want := range []string{"", "busy", "from the list"} {
		if list[i].problem != want {
			t.Errorf("device %d: %q, want %q", i, list[i].problem, want)
		}
	}
	if list[0].gid.Index != 7 || list[1].gid.Index != 0 || list[19].gid.Index != 0 {
		t.Errorf("GIDs %d, %d, %d", list[0].gid.Index, list[1].gid.Index, list[19].gid.Index)
	}
}

// many is a host with 20 devices; the second cannot be opened, nor can the third, which the list knows.
type many struct {
	screen.Inventory
	opened int
}

func (*many) List() (list []devices.Summary) {
	for i := range 20 {
		list = append(list, devices.Summary{DeviceInfo: verbs.DeviceInfo{Name: fmt.Sprint(i)}})
	}
	list[2].Err = "from the list"
	return list
}

func (m *many) Detail(name string) (d devices.Detail, err error) {
	m.opened++
	if name == "1" || name == "2" {
		return d, errors.New("busy")
	}
	seventh := route.ChosenGID{GIDEntry: verbs.GIDEntry{Index: 7}}
	d.Ports = []devices.Port{
		{PortAttr: verbs.PortAttr{PortNum: 1, State: 1}},
		{PortAttr: verbs.PortAttr{PortNum: 2, State: verbs.PortActive}, Usual: seventh},
	}
	return d, nil
}

// The screen is drawn again when the devices of the session change, and only then.
func TestRefresh(t *testing.T) {
	sess := uitest.NewSession(t, session.Options{Live: true})
	env := sess.Env(theme.New("none", true))
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	env.Ctx, env.Inventory = ctx, uitest.Still{Inventory: env.Inventory}
	s := New(env, tour.NewBook(nil))
	look := func() bool {
		changed, _ := s.Refresh(&screen.State{Session: sess.Snapshot()})
		return changed
	}
	if !look() || look() {
		t.Error("the first look changes nothing, or the second something")
	}
	sess.Do("open_device soft1")
	if !look() || !s.opened["soft1"] || look() {
		t.Error("an open device is not seen")
	}
	sess.Do("close_device soft1")
	if !look() || s.opened["soft1"] {
		t.Error("a closed device is still open")
	}
}

// enter does nothing where there is no item, and the hints name no action.
func TestNoItem(t *testing.T) {
	d, s := newHome(t, nil)
	s.take([]device{})
	d.View(80, 20)
	d.Keys("[")
	base := d.Started
	if d.Keys("enter", "down"); d.Started != base {
		t.Errorf("%d commands", d.Started-base)
	}
	if got := fmt.Sprint(s.Context()); got != fmt.Sprint(screen.ContextNow(s, keymap.HomeScreen, actions)) {
		t.Errorf("the hints are %s", got)
	}
}

// A finding is wrapped where its box ends: the frame, the mark and the blanks take 7 cells.
func TestFindingIsWrapped(t *testing.T) {
	text := strings.Repeat("word ", 8) + "last"
	d, s := newHome(t, []devices.Finding{{Status: devices.Fail, Meaning: text}})
	s.take([]device{}) // none that works
	w := len(text) + 7
	d.Shows(w, 40, s.th.Glyphs.Ban+" "+text)
	if v := d.View(w-1, 40); strings.Contains(v, text) || !strings.Contains(v, " last") {
		t.Errorf("not wrapped:\n%s", v)
	}
}

// Changes are waited for once, however often the screen is shown.
func TestWatchOnce(t *testing.T) {
	env := uitest.NewSession(t, session.Options{}).Env(theme.New("none", true))
	s := New(env, tour.NewBook(nil))
	if s.watch() == nil || s.watch() != nil {
		t.Error("changes are not waited for, or twice")
	}
}

// A change of the devices is followed by a look at them, until no more are reported.
func TestChanges(t *testing.T) {
	d, s := newHome(t, nil)
	if !s.watching { // over, for good
		t.Error("it waits for changes that are never reported")
	}
	s.watching = true
	base := d.Started
	if d.Send(changedMsg{over: true}); d.Started != base || !s.watching {
		t.Errorf("%d commands after the last change", d.Started-base)
	}
	s.take([]device{})
	d.Send(changedMsg{})
	d.Shows(80, 20, "soft0", "soft1")
}
