package cm_test

import (
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"rdmatui/session"
	"rdmatui/session/cm"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// connection makes both ends in one session.
const connection = `
rdma_create_event_channel events
rdma_create_id listen
rdma_bind_addr listen port=7471
rdma_listen listen
rdma_create_id id
rdma_resolve_addr id 10.0.0.2 port=7471
rdma_get_cm_event ADDR_RESOLVED id=id
alloc_pd pd id=id
create_cq cq id=id
rdma_create_qp id qp pd=pd send_cq=cq
rdma_resolve_route id
rdma_get_cm_event ROUTE_RESOLVED id=id
rdma_connect id private_data=be32:100,"x" rnr_retry_count=3
rdma_get_cm_event CONNECT_REQUEST name=req
rdma_create_qp req rqp pd=pd send_cq=cq
rdma_accept req private_data="welcome"
rdma_get_cm_event ESTABLISHED id=req
rdma_get_cm_event ESTABLISHED id=id
expect cm ESTABLISHED id=id status=0 private_data="welcome"
expect id id CONNECTED
expect id req CONNECTED
expect state qp RTS
expect state rqp RTS
`

func TestConnectionByHand(t *testing.T) {
	s, _, log := sessiontest.NewManaged(t)
	sessiontest.RunLines(t, s, strings.Replace(connection, `be32:100,"x"`, "be32:100,u8:7", 1))

	req := log.Find(t, "listen-1", verbs.CMConnectRequest)
	if req.Listen != "listen" || req.State != "REQUEST" || req.Conn == nil || req.Conn.RNRRetryCount != 3 ||
		string(req.PrivateData()) != "\x00\x00\x00\x64\x07" || req.Device != "fake0-cm" {
		t.Errorf("the request was recorded as %+v", req)
	}
	up := log.Find(t, "id", verbs.CMEstablished)
	if up.Step != "connect" || up.Took <= 0 || up.State != "CONNECTED" || string(up.PrivateData()) != "welcome" {
		t.Errorf("the connection was recorded as %+v", up)
	}
	for ref, want := range map[string]string{
		"req.private_data.be32.0": "100", "req.private_data.u8.4": "7", "req.state": "CONNECTED",
		"id.device": "fake0-cm", "id.private_data": "0x77656c636f6d65", "req.peer_addr": "10.0.0.1:40001",
		"id.port_num": "1", "id.peer_gid": "::ffff:10.0.0.2",
		"id.qp_num": "0x000011",
	} {
		object, field, _ := strings.Cut(ref, ".")
		if got, err := s.Core().LookUp(object, field); got != want || err != nil {
			t.Errorf("%s is %s, %v, not %s", ref, got, err, want)
		}
	}
	if _, err := s.Core().LookUp("req", "private_data.be32.2"); err == nil {
		t.Error("a number was read beyond the private data")
	}
	checkView(t, s)
	sessiontest.Execute(t, s, "rdma_disconnect id")
	sessiontest.Execute(t, s, "expect cm DISCONNECTED id=req")
	sessiontest.Execute(t, s, "expect cm DISCONNECTED id=id")
	sessiontest.Execute(t, s, "rdma_disconnect req")
	sessiontest.Execute(t, s, "expect state rqp ERR")
}

// TestRequestIsListedWhole: a concurrent snapshot shows an incoming request's
// identifier either as a request with its device, or not at all.
func TestRequestIsListedWhole(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	var mu sync.Mutex // commands and the channel's reader call it
	var seen []core.IDView
	looks := 0
	f.Looked = func() {
		mu.Lock()
		defer mu.Unlock()
		looks++
		for _, id := range s.Snapshot().IDs {
			if id.Listen != "" && (id.State == core.IDIdle || id.Device == "" || !id.Peer.IsValid() || id.Last == nil) {
				seen = append(seen, id)
			}
		}
	}
	before, _, _ := strings.Cut(connection, "rdma_create_qp req")
	sessiontest.RunLines(t, s, before+"expect id req REQUEST\n")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if looks == 0 || len(seen) > 0 {
		t.Errorf("%d snapshots, of which these show half a request: %+v", looks, seen)
	}
}

// TestAddrChange: the event is recorded with an explanation, and changes nothing.
func TestAddrChange(t *testing.T) {
	s, _, log := sessiontest.NewManaged(t)
	sessiontest.RunLines(t, s, connection)
	s.Core().Mu.RLock()
	changed := s.Core().Graph.ByName["id"].Body.(*cm.ID).ID.(*sessiontest.FakeID)
	s.Core().Mu.RUnlock()
	changed.Tell(verbs.CMAddrChange, func(*verbs.CMEvent) {})
	sessiontest.RunLines(t, s, "expect cm ADDR_CHANGE id=id status=0\nexpect id id CONNECTED\nexpect state qp RTS\n")
	if e := log.Find(t, "id", verbs.CMAddrChange); !e.Failed() || e.State != "CONNECTED" ||
		!strings.Contains(e.Hint, "connect again") {
		t.Errorf("recorded as %+v", e)
	}
	sessiontest.RunLines(t, s, "rdma_disconnect id\nexpect cm DISCONNECTED id=req\n")
}

// TestConnectWithoutQP: the check's warning is in the error line of a script, whoever
// refuses the connection.
func TestConnectWithoutQP(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	script, _, _ := strings.Cut(connection, "alloc_pd")
	f.Refuse["connect"] = verbs.NewOpError("rdma_connect", "", syscall.EINVAL)
	err := s.RunScript(t.Context(), "test",
		strings.NewReader(script+"rdma_resolve_route id\nrdma_get_cm_event ROUTE_RESOLVED id=id\nrdma_connect id\n"))
	if err == nil || !strings.Contains(err.Error(), "(EINVAL); id has no queue pair: rdma_create_qp id first") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("the line is %v", err)
	}
}

func checkView(t *testing.T, s *session.Session) {
	t.Helper()
	ids := s.Snapshot().IDs
	at := slices.IndexFunc(ids, func(v core.IDView) bool { return v.Name == "id" })
	v := ids[at]
	var steps []string
	for _, st := range v.Steps {
		if st.Pending || st.Failed || st.Took <= 0 {
			t.Errorf("step %+v", st)
		}
		steps = append(steps, st.Name)
	}
	if want := []string{"resolve_addr", "resolve_route", "connect"}; !slices.Equal(steps, want) {
		t.Errorf("the steps are %v", steps)
	}
	if v.State != core.IDConnected || v.QP != "qp" || v.Device != "fake0-cm" ||
		v.Peer.String() != "10.0.0.2:7471" || v.Last == nil ||
		v.Channel != "events" || v.Mode != "event" || v.PortSpace != verbs.PortSpaceTCP {
		t.Errorf("the view is %+v", v)
	}
}

// TestClosingAConnection closes a session with commands and connections in every
// stage.
func TestClosingAConnection(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	sessiontest.RunLines(t, s, strings.Replace(connection, `,"x"`, "", 1))
	sessiontest.Execute(t, s, "rdma_create_event_channel later")
	sessiontest.Execute(t, s, "rdma_migrate_id id later") // so its channel is younger than the identifier
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	at := slices.Index(f.Calls, "disconnect")
	if at < 0 || at < slices.Index(f.Calls, "migrate") {
		t.Errorf("the connection was not ended: %v", f.Calls)
	}
	for _, pair := range [][2]string{{"qp", "id"}, {"qp", "pd"}, {"id", "event channel"}} {
		if slices.Index(f.Closed, pair[1]) < slices.Index(f.Closed, pair[0]) {
			t.Errorf("a %s was closed before a %s: %v", pair[1], pair[0], f.Closed)
		}
	}
}

// TestMigrate: the old channel can be destroyed, the identifier belongs to the new
// one, and an implicit channel is destroyed.
func TestMigrate(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	sessiontest.RunLines(t, s, strings.Replace(connection, `,"x"`, "", 1))
	sessiontest.Execute(t, s, "rdma_create_event_channel later")
	sessiontest.Execute(t, s, "rdma_migrate_id id later")
	for line, want := range map[string]string{"close events": "events is busy: still used by listen, req",
		"close later": "later is busy: still used by id"} {
		if d, _ := s.Exec(t.Context(), line); d.Err != line+": "+want && d.Err != want {
			t.Errorf("%s: %q, want %q", line, d.Err, want)
		}
	}
	channels := func() (n int) {
		for _, what := range f.Closed {
			if what == "event channel" {
				n++
			}
		}
		return n
	}
	before := channels()
	sessiontest.Execute(t, s, "rdma_create_id own mode=poll")
	sessiontest.Execute(t, s, "rdma_migrate_id own later")
	if n := channels(); n != before+1 {
		t.Errorf("%d channels closed, want %d: its own is destroyed", n, before+1)
	}
	if sessiontest.Noted(s, "could not be destroyed") {
		t.Error("a note on a channel that was destroyed")
	}
	f.Stuck = "event channel"
	sessiontest.Execute(t, s, "rdma_create_id stuck mode=poll")
	sessiontest.Execute(t, s, "rdma_migrate_id stuck later")
	if f.Stuck = ""; !sessiontest.Noted(s, "the event channel could not be destroyed: device or resource busy") {
		t.Error("no note on a channel that is left")
	}
	f.Alive.Add(-1) // it was destroyed
}

// TestManagedQPType: a queue pair has the type that the line names, or its
// identifier's.
func TestManagedQPType(t *testing.T) {
	for line, want := range map[string]verbs.QPType{
		"ps=TCP": verbs.RC, "ps=UDP": verbs.UD, "ps=TCP qp_type=UC": verbs.UC,
		"ps=TCP qp_type=RC": verbs.RC, "ps=UDP qp_type=UD": verbs.UD,
	} {
		s, _, _ := sessiontest.NewManaged(t)
		ps, qpType, _ := strings.Cut(line, " ")
		sessiontest.RunLines(t, s, "rdma_create_id id mode=sync "+ps+
			"\nrdma_resolve_addr id 10.0.0.2 port=7\nalloc_pd pd\ncreate_cq cq\nrdma_create_qp id qp "+qpType)
		if q := s.Snapshot().QPs[0]; q.Type != want {
			t.Errorf("%s: %s, want %s", line, q.Type, want)
		}
	}
}

// TestEstablish: the message that arrived before the peer's RTU establishes the
// connection.
func TestEstablish(t *testing.T) {
	s, _, _ := sessiontest.NewManaged(t)
	sessiontest.RunLines(t, s, strings.Replace(connection, `,"x"`, "", 1))
	i := s.Core().Graph.ByName["req"].Body.(*cm.ID)
	cm.SetIDState(s.Core(), i, core.IDConnected, core.IDConnecting)
	sessiontest.Execute(t, s, "rdma_establish req")
	if got := cm.StateOf(s.Core(), i); got != core.IDConnected {
		t.Errorf("state %v", got)
	}
}

// TestWaysOfWaiting does the same in the three event modes.
func TestWaysOfWaiting(t *testing.T) {
	for mode, want := range map[string]string{
		"event": "the thread that sleeps", "poll": "polled 1 time without", "sync": "",
	} {
		t.Run(mode, func(t *testing.T) {
			s, _, _ := sessiontest.NewManaged(t)
			sessiontest.Execute(t, s, "rdma_create_id id mode="+mode)
			done := sessiontest.Execute(t, s, "rdma_resolve_addr id 10.0.0.2 port=1")
			if mode == "sync" {
				if !strings.Contains(done.Result, "waited for ADDR_RESOLVED of id") {
					t.Errorf("the result is %q", done.Result)
				}
			} else if done = sessiontest.Execute(t, s, "rdma_get_cm_event ADDR_RESOLVED"); !strings.Contains(
				done.Result, want) {
				t.Errorf("the result is %q", done.Result)
			}
			sessiontest.Execute(t, s, "expect id id ADDR_RESOLVED")
		})
	}
}

func TestSynchronousServer(t *testing.T) {
	s, _, _ := sessiontest.NewManaged(t)
	sessiontest.RunLines(t, s, `
rdma_create_event_channel events
rdma_create_id listen mode=sync
rdma_bind_addr listen port=7
rdma_listen listen
rdma_create_id id channel=events
rdma_resolve_addr id 10.0.0.2 port=7
rdma_get_cm_event id=id
rdma_resolve_route id
rdma_get_cm_event id=id
rdma_connect id qp_num=5
rdma_get_request listen name=req
rdma_accept req qp_num=6
expect id req CONNECTED
close listen
rdma_disconnect req
`)
	if done, err := s.Exec(t.Context(), "rdma_create_id x channel=events mode=sync"); err == nil {
		t.Errorf("a channel and a mode were accepted: %+v", done)
	}
}

func TestConnectionFailures(t *testing.T) {
	for name, c := range map[string]struct{ script, line, err, hint string }{
		"nobody listens": {"rdma_create_id id mode=sync\nrdma_resolve_addr id 10.0.0.2 port=9\nrdma_resolve_route id",
			"rdma_connect id qp_num=1", "REJECTED: reason 8 INVALID_SERVICE_ID", "no program listens there"},
		"no neighbour": {"rdma_create_id id mode=sync",
			"rdma_resolve_addr id 10.0.0.99 port=9", "ADDR_ERROR: ETIMEDOUT", "ARP"},
		"another event": {"rdma_create_id id mode=event\nrdma_resolve_addr id 10.0.0.99 port=9",
			"rdma_get_cm_event ADDR_RESOLVED", "ADDR_ERROR of id, ETIMEDOUT", "ARP"},
		"no device on the route": {"rdma_create_id id mode=event\nrdma_resolve_addr id 10.0.0.98 port=9",
			"rdma_get_cm_event ADDR_RESOLVED", "ADDR_ERROR of id, ENODEV",
			"without an RDMA device; src= takes an address of an RDMA device"},
		"no device on the route, in sync": {"rdma_create_id id mode=sync",
			"rdma_resolve_addr id 10.0.0.98 port=9", "ADDR_ERROR: ENODEV",
			"without an RDMA device; src= takes an address of an RDMA device"},
		"no event": {"rdma_create_id id mode=event",
			"rdma_get_cm_event timeout=1ms", "no event came within 1 ms", ""},
		"no event in sync": {"rdma_create_id id mode=sync",
			"rdma_get_cm_event timeout=1ms", "no event came within 1 ms", ""},
		"no event polled": {"rdma_create_id id mode=poll",
			"rdma_get_cm_event timeout=1ms", "no event came within 1 ms", ""},
		"not bound":  {"rdma_create_id id mode=sync", "alloc_pd id=id", "id is not bound to a device", ""},
		"no channel": {"", "rdma_create_id id", "no event_channel exists yet", "rdma_create_event_channel"},
		"in use": {"rdma_create_event_channel events\nrdma_create_id id",
			"rdma_destroy_event_channel events", "events is busy", "close id first"},
		"wrong status": {"rdma_create_id id mode=sync\nexpect error rdma_resolve_addr id 10.0.0.99",
			"expect cm ADDR_ERROR status=ENODEV", "status -110 ETIMEDOUT, not ENODEV", "ARP"},
		"wrong state": {"rdma_create_id id mode=sync", "expect id id CONNECTED", "id is in IDLE, not CONNECTED", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := sessiontest.NewManaged(t)
			sessiontest.RunLines(t, s, c.script)
			done, err := s.Exec(t.Context(), c.line)
			if err == nil || !strings.Contains(err.Error(), c.err) || !strings.Contains(done.Hint, c.hint) {
				t.Errorf("%v; hint %q", err, done.Hint)
			}
		})
	}
}

func TestRejectWithPrivateData(t *testing.T) {
	s, _, log := sessiontest.NewManaged(t)
	sessiontest.RunLines(t, s, `
rdma_create_event_channel
rdma_create_id listen
rdma_bind_addr listen port=7
rdma_listen listen
rdma_create_id id
rdma_resolve_addr id 10.0.0.2 port=7
expect cm ADDR_RESOLVED
rdma_resolve_route id
expect cm ROUTE_RESOLVED
rdma_connect id qp_num=1
expect cm CONNECT_REQUEST id=listen
`)
	done, err := s.Exec(t.Context(), `rdma_reject private_data="busy"`)
	if err != nil || done.Call() != `rdma_reject(listen-1, "busy", 4)` {
		t.Errorf("%q, %v", done.Call(), err)
	}
	sessiontest.RunLines(t, s, `
expect cm REJECTED id=id status=consumer_defined private_data="busy"
expect id id ERROR
close listen-1
`)
	if e := log.Find(t, "id", verbs.CMRejected); e.StatusText != "reason 28 CONSUMER_DEFINED" || e.Hint == "" {
		t.Errorf("%+v", e)
	}
}

func TestDatagramsAndGroups(t *testing.T) {
	s, _, log := sessiontest.NewManaged(t)
	sessiontest.RunLines(t, s, `
rdma_create_event_channel
rdma_create_id listen ps=UDP
rdma_bind_addr listen port=7
rdma_listen listen
rdma_create_id id ps=UDP
rdma_resolve_addr id 10.0.0.2 port=7
rdma_get_cm_event id=id
rdma_resolve_route id
rdma_get_cm_event id=id
alloc_pd pd
create_cq cq
rdma_create_qp id qp
rdma_connect id private_data="hi"
rdma_get_cm_event CONNECT_REQUEST name=req
rdma_accept req qp_num=qp.qp_num
expect id req CONNECTED
rdma_get_cm_event ESTABLISHED id=id
create_ah ah pd=pd id=id
post_send qp SEND ah=ah remote_qpn=id.remote_qpn remote_qkey=id.remote_qkey
rdma_join_multicast id 239.1.2.3
rdma_get_cm_event MULTICAST_JOIN
rdma_leave_multicast id 239.1.2.3
`)
	if e := log.Find(t, "id", verbs.CMMulticastJoin); e.UD == nil || e.UD.QPNum != 0xffffff ||
		e.Step != "join_multicast" {
		t.Errorf("%+v", e)
	}
	up := log.Find(t, "id", verbs.CMEstablished)
	if up.UD == nil || up.UD.QPNum == 0 {
		t.Fatalf("%+v", up)
	}
	for _, id := range s.Snapshot().IDs {
		if id.Name == "id" && id.UD.QPNum != 0xffffff { // the last QP number that it received is the group's
			t.Errorf("the snapshot has %+v", id.UD)
		}
	}
}

// TestQPByHand moves the queue pair with modify_qp, as the manager would.
func TestQPByHand(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	sessiontest.RunLines(t, s, `
rdma_create_id id mode=event
rdma_resolve_addr id 10.0.0.2 port=7
rdma_get_cm_event
alloc_pd pd
create_cq cq
create_qp qp
rdma_init_qp_attr id INIT qp=qp
rdma_set_option id TOS 32
rdma_notify id COMM_EST
`)
	done := sessiontest.Execute(t, s, "rdma_init_qp_attr id RTR")
	if want := "modify_qp QP RTR dest_qp_num=0x000077 rq_psn=0x000123"; done.Result != want {
		t.Errorf("%q, not %q", done.Result, want)
	}
	if got, err := s.Core().LookUp("id", "RTR.rq_psn"); got != "0x000123" || err != nil {
		t.Errorf("id.RTR.rq_psn is %s, %v", got, err)
	}
	sessiontest.Execute(t, s, "expect state qp INIT")
	for _, want := range []string{"set_option TOS 32", "notify COMM_EST"} {
		if !slices.Contains(f.Calls, want) {
			t.Errorf("%s was not called: %v", want, f.Calls)
		}
	}
}

func TestCMEventInJSON(t *testing.T) {
	e := timeline.Event{Kind: timeline.KindCM, CM: &timeline.CMEvent{
		Type: verbs.CMRejected, ID: "id", PS: verbs.PortSpaceTCP, Status: 28, StatusText: "reason 28 CONSUMER_DEFINED",
		Conn: &verbs.CMConnParam{PrivateData: []byte("\x1b]0;x"), QPNum: 17}, Step: "connect", Took: 1500,
	}}
	const want = `{"seq":0,"t":0,"event":"cm","cm_event":"REJECTED","id":"id","ps":"TCP","status":28,"status_text":"reason 28 CONSUMER_DEFINED",` +
		`"private_data":"1b5d303b78","responder_resources":0,"initiator_depth":0,"flow_control":0,"retry_count":0,"rnr_retry_count":0,` +
		`"srq":0,"qp_num":17,"step":"connect","took_us":1.5}`
	if got := string(e.AppendJSON(nil)); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
}
