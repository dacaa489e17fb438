package main

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/completions"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// floodRate is how many completions a second the flooded queue delivers.
const floodRate = 1_000_000

// flooded is the software device with queues that deliver completions of a
// queue pair at floodRate, as fast as they are polled; all else is real.
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

// Poll delivers what is due by now.
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

// BenchmarkFloodedScreen lets 500,000 completions a second through session and
// screen, presses a key every 20 ms, and reports how long a key takes until the
// new frame is drawn, how many completions came, and how large the heap is.
// The counts must be exact at the end.
func BenchmarkFloodedScreen(b *testing.B) {
	const seconds = 4
	for b.Loop() {
		f := &flooded{Provider: soft.New(soft.Options{}), limit: seconds * floodRate}
		s := session.New(session.Options{Providers: []verbs.Provider{f}, Live: true})
		for _, l := range []string{"open_device soft0", "alloc_pd", "create_cq cq cqe=4096"} {
			if _, err := s.Exec(b.Context(), l); err != nil {
				b.Fatal(err)
			}
		}
		env := &screen.Env{Ctx: b.Context(), Theme: theme.New("dark", true), Session: s}
		app := ui.NewApp(env, map[screen.ID]screen.Screen{screen.Devices: completions.New(env)})
		app.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		f.begin = time.Now()
		if _, err := s.Exec(b.Context(), "create_qp qp"); err != nil {
			b.Fatal(err)
		}
		keys := drive(b, s, app, f.limit)
		took := time.Since(f.begin)
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		slices.Sort(keys)
		b.ReportMetric(float64(f.limit)/took.Seconds(), "completions/s")
		b.ReportMetric(ms(keys[len(keys)/2]), "key-p50-ms")
		b.ReportMetric(ms(keys[len(keys)*99/100]), "key-p99-ms")
		b.ReportMetric(float64(mem.HeapAlloc)/1e6, "heap-MB")
		b.ReportMetric(0, "ns/op")
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// drive plays the event loop until all completions have been counted, and
// returns how long each key took.
func drive(b *testing.B, s *session.Session, app *ui.App, total uint64) (keys []time.Duration) {
	b.Helper()
	for i := 0; ; i++ {
		time.Sleep(20 * time.Millisecond)
		pressed := time.Now()
		app.Update(uitest.Key([]string{"up", "down", "end", "home"}[i%4]))
		app.Beat()
		app.View()
		keys = append(keys, time.Since(pressed))
		counts := s.Timeline().Counts()
		if counts.WCOK == total {
			return keys
		}
		if counts.WCOK > total || counts.WCFailed > 0 || time.Since(pressed) > time.Minute {
			b.Fatalf("the counts are wrong: %+v", counts)
		}
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
