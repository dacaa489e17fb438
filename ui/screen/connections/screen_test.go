package connections

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen/steps/steptest"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// bench is a screen on a fake session, at a time that stands still.
type bench struct {
	*uitest.ScreenDriver
	t    *testing.T
	s    *Screen
	fake *steptest.Session
	log  *timeline.Log
}

var begin = time.Unix(1000, 0)

func newBench(t *testing.T, th *theme.Theme) *bench { return newBenchOn(t, th, softManager) }

var softManager = []session.Manager{{Provider: "soft", Device: "soft0"}}

func newBenchOn(t *testing.T, th *theme.Theme, managers []session.Manager) *bench {
	env, fake := steptest.NewEnv(t, th)
	at := 12 * time.Second
	log := timeline.New(4096, func() time.Duration { at += 1500 * time.Microsecond; return at })
	env.Session = timed{fake, log}
	env.Managers = func() []session.Manager { return managers }
	s := New(env)
	s.now = func() time.Time { return begin }
	return &bench{uitest.NewScreen(t, env, s), t, s, fake, log}
}

// timed is the fake session with a time line whose clock goes on by 1.5 ms an event.
type timed struct {
	*steptest.Session
	log *timeline.Log
}

func (s timed) Timeline() *timeline.Log { return s.log }

var (
	here  = netip.MustParseAddrPort("127.0.0.1:7471")
	there = netip.MustParseAddrPort("[::ffff:10.9.0.2]:40001")
)

// hostile is what no terminal may get to see raw.
const hostile = "\x1b]0;owned\a\x1b[2Jhi\x00\x00\x00"

func client(st session.IDState) session.IDView {
	id := session.IDView{Name: "id", Channel: "events", Provider: "soft", Mode: "event", PortSpace: verbs.PortSpaceTCP, State: st,
		Device: "soft0-cm", PortNum: 1, Local: here, Peer: there}
	switch st {
	case session.IDConnecting:
		id.QP, id.Steps = "qp", []session.StepTime{{Name: "resolve_addr", Took: 201 * time.Microsecond}, {Name: "resolve_route", Took: 139 * time.Microsecond},
			{Name: "connect", Began: begin.Add(-1500 * time.Millisecond), Pending: true}}
	case session.IDConnected:
		id.QP = "qp"
	}
	return id
}

func request() session.IDView {
	id := session.IDView{Name: "listen-1", Channel: "events", Provider: "soft", Mode: "event", PortSpace: verbs.PortSpaceTCP, State: session.IDRequest,
		Listen: "listen", Device: "soft0-cm", PortNum: 1, Local: here, Peer: there, PrivateData: []byte(hostile)}
	id.Last = &timeline.CMEvent{Type: verbs.CMConnectRequest, ID: "listen-1", Listen: "listen", Device: "soft0-cm", Local: here, Peer: there, State: "REQUEST",
		Hint: "a peer asks for a connection",
		Conn: &verbs.CMConnParam{PrivateData: []byte(hostile), ResponderResources: 4, InitiatorDepth: 2, RetryCount: 7, RNRRetryCount: 6, QPNum: 0x77}}
	return id
}

func listener() session.IDView {
	return session.IDView{Name: "listen", Channel: "events", Provider: "soft", Mode: "event", PortSpace: verbs.PortSpaceTCP, State: session.IDListening,
		Local: netip.MustParseAddrPort("[::]:7471")}
}

// have puts identifiers into the snapshot, and their last events on the time line.
func (x *bench) have(ids ...session.IDView) {
	x.fake.Change(func(v *session.Snapshot) {
		v.IDs = ids
		v.EventChannels = []session.EventChannelView{{Name: "events", Provider: "soft", Mode: "event"}}
		v.Devices = []session.DeviceView{{Name: "soft0-cm", Ports: []verbs.PortAttr{{PortNum: 1, LinkLayer: verbs.LinkEthernet}}}}
	})
	for i := range ids {
		if e := ids[i].Last; e != nil {
			x.log.Append(timeline.Event{Kind: timeline.KindCM, CM: e})
		}
	}
	x.Frame()
}

// ran fails unless just these lines were carried out since it was last asked.
func (x *bench) ran(want ...string) {
	x.t.Helper()
	if got := x.fake.Lines(); !slices.Equal(got, want) {
		x.t.Errorf("carried out\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func rejected() session.IDView {
	id := client(session.IDError)
	id.QP = "qp"
	id.Steps = []session.StepTime{{Name: "resolve_addr", Took: 201 * time.Microsecond}, {Name: "resolve_route", Took: 139 * time.Microsecond},
		{Name: "connect", Took: 3 * time.Millisecond, Failed: true}}
	id.Last = &timeline.CMEvent{Type: verbs.CMRejected, ID: "id", Peer: there, Status: 28, StatusText: "reason 28 CONSUMER_DEFINED", State: "ERROR",
		Hint: "the program at the other end refused; its private data may say why", Step: "connect", Took: 3 * time.Millisecond,
		Conn: &verbs.CMConnParam{PrivateData: []byte("busy\x00\x00")}}
	return id
}

// faces are what the goldens show.
var faces = map[string]func(*bench){
	"empty":  func(*bench) {},
	"draft":  func(x *bench) { x.Keys("c"); x.Type("10.9.0.2"); x.Keys("enter") },
	"typing": func(x *bench) { x.have(listener()); x.Keys("c") },
	"request": func(x *bench) {
		x.have(listener())
		x.have(listener(), request())
	},
	"event":      func(x *bench) { x.have(listener(), request()); x.Keys("]", "]") },
	"connecting": func(x *bench) { x.have(client(session.IDConnecting)) },
	"rejected":   func(x *bench) { x.have(rejected()) },
}

// bodies are what a terminal of the named size leaves for the screen.
var bodies = map[string][2]int{"80x24": {80, 17}, "120x40": {120, 30}, "200x60": {200, 50}}

func TestGolden(t *testing.T) {
	for name, set := range faces {
		for size, wh := range bodies {
			for _, uni := range []bool{true, false} {
				if !uni && name != "request" {
					continue
				}
				x := newBench(t, theme.New("none", uni))
				set(x)
				uitest.Golden(t, fmt.Sprintf("%s-%s-%v", name, size, uni), x.View(wh[0], wh[1]))
			}
		}
	}
}

// Every size is drawn within its bounds, whatever is open.
func TestSweep(t *testing.T) {
	for name, set := range faces {
		x := newBench(t, theme.New("16", name != "event"))
		set(x)
		for range 2 {
			for _, w := range []int{1, 20, 40, 79, 80, 109, 110, 200} {
				for _, h := range []int{1, 4, 7, 11, 12, 17, 21, 22, 36, 60} {
					x.View(w, h)
				}
			}
			x.Keys("z")
		}
	}
}

// A window with room for one pane shows what there is to do.
func TestTiny(t *testing.T) {
	x := newBench(t, theme.New("none", true))
	x.Shows(40, 7, "how to begin")
	x.Keys("l", "enter")
	x.Shows(40, 7, "new: listen, a server", "rdma_create_event_channel")
	x.have(listener())
	x.Shows(40, 7, "LISTENING")
}

func TestWithoutManager(t *testing.T) {
	x := newBenchOn(t, theme.New("none", true), nil)
	x.Shows(80, 17, "No provider here has a connection manager")
	x.Keys("c", "l", "enter")
	if x.s.Typing() || len(x.Flashes) != 3 || !strings.Contains(x.Flashes[0], "no provider here has a connection manager") {
		t.Errorf("keys were answered by %q", x.Flashes)
	}
	x.ran()
}

// What comes next, state by state.
func TestNextLine(t *testing.T) {
	known := &wish{name: "id", known: true, addr: "10.9.0.2", port: "7", private: `"x"`}
	qp := []string{"alloc_pd pd id=id", "create_cq cq id=id cqe=64",
		"rdma_create_qp id qp pd=pd send_cq=cq recv_cq=cq max_send_wr=16 max_recv_wr=16"}
	asks := request()
	asks.Name = "id"
	sync := listener()
	sync.Name, sync.Mode = "id", "sync"
	by := client(session.IDConnecting)
	by.Last = &timeline.CMEvent{Type: verbs.CMConnectResponse}
	unreachable := client(session.IDError)
	unreachable.Last = &timeline.CMEvent{Type: verbs.CMAddrError}
	for name, c := range map[string]struct {
		id   session.IDView
		wish *wish
		want []string
	}{
		"idle":         {client(session.IDIdle), known, []string{"rdma_resolve_addr id 10.9.0.2 port=7"}},
		"idle, aim":    {client(session.IDIdle), &wish{name: "id"}, nil},
		"idle, server": {client(session.IDIdle), &wish{known: true, serves: true, port: "7"}, []string{"rdma_bind_addr id port=7", "rdma_listen id"}},
		"bound":        {client(session.IDBound), &wish{}, []string{"rdma_listen id"}},
		"bound client": {client(session.IDBound), known, []string{"rdma_resolve_addr id 10.9.0.2 port=7"}},
		"address":      {client(session.IDAddrResolved), known, append(slices.Clone(qp), "rdma_resolve_route id")},
		"route":        {client(session.IDRouteResolved), known, append(slices.Clone(qp), `rdma_connect id private_data="x"`)},
		"request":      {asks, &wish{}, append(slices.Clone(qp), "rdma_accept id")},
		"sync":         {sync, &wish{}, []string{"rdma_get_request id timeout=1m"}},
		"by hand":      {by, known, []string{"rdma_establish id"}},
		"connected":    {client(session.IDConnected), known, nil},
		"datagrams":    {client(session.IDConnected), known, []string{"create_ah ah pd=p id=id"}},
		"over":         {client(session.IDDisconnected), known, []string{"rdma_destroy_id id"}},
		"no address":   {unreachable, known, []string{"rdma_resolve_addr id 10.9.0.2 port=7", "rdma_destroy_id id"}},
	} {
		var got []string
		if next := onward[c.id.State]; next != nil {
			snap := &session.Snapshot{}
			if name == "datagrams" {
				snap.QPs = []session.QPView{{Name: "qp", PD: "p", Type: verbs.UD}}
			}
			for _, t := range next(snap, &c.id, c.wish) {
				got = append(got, t.line)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"10.9.0.2":         " 10.9.0.2 port=7471",
		"10.9.0.2:8":       " 10.9.0.2 port=8",
		" 10.9.0.2  8":     " 10.9.0.2 port=8",
		"[fd00::2]:8":      " fd00::2 port=8",
		"fd00::2":          " fd00::2 port=7471",
		"fd00::2 8":        " fd00::2 port=8",
		"host:8":           " host port=8",
		"host x\"y":        ` host port="x\"y"`,
		"host; rm -rf # 1": ` host; port="rm -rf # 1"`,
	} {
		w := &wish{}
		w.setAddress(text)
		if got := w.peer(); got != want {
			t.Errorf("%q is%s, want%s", text, got, want)
		}
	}
	w := &wish{serves: true}
	if w.setAddress("8"); w.peer() != " port=8" {
		t.Errorf("a port alone is%s", w.peer())
	}
	for text, want := range map[string]string{"": "", "hi": `"hi"`, "a b": `"a b"`, "0x1f": "0x1f", "be32:7,u8:1": "be32:7,u8:1", "pattern:9": "pattern:9",
		`"q"`: `"q"`, "to: you": `"to: you"`} {
		if got := privateArg(text); got != want {
			t.Errorf("private data %q is %s, want %s", text, got, want)
		}
	}
}

func TestNewClientAndServer(t *testing.T) {
	x := newBench(t, theme.New("none", true))
	x.Keys("m", "l", "enter")
	x.Shows(120, 30, "new: listen, a server", "rdma_create_event_channel events mode=poll")
	x.Keys("m", "m", "enter")
	x.ran("rdma_create_event_channel events")
	x.have()
	x.Keys("b")
	x.ran("rdma_create_id listen channel=events ps=TCP", "rdma_bind_addr listen port=7471", "rdma_listen listen")
	x.have(listener())
	x.Keys("p", "c")
	x.Type("host 9")
	x.Keys("enter", "e", "b")
	x.ran("rdma_create_id id channel=events ps=UDP", "rdma_resolve_addr id host port=9")
	if !slices.Equal(x.Edits, []string{"rdma_create_id id channel=events ps=UDP"}) {
		t.Errorf("e gave %q to edit", x.Edits)
	}
	x.have(listener(), client(session.IDAddrResolved))
	x.Shows(120, 30, "id is in ADDR_RESOLVED")
	x.Keys("D")
	x.ran()
	x.Keys("D")
	x.ran("rdma_destroy_id id")
}

// A client without an address is not begun, and the screen says so; a server needs none.
func TestNoAddress(t *testing.T) {
	for _, typed := range []string{"", "  "} {
		x := newBench(t, theme.New("none", true))
		x.Keys("c")
		x.Type(typed)
		x.Keys("enter")
		if want := []string{"no address was given: c asks for it again"}; x.s.draft != nil || x.s.Typing() || !slices.Equal(x.Flashes, want) {
			t.Errorf("%q: said %q, drafted %v", typed, x.Flashes, x.s.draft)
		}
		x.Keys("l")
		x.Type(typed)
		x.Keys("enter")
		x.Shows(120, 30, "new: listen, a server")
		if len(x.Flashes) != 1 {
			t.Errorf("%q to listen on: said %q", typed, x.Flashes)
		}
	}
}

func TestSyncHasNoChannel(t *testing.T) {
	x := newBenchOn(t, theme.New("none", true), append(slices.Clone(softManager), session.Manager{Provider: "other", Device: "mlx5_0"}))
	x.Keys("m", "m", "t", "l", "enter", "enter")
	x.ran("rdma_create_id listen ps=TCP mode=sync device=mlx5_0")
	x.Keys("m")
	x.have() // a channel of another provider's manager does not do
	x.Keys("enter")
	x.ran("rdma_create_event_channel events2 device=mlx5_0")
}

func TestAnswers(t *testing.T) {
	x := newBench(t, theme.New("none", true))
	x.Keys("a", "A", "r")
	if want := []string{nobodyAsks, nobodyAsks, nobodyAsks}; !slices.Equal(x.Flashes, want) {
		t.Errorf("without a request: %q", x.Flashes)
	}
	x.have(listener())
	x.have(listener(), request())
	x.Shows(80, 17, "listen-1 asks for a connection", "1 asking: a accepts, r rejects", "asked 0 s ago")
	x.Keys("a")
	x.ran("alloc_pd pd id=listen-1", "create_cq cq id=listen-1 cqe=64",
		"rdma_create_qp listen-1 qp pd=pd send_cq=cq recv_cq=cq max_send_wr=16 max_recv_wr=16", "rdma_accept listen-1")
	x.Keys("r")
	x.Type("too busy")
	x.Keys("enter")
	x.ran(`rdma_reject listen-1 private_data="too busy"`)
	x.Keys("r", "esc")
	x.ran()
	made := request()
	made.QP = "qp"
	x.have(listener(), made)
	x.Keys("P")
	x.Type("welcome")
	x.Keys("enter", "A")
	want := `rdma_accept listen-1 responder_resources=2 initiator_depth=4 rnr_retry_count=6 private_data="welcome"`
	if !slices.Equal(x.Edits, []string{want}) {
		t.Errorf("A gave %q to edit, want %s", x.Edits, want)
	}
}

// TestRejectAll wants the key twice in a row.
func TestRejectAll(t *testing.T) {
	x := newBench(t, theme.New("none", true))
	x.have(listener())
	x.Keys("R")
	x.have(listener(), request())
	x.Keys("R", "D", "R", "down", "R")
	x.ran()
	const again = "R once more rejects all 1 requests"
	if want := []string{nobodyAsks, again, "D once more destroys listen-1", again, again}; !slices.Equal(x.Flashes, want) {
		t.Errorf("%q, want %q", x.Flashes, want)
	}
	x.Keys("R")
	x.ran("reject_all")
}

// While somebody is at work on something else, a request does not take the screen.
func TestRequestDoesNotIntrude(t *testing.T) {
	x := newBench(t, theme.New("none", true))
	x.have(client(session.IDAddrResolved), listener())
	x.have(client(session.IDAddrResolved), listener(), request())
	x.Shows(120, 30, "id is in ADDR_RESOLVED", "1 asking")
	x.Keys("r", "enter")
	x.ran("rdma_reject listen-1")
}

// A request that is faster than what rdma_listen has to say is shown, too.
func TestRequestBeforeListening(t *testing.T) {
	x := newBench(t, theme.New("none", true))
	bound := listener()
	bound.State = session.IDBound
	x.have(bound)
	x.have(bound, request())
	x.Shows(120, 30, "listen-1 asks for a connection")
}

func TestDisconnect(t *testing.T) {
	x := newBench(t, theme.New("none", true))
	x.Keys("d")
	x.have(client(session.IDConnected))
	x.Keys("enter", "d")
	x.ran("rdma_disconnect id")
	if want := []string{"there is no connection to end", "3 posts requests, d disconnects"}; !slices.Equal(x.Flashes, want) {
		t.Errorf("said %q", x.Flashes)
	}
	over := client(session.IDDisconnected)
	over.QP = "qp"
	x.fake.Change(func(v *session.Snapshot) { v.QPs = []session.QPView{{Name: "qp", State: verbs.QPRTS}} })
	x.have(over)
	x.Keys("b")
	x.ran("rdma_disconnect id", "rdma_destroy_qp qp", "rdma_destroy_id id")
}

// An address that changed under a connection is told beside the state, which is
// as before.
func TestAddrChange(t *testing.T) {
	x := newBench(t, theme.New("none", true))
	id := client(session.IDConnected)
	id.Last = &timeline.CMEvent{Type: verbs.CMAddrChange, ID: "id", Device: "soft0-cm", State: "CONNECTED", Hint: "its GIDs were made anew"}
	x.have(id)
	x.Shows(120, 30, "[CONNECTED]", "ADDR_CHANGE: its GIDs were made anew", "12.001  ADDR_CHANGE", "event ADDR_CHANGE")
}

func TestFilterAndOnly(t *testing.T) {
	x := newBench(t, theme.New("none", true))
	x.have(rejected(), request())
	x.Keys("/")
	x.Type("CONSUMER")
	x.Keys("enter")
	if x.s.events.Len() != 1 {
		t.Errorf("%d events pass the filter", x.s.events.Len())
	}
	x.Shows(120, 30, "/consumer, 1 of 2", "the program at the other end refused")
	x.Keys("esc", "o", "v")
	x.Shows(120, 30, "listen-1 only, 1 of 2", "a peer asks for a connection")
	x.Keys("o")
	x.Shows(120, 30, "id only, 1 of 2")
	x.Keys("esc")
	if x.s.events.Len() != 2 {
		t.Errorf("%d events are shown in the end", x.s.events.Len())
	}
}

// The log stays within bounds and on the event that somebody reads.
func TestManyEvents(t *testing.T) {
	x := newBench(t, theme.New("none", true))
	add := func(n int) {
		for range n {
			x.log.Append(timeline.Event{Kind: timeline.KindCM, CM: &timeline.CMEvent{Type: verbs.CMEstablished, ID: "id"}})
		}
		x.Frame()
	}
	add(1500)
	x.Keys("]", "]", "up")
	seq := x.s.detail.event.Seq
	add(1500)
	if len(x.s.events.all) > keepEvents || x.s.events.Len() != len(x.s.events.all) {
		t.Errorf("%d events are kept, %d shown", len(x.s.events.all), x.s.events.Len())
	}
	if got := x.s.events.at(x.s.log.Cursor()); got.Seq != seq {
		t.Errorf("the cursor is on event %d, was on %d", got.Seq, seq)
	}
}

// Nothing changes while nothing happens.
func TestQuiet(t *testing.T) {
	x := newBench(t, theme.New("none", true))
	x.fake.Change(func(v *session.Snapshot) { v.CQs = []session.CQView{{Name: "cq"}} })
	x.have(listener())
	x.fake.Change(func(v *session.Snapshot) { v.CQs[0].Completed = 9 })
	if x.Frame() {
		t.Error("traffic has the screen drawn anew")
	}
	x.have(client(session.IDConnecting))
	x.s.now = func() time.Time { return begin.Add(time.Second) }
	if !x.Frame() {
		t.Error("the time of a step under way stands still")
	}
}
