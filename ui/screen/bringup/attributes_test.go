package bringup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// connected are the two ends of a connection whose attributes fit.
func connected() *session.Snapshot {
	g, err := verbs.ParseGID("10.0.0.2")
	if err != nil {
		panic(err)
	}
	attr := func(dest verbs.QPN, rq, sq verbs.PSN) verbs.QPAttr {
		return verbs.QPAttr{DestQPNum: dest, RQPSN: rq, SQPSN: sq, PathMTU: 3, MaxRDAtomic: 1, MaxDestRDAtomic: 1,
			AH: verbs.AHAttr{IsGlobal: true, GRH: verbs.GlobalRoute{DGID: g}},
			Mask: verbs.AttrDestQPN | verbs.AttrRQPSN | verbs.AttrSQPSN | verbs.AttrPathMTU | verbs.AttrMaxQPRDAtomic |
				verbs.AttrMaxDestRDAtomic | verbs.AttrAV}
	}
	return &session.Snapshot{
		QPs: []session.QPView{{Name: "a", Num: 1, PSN: 11, GID: g, State: verbs.QPRTS, Attr: attr(2, 12, 11)},
			{Name: "b", Num: 2, PSN: 99, GID: g, State: verbs.QPRTR, Attr: attr(1, 11, 12)}},
		Peers: []session.PeerView{{Name: "p", QPN: 2, PSN: 12, GID: g}},
	}
}

// Attributes that must agree with the other end fit or clash, with what they must be; the others do not matter.
func TestCompare(t *testing.T) {
	all := map[string]string{"dest_qp_num": "qp_num of b", "rq_psn": "sq_psn of b", "dgid": "GID of b",
		"path_mtu": "both ends alike", "max_rd_atomic": "at most max_dest_rd_atomic of b"}
	for _, tt := range []struct {
		name  string
		other string
		alter func(a, b *session.QPView)
		fit   string // names of attributes that are compared
		clash string
	}{
		{"fits", "b", nil, "dest_qp_num dgid max_rd_atomic path_mtu rq_psn", ""},
		{"another number", "b", func(a, b *session.QPView) { b.Num++ }, "dgid max_rd_atomic path_mtu rq_psn",
			"dest_qp_num"},
		{"another PSN", "b", func(a, b *session.QPView) { b.Attr.SQPSN++ }, "dest_qp_num dgid max_rd_atomic path_mtu",
			"rq_psn"},
		{"another GID", "b", func(a, b *session.QPView) { b.GID[15]++ }, "dest_qp_num max_rd_atomic path_mtu rq_psn",
			"dgid"},
		{"another MTU", "b", func(a, b *session.QPView) { b.Attr.PathMTU++ }, "dest_qp_num dgid max_rd_atomic rq_psn",
			"path_mtu"},
		{"fewer READs", "b", func(a, b *session.QPView) { b.Attr.MaxDestRDAtomic-- },
			"dest_qp_num dgid path_mtu rq_psn", "max_rd_atomic"},
		{"more READs", "b", func(a, b *session.QPView) { b.Attr.MaxDestRDAtomic++ },
			"dest_qp_num dgid max_rd_atomic path_mtu rq_psn", ""},
		{"the other one is INIT", "b", func(a, b *session.QPView) { b.Attr.Mask, b.PSN = 0, 12 },
			"dest_qp_num dgid rq_psn", ""},
		{"this one is INIT", "b", func(a, b *session.QPView) { a.Attr.Mask = 0 }, "", ""},
		{"a remote peer", "p", nil, "dest_qp_num dgid rq_psn", ""},
		{"nobody", "", nil, "", ""},
		{"one that is gone", "gone", nil, "", ""},
	} {
		snap := connected()
		if tt.alter != nil {
			tt.alter(&snap.QPs[0], &snap.QPs[1])
		}
		other, rows := compare(snap, &snap.QPs[0], tt.other)
		var fit, clash []string
		for _, a := range rows {
			note := strings.ReplaceAll(all[a.name], " b", " "+tt.other)
			if strings.HasPrefix(note, "both") {
				note = all[a.name]
			}
			switch a.fit {
			case fits:
				fit = append(fit, a.name)
			case clashes:
				clash, note = append(clash, a.name), "must be: "+note
			default:
				note = ""
			}
			if a.note != note {
				t.Errorf("%s: %s: %q, want %q", tt.name, a.name, a.note, note)
			}
		}
		slices.Sort(fit)
		if got := strings.Join(fit, " "); got != tt.fit || strings.Join(clash, " ") != tt.clash {
			t.Errorf("%s: %s fit, %s clash, want %s and %s", tt.name, got, clash, tt.fit, tt.clash)
		}
		known := tt.other == "b" || tt.other == "p"
		if want := map[bool]string{true: tt.other}[known]; other != want {
			t.Errorf("%s: the other end is %q", tt.name, other)
		}
		num, state := "", ""
		if known {
			num = verbs.QPN(2).String()
		}
		if tt.name == "another number" {
			num = verbs.QPN(3).String()
		}
		if tt.other == "b" {
			state = "RTR"
		}
		if rows[0].theirs != num || rows[1].theirs != state || rows[0].mine != verbs.QPN(1).String() ||
			rows[1].mine != "RTS" {
			t.Errorf("%s: %+v", tt.name, rows[:2])
		}
	}
}

// Attributes that neither end has set are left out, and so are zeros of the path but for the row of the GID table.
func TestCompareLeavesOut(t *testing.T) {
	snap := connected()
	snap.QPs[0].Attr.Mask |= verbs.AttrAltPath
	_, rows := compare(snap, &snap.QPs[0], "b")
	has := func(name string) bool {
		return slices.ContainsFunc(rows, func(a attribute) bool { return a.name == name })
	}
	for name, want := range map[string]bool{"dgid": true, "sgid_index": true, "hop_limit": false, "sl": false,
		"alt_dgid": false, "qkey": false, "path_mtu": true, "timeout": false} {
		if has(name) != want {
			t.Errorf("%s is listed: %t", name, has(name))
		}
	}
	if rows = rows[:0]; has("dgid") {
		t.Error("the test does not look at rows")
	}
	snap.QPs[0].Attr.AltAH.DLID = 5
	if _, rows = compare(snap, &snap.QPs[0], "b"); !has("alt_dgid") {
		t.Error("an alternate path is not listed")
	}
}

// Columns have what they need as far as there is room: the values first, then the name, and beside an attribute that
// clashes what it must be.
func TestWidths(t *testing.T) {
	rows := func(mine, theirs, name int) []attribute {
		return []attribute{{name: strings.Repeat("n", name), mine: strings.Repeat("m", mine),
			theirs: strings.Repeat("t", theirs)}}
	}
	for _, tt := range []struct {
		rows []attribute
		w    int
		want widths
	}{
		{rows(4, 4, 4), 80, widths{18, 8, 8}},
		{rows(20, 8, 4), 80, widths{18, 20, 8}},
		{rows(20, 30, 4), 80, widths{18, 20, 30}},
		{rows(20, 30, 25), 80, widths{25, 20, 30}},
		{rows(20, 30, 30), 80, widths{25, 20, 30}}, // 5 blanks and marks
		{rows(20, 37, 30), 80, widths{18, 20, 37}},
		{rows(20, 38, 30), 80, widths{18, 20, 37}}, // theirs is cut
		{rows(28, 30, 30), 80, widths{18, 28, 29}},
		{rows(30, 28, 30), 80, widths{18, 29, 28}},
		{rows(30, 30, 30), 80, widths{19, 28, 28}},
		{rows(30, 30, 30), 20, widths{18, 8, 8}},
		{rows(4, 30, 4), 20, widths{18, 8, 8}},
	} {
		if got := widthsOf(tt.rows, "a", "b", tt.w); got != tt.want {
			t.Errorf("%d cells, %+v: %+v, want %+v", tt.w, tt.rows, got, tt.want)
		}
	}
	clash := rows(20, 20, 4)
	clash[0].fit, clash[0].note = clashes, strings.Repeat("x", 9)
	for w, want := range map[int]widths{ // 34 cells for values, and a blank before the note
		18 + 5 + 34 + 10:     {18, 17, 17},
		18 + 5 + 34 + 10 - 1: {18, 20, 20},
	} {
		if got := widthsOf(clash, "a", "b", w); got != want {
			t.Errorf("%d cells with a note: %+v, want %+v", w, got, want)
		}
	}
	if got := widthsOf(nil, "a long name of a", strings.Repeat("b", 9), 80); got != (widths{18, 16, 9}) {
		t.Errorf("long names: %+v", got)
	}
}

// Long values go on in rows without a name; a column too narrow for the longest flag keeps them whole.
func TestLongValues(t *testing.T) {
	const flags = "REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC"
	for w, want := range map[int]int{len(flags): 1, len(flags) - 1: 2, longestFlag: 3, longestFlag - 1: 1} {
		out := folded([]attribute{{name: "x", mine: flags, theirs: "y", fit: fits, note: "n"}}, widths{18, w, 20})
		text := ""
		for i, a := range out {
			if text += a.mine; i > 0 && (a.name != "" || a.fit != noMatter || a.note != "" || a.theirs != "") {
				t.Errorf("%d cells: row %d is %+v", w, i, a)
			}
		}
		if len(out) != want || text != flags || out[0].name != "x" || out[0].theirs != "y" {
			t.Errorf("%d cells: %+v, want %d rows", w, out, want)
		}
	}
}

// What is not known is a dash, what fits a mark, and what clashes an error with what it must be.
func TestDrawAttribute(t *testing.T) {
	th := uitest.Tokens()
	for _, tt := range []struct {
		a    attribute
		w    int
		want string
	}{
		{attribute{name: "x", mine: "1", theirs: "2"}, 60, " x    1    2"},
		{attribute{name: "x"}, 60, " x    –    –"},
		{attribute{mine: "more"}, 60, "      more"},
		{attribute{name: "x", mine: "1", theirs: "1", fit: fits, note: "alike"}, 60, " x    1    1    ✓ alike"},
		{attribute{name: "x", mine: "1", theirs: "1", fit: fits, note: "alike"}, 28, " x    1    1    ✓ alike"},
		{attribute{name: "x", mine: "1", theirs: "1", fit: fits, note: "alike"}, 27, " x    1    1    ✓"},
		{attribute{name: "x", mine: "1", theirs: "2", fit: clashes, note: "must be: 1"}, 60,
			" x    1    2    ✗ must be: 1"},
	} {
		b := line.New(th)
		r := b.Begin(tt.w)
		drawAttribute(b, th, tt.a, widths{4, 4, 4})
		b.End(r)
		if got := strings.TrimRight(uitest.Text(b.String()), " "); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
		if style := map[fit]string{fits: "‹OK›✓", clashes: "‹Err›✗"}[tt.a.fit]; style != "" &&
			!strings.Contains(uitest.Marked(t, b.String(), tt.a.name), style) {
			t.Errorf("no %s", style)
		}
	}
}

// The pane of attributes scrolls by lines, by half a window, and to its ends.
func TestScrollAttributes(t *testing.T) {
	s := &Screen{attrLast: 20}
	s.H = 10
	for _, tt := range []struct {
		key  string
		want int
	}{{"down", 1}, {"j", 2}, {"up", 1}, {"up", 0}, {"up", 0}, {"pgdown", 5}, {"pgdown", 10}, {"pgup", 5}, {"end", 20},
		{"down", 20}, {"pgup", 15}, {"home", 0}, {"G", 20}, {"g", 0}, {"x", 0}} {
		s.scrollAttributes(uitest.Key(tt.key))
		if s.attrTop != tt.want {
			t.Errorf("%s leads to %d, want %d", tt.key, s.attrTop, tt.want)
		}
	}
}

// The last lines of a long text are joined into the last one that there is room for.
func TestJoinedFrom(t *testing.T) {
	abc := []string{"a", "b", "c"}
	for n, want := range map[int]string{-1: "", 0: "", 1: "a b c", 2: "a|b c", 3: "a|b|c", 4: "a|b|c"} {
		if got := strings.Join(joinedFrom(slices.Clone(abc), n), "|"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// An explanation has as many whole sentences as there is room for.
func TestWithSentences(t *testing.T) {
	for _, tt := range []struct {
		w, n int
		want string
	}{
		{38, 1, "short. One sentence here. Another one."}, {37, 1, "short. One sentence here."},
		{25, 1, "short. One sentence here."}, {24, 1, "short"}, {18, 2, "short. One sentence here."},
		{18, 3, "short. One sentence here. Another one."}, {9, 2, "short"},
	} {
		if got := withSentences("short", "One sentence here. Another one.", tt.w, tt.n); got != tt.want {
			t.Errorf("%d lines of %d: %q, want %q", tt.n, tt.w, got, tt.want)
		}
	}
}

// What to do next depends on the states of both ends.
func TestNextHint(t *testing.T) {
	for _, tt := range []struct {
		a, b verbs.QPState
		peer string
		want string
	}{
		{verbs.QPRTS, verbs.QPRTS, "b", ""},
		{verbs.QPRTS, verbs.QPInit, "b", "b is still in INIT: o goes there."},
		{verbs.QPInit, verbs.QPRTS, "b", "c brings a and b to RTS."},
		{verbs.QPReset, verbs.QPReset, "b", "c brings a and b to RTS."},
		{verbs.QPInit, verbs.QPReset, "p", "c connects a to p and brings it to RTS."},
		{verbs.QPRTS, verbs.QPReset, "p", ""},
	} {
		snap := connected()
		snap.QPs[0].State, snap.QPs[1].State = tt.a, tt.b
		s := &Screen{snap: *snap, peerOf: map[string]string{"a": tt.peer}}
		if got := s.nextHint(&s.snap.QPs[0]); got != tt.want {
			t.Errorf("%s, %s of %s: %q, want %q", tt.a, tt.b, tt.peer, got, tt.want)
		}
		if got := s.tellsPeer(&s.snap.QPs[0]); got != (tt.peer == "p") {
			t.Errorf("%s: the address is told: %t", tt.peer, got)
		}
	}
}

// Of the record for a peer, the LID is that of the queue pair's own port.
func TestOwnRecord(t *testing.T) {
	port := func(n uint8, lid uint16) verbs.PortAttr { return verbs.PortAttr{PortNum: n, LID: lid} }
	snap := &session.Snapshot{Devices: []session.DeviceView{
		{Name: "x", Ports: []verbs.PortAttr{port(1, 1), port(2, 2)}},
		{Name: "y", Ports: []verbs.PortAttr{port(1, 3), port(2, 4)}}, {Name: "z", Ports: []verbs.PortAttr{port(1, 5)}}}}
	for _, tt := range []struct {
		device string
		port   uint8
		want   string
	}{{"x", 1, "0001"}, {"x", 2, "0002"}, {"y", 2, "0004"}, {"y", 3, "0000"}, {"none", 1, "0000"}} {
		q := session.QPView{Device: tt.device, Port: tt.port, Num: 0x12, PSN: 0x34}
		if got, want := ownRecord(snap, &q), tt.want+":000012:000034:"+strings.Repeat("0", 32); got != want {
			t.Errorf("%s port %d: %s, want %s", tt.device, tt.port, got, want)
		}
	}
}

// The objects to make: enter makes the marked one or says what must come first, and the arrows choose the device.
func TestSetup(t *testing.T) {
	d, sess, s := start(t, theme.New("none", true), false)
	d.Shows(80, 24, "open_device soft0", "device 1 of 2", "← and → choose another")
	for _, tt := range []struct {
		keys  []string
		flash string
	}{
		{[]string{"down", "enter"}, "first: open_device soft0"},
		{[]string{"end", "enter"}, "first: open_device soft0"},
	} {
		d.Flashes = nil
		d.Keys(tt.keys...)
		if !slices.Equal(d.Flashes, []string{tt.flash}) {
			t.Errorf("%q: %q, want %q", tt.keys, d.Flashes, tt.flash)
		}
	}
	d.Shows(80, 24, "first: open_device soft0")
	for _, key := range []string{"right", "right", "right", "left"} {
		d.Keys(key)
	}
	d.Shows(80, 24, "open_device soft0")
	d.Keys("left")
	d.Shows(80, 24, "open_device soft1", "device 2 of 2")
	d.Keys("home", "enter")
	sess.WantLines("open_device soft1")
	if v := d.View(80, 24); strings.Contains(v, "device 2 of 2") {
		t.Errorf("the device can no longer be chosen:\n%s", v)
	}
	d.Flashes = nil
	for _, tt := range []struct{ keys, flash string }{
		{"home enter", "device exists: soft1"}, {"down down enter", "first: alloc_pd pd"},
		{"down down enter", "first: alloc_pd pd"}, {"end enter", "first: alloc_pd pd"},
	} {
		d.Flashes = nil
		d.Keys(strings.Fields(tt.keys)...)
		if !slices.Equal(d.Flashes, []string{tt.flash}) {
			t.Errorf("%s: %q, want %q", tt.keys, d.Flashes, tt.flash)
		}
	}
	sess.Do("alloc_pd pd")
	d.Frame()
	d.Keys("home", "down", "down", "down", "down", "enter") // memory need not come first
	sess.WantLines("create_cq cq cqe=64")
	d.Keys("end", "enter") // the second queue pair is the first one that is made
	sess.WantLines("create_qp b pd=pd send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16" +
		" max_send_sge=4 max_recv_sge=4")
	if s.current() == nil {
		t.Error("the queue pair is not shown")
	}
}

// Of the devices the first with an ACTIVE port is proposed, else the first.
func TestSetDevices(t *testing.T) {
	list := func(states ...string) (out []devices.Summary) {
		for i, ports := range states {
			s := devices.Summary{DeviceInfo: verbs.DeviceInfo{Name: fmt.Sprint("d", i)}}
			for _, st := range ports {
				s.Ports = append(s.Ports, devices.PortSummary{State: map[rune]verbs.PortState{'a': verbs.PortActive,
					'd': 1}[st]})
			}
			out = append(out, s)
		}
		return out
	}
	for _, tt := range []struct {
		list []devices.Summary
		want string
	}{{list("d", "da", "a"), "d1"}, {list("a", "a"), "d0"}, {list("d", "", "d"), "d0"}, {nil, ""}} {
		s := newSetup(theme.New("none", true))
		s.setDevices(tt.list)
		if got := s.deviceName(); got != tt.want || !s.read {
			t.Errorf("%+v: %q, want %q", tt.list, got, tt.want)
		}
	}
}

// A paste for a field goes into the field, and the paste of a peer edits its own line.
func TestPasteInput(t *testing.T) {
	d, sess, s := start(t, theme.New("none", true), true)
	d.Keys("P")
	d.Type("12")
	d.Keys("enter")
	if s.problem == "" || !s.pasting {
		t.Errorf("12 is taken for an address: %q", s.problem)
	}
	if d.Keys("backspace"); s.problem != "" || s.pasted.Value() != "1" {
		t.Errorf("%q with the problem %q", s.pasted.Value(), s.problem)
	}
	d.Keys("esc")
	if s.pasting || s.Typing() {
		t.Error("esc does not end the paste")
	}
	if d.Keys("P"); s.pasted.Value() != "" || s.problem != "" {
		t.Errorf("the next paste begins with %q", s.pasted.Value())
	}
	d.Keys("esc", "e", "ctrl+u")
	d.Send(tea.PasteMsg{Content: "7"})
	d.Keys("enter", "enter")
	sess.WantLines("modify_qp a INIT pkey_index=7 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ")
}
