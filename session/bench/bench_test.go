package bench_test

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/scenario"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// flood makes a session whose live poller takes total completions with a status, and
// returns when it has taken them; grown is the most by which the live heap has grown, in bytes.
func flood(tb testing.TB, total int, status verbs.WCStatus) (s *session.Session, grown int64) {
	tb.Helper()
	runtime.GC() // earlier tests leave garbage
	before := liveHeap()
	f := sessiontest.NewFake()
	s = session.New(core.Options{Providers: []verbs.Provider{f}, Live: true})
	tb.Cleanup(func() { s.Close() })
	for _, line := range []string{"open_device", "alloc_pd", "create_cq cqe=1024", "create_qp", "connect_qps qp qp"} {
		if _, err := s.Exec(tb.Context(), line); err != nil {
			tb.Fatal(err)
		}
	}
	left := total
	next := func(wcs []verbs.WC) int {
		n := min(left, len(wcs))
		for i := range n {
			wcs[i] = verbs.WC{
				WRID: uint64(left - i), Opcode: verbs.WCRecv, ByteLen: 64, QPNum: f.Qps[0].Number, Status: status,
			}
		}
		left -= n
		return n
	}
	f.Cqs[0].Next.Store(&next)
	for {
		cq := s.Snapshot().CQs[0]
		grown = max(grown, liveHeap()-before)
		if cq.Completed+cq.Failed == uint64(total) {
			return s, grown
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// liveHeap returns the bytes of objects that the last garbage collection found in use.
func liveHeap() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return int64(live[0].Value.Uint64())
}

// BenchmarkFlood measures one completion from a CQ through matching, the time line
// and the counts, with a concurrent reader.
func BenchmarkFlood(b *testing.B) {
	b.ReportAllocs()
	flood(b, b.N, verbs.WCSuccess)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "completions/s")
}

func TestFloodCountsExactlyInFlatMemory(t *testing.T) {
	const total = 500_000
	s, grown := flood(t, total, verbs.WCSuccess)
	counts := s.Timeline().Counts()
	if counts.WCOK != total || counts.Bytes != 64*total || counts.WCFailed != 0 {
		t.Errorf("%+v", counts)
	}
	if got := s.Timeline().CQ("cq"); got.OK != total {
		t.Errorf("%+v", got)
	}
	// The time line, the inbox of poll_cq and the memory of expect are bounded.
	if grown > 96<<20 { // if it kept the completions, it would need more
		t.Errorf("the live heap grew by %d bytes", grown)
	}
}

// BenchmarkFloodOfFailures measures one failed completion; few of them are examined.
func BenchmarkFloodOfFailures(b *testing.B) {
	b.ReportAllocs()
	flood(b, b.N, verbs.WCLocLenErr)
}

// TestFloodOfFailures: all failures are counted, few are examined, and some dozens of
// incidents are kept. Flushed requests share the incident of the failure before them.
func TestFloodOfFailures(t *testing.T) {
	const total = 200_000
	for status, most := range map[verbs.WCStatus]uint64{verbs.WCLocLenErr: total / 100, verbs.WCWRFlushErr: 1} {
		s, _ := flood(t, total, status)
		if n := s.Timeline().Counts().WCFailed; n != total {
			t.Errorf("%s: counted %d", status, n)
		}
		kept, newest, flushed := 0, uint64(0), uint64(0)
		for n := range uint64(total) {
			if in, ok := s.Incident(n); ok {
				kept, newest, flushed = kept+1, n, flushed+in.Flushed
			}
		}
		if kept == 0 || kept > 48 || newest > most || status == verbs.WCWRFlushErr && flushed != total-1 {
			t.Errorf("%s: %d kept, the newest is %d, %d flushed", status, kept, newest, flushed)
		}
	}
}

// TestIdlePollerRests: an empty queue that cannot wake its poller is polled once a
// frame.
func TestIdlePollerRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := sessiontest.NewFaked(t, core.Options{Live: true})
		sessiontest.RunScript(t, s, sessiontest.Everything)
		time.Sleep(time.Second)
		before := f.Cqs[0].Polls.Load()
		time.Sleep(time.Second)
		if n := f.Cqs[0].Polls.Load() - before; n < 20 || n > 40 {
			t.Errorf("%d polls in a second of silence", n)
		}
	})
}

func BenchmarkPingpong(b *testing.B) {
	for name, events := range map[string]bool{"polling": false, "events": true} {
		b.Run(name, func(b *testing.B) {
			p := scenario.DefaultParams("rc-pingpong")
			p.Size, p.Count, p.Events = 64, max(b.N, 10), events
			server, client, _ := sessiontest.BothEnds(b, p, false)
			if server.Err != nil || client.Err != nil {
				b.Fatal(server.Err, client.Err)
			}
			b.ReportMetric(client.Result.UsecPerIter, "usec/iter")
		})
	}
}
