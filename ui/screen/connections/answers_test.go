package connections

import (
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/cm"
	"rdmatui/session/timeline"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// An acceptance tells where the peer finds a region: the first of the connection's own domain that is open to it, or
// the one that a line before registers; the user's data come first, and datagrams have none.
func TestAcceptData(t *testing.T) {
	const open = verbs.LocalWrite | verbs.RemoteWrite | verbs.RemoteRead
	mr := func(name, pd string, access verbs.Access) session.MRView {
		return session.MRView{Name: name, PD: pd, Access: access}
	}
	region := func(name string) string {
		return " private_data=be32:0x72646d61,be64:" + name + ".addr,be32:" + name + ".rkey,be64:" + name + ".length"
	}
	with := func(mrs ...session.MRView) session.Snapshot {
		return session.Snapshot{QPs: []session.QPView{{Name: "other", PD: "other"}, {Name: "qp", PD: "pd"}}, MRs: mrs}
	}
	tcp := session.IDView{Name: "id", QP: "qp", PortSpace: verbs.PortSpaceTCP}
	udp, bare := tcp, tcp
	udp.PortSpace, bare.QP = verbs.PortSpaceUDP, ""
	for name, tt := range map[string]struct {
		snap   session.Snapshot
		id     session.IDView
		wish   wish
		before []todo
		want   string
	}{
		"no region":      {with(), tcp, wish{}, nil, ""},
		"a region":       {with(mr("a", "pd", open)), tcp, wish{}, nil, region("a")},
		"another domain": {with(mr("a", "other", open), mr("b", "pd", open)), tcp, wish{}, nil, region("b")},
		"only elsewhere": {with(mr("a", "other", open)), tcp, wish{}, nil, ""},
		"closed":         {with(mr("a", "pd", verbs.LocalWrite), mr("b", "pd", open)), tcp, wish{}, nil, region("b")},
		"half open":      {with(mr("a", "pd", verbs.RemoteWrite)), tcp, wish{}, nil, ""},
		"data":           {with(mr("a", "pd", open)), tcp, wish{private: `"hi"`}, nil, ` private_data="hi"`},
		"datagrams":      {with(mr("a", "pd", open)), udp, wish{}, nil, ""},
		"registered":     {with(), tcp, wish{}, []todo{{line: "reg_mr dst pd=pd length=1"}}, region("dst")},
		"no queue pair":  {with(mr("a", "pd", open)), bare, wish{}, nil, ""},
		"a queue pair to come": {with(mr("a", "pd", open)), bare, wish{},
			[]todo{{line: "alloc_pd x id=id"}, {line: "rdma_create_qp id qp pd=pd send_cq=cq"}}, region("a")},
	} {
		if got := acceptData(&tt.snap, &tt.id, &tt.wish, tt.before); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// The parameters of an answer repeat what the peer offered, if that is known.
func TestAcceptFields(t *testing.T) {
	conn := &verbs.CMConnParam{ResponderResources: 4, InitiatorDepth: 2, RNRRetryCount: 6}
	for want, last := range map[string]*timeline.CMEvent{
		" responder_resources=4 initiator_depth=2 rnr_retry_count=6": {Conn: conn}, "": {UD: &verbs.CMUDParam{}}} {
		if got := acceptFields(&session.IDView{Last: last}); got != want {
			t.Errorf("%+v: %q, want %q", last, got, want)
		}
	}
	if got := acceptFields(&session.IDView{}); got != "" {
		t.Errorf("nothing is known: %q", got)
	}
}

// Memory is registered where a domain has none for the purpose: a server's must be open to the peer.
func TestRegistration(t *testing.T) {
	const open = verbs.RemoteWrite | verbs.RemoteRead
	for _, tt := range []struct {
		listen string
		space  verbs.CMPortSpace
		pd     string // of the region that there is, with its access
		access verbs.Access
		want   string
	}{
		{"", verbs.PortSpaceTCP, "", 0, "reg_mr src pd=pd length=4096 access=LOCAL_WRITE"},
		{"", verbs.PortSpaceTCP, "other", 0, "reg_mr src pd=pd length=4096 access=LOCAL_WRITE"},
		{"", verbs.PortSpaceTCP, "pd", 0, ""}, {"", verbs.PortSpaceUDP, "", 0, ""},
		{"l", verbs.PortSpaceTCP, "pd", verbs.RemoteWrite,
			"reg_mr dst pd=pd length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ"},
		{"l", verbs.PortSpaceTCP, "other", open,
			"reg_mr dst pd=pd length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ"},
		{"l", verbs.PortSpaceTCP, "pd", open, ""}, {"l", verbs.PortSpaceUDP, "", 0, ""},
	} {
		snap := &session.Snapshot{}
		if tt.pd != "" {
			snap.MRs = []session.MRView{{Name: "mr", PD: tt.pd, Access: tt.access}}
		}
		got := ""
		for _, l := range registration(snap, &session.IDView{Listen: tt.listen, PortSpace: tt.space}, "pd") {
			if got = l.line; l.why == "" || l.waits {
				t.Errorf("%+v: %+v", tt, l)
			}
		}
		if got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// What a new identifier is for is told before it is made, and how one is made before the managers are known.
func TestBeforeTheFirst(t *testing.T) {
	run(t, plain, func(x *bench) {
		for _, tt := range []struct {
			keys []string
			want []string
		}{
			{[]string{"c", "1", ":", "2", "enter"},
				[]string{"A client, to connect to 1 2. Nothing has been created yet.", "new: conn1, a client"}},
			{[]string{"l", "9", "enter"},
				[]string{"A server, to listen on 9. Nothing has been created yet.", "new: listener1, a server"}},
		} {
			x.Keys(append([]string{"esc", "D"}, tt.keys...)...)
			x.Shows(80, 30, tt.want...)
			x.Keys("D")
			x.Shows(80, 30, "no identifier yet", "as a client: connect to an address")
		}
		s := &start{rowList: rowList{th: plain}}
		s.lay(80, false) // the managers are not known yet
		if lines := strings.Join(linesOf(s.rows, 80), "\n"); strings.Contains(lines, "manager:") ||
			!strings.Contains(lines, "as a server") {
			t.Errorf("before the managers are known:\n%s", lines)
		}
		s.take(hostMsg{managers: []cm.Manager{{Provider: "one", Device: "a"}}})
		s.lay(80, false)
		if lines := strings.Join(linesOf(s.rows, 80), "\n"); !strings.Contains(lines, "manager: that of one, with a") ||
			strings.Contains(lines, "of 1)") {
			t.Errorf("one manager:\n%s", lines)
		}
		s.take(hostMsg{managers: []cm.Manager{{Provider: "one", Device: "a"}, {Provider: "two", Device: "b"}}})
		s.manager = 1
		s.lay(80, false)
		if lines := strings.Join(linesOf(s.rows, 80), "\n"); !strings.Contains(lines, "that of two, with b (2 of 2)") {
			t.Errorf("two managers:\n%s", lines)
		}
		s.take(hostMsg{})
		if s.manager != 0 || !s.none() {
			t.Errorf("without managers: %d", s.manager)
		}
	})
}

// The last result shows once in each window, in the pane of the identifier or below the panes until the next key.
func TestResultShowsOnce(t *testing.T) {
	for _, tt := range []struct {
		keys  []string
		w, h  int
		stays bool // the pane has the result
	}{
		{nil, 80, 12, false}, {nil, 80, 17, false}, {nil, 80, 21, false}, {nil, 80, 30, true}, {nil, 120, 30, true},
		{nil, 200, 50, true}, {[]string{"z"}, 80, 30, false}, {[]string{"]", "z"}, 80, 30, true},
		{[]string{"]", "z"}, 80, 13, false}, {[]string{"]", "z"}, 80, 14, true},
	} {
		run(t, plain, func(x *bench) {
			x.Keys(tt.keys...)
			x.sess.Do("rdma_create_event_channel events", "rdma_create_id listen channel=events ps=TCP",
				"rdma_bind_addr listen port=7471")
			x.pass()
			x.Keys("enter")
			x.pass()
			count := func() int { return strings.Count(x.View(tt.w, tt.h), "=       listening at") }
			if n := count(); n != 1 || !x.s.Answers() {
				t.Errorf("%q in %dx%d: the result shows %d times, %t", tt.keys, tt.w, tt.h, n, x.s.Answers())
			}
			x.Keys("E") // any key
			if n := count(); n == 1 != tt.stays || x.s.Answers() != tt.stays {
				t.Errorf("%q in %dx%d: %d results after a key, %t", tt.keys, tt.w, tt.h, n, x.s.Answers())
			}
		})
	}
}

// Private data has a dump of its own below the event: as many rows as it needs, at most a third of the pane; in narrow
// panes a row has 8 bytes.
func TestDumpRows(t *testing.T) {
	dump := regexp.MustCompile(`00[0-9a-f]{2}  ([0-9a-f]{2} ){3}`)
	for _, tt := range []struct{ w, h, want int }{
		{80, 12, 2}, {80, 18, 2}, {80, 23, 3}, {80, 24, 4}, {76, 24, 4}, {77, 24, 4}, {76, 35, 4}, {77, 35, 4},
		{80, 36, 2}, {110, 22, 3}, {110, 40, 6}, {200, 50, 4},
	} {
		run(t, plain, func(x *bench) {
			faces["event"](x)
			if got := len(dump.FindAllString(x.View(tt.w, tt.h), -1)); got != tt.want {
				t.Errorf("%dx%d: %d rows, want %d\n%s", tt.w, tt.h, got, tt.want, x.View(tt.w, tt.h))
			}
		})
	}
}

// Tours read the state of the identifier shown, and which side has lines to run.
func TestFieldsOfTours(t *testing.T) {
	run(t, plain, func(x *bench) {
		is := func(state, role string) {
			t.Helper()
			for name, want := range map[string]string{"state": state, "role": role, "running": "", "what": ""} {
				if got := x.s.Field(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		}
		is("", "")
		x.Keys("l", "enter")
		is("", "server")
		x.Keys("D", "c", "1", "enter")
		is("", "client")
		x.Keys("D")
		x.serve()
		is("LISTENING", "")
	})
}

// An event is news although no object has changed.
func TestEventsAreNews(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.pass()
		if x.Frame() {
			t.Error("nothing is news")
		}
		e := &timeline.CMEvent{Type: verbs.CMEstablished}
		x.sess.Timeline().Append(timeline.Event{Kind: timeline.KindCM, CM: e})
		if !x.Frame() || x.Frame() {
			t.Error("an event is not news, or twice")
		}
	})
}

// The chart of states leaves a cell free at its right.
func TestAboutOfAWidth(t *testing.T) {
	id := session.IDView{Name: "id", State: session.IDListening, PortSpace: verbs.PortSpaceTCP,
		Local: netip.MustParseAddrPort("10.0.0.1:1")}
	const chart = " IDLE → BOUND → [LISTENING]"
	for w, want := range map[int]string{31: chart, 30: " IDLE → BOUND →"} {
		a := newAbout(uitest.Tokens())
		a.lay(&id, facts{now: time.Unix(0, 0)}, w)
		got := linesOf(a.rows, 80)[0]
		if want = strings.ReplaceAll(want, "→", a.th.Glyphs.Right); got != want {
			t.Errorf("%d cells: %q, want %q", w, got, want)
		}
	}
}

// In a pane of 12 lines the next steps have 3, so that the result has room below them.
func TestNextRowsLeaveRoom(t *testing.T) {
	run(t, plain, func(x *bench) {
		faces["request"](x)
		_, next, _ := strings.Cut(x.View(80, 36), "├ next ")
		next, _, found := strings.Cut(next, "├ C call and result ")
		if n := strings.Count(next, "\n") - 1; n != 3 || !found {
			t.Errorf("%d lines of next steps\n%s", n, x.View(80, 36))
		}
	})
}

// A step that failed in the first state ends the chart there, and texts use all of the width but a cell at each side.
func TestAboutOfAFailure(t *testing.T) {
	id := session.IDView{Name: "id", State: session.IDError, PortSpace: verbs.PortSpaceTCP,
		Steps: []session.StepTime{{Name: "resolve_addr", Failed: true}}}
	a := newAbout(uitest.Tokens())
	if a.lay(&id, facts{now: time.Unix(0, 0)}, 80); linesOf(a.rows, 80)[0] != " [IDLE] ✗ ERROR" {
		t.Errorf("%q", linesOf(a.rows, 80)[0])
	}
	for w, want := range map[int]int{13: 1, 12: 2} {
		a := newAbout(uitest.Tokens())
		if a.text("hello world", w, a.th.Value); len(a.rows) != want {
			t.Errorf("%d cells: %d lines, want %d", w, len(a.rows), want)
		}
	}
}

// The pane of an event scrolls, and the last identifier that goes leaves none selected.
func TestDetailScrolls(t *testing.T) {
	run(t, plain, func(x *bench) {
		faces["event"](x)
		x.Keys("]")
		before := x.View(80, 17)
		if x.Keys("down"); x.View(80, 17) == before {
			t.Errorf("the event does not scroll:\n%s", before)
		}
		if x.Keys("up"); x.View(80, 17) != before {
			t.Errorf("the event does not scroll back:\n%s", x.View(80, 17))
		}
	})
	run(t, plain, func(x *bench) {
		x.channel(x.sess)
		x.do("rdma_create_id id channel=events ps=TCP")
		if x.s.name != "id" {
			t.Errorf("%q is shown", x.s.name)
		}
		if x.do("rdma_destroy_id id"); x.s.name != "" {
			t.Errorf("%q is shown although it is gone", x.s.name)
		}
	})
}

// A new state of a queue pair, and another queue pair, look different.
func TestSameFace(t *testing.T) {
	of := func(name string, state verbs.QPState) *session.Snapshot {
		return &session.Snapshot{QPs: []session.QPView{{Name: name, State: state}}}
	}
	a := of("a", verbs.QPInit)
	if !sameFace(a, of("a", verbs.QPInit)) || sameFace(a, of("a", verbs.QPRTR)) || sameFace(a, of("b", verbs.QPInit)) {
		t.Error("the faces are mixed up")
	}
}
