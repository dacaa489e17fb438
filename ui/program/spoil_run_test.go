package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui"
	"rdmatui/ui/screen"
	connectionscreen "rdmatui/ui/screen/connections"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// spoilt is how many connections BenchmarkSpoiledConnections opens:
//
//	go test -run '^$' -bench SpoiledConnections -benchtime 1x ./ui/program -spoilt 100000
var spoilt = flag.Int("spoilt", 100_000, "how many connections BenchmarkSpoiledConnections opens and spoils")

// besieged is a session that listens on soft1 for connections and for datagrams, an
// honest client on soft0, and strangers who spoil connections.
type besieged struct {
	tb        testing.TB
	provider  *soft.Provider
	server    *session.Session
	strangers []*spoiler
	served    atomic.Int64 // honest connections established
}

const honest = "127.0.0.1"

func newBesieged(tb testing.TB) *besieged {
	tb.Helper()
	p := soft.New(soft.Options{})
	b := &besieged{
		tb: tb, provider: p, server: session.New(session.Options{Providers: []verbs.Provider{p}, Live: true}),
	}
	for _, l := range []string{
		"rdma_create_event_channel events", "rdma_create_id tcp channel=events",
		"rdma_bind_addr tcp 127.0.0.2 port=7471", "rdma_listen tcp backlog=0",
		"rdma_create_id udp channel=events ps=UDP", "rdma_bind_addr udp 127.0.0.2 port=7471",
		"rdma_listen udp backlog=0",
	} {
		b.run(b.server, l)
	}
	for i := range byte(3) {
		b.strangers = append(b.strangers,
			newSpoiler(tb, p.Fabric(), netip.AddrFrom4([4]byte{127, 0, 0, 77 + i}), netip.MustParseAddr("127.0.0.2")))
	}
	return b
}

func (b *besieged) run(s *session.Session, line string) {
	b.tb.Helper()
	if _, err := s.Exec(b.tb.Context(), line); err != nil {
		b.tb.Fatal(line, ": ", err)
	}
}

// serve accepts requests from answeredPort and from honest clients, and destroys
// ended identifiers, as a listening program does, until the context ends.
func (b *besieged) serve(ctx context.Context) {
	for qpn := 100_000; ctx.Err() == nil; {
		snap := b.server.Snapshot()
		for i := range snap.IDs {
			switch id := &snap.IDs[i]; {
			case id.State == session.IDRequest &&
				(id.Peer.Addr().Unmap().String() == honest || id.Peer.Port() == answeredPort):
				qpn++
				b.attempt(ctx, fmt.Sprintf("rdma_accept %s qp_num=%d", id.Name, qpn))
			case id.Listen != "" && (id.State == session.IDError || id.State == session.IDDisconnected):
				b.attempt(ctx, "rdma_destroy_id "+id.Name)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// attempt runs a line for a connection that may have ended by then.
func (b *besieged) attempt(ctx context.Context, line string) { _, _ = b.server.Exec(ctx, line) }

// visit connects honestly and disconnects again.
func (b *besieged) visit(ctx context.Context) error {
	s := session.New(session.Options{Providers: []verbs.Provider{b.provider}})
	qpn := 1000 + b.served.Add(1)
	err := s.RunScript(ctx, "visit", strings.NewReader(fmt.Sprintf(`
rdma_create_event_channel
rdma_create_id id
rdma_resolve_addr id 127.0.0.2 port=7471 src=127.0.0.1
rdma_get_cm_event ADDR_RESOLVED
rdma_resolve_route id
rdma_get_cm_event ROUTE_RESOLVED
rdma_connect id qp_num=%d
rdma_get_cm_event CONNECT_RESPONSE timeout=20s
rdma_establish id
rdma_disconnect id
rdma_get_cm_event DISCONNECTED timeout=20s
`, qpn)))
	return errors.Join(err, s.Close())
}

// visits repeats visit.
func (b *besieged) visits(ctx context.Context, every time.Duration) error {
	for ctx.Err() == nil {
		if err := b.visit(context.WithoutCancel(ctx)); err != nil {
			return fmt.Errorf("visit %d: %w", b.served.Load(), err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(every):
		}
	}
	return nil
}

// assault spoils n connections in all ways, with a rest after every few. One in twenty
// is accepted.
func (b *besieged) assault(n int, rest func()) {
	ways := map[bool][]spoiling{}
	for _, w := range spoilings {
		ways[w.port == answeredPort] = append(ways[w.port == answeredPort], w)
	}
	for i := range n {
		of := ways[i%20 == 0]
		b.strangers[i%len(b.strangers)].spoil(of[i/20%len(of)])
		if i%7 == 0 {
			rest()
		}
	}
}

// history is how many commands a session runs before connections are spoilt. What it remembers of its own commands is
// bounded, and must not be counted as the strangers'.
var history = flag.Int("history", 100_000,
	"how many commands were carried out before BenchmarkSpoiledConnections begins")

// live fills the session's memory of its own commands.
func (b *besieged) live(n int) {
	b.tb.Helper()
	filler := "note " + strings.Repeat("x", 200)
	for range n {
		b.run(b.server, filler)
	}
}

// BenchmarkSpoiledConnections spoils -spoilt connections against a listening session
// and its Connections screen. It reports the time from a key to the new frame, the
// time of an honest client's connections, the growth of the heap once all have aged,
// and the time to close the session.
func BenchmarkSpoiledConnections(b *testing.B) {
	for b.Loop() {
		x := newBesieged(b)
		app := ui.NewApp(&screen.Env{Ctx: b.Context(), Theme: theme.New("dark", true), Session: x.server},
			map[screen.ID]screen.Screen{screen.Devices: connectionscreen.New(
				&screen.Env{Ctx: b.Context(), Theme: theme.New("dark", true), Session: x.server})})
		app.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		x.measure(b, app)
	}
}

func (x *besieged) measure(b *testing.B, app *ui.App) {
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	go x.serve(ctx)
	if err := x.visit(ctx); err != nil {
		b.Fatal(err)
	}
	x.live(*history)
	before, begin := heap(), time.Now()
	visited, over := make(chan error, 1), make(chan struct{})
	visiting, leave := context.WithCancel(ctx)
	go func() { visited <- x.visits(visiting, 100*time.Millisecond) }()
	go func() {
		x.assault(*spoilt, func() { time.Sleep(time.Millisecond) })
		close(over)
	}()
	var keys []time.Duration
	press := func() {
		due := time.Now()
		app.Update(uitest.Key([]string{"home", "down", "end", "up"}[len(keys)%4]))
		app.Beat()
		app.View()
		keys = append(keys, time.Since(due))
	}
	for done := false; !done; {
		press()
		select {
		case <-over:
			done = true
		case <-time.After(20 * time.Millisecond):
		}
	}
	took := time.Since(begin)
	at := len(x.server.Snapshot().IDs)
	peak := heap()
	leave()
	if err := <-visited; err != nil {
		b.Error(err)
	}
	for aged := time.Now(); len(x.server.Snapshot().IDs) > 2 &&
		time.Since(aged) < 90*time.Second; time.Sleep(20 * time.Millisecond) {
		press()
	}
	left := len(x.server.Snapshot().IDs)
	after := heap()
	x.assault(3000, func() {}) // so that closing has much to do
	stop()
	closing := time.Now()
	if err := x.server.Close(); err != nil {
		b.Error(err)
	}
	b.ReportMetric(time.Since(closing).Seconds()*1000, "close-ms")
	slices.Sort(keys)
	b.ReportMetric(float64(*spoilt)/took.Seconds(), "spoilt/s")
	b.ReportMetric(float64(keys[len(keys)/2].Microseconds())/1000, "key-p50-ms")
	b.ReportMetric(float64(keys[len(keys)*99/100].Microseconds())/1000, "key-p99-ms")
	b.ReportMetric(float64(keys[len(keys)-1].Microseconds())/1000, "key-max-ms")
	b.ReportMetric(float64(x.served.Load()), "honest")
	b.ReportMetric(float64(at), "identifiers")
	b.ReportMetric(float64(left), "identifiers-aged")
	b.ReportMetric(float64(before)/1e6, "heap-MB")
	b.ReportMetric((float64(peak)-float64(before))/1e6, "heap-peak-growth-MB")
	b.ReportMetric((float64(after)-float64(before))/1e6, "heap-growth-MB")
	b.ReportMetric(0, "ns/op")
}

// TestSpoiledConnections spoils connections in all ways: an honest client can connect
// throughout, and nothing is left once all have aged.
func TestSpoiledConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newBesieged(t)
		ctx, stop := context.WithCancel(t.Context())
		go x.serve(ctx)
		visited := make(chan error, 1)
		visiting, leave := context.WithCancel(ctx)
		go func() { visited <- x.visits(visiting, 100*time.Millisecond) }()
		x.assault(3000, func() { time.Sleep(10 * time.Millisecond) })
		leave()
		if err := <-visited; err != nil {
			t.Error(err)
		}
		time.Sleep(5 * time.Minute)
		if ids := x.server.Snapshot().IDs; len(ids) != 2 {
			t.Errorf("%d identifiers are left, want the 2 that listen", len(ids))
		}
		if n := x.served.Load(); n < 10 {
			t.Errorf("%d honest connections", n)
		}
		stop()
		if err := x.server.Close(); err != nil {
			t.Error(err)
		}
	})
}
