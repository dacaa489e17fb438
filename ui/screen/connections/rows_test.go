package connections

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	inv "rdmatui/devices"
	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// drawn draws rows in w cells, in the theme of the tests for styles.
func drawn(rows []row, w int) string {
	block := &widget.Func{Line: func(b *line.Buf, y, _, _ int) {
		if y < len(rows) {
			rows[y](b)
		}
	}}
	return widget.Render(uitest.Tokens(), block, w, max(len(rows), 1))
}

// linesOf are the rows without styles.
func linesOf(rows []row, w int) []string {
	if len(rows) == 0 {
		return nil
	}
	return strings.Split(uitest.Text(drawn(rows, w)), "\n")
}

// Each window shows the panes that fit; small ones show the identifier or the event.
func TestPanesFit(t *testing.T) {
	for _, tt := range []struct {
		face  string
		w, h  int
		boxes []string
	}{
		// One pane: where there is no identifier, how to begin.
		{"empty", 80, 11, []string{"no 80x11+0+0"}}, {"draft", 80, 11, []string{"new: 80x11+0+0"}},
		{"request", 80, 11, []string{"identifiers 80x11+0+0"}}, {"event", 80, 11, []string{"events 80x11+0+0"}},
		// A line for each identifier, at most 2 or, from 24 lines on, 3; the events have 4 lines or, from 20 on, 7,
		// unless there are none.
		{"empty", 80, 12, []string{"identifiers 80x4+0+0", "no 80x8+0+4"}},
		{"empty", 80, 35, []string{"identifiers 80x4+0+0", "no 80x31+0+4"}},
		{"draft", 80, 20, []string{"identifiers 80x4+0+0", "new: 80x16+0+4"}},
		{"request", 80, 19, []string{"identifiers 80x5+0+0", "listen-1 80x10+0+5", "events 80x4+0+15"}},
		{"request", 80, 20, []string{"identifiers 80x5+0+0", "listen-1 80x8+0+5", "events 80x7+0+13"}},
		{"request", 80, 35, []string{"identifiers 80x5+0+0", "listen-1 80x23+0+5", "events 80x7+0+28"}},
		{"request", 109, 22, []string{"identifiers 109x5+0+0", "listen-1 109x10+0+5", "events 109x7+0+15"}},
		{"request", 110, 21, []string{"identifiers 110x5+0+0", "listen-1 110x9+0+5", "events 110x7+0+14"}},
		// The event has three fifths.
		{"event", 80, 12, []string{"events 80x5+0+0", "event 80x7+0+5"}},
		{"event", 80, 35, []string{"events 80x14+0+0", "event 80x21+0+14"}},
		// From 36 lines on all four: two fifths for the identifier, a quarter for the event.
		{"empty", 80, 36, []string{"identifiers 80x4+0+0", "no 80x14+0+4", "events 80x9+0+18", "event 80x9+0+27"}},
		{"event", 80, 36, []string{"identifiers 80x5+0+0", "listen-1 80x14+0+5", "events 80x8+0+19",
			"event 80x9+0+27"}},
		// Identifiers in 48 % of the width, the events beside them.
		{"empty", 110, 22, []string{"identifiers 52x4+0+0", "events 58x11+52+0", "no 52x18+0+4", "event 58x11+52+11"}},
		{"event", 110, 22, []string{"identifiers 52x5+0+0", "events 58x11+52+0", "listen-1 52x17+0+5",
			"event 58x11+52+11"}},
		{"request", 200, 50, []string{"identifiers 96x5+0+0", "events 104x25+96+0", "listen-1 96x45+0+5",
			"event 104x25+96+25"}},
	} {
		run(t, plain, func(x *bench) {
			faces[tt.face](x)
			if got := uitest.Boxes(x.View(tt.w, tt.h)); !slices.Equal(got, tt.boxes) {
				t.Errorf("%s in %dx%d: %q, want %q", tt.face, tt.w, tt.h, got, tt.boxes)
			}
		})
	}
}

// The list has a line for each identifier, up to what the window has room for.
func TestIDRows(t *testing.T) {
	for _, tt := range []struct{ n, w, h, want int }{
		{0, 80, 20, 4}, {1, 80, 20, 4}, {2, 80, 20, 5}, {3, 80, 20, 5}, {3, 80, 23, 5}, {3, 80, 24, 6}, {9, 80, 24, 6},
		{3, 80, 36, 6}, {4, 80, 36, 7}, {9, 80, 36, 7}, {9, 110, 22, 7}, {9, 110, 40, 11}, {9, 110, 60, 12},
		{3, 110, 60, 6},
	} {
		run(t, plain, func(x *bench) {
			if x.channel(x.sess); tt.n > 0 {
				for i := range tt.n {
					x.sess.Do("rdma_create_id id" + string(rune('a'+i)) + " channel=events ps=TCP")
				}
			}
			x.pass()
			got := uitest.Boxes(x.View(tt.w, tt.h))[0]
			_, size, _ := strings.Cut(got, "x")
			height, _, _ := strings.Cut(size, "+")
			if height != itoa(tt.want) {
				t.Errorf("%d in %dx%d: %s, want %d", tt.n, tt.w, tt.h, got, tt.want)
			}
		})
	}
}

func itoa(n int) string {
	return strings.TrimLeft(string([]byte{'0' + byte(n/10), '0' + byte(n%10)}), "0")
}

// The steps of an identifier: how long each took, a bar in proportion to the longest, and all together.
func TestStepRows(t *testing.T) {
	now := time.Unix(1000, 0)
	bars := func(n int) string { return strings.Repeat(theme.New("none", true).Glyphs.Thumb, n) }
	for name, tt := range map[string]struct {
		steps []session.StepTime
		want  []string
		line  string
	}{
		"one": {[]session.StepTime{{Name: "connect", Took: 2 * time.Millisecond}},
			[]string{" connect        2 ms       " + bars(12)}, " connect 2 ms"},
		"two": {[]session.StepTime{{Name: "resolve_addr", Took: time.Millisecond},
			{Name: "connect", Took: 3 * time.Millisecond}},
			[]string{" resolve_addr   1 ms       " + bars(4), " connect        3 ms       " + bars(12),
				" together       4 ms"}, " resolve_addr 1 ms  connect 3 ms"},
		"failed": {[]session.StepTime{{Name: "connect", Took: time.Second, Failed: true}},
			[]string{" connect        1 s        " + bars(12) + " failed"}, " connect 1 s"},
		"under way": {[]session.StepTime{{Name: "connect", Began: now.Add(-1490 * time.Millisecond), Pending: true}},
			[]string{" connect        1.5 s…     " + bars(12) + " under way"}, " connect 1.5 s…"},
		"begins": {[]session.StepTime{{Name: "connect", Began: now.Add(time.Second), Pending: true}},
			[]string{" connect        0.0 s…      under way"}, " connect 0.0 s…"},
		"both": {[]session.StepTime{{Name: "resolve_addr", Took: time.Second},
			{Name: "connect", Began: now.Add(-2 * time.Second), Pending: true}},
			[]string{" resolve_addr   1 s        " + bars(6), " connect        2.0 s…     " + bars(12) + " under way",
				" together       3 s"}, " resolve_addr 1 s  connect 2.0 s…"},
	} {
		a := newAbout(uitest.Tokens())
		a.stepRows(tt.steps, now)
		if got := linesOf(a.rows, 60); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		raw := drawn(a.rows, 60)
		for mark, style := range map[string]string{"failed": "‹Err›", "under way": "‹Warn›"} {
			if !strings.Contains(strings.Join(tt.want, ""), mark) {
				continue
			}
			got := uitest.Marked(t, raw, mark)
			if !strings.Contains(got, style+mark) && !strings.Contains(got, style+"0.0") { // the same as before it
				t.Errorf("%s: not %s: %s", name, style, got)
			}
		}
		a = newAbout(uitest.Tokens())
		a.stepLine(tt.steps, now)
		if got := linesOf(a.rows, 60); !slices.Equal(got, []string{tt.line}) {
			t.Errorf("%s: %q, want %q", name, got, tt.line)
		}
	}
	a := newAbout(uitest.Tokens())
	if a.stepLine(nil, now); a.rows != nil {
		t.Error("no step has a line")
	}
}

// The states of an identifier in the order in which it takes them: the current one in brackets, those to come dim; a
// failure is an error behind the state in which it came.
func TestChart(t *testing.T) {
	way := []session.IDState{session.IDRequest, session.IDConnecting, session.IDConnected}
	for _, tt := range []struct {
		at            session.IDState
		failed, tight bool
		w             int
		want          []string
		style         string // of the last state
	}{
		{session.IDConnecting, false, false, 60, []string{" REQUEST → [CONNECTING] → CONNECTED"}, "‹Undefined›"},
		{session.IDConnecting, false, true, 60, []string{" REQUEST→[CONNECTING]→CONNECTED"}, "‹Undefined›"},
		{session.IDConnected, false, true, 60, []string{" REQUEST→CONNECTING→[CONNECTED]"}, "‹Accent›"},
		{session.IDConnected, true, true, 60, []string{" REQUEST→CONNECTING→[CONNECTED] ✗ ERROR"}, "‹Warn›"},
		{session.IDConnecting, false, true, 32, []string{" REQUEST→[CONNECTING]→CONNECTED"}, "‹Undefined›"},
		{session.IDConnecting, false, true, 31, []string{" REQUEST→[CONNECTING]→", " CONNECTED"}, "‹Undefined›"},
		{session.IDConnecting, false, true, 21, []string{" REQUEST→", " [CONNECTING]→", " CONNECTED"}, "‹Undefined›"},
		{session.IDConnecting, false, true, 1, []string{" REQUEST→", " [CONNECTING]→", " CONNECTED"}, "‹Undefined›"},
		{session.IDConnected, true, true, 34, []string{" REQUEST→CONNECTING→", " [CONNECTED] ✗ ERROR"}, "‹Warn›"},
	} {
		c := &chart{th: uitest.Tokens(), way: way, at: tt.at, failed: tt.failed, tight: tt.tight}
		var rows []row
		starts := c.lines(tt.w)
		for n, from := range starts {
			to := len(way)
			if n+1 < len(starts) {
				to = starts[n+1]
			}
			rows = append(rows, func(b *line.Buf) { c.draw(b, from, to) })
		}
		got := linesOf(rows, 80)
		for i := range tt.want {
			tt.want[i] = strings.ReplaceAll(tt.want[i], "→", c.th.Glyphs.Right)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%d cells: %q, want %q", tt.w, got, tt.want)
		}
		marked := uitest.Marked(t, drawn(rows, 80), "CONNECTED", "REQUEST")
		if name := c.name(2); !strings.Contains(marked, tt.style+name) && !strings.Contains(marked, tt.style+" "+name) {
			t.Errorf("%s is not %s: %s", name, tt.style, marked)
		}
		if tt.failed && !strings.Contains(marked, "‹Err› ✗ ERROR") {
			t.Errorf("the failure is no error: %s", marked)
		}
		if !strings.Contains(marked, "‹Value›REQUEST") && !strings.Contains(marked, "‹Value› REQUEST") {
			t.Errorf("a past state has another style: %s", marked)
		}
	}
}

// A detail shows what an event has, and leaves out what it has not.
func TestDetailRows(t *testing.T) {
	at := netip.MustParseAddrPort
	conn := &verbs.CMConnParam{QPNum: 0x12, ResponderResources: 4, InitiatorDepth: 2, FlowControl: true, RetryCount: 7,
		RNRRetryCount: 6, PrivateData: []byte("hi\x00")}
	params := []string{"private_data|3 B, \"hi\" and 1 zeros", "qp_num|0x000012", "responder_resources|4",
		"initiator_depth|2", "flow_control|1"}
	for name, tt := range map[string]struct {
		event timeline.CMEvent
		want  []string
	}{
		"nothing": {timeline.CMEvent{}, []string{"an unknown event", "status|0"}},
		"a place": {timeline.CMEvent{Hint: "come", ID: "id", Listen: "l", State: "REQUEST", Step: "connect",
			Took: 2 * time.Millisecond, Local: at("10.0.0.1:1"), Peer: at("10.0.0.2:2"), Device: "rxe0"},
			[]string{"come", "status|0", "id|id", "came in on|l", "state after|REQUEST", "connect|2 ms",
				"local address|10.0.0.1:1", "peer|10.0.0.2:2", "device|rxe0, opened by the manager"}},
		"a request": {timeline.CMEvent{Type: verbs.CMConnectRequest, Hint: "come", Conn: conn},
			append(append([]string{"come", "status|0"}, params...), "retry_count|7", "rnr_retry_count|6", "srq|0")},
		"an answer": {timeline.CMEvent{Type: verbs.CMEstablished, Hint: "come", Conn: conn},
			append(append([]string{"come", "status|0"}, params...), "rnr_retry_count|6", "srq|0")},
		"data alone": {timeline.CMEvent{Hint: "come", Conn: &verbs.CMConnParam{PrivateData: []byte{0, 0}}},
			[]string{"come", "status|0", "private_data|2 B, 2 zeros"}},
		"a datagram": {timeline.CMEvent{Hint: "come", UD: &verbs.CMUDParam{QPNum: 5, QKey: 0x11}},
			[]string{"come", "status|0", "qp_num|0x000005", "qkey|0x00000011"}},
		"a group": {timeline.CMEvent{Hint: "come", UD: &verbs.CMUDParam{QPNum: 5, AH: verbs.AHAttr{IsGlobal: true}}},
			[]string{"come", "status|0", "qp_num|0x000005", "qkey|0x00000000", "ah.dgid|::"}},
	} {
		d := newDetail(uitest.Tokens())
		d.w = 80
		d.explain(&tt.event)
		var got []string
		for i, l := range linesOf(d.rows, 80) {
			if i > 0 {
				l = strings.TrimSpace(l[:1+fieldWidth]) + "|" + strings.TrimSpace(l[1+fieldWidth:])
			}
			got = append(got, strings.TrimSpace(l))
		}
		order := slices.Clone(got)
		slices.Sort(order)
		slices.Sort(tt.want)
		if !slices.Equal(order, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A failure has its likely causes and what to check next; only the first line of each has the label.
func TestRemedy(t *testing.T) {
	d := newDetail(uitest.Tokens())
	d.w = 200
	d.explain(&timeline.CMEvent{Type: verbs.CMUnreachable, Status: -110, StatusText: "ETIMEDOUT", Hint: "no answer"})
	text := uitest.Text(drawn(d.rows, 200))
	for _, label := range []string{"likely cause", "check next"} {
		if strings.Count(text, label) != 1 {
			t.Errorf("%d times %q:\n%s", strings.Count(text, label), label, text)
		}
	}
	if !strings.Contains(uitest.Marked(t, drawn(d.rows, 200), "-110"), "‹Err›-110, ETIMEDOUT") {
		t.Errorf("the status is no error:\n%s", text)
	}
	d.rows = nil
	d.explain(&timeline.CMEvent{Type: verbs.CMEstablished, Hint: "come"})
	if text := uitest.Text(drawn(d.rows, 200)); strings.Contains(text, "likely cause") ||
		!strings.Contains(uitest.Marked(t, drawn(d.rows, 200), "status"), "‹OK›0") {
		t.Errorf("what works has a cause:\n%s", text)
	}
}

// Private data is text as far as it is text, without the zeros behind it.
func TestPrivateText(t *testing.T) {
	for data, want := range map[string]string{"": "0 zeros", "\x00\x00": "2 zeros", "hi": `"hi"`,
		"hi\x00\x00\x00": `"hi" and 3 zeros`, "\x00h": `"\x00h"`, "é": `"\u00e9"`} {
		if got := privateText([]byte(data)); got != want {
			t.Errorf("%q: %s, want %s", data, got, want)
		}
	}
	for data, want := range map[string]int{"": 0, "\x00\x00": 0, "hi\x00": 3} {
		d := newDetail(uitest.Tokens())
		d.show(&timeline.Event{Seq: 1, CM: &timeline.CMEvent{Conn: &verbs.CMConnParam{PrivateData: []byte(data)}}})
		if got := d.bytes(); got != want {
			t.Errorf("%q: %d bytes are shown, want %d", data, got, want)
		}
		if d.show(nil); d.bytes() != 0 {
			t.Error("bytes of no event")
		}
	}
}

// The colours of states and events: what works is good, what asks is a warning, a failure an error.
func TestColours(t *testing.T) {
	th := uitest.Tokens()
	for st, want := range map[session.IDState]theme.Style{session.IDConnected: th.OK, session.IDListening: th.OK,
		session.IDRequest: th.Warn, session.IDError: th.Err, session.IDDisconnected: th.Dim, session.IDIdle: th.Accent,
		session.IDConnecting: th.Accent, session.IDBound: th.Accent} {
		if got := stateStyle(th, st); got != want {
			t.Errorf("%s has style %v", st, got)
		}
	}
	for want, c := range map[theme.Style]timeline.CMEvent{
		th.Err: {Type: verbs.CMRejected, StatusText: "x"}, th.Warn: {Type: verbs.CMConnectRequest, State: "REQUEST"},
		th.OK: {Type: verbs.CMEstablished}} {
		if got := typeStyle(&c, th); got != want {
			t.Errorf("%s has style %v", c.Type, got)
		}
	}
}

// What an identifier waits for, and what can be done in each state without a next line.
func TestAdvice(t *testing.T) {
	step := func(name string) []session.StepTime {
		return []session.StepTime{{Name: "resolve_addr", Took: 1}, {Name: name, Pending: true}}
	}
	for _, tt := range []struct {
		id   *session.IDView
		none bool
		want string
	}{
		{nil, false, "c connects to an address, l listens on a port"},
		{nil, true, "no provider here has a connection manager"},
		{&session.IDView{State: session.IDIdle}, true,
			"c resolves the peer's address, l binds a local address and listens"},
		{&session.IDView{State: session.IDListening}, false, "Waiting for connection requests"},
		{&session.IDView{State: session.IDConnecting}, false, "waiting for an event"},
		{&session.IDView{State: session.IDConnected}, false, "3 post requests, d disconnect"},
		{&session.IDView{State: session.IDError}, false, "nothing to do"},
		{&session.IDView{State: session.IDConnecting, Steps: step("connect")}, false,
			"Request sent. The peer accepts, rejects or lets it time out."},
		{&session.IDView{State: session.IDConnecting, Steps: step("what")}, false, "waiting for an event"},
		{&session.IDView{State: session.IDIdle, Steps: step("resolve_addr")}, false,
			"Resolving the neighbour. Expect ADDR_RESOLVED or ADDR_ERROR."},
	} {
		s := &Screen{start: &start{read: tt.none}}
		if tt.id != nil {
			tt.id.Name, s.name = "id", "id"
			s.snap.IDs = []session.IDView{*tt.id}
		}
		if got := s.advice(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.id, got, tt.want)
		}
	}
}

// An address is for the identifier shown while that has none of its own; otherwise it is for a new one.
func TestTakesAddress(t *testing.T) {
	failed := func(typ verbs.CMEventType) session.IDView {
		return session.IDView{State: session.IDError, Last: &timeline.CMEvent{Type: typ}}
	}
	for _, tt := range []struct {
		name           string
		id             session.IDView
		wish           *wish
		client, server bool
	}{
		{"idle", session.IDView{State: session.IDIdle}, nil, true, true},
		{"idle, a server", session.IDView{State: session.IDIdle}, &wish{known: true, serves: true}, false, true},
		{"idle, a client", session.IDView{State: session.IDIdle}, &wish{known: true}, true, false},
		{"resolving", session.IDView{State: session.IDIdle, Steps: []session.StepTime{{Pending: true}}}, nil, false,
			false},
		{"bound", session.IDView{State: session.IDBound}, nil, true, false},
		{"listening", session.IDView{State: session.IDListening}, nil, false, false},
		{"connected", session.IDView{State: session.IDConnected}, nil, false, false},
		{"no address", failed(verbs.CMAddrError), nil, true, false},
		{"rejected", failed(verbs.CMRejected), nil, false, false},
		{"failed", session.IDView{State: session.IDError}, nil, false, false},
	} {
		s := &Screen{name: "id", wishes: map[string]*wish{}}
		tt.id.Name = "id"
		s.snap.IDs = []session.IDView{tt.id}
		if tt.wish != nil {
			s.wishes["id"] = tt.wish
		}
		if c, v := s.takesAddress(false), s.takesAddress(true); c != tt.client || v != tt.server {
			t.Errorf("%s: client %t, server %t", tt.name, c, v)
		}
		s.draft = &wish{name: "new"}
		if !s.takesAddress(false) || !s.takesAddress(true) {
			t.Errorf("%s: a draft takes no address", tt.name)
		}
	}
	s := &Screen{}
	if s.takesAddress(false) || s.takesAddress(true) {
		t.Error("nothing takes an address")
	}
}

// Addresses at which peers reach this host: those of RoCE v2 GIDs, once each, not link-local, six at most.
func TestReachedAt(t *testing.T) {
	gid := func(text string, typ verbs.GIDType) inv.GID {
		g, err := verbs.ParseGID(text)
		if err != nil {
			t.Fatal(err)
		}
		return inv.GID{GID: g, Type: typ}
	}
	port := func(layer verbs.LinkLayer, gids ...inv.GID) inv.Port {
		return inv.Port{PortAttr: verbs.PortAttr{LinkLayer: layer}, GIDs: gids}
	}
	v2 := verbs.GIDTypeRoCEv2
	p := port(verbs.LinkEthernet, gid("10.0.0.1", v2), gid("10.0.0.2", verbs.GIDTypeRoCEv1), gid("fe80::1", v2),
		gid("fd00::1", v2), gid("10.0.0.1", v2))
	if got, want := addressesOf(&p), []string{"10.0.0.1", "fd00::1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	ib := port(1, gid("10.0.0.1", v2))
	if got := addressesOf(&ib); got != nil {
		t.Errorf("on InfiniBand %q", got)
	}
	many := port(verbs.LinkEthernet)
	for i := range 5 {
		many.GIDs = append(many.GIDs, gid("10.0.1."+string(rune('1'+i)), v2))
	}
	host := hosts{ports: map[string][]inv.Port{"a": {p}, "b": {ib}, "c": {many}}}
	want := []string{"10.0.0.1 (a)", "fd00::1 (a)", "10.0.1.1 (c)", "10.0.1.2 (c)", "10.0.1.3 (c)", "10.0.1.4 (c)"}
	if got := addresses(host); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// hosts is an inventory of devices with these ports; nil: they cannot be read.
type hosts struct {
	screen.Inventory
	ports map[string][]inv.Port
}

func (h hosts) List() (list []inv.Summary) {
	for _, name := range []string{"bad", "a", "b", "c"} {
		list = append(list, inv.Summary{DeviceInfo: verbs.DeviceInfo{Name: name}})
	}
	return list
}

func (h hosts) Detail(name string) (d inv.Detail, err error) {
	if h.ports[name] == nil {
		err = errors.New("not readable")
	}
	d.Ports = h.ports[name]
	return d, err
}
