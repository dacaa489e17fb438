package devices

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	inv "rdmatui/devices"
	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// fakeHost is an inventory whose answers a test sets.
type fakeHost struct {
	mu       sync.Mutex
	list     []inv.Summary
	detail   map[string]inv.Detail
	fail     map[string]error
	counters map[string][]inv.Counter
	held     map[string]inv.Resources
	findings []inv.Finding
	changes  chan struct{}
	gate     chan struct{} // if set, Detail waits for it
	calls    map[string]int
}

func (f *fakeHost) call(what string) func() {
	f.mu.Lock()
	f.calls[what]++
	return f.mu.Unlock
}

func (f *fakeHost) count(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[what]
}

func (f *fakeHost) List() []inv.Summary { defer f.call("list")(); return f.list }

// choosing sets the default row of each port, as the inventory does.
func choosing(d inv.Detail) inv.Detail {
	d.Ports = slices.Clone(d.Ports)
	for i := range d.Ports {
		p := &d.Ports[i]
		p.Usual, _ = route.Network{}.GID(p.GIDTable(), p.PortNum, verbs.GID{})
	}
	return d
}

func (f *fakeHost) Detail(name string) (inv.Detail, error) {
	unlock := f.call("detail " + name)
	gate := f.gate
	unlock()
	if gate != nil {
		<-gate
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return choosing(f.detail[name]), f.fail[name]
}

func (f *fakeHost) Counters(name string) ([]inv.Counter, error) {
	defer f.call("counters " + name)()
	for i := range f.counters[name] { // each reading increases them
		f.counters[name][i].Value += uint64(1000 * i)
	}
	return append([]inv.Counter(nil), f.counters[name]...), f.fail[name]
}

func (f *fakeHost) Resources(name string) (inv.Resources, error) {
	defer f.call("resources " + name)()
	return f.held[name], f.fail[name]
}

func (f *fakeHost) Watch(context.Context) <-chan struct{} {
	if f.changes == nil { // nothing announces changes
		over := make(chan struct{})
		close(over)
		return over
	}
	return f.changes
}

func (f *fakeHost) diagnose(context.Context) []inv.Finding {
	defer f.call("diagnose")()
	return f.findings
}

// root draws the screen and the line of keys.
type root struct {
	*Screen
	ses  *uitest.Session
	w, h int
	went []screen.ID
	said []string // by messages
	done []screen.DoneMsg

	clock time.Time
	work  tea.Cmd // requested by frames
}

// look is a message that causes a frame and nothing else.
type look struct{}

func (r *root) Init() tea.Cmd { r.refresh(); return r.Show() }

func (r *root) refresh() bool {
	changed, work := r.Refresh(&screen.State{Session: r.ses.Snapshot()})
	r.work = tea.Batch(r.work, work)
	return changed
}

func (r *root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		r.w, r.h = msg.Width, msg.Height
		return r, nil
	case screen.GotoMsg:
		r.went = append(r.went, msg.To)
		return r, nil
	case screen.FlashMsg:
		r.said = append(r.said, msg.Text)
	case screen.DoneMsg:
		r.done = append(r.done, msg)
	case tea.MouseMsg:
		if m, ok := widgetMouse(msg); !ok || !r.Mouse(m) {
			return r, nil
		}
	}
	r.refresh()
	work := r.work
	r.work = nil
	return r, tea.Batch(work, r.Screen.Update(msg))
}

func (r *root) View() tea.View {
	r.refresh()
	b := line.New(r.th)
	r.SetSize(r.w, max(r.h-1, 0))
	for y := range r.h {
		if y > 0 {
			b.Newline()
		}
		reg := b.Begin(r.w)
		if y < r.h-1 {
			r.DrawLine(b, y)
		} else {
			b.Space(1)
			widget.DrawHints(b, r.Context(), "")
		}
		b.End(reg)
	}
	b.Finish()
	return tea.NewView(b.String())
}

// around returns the rows that the real root uses around a screen: title, tabs and
// live strip.
func around(h int) int {
	switch {
	case h <= 10:
		return h - 2
	case h < 36:
		return h - 2 - 4
	}
	return h - 2 - 7
}

// newScreen makes the screen of a session on the software device, for a host.
func newScreen(ses *uitest.Session, f *fakeHost, th *theme.Theme) *Screen {
	env := ses.Env(th)
	env.Inventory, env.Diagnose = f, f.diagnose
	return New(env)
}

func start(t *testing.T, f *fakeHost, w, h int) (*uitest.Driver, *root) {
	t.Helper()
	return startIn(t, f, theme.New("none", true), w, h)
}

func startIn(t *testing.T, f *fakeHost, th *theme.Theme, w, h int) (*uitest.Driver, *root) {
	t.Helper()
	ses := uitest.NewSession(t, session.Options{})
	s := newScreen(ses, f, th)
	r := &root{Screen: s, ses: ses, clock: time.Unix(1000, 0)}
	s.now = func() time.Time { return r.clock }
	d := uitest.New(t, r, w, around(h))
	settle(d, r)
	return d, r
}

// settle waits until all reads have finished.
func settle(d *uitest.Driver, r *root) {
	for r.listing || r.reading || r.counting || r.asking || r.diagnosing || r.opening != "" {
		d.Send(look{})
	}
}

// press presses keys, and waits for the reads they cause.
func press(d *uitest.Driver, r *root, keys ...string) {
	for _, k := range keys {
		d.Keys(k)
		settle(d, r)
	}
}

func numa(n int) *int { return &n }

func gid(s string) verbs.GID {
	g, err := verbs.ParseGID(s)
	if err != nil {
		panic(err)
	}
	return g
}

func roceDetail() inv.Detail {
	d := inv.Detail{
		DeviceInfo: verbs.DeviceInfo{Name: "rxe0", Provider: "ibverbs", NodeType: "CA", Transport: "InfiniBand",
			NodeGUID: verbs.GUID{0x52, 0x54, 0, 0xff, 0xfe, 0x12, 0x34, 0x56}},
	}
	d.DeviceAttr = verbs.DeviceAttr{FWVer: "", NodeGUID: d.NodeGUID, SysImageGUID: d.NodeGUID, MaxMRSize: ^uint64(0),
		PageSizeCap: 0xfffff000,
		VendorID:    0xffffff, MaxQP: 1048560, MaxQPWR: 1048576, DeviceCapFlags: 0x01223c76, MaxSGE: 32, MaxSGERD: 32,
		MaxCQ: 1048576, MaxCQE: 32767, MaxMR: 524287, MaxPD: 1048576, MaxQPRDAtom: 128, MaxResRDAtom: 258048,
		MaxQPInitRDAtom: 128, AtomicCap: 1, MaxMW: 524287, MaxMcastGrp: 8192, MaxMcastQPAttach: 56,
		MaxTotalMcastQPAttach: 458752, MaxAH: 32767, MaxSRQ: 917503, MaxSRQWR: 1048576,
		MaxSRQSGE: 27, MaxPKeys: 64, LocalCAAckDelay: 15, PhysPortCnt: 1}
	d.DeviceAttrEx = &verbs.DeviceAttrEx{PhysPortCntEx: 1, ODPCaps: verbs.ODPCaps{GeneralCaps: 3}}
	d.Ports = []inv.Port{{
		PortAttr: verbs.PortAttr{PortNum: 1, State: verbs.PortActive, MaxMTU: 5, ActiveMTU: 3, GIDTblLen: 1024,
			PortCapFlags: 0x04010000, MaxMsgSz: 0x800000,
			PKeyTblLen: 64, ActiveWidth: 1, ActiveSpeed: 1, PhysState: 5, LinkLayer: verbs.LinkEthernet,
			SubnetTimeout: 18},
		GIDs: []inv.GID{
			{Index: 0, GID: gid("fe80::5054:ff:fe12:3456"), Type: verbs.GIDTypeRoCEv2, Netdev: "eth0"},
			{Index: 1, GID: gid("10.0.2.15"), Type: verbs.GIDTypeRoCEv2, Netdev: "eth0"},
			{Index: 2, GID: gid("fec0::5054:ff:fe12:3456"), Type: verbs.GIDTypeRoCEv1, Netdev: "eth0"},
		},
		PKeys: []uint16{0xffff, 0, 0x8001},
	}}
	d.HostFacts = inv.HostFacts{NodeDesc: "lab",
		CharDevices: []string{"/dev/infiniband/uverbs0", "/dev/infiniband/rdma_cm"}, PCI: "0000:01:00.0",
		NUMANode: numa(0), Driver: "rdma_rxe", KernelModules: []string{"rdma_rxe", "ib_uverbs", "rdma_ucm"},
		Netdevs: []inv.Netdev{{Name: "eth0", Index: 2, MTU: 1500, OperState: "up", Address: "52:54:00:12:34:56",
			Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.2.15/24"),
				netip.MustParsePrefix("fe80::5054:ff:fe12:3456/64")}}}}
	return d
}

func softDetail(name string) inv.Detail {
	d := inv.Detail{DeviceInfo: verbs.DeviceInfo{Name: name, Provider: "soft", NodeType: "CA", Transport: "InfiniBand"}}
	d.DeviceAttr = verbs.DeviceAttr{
		FWVer: "1", MaxMRSize: 1 << 30, PageSizeCap: 4096, MaxQP: 4096, MaxQPWR: 16384, MaxSGE: 32, PhysPortCnt: 1,
	}
	d.Ports = []inv.Port{{PortAttr: verbs.PortAttr{PortNum: 1, State: verbs.PortActive, MaxMTU: 5, ActiveMTU: 3,
		LinkLayer: verbs.LinkEthernet},
		GIDs: []inv.GID{{Index: 1, GID: gid("127.0.0.1"), Type: verbs.GIDTypeRoCEv2}}, PKeys: []uint16{0xffff}}}
	return d
}

func summaryOf(d inv.Detail, rate float64, netdev string) inv.Summary {
	s := inv.Summary{DeviceInfo: d.DeviceInfo}
	for _, p := range d.Ports {
		s.Ports = append(s.Ports, inv.PortSummary{
			PortNum: p.PortNum, State: p.State, LinkLayer: p.LinkLayer, Rate: rate, Netdev: netdev,
		})
	}
	return s
}

var laptopFindings = []inv.Finding{
	{Check: "providers", Status: inv.OK, Looked: "provider soft: soft0 soft1", Meaning: "devices can be listed"},
	{Check: "rdma_class", Status: inv.Fail, Looked: "/sys/class/infiniband: missing",
		Meaning: "the kernel's RDMA core (ib_core) is not loaded",
		Next:    "modprobe ib_core, or install a kernel that has it"},
	{Check: "memlock", Status: inv.Warn, Looked: "RLIMIT_MEMLOCK: 64 KiB",
		Meaning: "registered memory is locked: reg_mr, create_cq and create_qp fail with ENOMEM above the limit",
		Next:    "ulimit -l unlimited"},
	{Check: "soft_roce", Status: inv.Warn, Looked: "/sys/class/net/eth0: Ethernet, up",
		Meaning: "a Soft-RoCE link can be made on it, as root",
		Next:    "modprobe rdma_rxe && rdma link add rxe0 type rxe netdev eth0"},
}

// lab is a host with a Soft-RoCE device.
func lab() *fakeHost {
	f := laptop()
	rxe := roceDetail()
	f.list = append([]inv.Summary{summaryOf(rxe, 2.5, "eth0")}, f.list...)
	f.detail["rxe0"] = rxe
	f.counters["rxe0"] = []inv.Counter{
		{PortNum: 1, Group: "counters", Name: "port_rcv_data", Value: 123456789},
		{PortNum: 1, Group: "counters", Name: "port_xmit_data", Value: 23456},
		{PortNum: 1, Group: "hw_counters", Name: "sent_pkts", Value: 4711},
		{PortNum: 1, Group: "hw_counters", Name: "rcvd_rnr_err", Value: 3},
	}
	f.held["rxe0"] = inv.Resources{Totals: map[string]uint64{"pd": 2, "qp": 2, "cq": 3, "ctx": 1},
		Limits: map[string]uint64{"qp": 1048560, "pd": 1048576},
		Users: []inv.User{{PID: 0, Comm: "ib_core", Counts: map[string]int{"pd": 1, "qp": 1}},
			{PID: 4242, Comm: "ibv_rc_pingpong", Counts: map[string]int{"pd": 1, "cq": 1, "qp": 1, "mr": 1}}},
		QPs: []inv.QPUse{{PortNum: 1, QPNum: 0x11, Dest: 0x12, Type: "RC", State: verbs.QPRTS, PID: 4242,
			Comm: "ibv_rc_pingpong"}}}
	return f
}

// twoPorts is a host whose card has two ports in the given states.
func twoPorts(first, second verbs.PortState) *fakeHost {
	f := lab()
	d := roceDetail()
	d.Name = "mlx4_0"
	d.Ports = append(d.Ports, d.Ports[0])
	d.Ports[0].State, d.Ports[1].State, d.Ports[1].PortNum = first, second, 2
	s := summaryOf(d, 40, "ens2")
	s.Ports[1].Netdev = "ens2d1"
	f.list[0], f.detail["mlx4_0"] = s, d
	return f
}

// softCounters are the counters of a device whose provider keeps and explains them.
func softCounters() []inv.Counter {
	return []inv.Counter{
		{Group: "hw_counters", Name: "sent_pkts", Value: 12, Help: "packets sent"},
		{Group: "hw_counters", Name: "fault_lost", Value: 3, Help: "packets lost by the fault command"},
	}
}

// laptop is a machine without RDMA.
func laptop() *fakeHost {
	s0, s1 := softDetail("soft0"), softDetail("soft1")
	return &fakeHost{list: []inv.Summary{summaryOf(s0, 0, ""), summaryOf(s1, 0, "")},
		detail: map[string]inv.Detail{"soft0": s0, "soft1": s1}, fail: map[string]error{},
		counters: map[string][]inv.Counter{"soft0": softCounters()},
		held:     map[string]inv.Resources{}, findings: laptopFindings, calls: map[string]int{}}
}
