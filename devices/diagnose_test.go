package devices

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

// named returns the findings of one check.
func named(found []Finding, check string) []Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f Finding) bool { return f.Check != check })
}

func card(t *testing.T, name string) *fakeDevice {
	d := rxe0(t)
	d.info.Name = name
	return d
}

func TestDiagnose(t *testing.T) {
	missing := &verbs.UnsupportedError{Feature: "libibverbs", Requires: "libibverbs.so.1"}
	noKernel := fmt.Errorf("%w: %w", &verbs.UnsupportedError{Feature: "RDMA", Requires: "the kernel module ib_uverbs"},
		verbs.NewOpError("ibv_get_device_list", "", syscall.ENOSYS))
	type want struct {
		check  string
		status Status
		looked string // part of it
		next   string // part of it
	}
	for _, tt := range []struct {
		name, fixture string
		native        *fakeProvider
		change        func(*fakeOS, *fakeProvider)
		want          []want
	}{
		{name: "a working Soft-RoCE link", fixture: "rxe", native: &fakeProvider{devices: []*fakeDevice{rxe0(t)}},
			want: []want{
				{"providers", OK, "rxe0", ""}, {"rdma_class", OK, "rxe0", ""}, {"modules", OK, "ib_uverbs", ""},
				{"netns", OK, "netns shared", ""}, {"mtu", OK, "active_mtu 1024", ""},
				{"char_devices", OK, "uverbs0", ""},
				{"rdma_cm", OK, "rdma_cm", ""}, {"provider_drivers", OK, "rxe.driver", ""},
				{"memlock", OK, "unlimited", ""}, {"memory", OK, "budget: ", ""},
				{"soft_roce", OK, "rxe0", ""}, {"udp_4791", OK, "Soft-RoCE", ""}, {"ports", OK, "ACTIVE", ""},
				{"gids", OK, "best 1: ::ffff:10.9.0.1", ""},
			}},
		{name: "no permission", fixture: "rxe", native: &fakeProvider{devices: []*fakeDevice{card(t, "rxe0")}},
			change: func(sys *fakeOS, p *fakeProvider) {
				sys.denied, p.devices[0].openErr = "/dev/infiniband/uverbs0",
					verbs.NewOpError("ibv_open_device", "rxe0", syscall.EACCES)
			}, want: []want{{"char_devices", Fail, "permission denied", "ls -l /dev/infiniband/uverbs0"},
				{"gids", Fail, "EACCES", "char_devices"}}},
		{name: "link-local only", fixture: "rxe", native: &fakeProvider{devices: []*fakeDevice{card(t, "rxe0")}},
			change: func(_ *fakeOS, p *fakeProvider) { p.devices[0].gids = p.devices[0].gids[:1] },
			want:   []want{{"gids", Warn, "best 0: fe80::", "give d0 an IP address"}}},
		{name: "a table that cannot be read", fixture: "rxe",
			native: &fakeProvider{devices: []*fakeDevice{card(t, "rxe0")}},
			change: func(_ *fakeOS, p *fakeProvider) { p.devices[0].gids, p.devices[0].gidsErr = nil, syscall.EIO },
			want:   []want{{"gids", Fail, "input/output error", "dmesg"}}},
		{name: "no GIDs", fixture: "rxe", native: &fakeProvider{devices: []*fakeDevice{card(t, "rxe0")}},
			change: func(_ *fakeOS, p *fakeProvider) { p.devices[0].gids = nil },
			want:   []want{{"gids", Warn, "0 GIDs", "give d0 an IP address"}}},
		{name: "an RNIC, which has no RoCE GIDs", fixture: "rxe",
			native: &fakeProvider{devices: []*fakeDevice{card(t, "rxe0")}},
			change: func(_ *fakeOS, p *fakeProvider) {
				p.devices[0].gids, p.devices[0].info.NodeType, p.devices[0].info.Transport = nil, "RNIC", "iWARP"
			}, want: []want{{"gids", OK, "rxe0: RNIC, iWARP", ""}}},
		{name: "ports down", fixture: "cards",
			native: &fakeProvider{devices: []*fakeDevice{card(t, "mlx5_0"), card(t, "ib0")}}, want: []want{
				{"ports", Warn, "mlx5_0 port 1: DOWN; enp5s0: down", "ip link set enp5s0 up"},
				{"ports", Warn, "ib0 port 1: INIT", "opensm"},
				{"vendor_modules", OK, "mlx5_ib loaded", ""},
				{"vendor_modules", Warn, "bnxt_re not loaded", "modprobe bnxt_re"},
				{"provider_drivers", Fail, "mlx5.driver: missing, for mlx5_0", "ibverbs-providers"},
				{"modules", Warn, "rdma_ucm", "modprobe rdma_ucm"},
				{"rdma_cm", Warn, "missing", "modprobe rdma_ucm"}, {"udp_4791", OK, "in use on 1", ""},
			}},
		{name: "no RDMA", fixture: "bare", native: &fakeProvider{err: missing},
			change: func(sys *fakeOS, _ *fakeProvider) { sys.soft, sys.hard = 8<<20, 8<<20 }, want: []want{
				{"providers", Fail, "libibverbs.so.1", "apt install libibverbs1"},
				{"rdma_class", Fail, "missing", "modprobe ib_uverbs"},
				{"modules", Fail, "ib_uverbs: not loaded", "modprobe ib_uverbs"},
				{"modules", Warn, "rdma_ucm", "install the distribution's full kernel modules"},
				{"modules", Warn, "rdma_rxe", "modprobe rdma_rxe"}, {"char_devices", Fail, "none", "rdma_class"},
				{"memlock", Warn, "8,388,608 bytes", "limits.d"},
				{"soft_roce", Warn, "eth0", "modprobe rdma_rxe && rdma link add rxe0 type rxe netdev eth0"},
				{"soft_roce", Warn, "eth1: Ethernet, down", "ip link set eth1 up && modprobe rdma_rxe"},
				{"udp_4791", Warn, "in use on all", "ss -ulnp"},
			}},
		{name: "a kernel that cannot load modules", fixture: "bare", native: &fakeProvider{err: noKernel},
			change: func(sys *fakeOS, _ *fakeProvider) { os.Remove(sys.at("/proc/modules")) }, want: []want{
				{"providers", Fail, "ENOSYS", "boot a kernel that has ib_uverbs"},
				{"rdma_class", Fail, "missing", "has ib_uverbs: this one cannot load modules"},
				{"modules", Fail, "/proc/modules: missing", "boot a kernel that has ib_uverbs"},
				{"soft_roce", Warn, "no rdma_rxe", "use a software device"},
			}},
		{name: "a library without RDMA in the kernel", fixture: "bare", native: &fakeProvider{err: noKernel},
			want: []want{{"providers", Fail, "ENOSYS", "modprobe ib_uverbs"}}},
		{name: "a library and a kernel without the module", fixture: "bare", native: &fakeProvider{err: noKernel},
			change: func(sys *fakeOS, _ *fakeProvider) {
				sys.write(t, "/lib/modules/6.1.0-50-amd64/modules.dep", "kernel/fs/ext4/ext4.ko:\n")
			}, want: []want{{"providers", Fail, "ENOSYS", "full kernel modules"}}},
		{name: "a library that does not see the module", fixture: "rxe", native: &fakeProvider{err: noKernel},
			want: []want{{"providers", Fail, "ENOSYS", "/sys/class/infiniband_verbs"}}},
		{name: "a soft limit", fixture: "bare", native: &fakeProvider{}, change: func(sys *fakeOS, _ *fakeProvider) {
			sys.soft = 65536
		},
			want: []want{{"memlock", Warn, "65,536 bytes, hard limit unlimited", "ulimit -l unlimited"},
				{"providers", Warn, "no devices", "below"}}},
		{name: "a kernel without Soft-RoCE", fixture: "bare", native: &fakeProvider{},
			change: func(sys *fakeOS, _ *fakeProvider) {
				sys.write(t, "/lib/modules/6.1.0-50-amd64/modules.dep", "kernel/fs/ext4/ext4.ko:\n")
			}, want: []want{{"soft_roce", Warn, "no rdma_rxe", "soft0"},
				{"modules", Fail, "ib_uverbs", "kernel modules"}}},
		{name: "a container", fixture: "container", native: &fakeProvider{},
			change: func(sys *fakeOS, _ *fakeProvider) { sys.soft = 65536 },
			want: []want{{"rdma_class", Fail, "/.dockerenv", "--device=/dev/infiniband"},
				{"memlock", OK, "CAP_IPC_LOCK", ""}, {"modules", OK, "ib_uverbs", ""}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sys := plant(t, tt.fixture)
			sys.module = "rdma_rxe"
			if tt.fixture == "cards" {
				sys.module = ""
			}
			tt.native.name = "ibverbs"
			if tt.change != nil {
				tt.change(sys, tt.native)
			}
			found := New([]verbs.Provider{tt.native}, sys).Diagnose(t.Context(), "")
			for _, w := range tt.want {
				if !slices.ContainsFunc(named(found, w.check), func(f Finding) bool {
					return f.Status == w.status && strings.Contains(f.Looked, w.looked) &&
						strings.Contains(f.Next, w.next) && f.Meaning != ""
				}) {
					t.Errorf("%s: no finding %s %q %q in\n%+v", w.check, w.status, w.looked, w.next,
						named(found, w.check))
				}
			}
			if tt.native.err == noKernel && strings.Contains(fmt.Sprint(found), "apt install libibverbs1") {
				t.Error("the library is installed, but a finding says to install it")
			}
			checkForm(t, found)
			if tt.native.open != 0 {
				t.Errorf("%d devices were left open", tt.native.open)
			}
		})
	}
}

// TestMemlock: which limit is high enough, and what lifts it.
func TestMemlock(t *testing.T) {
	const none, ipcLock, allOthers = "0000000000000000", "0000000000004000", "ffffffffffffbfff"
	for _, tt := range []struct {
		capabilities string
		soft, hard   uint64
		status       Status
		looked, next string
	}{
		{none, Unlimited, Unlimited, OK, "unlimited", ""},
		{none, 64 << 20, 64 << 20, OK, "67,108,864 bytes", ""},
		{none, 64<<20 - 1, 64 << 20, Warn, "67,108,863 bytes", "ulimit -l unlimited"},
		{none, 8 << 20, 64<<20 - 1, Warn, "8,388,608 bytes", "limits.d"},
		{ipcLock, 1, 1, OK, "CAP_IPC_LOCK", ""},
		{"0000000000014000", 1, 1, OK, "CAP_IPC_LOCK", ""},
		{allOthers, 1, 1, Warn, "1 byte", "limits.d"},
		{"", 1, 1, Warn, "1 byte", "limits.d"},
		{"not hexadecimal", 1, 1, Warn, "1 byte", "limits.d"},
	} {
		sys := plant(t, "bare")
		sys.write(t, "/proc/self/status", "Name:\tx\nCapEff:\t"+tt.capabilities+"\n")
		sys.soft, sys.hard = tt.soft, tt.hard
		f := checkMemlock(&examination{os: sys})[0]
		if f.Status != tt.status || !strings.Contains(f.Looked, tt.looked) || !strings.Contains(f.Next, tt.next) {
			t.Errorf("capabilities %q, limits %d and %d: %+v", tt.capabilities, tt.soft, tt.hard, f)
		}
	}
}

// TestMemlockIsNotKnown: an unknown limit is not reported, and files that lack it are
// not parsed.
func TestMemlockIsNotKnown(t *testing.T) {
	sys := plant(t, "bare")
	sys.limitErr = syscall.EPERM
	if found := checkMemlock(&examination{os: sys}); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	sys.write(t, "/proc/self/status", "Name:\tx\n")
	if hasCapability(sys, capIPCLock) {
		t.Error("a file without capabilities has one")
	}
	if err := os.Remove(sys.at("/proc/self/status")); err != nil {
		t.Fatal(err)
	}
	if hasCapability(sys, capIPCLock) {
		t.Error("no file has a capability")
	}
}

// TestRoCEPort: whether the port is free does not depend on rxe.
func TestRoCEPort(t *testing.T) {
	const heading = "  sl  local_address rem_address\n"
	for _, tt := range []struct{ sockets, looked string }{
		{"", "4791 free"}, {"  1: 0100007F:12B7 00000000:0000 07\n", "in use on 1 local address"},
		{"  1: 00000000:12B7 00000000:0000 07\n", "held by the kernel"},
	} {
		sys := plant(t, "rxe")
		sys.write(t, "/proc/net/udp", heading+tt.sockets)
		found := checkRoCEPort(&examination{os: sys, class: []string{"rxe0"}, modules: readModules(sys)})
		if len(found) != 1 || found[0].Status != OK || !strings.Contains(found[0].Looked, tt.looked) {
			t.Errorf("%q: %+v, want %q", tt.sockets, found, tt.looked)
		}
	}
}

// TestPortFinding: the advice depends on the kind of port.
func TestPortFinding(t *testing.T) {
	for _, tt := range []struct {
		port PortSummary
		next string
	}{
		{PortSummary{Netdev: "d0"}, "ip link set d0 up"}, {PortSummary{LinkLayer: verbs.LinkInfiniBand}, "opensm"},
		{PortSummary{LinkLayer: verbs.LinkEthernet}, "check the cable and the peer's port"},
	} {
		d := &Summary{DeviceInfo: verbs.DeviceInfo{Name: "x"}, Ports: []PortSummary{tt.port}}
		if f := portFinding(plant(t, "rxe"), d, &d.Ports[0]); f.Status != Warn || !strings.Contains(f.Next, tt.next) ||
			strings.Contains(f.Meaning, "default port") {
			t.Errorf("%+v: %+v", tt.port, f)
		}
	}
}

func TestListed(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	for n, want := range map[int]string{0: "", 2: "a, b", 8: "a, b, c, d, e, f, g, h", 9: "a, b, c, d, e, f, g, h, …"} {
		if got := listed(names[:n]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for n, want := range map[int]bool{maxText: true, maxText + 1: false} {
		if got := plainName(strings.Repeat("x", n)); got != want {
			t.Errorf("a name of %d bytes: %v", n, got)
		}
	}
}

// checkForm checks every finding: one line, and a next step if something is wrong.
func checkForm(t *testing.T, found []Finding) {
	t.Helper()
	for _, f := range found {
		if f.Status != OK && f.Next == "" {
			t.Errorf("no next step in %+v", f)
		}
		if strings.Contains(f.Looked+f.Meaning+f.Next, "\n") || f.Looked == "" {
			t.Errorf("not one line: %+v", f)
		}
	}
	if _, err := json.Marshal(found); err != nil {
		t.Error(err)
	}
}

func TestDiagnoseWithoutAnyKernelSupport(t *testing.T) {
	sys := &fakeOS{tree: tree{t.TempDir()}, soft: Unlimited, hard: Unlimited}
	soft := &fakeProvider{name: "soft", devices: []*fakeDevice{soft0(t)}}
	found := New([]verbs.Provider{soft}, sys).Diagnose(t.Context(), "")
	if p := named(found, "platform"); len(p) != 1 || p[0].Status != Warn {
		t.Errorf("platform: %+v", p)
	}
	if len(named(found, "rdma_class"))+len(named(found, "modules"))+len(named(found, "soft_roce")) != 0 {
		t.Errorf("checks of Linux on another system: %+v", found)
	}
	if Worst(found) != Warn {
		t.Errorf("worst %q", Worst(found))
	}
}

// TestFindings runs single checks on machines that differ in one thing.
func TestFindings(t *testing.T) {
	machine := func(fixture string, without ...string) *fakeOS {
		sys := plant(t, fixture)
		for _, path := range without {
			if err := os.RemoveAll(sys.at(path)); err != nil {
				t.Fatal(err)
			}
		}
		return sys
	}
	exclusive := func(sys *fakeOS) *fakeOS { sys.exclusive = true; return sys }
	for _, tt := range []struct {
		name   string
		sys    *fakeOS
		class  []string
		ask    func(*examination) []Finding
		status Status
		says   string // part of its text; "none": no finding
	}{
		{"a card, and no Soft-RoCE link", machine("bare"), []string{"mlx5_0"}, checkSoftRoCE, OK, "none"},
		{"one netdev", machine("bare", netDir+"/eth0", netDir+"/br0"), nil, checkSoftRoCE, Warn, "netdev eth1"},
		{"a netdev that is up", machine("bare"), nil, checkSoftRoCE, Warn,
			". modprobe rdma_rxe && rdma link add rxe0 type rxe netdev eth0"},
		{"a netdev, and the module is loaded", machine("rxe", "/sys/class/infiniband"), nil, checkSoftRoCE, Warn,
			". rdma link add rxe0 type rxe netdev d0"},
		{"no netdev", machine("bare", netDir), nil, checkSoftRoCE, Warn, "use a software device"},
		{"no device to connect", machine("bare"), nil, checkConnectionManager, OK, "none"},
		{"no file of a device", machine("bare"), []string{"mlx5_0"}, checkCharDevices, Fail, "modprobe ib_uverbs"},
		{"a file that is no device's", machine("rxe", "/dev/infiniband/uverbs0"), []string{"rxe0"}, checkCharDevices,
			Fail, "start udev"},
		{"no file of the connection manager", machine("rxe", "/dev/infiniband/rdma_cm"), []string{"rxe0"},
			checkConnectionManager, Warn, "start udev"},
		{"a kernel without modules", machine("bare", "/proc/modules"), nil, checkModules, Fail,
			"boot a kernel that has ib_uverbs: this one cannot load modules"},
		{"Soft-RoCE in a kernel without modules", machine("bare", "/proc/modules"), nil, checkSoftRoCE, Warn,
			"use a software device, such as soft0"},
		{"no file of a device in a container", machine("container"), []string{"mlx5_0"}, checkCharDevices, Fail,
			"the container sees the devices"},
		{"what to do in a container", machine("container"), []string{"mlx5_0"}, checkCharDevices, Fail,
			"--device=/dev/infiniband"},
		{"the port held by a built-in rxe", machine("rxe", "/sys/module/rdma_rxe", "/proc/modules"), []string{"rxe0"},
			checkRoCEPort, OK, "ip netns add"},
		{"no list of ports", machine("cards", "/proc/net"), nil, checkRoCEPort, OK, "none"},
		{"a class without devices", machine("bare"), nil, checkClass, Fail, "see soft_roce"},
		{"a class without devices of this network namespace", exclusive(machine("bare")), nil, checkClass, Fail,
			"rdma dev set DEVICE netns NAME"},
		{"files of devices in another network namespace", exclusive(machine("rxe")), nil, checkCharDevices, Fail,
			"see rdma_class"},
		{"the files of a device in this network namespace", exclusive(machine("rxe")), []string{"rxe0"},
			checkCharDevices, OK, "programs can open the device"},
		{"a link that another network namespace gets", exclusive(machine("rxe", "/sys/class/infiniband")), nil,
			checkSoftRoCE, Warn, "initial network namespace"},
		{"cards without an RDMA driver", machine("bare"), nil, checkVendorModules, OK, "none"},
		{"a module in another system's kernel", machine("bare", "/lib"), nil, checkModules, Fail,
			"modprobe ib_uverbs (in a container: on the host)"},
		{"no files of drivers", machine("rxe", "/etc"), []string{"rxe0"}, checkProviderDrivers, Warn,
			"ibverbs-providers"},
		{"Linux", machine("bare"), nil, checkPlatform, OK, "none"},
		{"no device that needs a driver", machine("bare"), nil, checkProviderDrivers, OK, "none"},
		{"a directory without drivers", machine("rxe", "/etc/libibverbs.d/rxe.driver"), []string{"rxe0"},
			checkProviderDrivers, Warn, "ibverbs-providers"},
		{"the port free beside rxe", machine("cards"), []string{"rxe0"}, checkRoCEPort, OK,
			"of this program and others"},
		{"no providers", machine("bare"), nil, checkProviders, Fail, "leave out --provider"},
	} {
		found := tt.ask(&examination{
			os: tt.sys, class: tt.class, modules: readModules(tt.sys), exclusive: tt.sys.exclusive,
		})
		if tt.says == "none" {
			if len(found) != 0 {
				t.Errorf("%s: %+v", tt.name, found)
			}
			continue
		}
		if len(found) == 0 || found[0].Status != tt.status ||
			!strings.Contains(found[0].Meaning+". "+found[0].Next, tt.says) {
			t.Errorf("%s: %+v, want %s %q", tt.name, found, tt.status, tt.says)
		}
	}
}

// TestModuleFindings: Soft-RoCE does not matter on a machine with a card.
func TestModuleFindings(t *testing.T) {
	for _, tt := range []struct {
		class []string
		want  int
	}{{nil, 3}, {[]string{"mlx5_0"}, 2}} {
		sys := plant(t, "bare")
		if found := checkModules(&examination{os: sys, class: tt.class, modules: readModules(sys)}); len(
			found) != tt.want {
			t.Errorf("%q: %+v, want %d", tt.class, found, tt.want)
		}
	}
}

// TestVendorModules: only cards that support RDMA are reported.
func TestVendorModules(t *testing.T) {
	sys := plant(t, "cards")
	sys.link(t, "/sys/bus/pci/devices/0000:07:00.0/driver", "/sys/bus/pci/drivers/nvme")
	if found := checkVendorModules(&examination{os: sys, modules: readModules(sys)}); len(found) != 2 ||
		strings.Contains(fmt.Sprint(found), "nvme") {
		t.Errorf("%+v", found)
	}
}

// TestKernelDevices leaves out the devices that only a provider has.
func TestKernelDevices(t *testing.T) {
	infos := func(names ...string) (list []verbs.DeviceInfo) {
		for _, name := range names {
			list = append(list, verbs.DeviceInfo{Name: name})
		}
		return list
	}
	e := &examination{
		class:     []string{"rxe0", "rxe1"},
		providers: []ProviderStatus{{Devices: infos("rxe0")}, {Devices: infos("soft0", "soft1")}},
	}
	for device, want := range map[string]string{"": "rxe0", "rxe0": "rxe0", "rxe1": "", "soft0": ""} {
		e.device = device
		names := ""
		for _, info := range e.kernelDevices() {
			names += info.Name
		}
		if names != want {
			t.Errorf("of %q: %q, want %q", device, names, want)
		}
	}
}

// TestLinux: either of two files shows it.
func TestLinux(t *testing.T) {
	for path, want := range map[string]bool{"/sys/class/x": true, "/proc/modules": true, "/proc/x": false} {
		sys := &fakeOS{tree: tree{t.TempDir()}}
		sys.write(t, path, "")
		if got := (&examination{os: sys}).linux(); got != want {
			t.Errorf("with %s: %v, want %v", path, got, want)
		}
	}
}

// TestMemoryFinding reports a budget that is too small for most uses.
func TestMemoryFinding(t *testing.T) {
	for limit, want := range map[uint64]Status{0: Warn, memoryEnough - 1: Warn, memoryEnough: OK} {
		f := memoryFinding(memory.New(limit, "half of a test's"))
		if len(f) != 1 || f[0].Status != want || !strings.Contains(f[0].Looked, "half of a test's") ||
			(want == Warn) != (f[0].Next != "") {
			t.Errorf("%d bytes: %+v", limit, f)
		}
	}
}

func TestDiagnoseStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if found := New(nil, plant(t, "bare")).Diagnose(ctx, ""); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

func TestWorst(t *testing.T) {
	for _, tt := range []struct {
		in   []Status
		want Status
	}{{nil, OK}, {[]Status{OK}, OK}, {[]Status{Warn, OK}, Warn}, {[]Status{Warn, Fail, OK}, Fail}} {
		var found []Finding
		for _, s := range tt.in {
			found = append(found, Finding{Status: s})
		}
		if got := Worst(found); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestShellWord(t *testing.T) {
	for in, want := range map[string]string{"eth0": "eth0", "eth0.5": "eth0.5", "azAZ09": "azAZ09", "": "''",
		"a;reboot": "'a;reboot'", "a'b": `'a'\''b'`} {
		if got := shellWord(in); got != want {
			t.Errorf("shellWord(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestBoundSockets(t *testing.T) {
	const table = "  sl  local_address rem_address\n" +
		"  1: 00000000:12B7 00000000:0000 07\n" + "  2: 00000000:12B8 00000000:12B7 07\n" + "junk\n\n  3: x\n" +
		"  4: 0100007F:12B7 00000000:0000 07\n" + "  x: 0300007F:12B7 00000000:0000 07\n" + "  6: 0400007F:12B7\n" +
		"  5: 0200007F:12B7 00000000:0000 07\n"
	if single, all := boundSockets(table, roceUDPPort); single != 3 || all != 1 {
		t.Errorf("%d and %d sockets, want 3 of one address and 1 of all: a remote port does not count", single, all)
	}
}
