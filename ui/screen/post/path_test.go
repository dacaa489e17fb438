package post

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// later lets the device and the screen do what is due.
func later(d *uitest.ScreenDriver, now *time.Time, w, h int) string {
	time.Sleep(time.Second)
	settled(d, now, w, h)
	return settled(d, now, w, h)
}

// naks matches the number of RNR NAKs in a second, whose last digit varies with timing.
var naks = regexp.MustCompile(`1,56\d NAKs`)

// A SEND without a RECV, a WRITE behind it, and a queue whose progress is not reported.
func TestPathGolden(t *testing.T) {
	for _, size := range sizes {
		synctest.Test(t, func(t *testing.T) {
			d, _, _, now := startOn(uitest.NewSession(t, session.Options{Live: true}, benchWith()...),
				theme.New("none", true), t)
			settled(d, now, size[0], size[1])
			for _, key := range []string{"enter", "t", "t", "enter", "enter", "tab", "tab", "tab"} {
				d.Keys(key)
				synctest.Wait()
			}
			v := naks.ReplaceAllString(later(d, now, size[0], size[1]), "1,56x NAKs")
			uitest.Golden(t, fmt.Sprintf("stuck-%dx%d", size[0], size[1]), v)
		})
	}
}

// The path follows a request to where it waits, and f removes the obstacle.
func TestPathIsMended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, sess, s, now := startOn(uitest.NewSession(t, session.Options{Live: true}, benchWith()...),
			theme.New("none", true), t)
		settled(d, now, 120, 40)
		d.Keys("enter")
		v := later(d, now, 120, 40)
		if p := newPath(s); p.lanes[laneRQ].stage != stuck || !strings.HasPrefix(p.note, "wr 1 SEND waits: RNR, ") ||
			!strings.HasSuffix(p.note, " NAKs; b posted no RECV") {
			t.Errorf("%+v", p)
		}
		if !strings.Contains(v, "wr 1 of a (SEND) still uses these bytes of src") ||
			!strings.Contains(v, "waits behind wr 1: RNR") {
			t.Error(v)
		}
		sess.Lines()
		d.Keys("f")
		sess.WantLines("post_recv b wr_id=2 sge=dst:0:4096")
		v = later(d, now, 120, 40)
		if p := newPath(s); p.note != "No request outstanding" ||
			!strings.Contains(v, "b has no RECV posted; f posts one") {
			t.Errorf("%+v\n%s", p, v)
		}
	})
}

// The stages that a device reports, and a device that reports none.
func TestPathStages(t *testing.T) {
	snap := session.Snapshot{
		PDs: []session.PDView{{Name: "pd", Device: "rxe0"}},
		CQs: []session.CQView{{Name: "cq", Completed: 7, Failed: 1}},
		QPs: []session.QPView{{Name: "a", Device: "rxe0", PD: "pd", SendCQ: "cq", State: verbs.QPRTS,
			SendOutstanding: 2, Cap: verbs.QPCap{MaxSendWR: 4}}},
		MRs: []session.MRView{{Name: "src", PD: "pd", Device: "rxe0", Addr: 0x1000, Length: 4096, LKey: 1}},
	}
	sge := []verbs.SGE{{Addr: 0x1000, Length: 3000, LKey: 1}}
	for _, tt := range []struct {
		name   string
		op     verbs.WROpcode
		flight session.FlightView
		want   string
		stages [lanes]stage
	}{
		{"not looked at", verbs.WRSend, session.FlightView{}, "wr 5 SEND: posted",
			[lanes]stage{laneSQ: here, laneWire: unknown, laneRQ: unknown, laneDst: unknown}},
		{"not told", verbs.WRSend, session.FlightView{WRID: 5, Age: 1},
			"wr 5 SEND: posted; rxe0 does not report progress",
			[lanes]stage{laneSQ: here, laneWire: unknown, laneRQ: unknown, laneDst: unknown}},
		{"queued", verbs.WRSend, flightOf(5, 0, 0), "wr 5 SEND: queued", [lanes]stage{laneSQ: here, laneRQ: unknown}},
		{"sent", verbs.WRRDMARead, flightOf(5, 2, 1), "wr 5 RDMA_READ: 2 of 3 packets sent, 1 acknowledged",
			[lanes]stage{laneWire: here}},
	} {
		at := snap
		at.QPs = append([]session.QPView(nil), snap.QPs...)
		at.QPs[0].Sends = &session.SendsView{
			Oldest: []session.RequestView{{WRID: 5, Opcode: tt.op, List: sge}, {WRID: 6}}, Flight: tt.flight,
		}
		s := New(&screen.Env{Theme: theme.New("none", true)})
		s.snap, s.req.qp = at, "a"
		p := newPath(s)
		tt.stages[laneDst] = p.lanes[laneDst].stage
		for i := range p.lanes {
			if p.lanes[i].stage != tt.stages[i] {
				t.Errorf("%s: lane %d is %d, not %d", tt.name, i, p.lanes[i].stage, tt.stages[i])
			}
		}
		if p.note != tt.want || p.lanes[laneCQ].text != "7 ok 1 failed" || p.lanes[laneSrc].text != "3,000 B" ||
			len(p.behind) != 1 {
			t.Errorf("%s: %+v", tt.name, p)
		}
	}
}

func flightOf(wrID uint64, out, acked int) session.FlightView {
	f := session.FlightView{WRID: wrID, Age: 1, Told: true}
	f.Progress.WRID, f.Sent, f.Packets, f.Out, f.Acked = wrID, 2, 3, out, acked
	return f
}

// f resolves the first failed check.
func TestFix(t *testing.T) {
	const noRegion = "reg_mr src pd=pd length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ"
	bare := func() []string { // without regions
		lines := benchWith()
		return append(lines[:2:2], lines[4:]...)
	}
	for _, tt := range []struct {
		name  string
		lines []string
		keys  []string
		shows string
		want  []string
	}{
		{"no region", bare(), nil, "no memory region for the payload; f registers one", []string{noRegion}},
		{"no region to read into", bare(), []string{"t", "t", "t", "t"},
			"no memory region to receive in; f registers one", []string{noRegion}},
		{"no RECV", nil, nil, "b has no RECV posted; f posts one", []string{"post_recv b wr_id=1 sge=dst:0:4096"}},
		{"not connected", uitest.BenchLines, nil, "a is RESET: SENDs need RTS; f connects it",
			[]string{"connect_qps a b"}},
		{"failed", benchWith()[:8:8], nil, "a is ERR: the request completes with WR_FLUSH_ERR; f connects it",
			[]string{"modify_qp a RESET", "modify_qp b RESET", "connect_qps a b"}},
		{"no right to the region", nil, []string{"t", "t", "t", "t", "t"}, "dst lacks REMOTE_ATOMIC; f grants it",
			[]string{"rereg_mr dst access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC"}},
		{"no right at the queue pair", append(benchWith(),
			"rereg_mr dst access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC"),
			[]string{"t", "t", "t", "t", "t"}, "the qp_access_flags of b lack REMOTE_ATOMIC; f grants it",
			[]string{"modify_qp b RTS qp_access_flags=REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC"}},
		{"nothing", nil, []string{"t", "t"}, "dst grants REMOTE_WRITE", nil},
	} {
		if tt.name == "failed" {
			tt.lines = append(tt.lines, "modify_qp a ERR")
		}
		d, sess, _, _ := start(t, theme.New("none", true), tt.lines...)
		d.Keys(tt.keys...)
		d.Shows(200, 60, tt.shows)
		d.Keys("f")
		sess.WantLines(tt.want...)
	}
}

// A form with a payload posts nothing without a region.
func TestNoRegionIsNotPosted(t *testing.T) {
	lines := benchWith()
	d, sess, _, _ := start(t, theme.New("none", true), append(lines[:2:2], lines[4:]...)...)
	d.Shows(200, 60, "no memory region for the payload; f registers one")
	d.Keys("enter")
	sess.WantLines()
	d.Keys("z", "enter") // the form alone
	sess.WantLines()
	const why = "Not posted: no memory region for the payload; f registers one"
	if want := []string{why, why}; !slices.Equal(d.Flashes, want) {
		t.Errorf("%q, want %q", d.Flashes, want)
	}
}
