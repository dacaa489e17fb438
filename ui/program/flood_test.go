//go:build linux

package program

import (
	"context"
	"flag"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
	"rdmatui/ui"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/completions"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// floodRate is how many completions per second the flooded queue delivers.
const floodRate = 1_000_000

// floodTime is how long the screen is flooded: a minute, unless set otherwise by
//
//	go test -run '^$' -bench Flood -benchtime 1x ./ui/program -flood 10s
var floodTime = flag.Duration("flood", time.Minute,
	"how long BenchmarkFloodedScreen and BenchmarkSoftFlood last, a round")

// flooded is the software device with queues that deliver a queue pair's completions
// at floodRate, as fast as they are polled; everything else is real.
type flooded struct {
	verbs.Provider
	begin time.Time
	qp    atomic.Uint32
	limit uint64 // completions in all
	taken atomic.Uint64
}

type floodedDevice struct {
	verbs.Device
	*flooded
}

type floodedPD struct {
	verbs.PD
	*flooded
}

type floodedCQ struct {
	verbs.CQ
	*flooded
}

func (f *flooded) Open(name string) (verbs.Device, error) {
	dev, err := f.Provider.Open(name)
	return floodedDevice{dev, f}, err
}

func (d floodedDevice) AllocPD() (verbs.PD, error) {
	pd, err := d.Device.AllocPD()
	return floodedPD{pd, d.flooded}, err
}

func (d floodedDevice) CreateCQ(spec verbs.CQSpec) (verbs.CQ, error) {
	cq, err := d.Device.CreateCQ(spec)
	return floodedCQ{cq, d.flooded}, err
}

func (p floodedPD) CreateQP(spec verbs.QPSpec) (verbs.QP, error) {
	spec.SendCQ, spec.RecvCQ = spec.SendCQ.(floodedCQ).CQ, spec.RecvCQ.(floodedCQ).CQ
	qp, err := p.PD.CreateQP(spec)
	if err == nil {
		p.qp.Store(uint32(qp.Num()))
	}
	return qp, err
}

// Poll delivers the completions due by now.
func (c floodedCQ) Poll(wcs []verbs.WC) (int, error) {
	num := c.qp.Load()
	if num == 0 || c.begin.IsZero() {
		return 0, nil
	}
	due := min(uint64(time.Since(c.begin).Seconds()*floodRate), c.limit)
	taken := c.taken.Load()
	n := min(due-min(taken, due), uint64(len(wcs)))
	for i := range wcs[:n] {
		wcs[i] = verbs.WC{WRID: taken + uint64(i), Opcode: verbs.WCRecv, ByteLen: 64, QPNum: verbs.QPN(num)}
	}
	c.taken.Store(taken + n)
	return int(n), nil
}

// screened is a session shown on the Completions screen.
type screened struct {
	s   *session.Session
	app *ui.App
	env *screen.Env
}

func newScreened(b testing.TB, p verbs.Provider, lines ...string) screened {
	b.Helper()
	s := session.New(session.Options{Providers: []verbs.Provider{p}, Live: true})
	for _, l := range lines {
		if _, err := s.Exec(b.Context(), l); err != nil {
			b.Fatal(l, err)
		}
	}
	env := &screen.Env{Ctx: b.Context(), Theme: theme.New("dark", true), Session: s, Asks: &script.Asker{}}
	app := ui.NewApp(env, map[screen.ID]screen.Screen{screen.Devices: completions.New(env)})
	app.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	return screened{s, app, env}
}

// BenchmarkFloodedScreen passes 1,000,000 completions per second through session and
// screen for the time of -flood and presses a key every 20 ms. It reports the time
// from a key to the new frame, the fraction of a core that the screen uses, the
// number of completions, and the size and growth of the heap. The counts must be
// exact at the end, and the heap must not have grown.
func BenchmarkFloodedScreen(b *testing.B) {
	for b.Loop() {
		f := &flooded{Provider: soft.New(soft.Options{}), limit: uint64(floodTime.Seconds() * floodRate)}
		x := newScreened(b, f, "open_device soft0", "alloc_pd", "create_cq cq cqe=4096")
		f.begin = time.Now()
		if _, err := x.s.Exec(b.Context(), "create_qp qp"); err != nil {
			b.Fatal(err)
		}
		x.drive(b, func(ok uint64) bool { return ok < f.limit })
		if counts := x.s.Timeline().Counts(); counts.WCOK != f.limit || counts.WCFailed > 0 ||
			counts.Bytes != 64*f.limit {
			b.Fatalf("the counts are wrong: %+v", counts)
		}
		if err := x.s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSoftFlood is BenchmarkFloodedScreen at the software device's own rate:
// 8-byte WRITEs over UC, posted by one command, all SIGNALED and recorded.
func BenchmarkSoftFlood(b *testing.B) {
	for b.Loop() {
		x := newScreened(b, soft.New(soft.Options{}), "open_device soft0", "alloc_pd",
			"reg_mr mr length=4096 access=LOCAL_WRITE|REMOTE_WRITE",
			"create_cq cq cqe=4096", "create_qp a qp_type=UC max_send_wr=2048", "connect_qps a a")
		ctx, cancel := context.WithCancel(b.Context())
		posted := make(chan string, 1)
		go func() {
			done, _ := x.s.Exec(ctx, "post_send a RDMA_WRITE sge=mr:0:8 remote_addr=mr.addr rkey=mr.rkey send_flags=SIGNALED count=0 outstanding=2048")
			posted <- done.Result
		}()
		end := time.Now().Add(*floodTime)
		x.drive(b, func(uint64) bool { return time.Now().Before(end) })
		cancel()
		told := <-posted
		cq := x.s.Timeline().CQ("cq")
		if cq.Failed > 0 || !strings.Contains(told, " done in ") {
			b.Fatalf("%+v, and %s", cq, told)
		}
		x.sameCounts(b)
		if err := x.s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// sameCounts checks that the session, the time line and the queue agree once all
// posted requests are done.
func (x *screened) sameCounts(b *testing.B) {
	b.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		v, counts := x.s.Snapshot(), x.s.Timeline().Counts()
		if v.QPs[0].SendOutstanding == 0 && v.CQs[0].Completed == counts.WCOK &&
			counts.ByKind[timeline.KindWC] == counts.WCOK {
			return
		}
		if time.Now().After(end) {
			b.Fatalf("the counts differ: %+v, %+v", v.CQs[0], counts)
		}
	}
}

// keyEvery is the interval at which a key is pressed and the screen drawn.
const keyEvery = 20 * time.Millisecond

// floodKeys are pressed in turn; each changes the view.
var floodKeys = []string{"home", "down", "end", "up"}

// measured is the result of a flood.
type measured struct {
	keys  []time.Duration
	cpu   time.Duration // of the screen
	took  time.Duration
	heaps [2]uint64 // once all buffers have their size, and at the end
}

// drive runs the event loop while more returns true, and reports the measurements. A
// key's time begins when the key is due, so a late loop counts against it.
func (x *screened) drive(b *testing.B, more func(ok uint64) bool) {
	b.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := time.Now()
	m := &measured{}
	for due, i := begin, 0; ; i++ {
		due = due.Add(keyEvery)
		time.Sleep(time.Until(due))
		m.press(x.app, i, due)
		if late := time.Since(due); late > keyEvery {
			due = due.Add(late) // no keys are pressed during that time
		}
		if m.heaps[0] == 0 && time.Since(begin) > *floodTime/4 {
			m.heaps[0] = heap()
			due = time.Now()
		}
		ok := x.s.Timeline().Counts().WCOK
		if m.took = time.Since(begin); !more(ok) {
			m.heaps[1] = heap()
			m.report(b, ok)
			return
		}
		if m.took > 10*(*floodTime)+time.Minute {
			b.Fatalf("%d completions came, and no more", ok)
		}
	}
}

// press is one turn of the event loop.
func (m *measured) press(app *ui.App, i int, due time.Time) {
	before := threadTime()
	app.Update(uitest.Key(floodKeys[i%len(floodKeys)]))
	app.Beat()
	app.View()
	m.keys = append(m.keys, time.Since(due))
	m.cpu += threadTime() - before
}

// threadTime is the CPU time of the calling thread; RUSAGE_THREAD, getrusage(2).
func threadTime() time.Duration {
	const rusageThread = 1
	var u syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &u); err != nil {
		panic(err) // the call cannot fail
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// heapMayGrow is the change of the heap, in bytes, that is not counted as growth.
const heapMayGrow = 8 << 20

func (m *measured) report(b *testing.B, ok uint64) {
	b.Helper()
	slices.Sort(m.keys)
	b.ReportMetric(float64(ok)/m.took.Seconds(), "completions/s")
	b.ReportMetric(ms(m.keys[len(m.keys)/2]), "key-p50-ms")
	b.ReportMetric(ms(m.keys[len(m.keys)*99/100]), "key-p99-ms")
	b.ReportMetric(100*m.cpu.Seconds()/m.took.Seconds(), "screen-%core")
	b.ReportMetric(float64(m.heaps[1])/1e6, "heap-MB")
	b.ReportMetric((float64(m.heaps[1])-float64(m.heaps[0]))/1e6, "heap-growth-MB")
	b.ReportMetric(0, "ns/op")
	if m.heaps[0] > 0 && m.heaps[1] > m.heaps[0]+heapMayGrow {
		b.Errorf("the heap grew from %d to %d bytes", m.heaps[0], m.heaps[1])
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// TestFloodedScreenIsWhole checks that the screen of the benchmarks can draw everything,
// since the benchmarks rarely run.
func TestFloodedScreenIsWhole(t *testing.T) {
	x := newScreened(t, soft.New(soft.Options{}), "open_device soft0", "alloc_pd", "create_cq cq cqe=4096")
	defer x.s.Close()
	(&measured{}).press(x.app, 0, time.Now())
}
