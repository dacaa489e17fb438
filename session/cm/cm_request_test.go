package cm_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// Limits on requests, as in session/cm.
const (
	requestsKept = 256
	toldAtOnce   = 500
	missedTold   = time.Second
)

// strangers are peers of a listener on a fake that do not wait for an answer.
type strangers struct {
	t  *testing.T
	s  *session.Session
	ch verbs.CMEventChannel
}

func newStrangers(t *testing.T) (*strangers, *sessiontest.CMLog) {
	t.Helper()
	s, f, log := sessiontest.NewManaged(t)
	sessiontest.RunLines(t, s,
		"rdma_create_event_channel events\nrdma_create_id listen\nrdma_bind_addr listen port=7\nrdma_listen listen")
	ch, err := f.CreateEventChannel()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ch.Close() })
	return &strangers{t, s, ch}, log
}

// ask sends a request from an address and returns the listener's identifier for it.
func (x *strangers) ask(from string) *sessiontest.FakeID { return x.askAt(from, "7") }

func (x *strangers) askAt(from, port string) *sessiontest.FakeID {
	id, err := x.ch.CreateID(verbs.PortSpaceTCP)
	if err != nil {
		x.t.Fatal(err)
	}
	client := id.(*sessiontest.FakeID)
	x.t.Cleanup(func() { _ = client.Close() })
	client.Local, client.Peer = netip.MustParseAddrPort(from+":40001"), netip.MustParseAddrPort("10.0.0.2:"+port)
	if err := client.Connect(verbs.CMConnParam{}); err != nil {
		x.t.Fatal(err)
	}
	return client.Partner
}

// giveUp makes the peer of a request abandon it.
func giveUp(request *sessiontest.FakeID) {
	request.Tell(verbs.CMRejected, func(e *verbs.CMEvent) { e.Status = int(verbs.RejectTimeout) })
}

// until waits until the reader of the channel has made a condition true.
func (x *strangers) until(what string, is func(core.Snapshot) bool) {
	x.t.Helper()
	for range 10_000 {
		if is(x.s.Snapshot()) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	x.t.Fatalf("%s: %d identifiers", what, len(x.s.Snapshot().IDs))
}

func (x *strangers) untilLeft(n int) {
	x.t.Helper()
	x.until(fmt.Sprint("not ", n), func(v core.Snapshot) bool { return len(v.IDs) == n })
}

// TestRequestGivenUp: when a peer gives up, a request that no command has taken is
// removed with its events; one that was taken stays until it is destroyed.
func TestRequestGivenUp(t *testing.T) {
	x, log := newStrangers(t)
	taken := x.ask("10.0.0.9")
	sessiontest.Execute(t, x.s, "rdma_get_cm_event CONNECT_REQUEST name=mine timeout=10s")
	giveUp(taken)
	sessiontest.Execute(t, x.s, "rdma_get_cm_event REJECTED id=mine timeout=10s")
	for range 100 {
		giveUp(x.ask("10.0.0.9"))
	}
	accepted := x.ask("10.0.0.9")
	x.until("101", func(v core.Snapshot) bool { return len(v.IDs) == 3 && v.IDs[2].Name == "listen-102" })
	sessiontest.Execute(t, x.s, "rdma_accept listen-102")
	x.until("connected", func(v core.Snapshot) bool { return v.IDs[2].State == core.IDConnected })
	giveUp(accepted)
	x.until("rejected", func(v core.Snapshot) bool { return v.IDs[2].State == core.IDError })
	x.untilLeft(3)
	if e := log.Find(t, "listen-50", verbs.CMRejected); e.State != "ERROR" {
		t.Errorf("recorded as %+v", e)
	}
	if n := x.s.Snapshot().EventChannels[0].Waiting; n != 3 { // of the accepted one
		t.Errorf("%d events pending", n)
	}
	sessiontest.Execute(t, x.s, "rdma_destroy_id mine")
	sessiontest.Execute(t, x.s, "rdma_destroy_id listen-102")
	x.untilLeft(1)
}

// TestEventOf: the result of a command that takes a request names the request's
// identifier by its current name.
func TestEventOf(t *testing.T) {
	x, _ := newStrangers(t)
	sessiontest.RunLines(t, x.s, "rdma_create_id sync mode=sync\nrdma_bind_addr sync port=9\nrdma_listen sync")
	for _, c := range []struct{ port, line, want string }{
		{"7", "rdma_get_cm_event CONNECT_REQUEST", "listen-1"},
		{"7", "rdma_get_cm_event name=mine", "mine"},
		{"9", "rdma_get_request sync", "sync-1"},
		{"9", "rdma_get_request sync name=asked", "asked"},
	} {
		x.askAt("10.0.0.9", c.port)
		if got := sessiontest.Execute(t, x.s, c.line+" timeout=10s").EventOf; got != c.want {
			t.Errorf("%s names %q, want %q", c.line, got, c.want)
		}
	}
	sessiontest.RunLines(t, x.s, "rdma_create_id id\nrdma_resolve_addr id 10.0.0.2 port=7")
	if got := sessiontest.Execute(t, x.s, "rdma_get_cm_event id=id timeout=10s").EventOf; got != "" {
		t.Errorf("ADDR_RESOLVED names %q", got)
	}
}

// TestFloodLosesNoEvent: an event of a connection survives while thousands of
// requests come and go on the same channel.
func TestFloodLosesNoEvent(t *testing.T) {
	x, _ := newStrangers(t)
	sessiontest.Execute(t, x.s, "rdma_create_id id")
	sessiontest.Execute(t, x.s, "rdma_resolve_addr id 10.0.0.2 port=7")
	for i := range 3000 {
		if r := x.ask(fmt.Sprintf("10.1.%d.%d", i/200, i%200+1)); i%2 == 0 {
			giveUp(r)
		}
	}
	sessiontest.Execute(t, x.s, "rdma_resolve_route id")
	sessiontest.Execute(t, x.s, "rdma_get_cm_event ADDR_RESOLVED id=id timeout=100s")
	sessiontest.Execute(t, x.s, "rdma_get_cm_event ROUTE_RESOLVED id=id timeout=100s")
	if n := len(x.s.Snapshot().IDs); n != 2+requestsKept {
		t.Errorf("%d identifiers", n)
	}
}

// TestRequestsAreShared: when one peer sends more requests than may wait, others
// still get in, and displace its requests.
func TestRequestsAreShared(t *testing.T) {
	x, _ := newStrangers(t)
	for range 2 * requestsKept {
		x.ask("10.0.0.9")
	}
	x.untilLeft(1 + requestsKept)
	for i := range 20 {
		x.ask(fmt.Sprintf("10.0.1.%d", i+1))
	}
	x.until("others", func(v core.Snapshot) bool {
		return len(v.IDs) == 1+requestsKept && v.IDs[len(v.IDs)-1].Peer.Addr() == netip.MustParseAddr("10.0.1.20")
	})
	others := 0
	for _, id := range x.s.Snapshot().IDs[1:] {
		if id.Peer.Addr() != netip.MustParseAddr("10.0.0.9") {
			others++
		}
	}
	if others != 20 {
		t.Errorf("%d of 20 other requests are pending", others)
	}
}

// TestFloodIsNotRecorded: when requests exceed what the time line records, a note
// counts the others.
func TestFloodIsNotRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, log := newStrangers(t)
		const n = 2 * toldAtOnce
		for range n {
			giveUp(x.ask("10.0.0.9"))
		}
		synctest.Wait()
		if got := len(log.Events); got != 2*toldAtOnce {
			t.Errorf("%d events recorded, want %d", got, 2*toldAtOnce)
		}
		time.Sleep(2 * missedTold)
		synctest.Wait()
		want := fmt.Sprintf("%d more requests came to listen", n-toldAtOnce)
		if !slices.ContainsFunc(x.s.Timeline().Snapshot(), func(e timeline.Event) bool {
			return e.Note != nil && strings.Contains(e.Note.Text, want)
		}) {
			t.Errorf("not noted: %s", want)
		}
		if err := x.s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestUsersAtOnce: the users of all objects, as computed for snapshots and closing,
// equal those found one by one.
func TestUsersAtOnce(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunLines(t, s, sessiontest.Everything)
	all := s.Core().Graph.Users()
	for _, n := range s.Core().Graph.Nodes {
		if got, want := core.NodeNames(all[n]), s.Core().Graph.UsersOf(n); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", n.Name, got, want)
		}
	}
}

// BenchmarkCloseIdentifiers closes sessions with growing numbers of identifiers: the
// time for each must not depend on how many there are.
func BenchmarkCloseIdentifiers(b *testing.B) {
	for _, n := range []int{100, 1000, 4000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s := session.New(core.Options{Providers: []verbs.Provider{sessiontest.NewFakeCM()}})
				if _, err := s.Exec(b.Context(), "rdma_create_event_channel"); err != nil {
					b.Fatal(err)
				}
				for range n {
					if _, err := s.Exec(b.Context(), "rdma_create_id"); err != nil {
						b.Fatal(err)
					}
				}
				b.StartTimer()
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n)/float64(b.N), "µs/id")
		})
	}
}

// TestRejectAll rejects the requests of one listener, then all others.
func TestRejectAll(t *testing.T) {
	x, _ := newStrangers(t)
	sessiontest.RunLines(t, x.s, "rdma_create_id other\nrdma_bind_addr other port=8\nrdma_listen other")
	for range 5 {
		x.ask("10.0.0.9")
	}
	x.untilLeft(2 + 5)
	sessiontest.RunLines(t, x.s,
		"alloc_pd pd id=listen-3\ncreate_cq cq id=listen-3\nrdma_create_qp listen-3 qp pd=pd send_cq=cq")
	if _, err := x.s.Exec(t.Context(), "reject_all listen-1"); err == nil ||
		!strings.Contains(err.Error(), "does not listen") {
		t.Errorf("of a request: %v", err)
	}
	for line, want := range map[string]string{"reject_all other": "0 requests rejected",
		"reject_all listen": "4 requests rejected; 1 with a queue pair kept"} {
		if done, err := x.s.Exec(t.Context(), line); err != nil || done.Result != want {
			t.Errorf("%s: %q, %v, want %q", line, done.Result, err, want)
		}
	}
	sessiontest.Execute(t, x.s, "close qp")
	if done, err := x.s.Exec(t.Context(), "reject_all"); err != nil || done.Result != "1 request rejected" {
		t.Errorf("%q, %v", done.Result, err)
	}
	x.untilLeft(2)
}

// TestFloodOfRequests: more requests arrive than are answered.
func TestFloodOfRequests(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	sessiontest.RunLines(t, s,
		"rdma_create_event_channel\nrdma_create_id listen\nrdma_bind_addr listen port=7\nrdma_listen listen")
	ch, _ := f.CreateEventChannel()
	for range requestsKept + 50 {
		id, _ := ch.CreateID(verbs.PortSpaceTCP)
		_ = id.ResolveAddr(netip.AddrPort{}, netip.MustParseAddrPort("10.0.0.2:7"), 0)
		_ = id.Connect(verbs.CMConnParam{})
		defer id.Close()
	}
	for range requestsKept {
		sessiontest.Execute(t, s, "rdma_get_cm_event CONNECT_REQUEST id=listen timeout=10s")
	}
	if _, err := s.Exec(t.Context(), "rdma_get_cm_event timeout=50ms"); err == nil {
		t.Error("a request arrived that should have been refused")
	}
	if n := len(s.Snapshot().IDs); n != 1+requestsKept {
		t.Errorf("%d identifiers kept", n)
	}
	sessiontest.Execute(t, s, "rdma_reject listen-1") // there is room again
	id, _ := ch.CreateID(verbs.PortSpaceTCP)
	defer id.Close()
	_ = id.ResolveAddr(netip.AddrPort{}, netip.MustParseAddrPort("10.0.0.2:7"), 0)
	_ = id.Connect(verbs.CMConnParam{})
	sessiontest.Execute(t, s, "rdma_get_cm_event CONNECT_REQUEST timeout=10s")
	warnings := 0
	for _, e := range s.Timeline().Snapshot() {
		if e.Note != nil && strings.Contains(e.Note.Text, "pending requests") {
			warnings++
		}
	}
	if warnings != 1 {
		t.Errorf("%d warnings", warnings)
	}
	t.Cleanup(func() { _ = ch.Close() })
}
