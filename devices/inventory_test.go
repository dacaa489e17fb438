package devices

import (
	"encoding/json"
	"errors"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// lab is the machine of the fixture "rxe" with both providers.
func lab(t *testing.T) (*Inventory, *fakeOS, *fakeProvider, *fakeProvider) {
	t.Helper()
	sys := plant(t, "rxe")
	sys.charDevices = []string{"/dev/infiniband/uverbs0", "/dev/infiniband/rdma_cm"}
	sys.addresses = map[int][]netip.Prefix{4: {netip.MustParsePrefix("10.9.0.1/24")}}
	sys.module = "rdma_rxe"
	native := &fakeProvider{name: "ibverbs", devices: []*fakeDevice{rxe0(t)}}
	soft := &fakeProvider{name: "soft", devices: []*fakeDevice{soft0(t)}}
	return New([]verbs.Provider{native, soft}, sys), sys, native, soft
}

func TestListIsInOrderAndOpensNoKernelDevice(t *testing.T) {
	inv, _, native, soft := lab(t)
	list := inv.List()
	if len(list) != 2 || list[0].Name != "rxe0" || list[1].Name != "soft0" {
		t.Fatalf("list: %+v", list)
	}
	want := PortSummary{PortNum: 1, State: verbs.PortActive, LinkLayer: verbs.LinkEthernet, Rate: 2.5, Netdev: "d0"}
	if got := list[0].Ports; len(got) != 1 || got[0] != want {
		t.Errorf("rxe0: %+v, want %+v", got, want)
	}
	want = PortSummary{PortNum: 1, State: verbs.PortActive, LinkLayer: verbs.LinkEthernet, Rate: 10}
	if got := list[1].Ports; len(got) != 1 || got[0] != want {
		t.Errorf("soft0: %+v, want %+v", got, want)
	}
	if native.opened != 0 {
		t.Errorf("listing opened a kernel device %d times", native.opened)
	}
	if soft.open != 0 {
		t.Errorf("%d software devices were left open", soft.open)
	}
}

// TestOneDeviceAsksOneProvider checks that the other providers are not asked about a
// device that has been opened: the software provider would open sockets.
func TestOneDeviceAsksOneProvider(t *testing.T) {
	inv, _, _, soft := lab(t)
	inv.providers[1] = untouched{soft, t}
	d, err := inv.Detail("rxe0")
	if err != nil || d.Name != "rxe0" {
		t.Fatal(d.Name, err)
	}
	if _, err := inv.Counters("rxe0"); err != nil {
		t.Error(err)
	}
	inv.Notes("rxe0")
}

// untouched is a provider that must not be asked for anything.
type untouched struct {
	*fakeProvider
	t *testing.T
}

func (u untouched) Devices() ([]verbs.DeviceInfo, error) {
	u.t.Error("listed")
	return nil, nil
}

func (u untouched) Open(string) (verbs.Device, error) {
	u.t.Error("opened")
	return nil, verbs.ErrUnsupported
}

func (u untouched) HWCounters(string) ([]verbs.HWCounter, error) {
	u.t.Error("counters were read")
	return nil, nil
}

func (u untouched) Notes() []verbs.Note {
	u.t.Error("notes were read")
	return nil
}

func TestListOfAFailingProvider(t *testing.T) {
	sys := plant(t, "bare")
	native := &fakeProvider{name: "ibverbs", err: &verbs.UnsupportedError{Feature: "libibverbs"}}
	broken := soft0(t)
	broken.openErr = syscall.ENOMEM
	inv := New([]verbs.Provider{native, &fakeProvider{name: "soft", devices: []*fakeDevice{broken}}}, sys)
	list := inv.List()
	if len(list) != 1 || list[0].Name != "soft0" || !strings.Contains(list[0].Err, "memory") {
		t.Errorf("list: %+v", list)
	}
	broken.openErr, broken.portErr = nil, syscall.EIO
	if list := inv.List(); list[0].Err != "port 1: input/output error" || len(list[0].Ports) != 1 ||
		list[0].Ports[0].State.String() != "unreadable" {
		t.Errorf("a port that cannot be read: %+v", list)
	}
	broken.portErr, broken.attrErr = nil, syscall.EIO
	if list := inv.List(); list[0].Err == "" {
		t.Errorf("a device that cannot be queried: %+v", list)
	}
	if st := inv.Providers(); !errors.Is(st[0].Err, verbs.ErrUnsupported) || st[1].Err != nil {
		t.Errorf("providers: %+v", st)
	}
}

func TestDetailJoinsTheHost(t *testing.T) {
	inv, _, native, soft := lab(t)
	d, err := inv.Detail("rxe0")
	if err != nil {
		t.Fatal(err)
	}
	if native.opened != 1 || native.open != 0 || native.listed != 0 || soft.opened != 0 {
		t.Errorf("opened %d, left open %d, listed %d, soft opened %d; want 1 0 0 0", native.opened, native.open,
			native.listed, soft.opened)
	}
	want := HostFacts{
		NodeDesc: "rxe",
		Netdevs: []Netdev{{Name: "d0", Index: 4, MTU: 1500, OperState: "up", Address: "32:9f:9e:8e:08:01",
			Addresses: []netip.Prefix{netip.MustParsePrefix("10.9.0.1/24")}}},
		CharDevices:   []string{"/dev/infiniband/rdma_cm", "/dev/infiniband/uverbs0"},
		Driver:        "rdma_rxe",
		KernelModules: []string{"rdma_rxe", "ib_core", "ib_uverbs", "rdma_ucm"},
	}
	if !reflect.DeepEqual(d.HostFacts, want) {
		t.Errorf("host facts:\n%+v, want\n%+v", d.HostFacts, want)
	}
	if g := d.Ports[0].GIDs; len(g) != 2 || g[0].Netdev != "d0" || g[1].Netdev != "d0" {
		t.Errorf("GIDs: %+v", g)
	}
	if !slices.Equal(d.Ports[0].PKeys, []uint16{0xffff}) {
		t.Errorf("pkeys: %#x", d.Ports[0].PKeys)
	}
	if len(d.Problems) != 0 {
		t.Errorf("problems: %+v", d.Problems)
	}
}

func TestDetailOfACard(t *testing.T) {
	dev := rxe0(t)
	dev.info.Name = "mlx5_0"
	dev.gids = nil
	sys := plant(t, "cards")
	sys.onNetdev = map[string]string{"enp5s0": "mlx5_0"}
	d, err := New([]verbs.Provider{&fakeProvider{name: "ibverbs", devices: []*fakeDevice{dev}}}, sys).Detail("mlx5_0")
	if err != nil {
		t.Fatal(err)
	}
	if d.PCI != "0000:05:00.0" || d.NUMANode == nil || *d.NUMANode != 1 || d.Driver != "mlx5_core" {
		t.Errorf("pci %q, NUMA %v, driver %q", d.PCI, d.NUMANode, d.Driver)
	}
	if d.PCILink == nil || *d.PCILink != (PCILink{16, 8}) {
		t.Errorf("link %+v", d.PCILink)
	}
	if want := []string{"mlx5_core", "mlx5_ib", "ib_core", "ib_uverbs"}; !slices.Equal(d.KernelModules, want) {
		t.Errorf("modules %q, want %q", d.KernelModules, want)
	}
	if len(d.Netdevs) != 1 || d.Netdevs[0].Name != "enp5s0" || d.Netdevs[0].MTU != 9000 {
		t.Errorf("netdevs: %+v", d.Netdevs)
	}
}

// The names are a contract that scripts rely on.
func TestDetailAsJSON(t *testing.T) {
	inv, _, _, _ := lab(t)
	for _, name := range []string{"rxe0", "soft0"} {
		d, err := inv.Detail(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"name", "provider", "node_guid", "device_attr", "ports", "netdevs", "char_devices",
			"kernel_modules"} {
			if got[key] == nil {
				t.Errorf("%s: no %q in %s", name, key, text)
			}
		}
		attr := got["device_attr"].(map[string]any)
		if len(attr) != len(fields.Device) {
			t.Errorf("%s: %d device attributes, want %d", name, len(attr), len(fields.Device))
		}
		for _, f := range fields.Device {
			if _, ok := attr[f.Name]; !ok {
				t.Errorf("%s: no device_attr.%s", name, f.Name)
			}
		}
		port := got["ports"].([]any)[0].(map[string]any)
		if port["state"] != "ACTIVE" || port["active_mtu"] != 1024.0 || port["port_num"] != 1.0 ||
			port["link_layer"] != "ETHERNET" {
			t.Errorf("%s: port %v", name, port)
		}
		row := port["gids"].([]any)[0].(map[string]any)
		for _, key := range []string{"index", "gid", "type", "netdev"} {
			if _, ok := row[key]; !ok {
				t.Errorf("%s: no %q in GID %v", name, key, row)
			}
		}
		if _, ok := got["device_attr_ex"]; ok != (name == "rxe0") {
			t.Errorf("%s: device_attr_ex present: %v", name, ok)
		}
	}
}

func TestDetailOfAnOpenDeviceLeavesItOpen(t *testing.T) {
	inv, _, native, _ := lab(t)
	dev, err := inv.Open("rxe0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inv.DetailOf(dev); err != nil {
		t.Fatal(err)
	}
	if native.opened != 1 || native.open != 1 {
		t.Errorf("opened %d times, %d open; want 1 and 1", native.opened, native.open)
	}
}

func TestDetailKeepsWhatCouldBeRead(t *testing.T) {
	for what, breakIt := range map[string]func(*fakeDevice){
		"port 1":          func(d *fakeDevice) { d.portErr = syscall.EIO },
		"pkeys of port 1": func(d *fakeDevice) { d.pkeysErr = syscall.EIO },
		"device_attr_ex":  func(d *fakeDevice) { d.exErr = syscall.EIO },
		"gids":            func(d *fakeDevice) { d.gidsErr = syscall.EIO },
		"netdev gone":     func(d *fakeDevice) { d.gids[0].Netdev = "gone" },
	} {
		inv, _, native, _ := lab(t)
		breakIt(native.devices[0])
		d, err := inv.Detail("rxe0")
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Ports) != 1 || (d.Ports[0].State == verbs.PortUnreadable) != (what == "port 1") {
			t.Errorf("%s: ports %+v", what, d.Ports)
		}
		if d.DeviceAttr.MaxQP == 0 || len(d.Problems) != 1 || d.Problems[0].What != what {
			t.Errorf("%s: max_qp %d, problems %+v", what, d.DeviceAttr.MaxQP, d.Problems)
		}
	}
	inv, sys, _, _ := lab(t)
	sys.moduleErr = syscall.EIO
	if d, err := inv.Detail("rxe0"); err != nil || len(d.Problems) != 1 || d.Problems[0].What != "driver" {
		t.Errorf("problems %+v, %v", d.Problems, err)
	}
	inv, _, native, _ := lab(t)
	native.devices[0].attrErr = syscall.EIO
	if _, err := inv.Detail("rxe0"); !errors.Is(err, syscall.EIO) || native.open != 0 {
		t.Errorf("a device that cannot be queried: %v, %d left open", err, native.open)
	}
}

func TestOpenErrors(t *testing.T) {
	inv, _, native, _ := lab(t)
	_, err := inv.Detail("rxe\x1b9")
	var unknown *UnknownDeviceError
	if !errors.As(err, &unknown) || !slices.Equal(unknown.Have, []string{"rxe0", "soft0"}) {
		t.Fatalf("error %v", err)
	}
	if msg := err.Error(); !strings.Contains(msg, `"rxe\x1b9"`) || !strings.Contains(msg, "rxe0, soft0") {
		t.Errorf("message %q", msg)
	}
	for _, fine := range []error{nil, &verbs.UnsupportedError{Feature: "libibverbs"}} {
		if native.err = fine; !errors.As(second(inv.Detail("x")), &unknown) || unknown.Err != nil {
			t.Errorf("a provider that lists its devices: %v", unknown.Err)
		}
	}
	native.err = nil
	native.devices[0].openErr = syscall.EACCES
	if _, err := inv.Detail("rxe0"); !errors.Is(err, syscall.EACCES) || !strings.Contains(err.Error(), "rxe0") {
		t.Errorf("a device that cannot be opened: %v", err)
	}
	native.err = syscall.EIO
	if _, err := inv.Detail("x"); !errors.As(err, &unknown) || !errors.Is(err, syscall.EIO) {
		t.Errorf("a provider that cannot list: %v", err)
	}
}

func TestHostileNamesAndTexts(t *testing.T) {
	long := strings.Repeat("x", 4000)
	sys := plant(t, "rxe")
	sys.write(t, "/sys/devices/virtual/infiniband/rxe0/node_desc", long)
	sys.write(t, "/secret", "no")
	sys.charDevices = []string{"/dev/infiniband/uverbs0"}
	native := &fakeProvider{name: "ibverbs", devices: []*fakeDevice{rxe0(t), rxe0(t), rxe0(t)}}
	native.devices[1].info.Name = "../../../secret"
	native.devices[2].info.Name = long
	native.devices[0].gids[0].Netdev = "../" + long
	native.devices[0].attr.FWVer = long
	inv := New([]verbs.Provider{native}, sys)
	for _, s := range inv.List() {
		if len(s.Name) > maxText || s.Err != "" {
			t.Errorf("name of %d bytes, error %q", len(s.Name), s.Err)
		}
	}
	d, err := inv.Detail("rxe0")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.NodeDesc) != maxText || len(d.DeviceAttr.FWVer) != maxText || len(d.Ports[0].GIDs[0].Netdev) != maxText {
		t.Errorf("node_desc has %d bytes, netdev %d", len(d.NodeDesc), len(d.Ports[0].GIDs[0].Netdev))
	}
	for _, nd := range d.Netdevs {
		if strings.Contains(nd.Name, "/") {
			t.Errorf("netdev %q was looked up", nd.Name)
		}
	}
	if d, err := inv.Detail("../../../secret"); err != nil || d.NodeDesc != "" || len(d.CharDevices) != 0 {
		t.Errorf("a name with slashes reached the files: %+v, %v", d.HostFacts, err)
	}
	if _, err := inv.Counters("../../../secret"); err == nil {
		t.Error("counters of a name with slashes were read")
	}
}

func second[T any](_ T, err error) error { return err }

// TestDeviceCounters: some are of the whole device.
func TestDeviceCounters(t *testing.T) {
	sys := plant(t, "bare")
	sys.write(t, deviceDir("x")+"/hw_counters/resets", "3\n")
	got, err := New(nil, sys).Counters("x")
	if want := []Counter{{Group: "hw_counters", Name: "resets", Value: 3}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestCounters(t *testing.T) {
	for _, tt := range []struct {
		fixture, device string
		want            []Counter
	}{
		{"rxe", "rxe0", []Counter{
			{PortNum: 1, Group: "hw_counters", Name: "rcvd_pkts", Value: 7},
			{PortNum: 1, Group: "hw_counters", Name: "sent_pkts", Value: ^uint64(0)},
		}},
		{"cards", "mlx5_0", []Counter{
			{PortNum: 1, Group: "counters", Name: "port_xmit_data", Value: 42},
			{PortNum: 1, Group: "hw_counters", Name: "out_of_sequence", Value: 3},
		}},
		{"bare", "soft0", nil},
	} {
		got, err := New(nil, plant(t, tt.fixture)).Counters(tt.device)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %+v, %v; want %+v", tt.device, got, err, tt.want)
		}
	}
}

// counting is a provider that keeps counters itself.
type counting struct{ *fakeProvider }

func (counting) HWCounters(device string) ([]verbs.HWCounter, error) {
	if device == "soft1" {
		return nil, errors.New("worn out")
	}
	return []verbs.HWCounter{{Name: "sent_pkts", Help: "packets sent", Value: 5}}, nil
}

func TestProviderCounters(t *testing.T) {
	soft := counting{&fakeProvider{name: "soft",
		devices: []*fakeDevice{{info: verbs.DeviceInfo{Name: "soft0"}}, {info: verbs.DeviceInfo{Name: "soft1"}}}}}
	inv := New([]verbs.Provider{&fakeProvider{name: "ibverbs"}, soft}, plant(t, "rxe"))
	for _, tt := range []struct {
		device string
		want   []Counter
		err    string
	}{
		{"soft0", []Counter{{Group: "hw_counters", Name: "sent_pkts", Value: 5, Help: "packets sent"}}, ""},
		{"rxe0", []Counter{
			{PortNum: 1, Group: "hw_counters", Name: "rcvd_pkts", Value: 7},
			{PortNum: 1, Group: "hw_counters", Name: "sent_pkts", Value: ^uint64(0)},
		}, ""},
		{"soft1", nil, "counters of soft1: worn out"},
		{"soft9", nil, ""},
	} {
		got, err := inv.Counters(tt.device)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if !slices.Equal(got, tt.want) || text != tt.err {
			t.Errorf("%s: %+v, %v", tt.device, got, err)
		}
	}
}

func TestParseSysfs(t *testing.T) {
	for _, tt := range []struct {
		text string
		rate float64
	}{{"2.5 Gb/sec (1X SDR)", 2.5}, {"0.5 Gb/sec", 0.5}, {"1000000 Gb/sec", 1e6}, {"100 Gb/sec (4X EDR)", 100}, {"", 0},
		{"NaN Gb/sec", 0}, {"-1 Gb/sec", 0}, {"1e99 Gb/sec", 0}, {"10 Mb/sec", 0}} {
		if got := parseRate(tt.text); got != tt.rate {
			t.Errorf("parseRate(%q) = %v, want %v", tt.text, got, tt.rate)
		}
	}
	for _, tt := range []struct {
		text  string
		state verbs.PortState
	}{{"4: ACTIVE", 4}, {"10: X", 10}, {"4294967300: X", 0}, {"1: DOWN", 1}, {"", 0}, {"ACTIVE", 0},
		{"99999999999: X", 0}} {
		if got := parsePortState(tt.text); got != tt.state {
			t.Errorf("parsePortState(%q) = %v, want %v", tt.text, got, tt.state)
		}
	}
	if got := slices.Collect(portNumbers([]string{"10", "2", "x", "300", "-1"})); !slices.Equal(got, []uint8{2, 10}) {
		t.Errorf("port numbers %v", got)
	}
}
