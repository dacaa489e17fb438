package wire

import (
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/wire"
)

// bench is a screen over a session with two devices, in virtual time; tests insert packets and advance the time.
type bench struct {
	t        testing.TB
	dev      *tapped
	sess     *uitest.Session
	s        *Screen
	begin    time.Time
	now      time.Duration
	qpA, qpB uint32 // on soft0 and soft1
}

// evil is a device name that must not reach a terminal unescaped.
const evil = "\x1b]0;x\a\u202e"

// tapped is the software device with taps that the test feeds.
type tapped struct {
	*soft.Provider
	taps map[string]func(verbs.Packet)
	more []verbs.DeviceInfo
}

func newTapped(more ...verbs.DeviceInfo) *tapped {
	return &tapped{uitest.Soft(nil), map[string]func(verbs.Packet){}, more}
}

func (p *tapped) Devices() ([]verbs.DeviceInfo, error) {
	list, err := p.Provider.Devices()
	return slices.Concat(list, p.more), err
}

func (p *tapped) TapPackets(device string, tap func(verbs.Packet)) error {
	p.taps[device] = tap
	return nil
}

func (p *tapped) HWCounters(device string) ([]verbs.HWCounter, error) {
	if device != "soft0" {
		return nil, nil
	}
	return []verbs.HWCounter{{Name: "sent_pkts", Value: 2000}, {Name: "rcvd_seq_err", Value: 3},
		{Name: "retransmits", Value: 1500}, {Name: "bad_icrc"}}, nil
}

// native is a device whose packets cannot be recorded.
type native struct{ verbs.Provider }

func (native) Devices() ([]verbs.DeviceInfo, error) { return []verbs.DeviceInfo{{Name: "mlx5_0"}}, nil }

func (p native) Open(string) (verbs.Device, error) {
	d, err := p.Provider.Open("soft0")
	return nativeDevice{d}, err
}

type nativeDevice struct{ verbs.Device }

func (d nativeDevice) Info() verbs.DeviceInfo {
	info := d.Device.Info()
	info.Name = "mlx5_0"
	return info
}

func (d nativeDevice) QueryGIDTable() ([]verbs.GIDEntry, error) {
	list, err := d.Device.QueryGIDTable()
	for i := range list {
		list[i].Netdev = "ens1np0"
	}
	return list, err
}

var benchLines = []string{"open_device soft0", "open_device soft1", "alloc_pd p device=soft0",
	"alloc_pd q device=soft1", "create_cq c device=soft0", "create_cq d device=soft1",
	"create_qp a pd=p send_cq=c recv_cq=c", "create_qp b pd=q send_cq=d recv_cq=d", "fault soft0 loss=5% seed=7",
	"capture soft1 on limit=100"}

// run tests the screen over both devices.
func run(t *testing.T, th *theme.Theme, test func(*bench)) {
	t.Helper()
	runOn(t, th, newTapped(), benchLines, test)
}

// runOn is run with another provider.
func runOn(t *testing.T, th *theme.Theme, p verbs.Provider, lines []string, test func(*bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newBench(t, th, p, lines)) })
}

func newBench(t testing.TB, th *theme.Theme, p verbs.Provider, lines []string) *bench {
	x := &bench{t: t, begin: time.Now(), now: 12 * time.Second}
	x.dev, _ = p.(*tapped)
	x.sess = uitest.NewSession(t, session.Options{Providers: []verbs.Provider{p}}, lines...)
	if qps := x.sess.Snapshot().QPs; len(qps) == 2 {
		x.qpA, x.qpB = uint32(qps[0].Num), uint32(qps[1].Num)
	}
	x.s = New(x.sess.Env(th))
	x.s.now = func() time.Time { return x.begin.Add(x.now) }
	x.s.Update(x.s.Start()())
	x.refresh()
	return x
}

// refresh draws a frame once the session has taken all packets.
func (x *bench) refresh() bool {
	time.Sleep(50 * time.Millisecond)
	return x.frame()
}

func (x *bench) frame() bool {
	changed, _ := x.s.Refresh(&screen.State{Session: x.sess.Snapshot()})
	return changed
}

func (x *bench) keys(names ...string) (msg tea.Msg) {
	for _, n := range names {
		if cmd := x.s.Update(uitest.Key(n)); cmd != nil {
			msg = cmd()
			x.s.Update(msg)
		}
	}
	return msg
}

func (x *bench) view(w, h int) string {
	x.t.Helper()
	got := widget.Render(x.s.th, x.s, w, h)
	uitest.Exact(x.t, got, w, h)
	return uitest.Text(got)
}

// seen adds what one device's link saw.
func (x *bench) seen(device string, out bool, src, dst netip.AddrPort, data []byte) {
	x.dev.taps[device](verbs.Packet{At: x.begin.Add(x.now), Outgoing: out, Src: src, Dst: dst, Data: data})
	x.now += 10 * time.Microsecond
}

// BenchmarkFlood draws a frame during a flood of packets.
func BenchmarkFlood(b *testing.B) {
	x := newBench(b, theme.New("dark", true), newTapped(), benchLines)
	buf := line.New(x.s.th)
	psn := wire.PSN(0)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		for range frameRows / 2 {
			x.onWire(true, true, request(wire.RCSendOnly, psn, 64))
			psn++
		}
		time.Sleep(50 * time.Millisecond)
		b.StartTimer()
		x.frame()
		buf.Reset()
		widget.Draw(buf, x.s, 200, 50)
	}
}
