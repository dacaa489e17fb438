package connections

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// hostile is text that must not reach a terminal unescaped.
const hostile = `"\x1b]0;owned\x07\x1b[2Jhi"`

// faces are what the goldens show.
var faces = map[string]func(*bench){
	"empty":      func(*bench) {},
	"draft":      func(x *bench) { x.Keys("c"); x.Type("10.9.0.2"); x.Keys("enter") },
	"typing":     func(x *bench) { x.serve(); x.Keys("c") },
	"request":    func(x *bench) { x.serve(); x.ask() },
	"event":      func(x *bench) { x.serve(); x.ask(); x.Keys("]", "]") },
	"connecting": func(x *bench) { x.client(session.IDConnecting); time.Sleep(1480 * time.Millisecond); x.Frame() },
	"rejected":   func(x *bench) { x.client(session.IDError) },
}

// bodies are the sizes that terminals of the named size leave for the screen.
var bodies = map[string][2]int{"80x24": {80, 17}, "120x40": {120, 30}, "200x60": {200, 50}}

func TestGolden(t *testing.T) {
	for name, set := range faces {
		for size, wh := range bodies {
			for _, uni := range []bool{true, false} {
				if !uni && name != "request" {
					continue
				}
				run(t, theme.New("none", uni), func(x *bench) {
					set(x)
					uitest.Golden(x.t, fmt.Sprintf("%s-%s-%v", name, size, uni), x.View(wh[0], wh[1]))
				})
			}
		}
	}
}

// Every size is drawn within its bounds, whatever is open.
func TestSweep(t *testing.T) {
	for name, set := range faces {
		run(t, theme.New("16", name != "event"), func(x *bench) {
			set(x)
			for range 2 {
				for _, w := range []int{1, 20, 40, 79, 80, 109, 110, 200} {
					for _, h := range []int{1, 4, 7, 11, 12, 17, 21, 22, 36, 60} {
						x.View(w, h)
					}
				}
				x.Keys("z")
			}
		})
	}
}

// A window with room for one pane shows what to do.
func TestTiny(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.Shows(40, 7, "no identifier yet")
		x.Keys("l", "enter")
		x.Shows(40, 7, "new: listener1, a server", "rdma_create_event_channel")
		x.Keys("esc")
		x.serve()
		x.Shows(40, 7, "LISTENING")
	})
}

func TestWithoutManager(t *testing.T) {
	runOn(t, plain, func(*manager) []verbs.Provider { return []verbs.Provider{noManager{}} }, func(x *bench) {
		x.Shows(80, 17, "No connection manager: found neither")
		x.Keys("c", "l", "enter")
		if x.s.Typing() || len(x.Flashes) != 3 ||
			!strings.Contains(x.Flashes[0], "no provider here has a connection manager") {
			t.Errorf("keys were answered by %q", x.Flashes)
		}
		x.sess.WantLines()
	})
}

// The next line of each state.
func TestNextLine(t *testing.T) {
	known := &wish{name: "id", known: true, addr: "10.9.0.2", port: "7", private: `"x"`}
	qp := []string{"alloc_pd pd id=id", "create_cq cq id=id cqe=64",
		"rdma_create_qp id qp1 pd=pd send_cq=cq recv_cq=cq max_send_wr=16 max_recv_wr=16"}
	in := func(st session.IDState) session.IDView {
		return session.IDView{Name: "id", Mode: "event", Device: "soft0-cm", State: st}
	}
	sync := in(session.IDListening)
	sync.Mode = "sync"
	datagrams := in(session.IDConnected)
	datagrams.QP = "qp"
	by := in(session.IDConnecting)
	by.Last = &timeline.CMEvent{Type: verbs.CMConnectResponse}
	unreachable := in(session.IDError)
	unreachable.Last = &timeline.CMEvent{Type: verbs.CMAddrError}
	for name, c := range map[string]struct {
		id   session.IDView
		wish *wish
		want []string
	}{
		"idle":      {in(session.IDIdle), known, []string{"rdma_resolve_addr id 10.9.0.2 port=7"}},
		"idle, aim": {in(session.IDIdle), &wish{name: "id"}, nil},
		"idle, server": {in(session.IDIdle), &wish{known: true, serves: true, port: "7"},
			[]string{"rdma_bind_addr id port=7", "rdma_listen id"}},
		"bound":        {in(session.IDBound), &wish{}, []string{"rdma_listen id"}},
		"bound client": {in(session.IDBound), known, []string{"rdma_resolve_addr id 10.9.0.2 port=7"}},
		"address":      {in(session.IDAddrResolved), known, append(slices.Clone(qp), "rdma_resolve_route id")},
		"route": {in(session.IDRouteResolved), known,
			append(slices.Clone(qp), `rdma_connect id private_data="x"`)},
		"request":    {in(session.IDRequest), &wish{}, append(slices.Clone(qp), "rdma_accept id")},
		"sync":       {sync, &wish{}, []string{"rdma_get_request id timeout=1m"}},
		"by hand":    {by, known, []string{"rdma_establish id"}},
		"connected":  {in(session.IDConnected), known, nil},
		"datagrams":  {datagrams, known, []string{"create_ah ah pd=p id=id"}},
		"over":       {in(session.IDDisconnected), known, []string{"rdma_destroy_id id"}},
		"no address": {unreachable, known, []string{"rdma_resolve_addr id 10.9.0.2 port=7", "rdma_destroy_id id"}},
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
	for text, want := range map[string]string{"": "", "hi": `"hi"`, "a b": `"a b"`, "0x1f": "0x1f",
		"be32:7,u8:1": "be32:7,u8:1", "pattern:9": "pattern:9",
		`"q"`: `"q"`, "to: you": `"to: you"`} {
		if got := privateArg(text); got != want {
			t.Errorf("private data %q is %s, want %s", text, got, want)
		}
	}
}

func TestNewClientAndServer(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.Keys("m", "l", "enter")
		x.Shows(120, 30, "new: listener1, a server", "rdma_create_event_channel events mode=poll")
		x.Keys("m", "m", "enter")
		x.sess.WantLines("rdma_create_event_channel events")
		x.Keys("b")
		x.sess.WantLines("rdma_create_id listener1 channel=events ps=TCP", "rdma_bind_addr listener1 port=7471",
			"rdma_listen listener1")
		x.Keys("s", "c")
		x.Type("127.0.0.1 9")
		x.Keys("enter", "e", "enter", "enter")
		x.sess.WantLines("rdma_create_id conn1 channel=events ps=UDP", "rdma_resolve_addr conn1 127.0.0.1 port=9")
		if !slices.Equal(x.Edits, []string{"rdma_create_id conn1 channel=events ps=UDP"}) {
			t.Errorf("e gave %q to edit", x.Edits)
		}
		x.pass()
		x.Shows(120, 30, "conn1 is in ADDR_RESOLVED")
		x.Keys("D")
		x.sess.WantLines()
		x.Keys("y")
		x.sess.WantLines("rdma_destroy_id conn1")
	})
}

// In a small window the last result shows below the panes, whichever has the focus, until the next key.
func TestResultInASmallWindow(t *testing.T) {
	run(t, plain, func(x *bench) {
		said := func() bool { return strings.Contains(x.View(80, 21), "=       listening at") }
		x.Keys("l", "enter", "enter", "b")
		x.sess.WantLines("rdma_create_event_channel events", "rdma_create_id listener1 channel=events ps=TCP",
			"rdma_bind_addr listener1 port=7471", "rdma_listen listener1")
		x.pass()
		if !said() || !x.s.Answers() {
			t.Errorf("no result:\n%s", x.View(80, 21))
		}
		x.Keys("tab")
		if said() || x.s.Answers() {
			t.Error("the result stays after a key")
		}
		x.Keys("tab", "l", "enter", "enter", "b") // with the events in front: the port is in use
		x.pass()
		x.Shows(80, 21, "✗       rdma_", "it said E", "identifiers")
	})
}

// A client without an address is not started, and the screen says so; a server needs none.
func TestNoAddress(t *testing.T) {
	for _, typed := range []string{"", "  "} {
		run(t, plain, func(x *bench) {
			x.Keys("c")
			x.Type(typed)
			x.Keys("enter")
			if want := []string{"no address given: press c to enter one"}; x.s.draft != nil || x.s.Typing() ||
				!slices.Equal(x.Flashes, want) {
				t.Errorf("%q: said %q, drafted %v", typed, x.Flashes, x.s.draft)
			}
			x.Keys("l")
			x.Type(typed)
			x.Keys("enter")
			x.Shows(120, 30, "new: listener1, a server")
			if len(x.Flashes) != 1 {
				t.Errorf("%q to listen on: said %q", typed, x.Flashes)
			}
		})
	}
}

func TestSyncHasNoChannel(t *testing.T) {
	two := func(m *manager) []verbs.Provider { return []verbs.Provider{m, second{uitest.Soft(nil)}} }
	runOn(t, plain, two, func(x *bench) {
		x.Keys("m", "m", "t", "l", "enter", "enter")
		x.sess.WantLines("rdma_create_id listener1 ps=TCP mode=sync device=mlx5_0")
	})
	runOn(t, plain, two, func(x *bench) {
		x.do("rdma_create_event_channel events") // a channel of another provider's manager cannot be used
		x.Keys("t", "l", "enter", "enter")
		x.sess.WantLines("rdma_create_event_channel events2 device=mlx5_0")
	})
}

func TestAnswers(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.Keys("a", "A", "R")
		if want := []string{nobodyAsks, nobodyAsks, nobodyAsks}; !slices.Equal(x.Flashes, want) {
			t.Errorf("without a request: %q", x.Flashes)
		}
		x.serve()
		x.ask()
		x.Shows(80, 17, "listen-1 asks for a connection", "1 waiting: a accept, R reject", "asked 0 s ago")
		x.Keys("R", "esc")
		x.sess.WantLines()
		x.Keys("a")
		x.sess.WantLines("alloc_pd pd id=listen-1", "create_cq cq id=listen-1 cqe=64",
			"reg_mr dst pd=pd length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ",
			"rdma_create_qp listen-1 qp1 pd=pd send_cq=cq recv_cq=cq max_send_wr=16 max_recv_wr=16",
			"rdma_accept listen-1 private_data=be32:0x72646d61,be64:dst.addr,be32:dst.rkey,be64:dst.length")
		x.pass()
		x.ask()
		x.Keys("R")
		x.Type("too busy")
		x.Keys("enter")
		x.sess.WantLines(`rdma_reject listen-2 private_data="too busy"`)
		x.pass()
		x.ask()
		x.do("rdma_create_qp listen-3 qp3 pd=pd send_cq=cq recv_cq=cq")
		x.Keys("P")
		x.Type("welcome")
		x.Keys("enter", "A")
		want := `rdma_accept listen-3 responder_resources=2 initiator_depth=4 rnr_retry_count=6 private_data="welcome"`
		if !slices.Equal(x.Edits, []string{want}) {
			t.Errorf("A gave %q to edit, want %s", x.Edits, want)
		}
	})
}

// TestRejectAll checks that rejecting all asks first, and only y confirms.
func TestRejectAll(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.serve()
		x.Keys("ctrl+r")
		x.ask()
		x.Keys("ctrl+r", "n", "D", "n")
		x.sess.WantLines()
		if want := []string{nobodyAsks}; !slices.Equal(x.Flashes, want) {
			t.Errorf("%q, want %q", x.Flashes, want)
		}
		if want := []string{"Reject 1 connection request?", "Destroy the identifier listen-1?"}; !slices.Equal(x.Asked,
			want) {
			t.Errorf("%q, want %q", x.Asked, want)
		}
		x.Keys("ctrl+r", "y")
		x.sess.WantLines("reject_all")
	})
}

// A new request does not take the screen from another task.
func TestRequestDoesNotIntrude(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.client(session.IDAddrResolved)
		x.serve()
		x.ask()
		x.Shows(120, 30, "id is in ADDR_RESOLVED", "1 waiting")
		x.Keys("R", "enter")
		x.sess.WantLines("rdma_reject listen-1")
	})
}

func TestDisconnect(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.Keys("d")
		x.client(session.IDConnected)
		x.Keys("enter", "d")
		x.sess.WantLines("rdma_disconnect id")
		if want := []string{"no connection to disconnect", "3 post requests, d disconnect"}; !slices.Equal(x.Flashes,
			want) {
			t.Errorf("said %q", x.Flashes)
		}
	})
	run(t, plain, func(x *bench) {
		x.client(session.IDDisconnected)
		x.Keys("b")
		x.sess.WantLines("rdma_disconnect id", "rdma_destroy_qp qp", "rdma_destroy_id id")
	})
}

// A changed address is shown beside the state, which stays.
func TestAddrChange(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.client(session.IDConnected)
		x.m.tells <- verbs.CMAddrChange
		x.pass()
		x.Shows(120, 30, "[CONNECTED]", "ADDR_CHANGE: ", "event ADDR_CHANGE")
	})
}

func TestFilterAndOnly(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.client(session.IDError)
		x.serve()
		x.ask()
		x.Keys("/")
		x.Type("CONSUMER")
		x.Keys("enter")
		if x.s.events.Len() != 1 {
			t.Errorf("%d events pass the filter", x.s.events.Len())
		}
		x.Shows(120, 30, "/consumer, 1 of 4", "the peer's program refused")
		x.Keys("esc", "o", "o", "v")
		x.Shows(120, 30, "listen-1 only, 1 of 4", "a peer asks for a connection")
		x.Keys("o")
		x.Shows(120, 30, "id only, 3 of 4")
		x.Keys("esc")
		if x.s.events.Len() != 4 {
			t.Errorf("%d events are shown in the end", x.s.events.Len())
		}
	})
}

// The log stays within bounds, and the cursor on its event.
func TestManyEvents(t *testing.T) {
	run(t, plain, func(x *bench) {
		add := func(n int) {
			for range n {
				x.sess.Timeline().Append(timeline.Event{Kind: timeline.KindCM,
					CM: &timeline.CMEvent{Type: verbs.CMEstablished, ID: "id"}})
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
	})
}

// Nothing is redrawn while nothing happens.
func TestQuiet(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.do(uitest.BenchLines...)
		x.do("connect_qps a b")
		x.serve()
		x.do("post_send a RDMA_WRITE sge=src:0:5 remote_addr=dst.addr rkey=dst.rkey")
		if n := x.sess.Snapshot().CQs[0].Completed; n != 1 || x.drawn {
			t.Errorf("traffic has the screen drawn anew, or there was none: %d completed", n)
		}
	})
	run(t, plain, func(x *bench) {
		x.client(session.IDConnecting)
		time.Sleep(time.Second)
		if !x.Frame() {
			t.Error("the time of a step under way stands still")
		}
	})
}
