package devices

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"rdmatui/verbs"
)

// config is the configuration space of a bridge with two extended capabilities, of which the second is ACS.
func config(control uint16) []byte {
	c := make([]byte, 4096)
	binary.LittleEndian.PutUint32(c[0x100:], 0x0001|1<<16|0x140<<20) // AER, next at 0x140
	binary.LittleEndian.PutUint32(c[0x140:], 0x000d|1<<16)           // ACS, the last
	binary.LittleEndian.PutUint16(c[0x146:], control)
	return c
}

// gpuHost is a host with a card and a GPU below the same bridge.
func gpuHost(t *testing.T, bridge []byte) *fakeOS {
	const (
		root = "/sys/devices/pci0000:00/0000:00:02.0"
		gpu  = root + "/0000:09:00.0"
	)
	sys := plant(t, "cards")
	sys.write(t, gpu+"/class", "0x030200\n")
	sys.link(t, gpu+"/driver", "/sys/bus/pci/drivers/nvidia")
	sys.write(t, "/sys/bus/pci/drivers/nvidia/uevent", "")
	sys.link(t, pciDir+"/0000:09:00.0", gpu)
	sys.write(t, root+"/config", string(bridge))
	sys.write(t, "/proc/sys/kernel/osrelease", "6.1.0-50-amd64\n")
	return sys
}

func TestGPUDirect(t *testing.T) {
	const version = "/proc/driver/nvidia/version"
	write := func(path, content string) func(*fakeOS) {
		return func(sys *fakeOS) { sys.write(t, path, content) }
	}
	for _, tt := range []struct {
		name   string
		bridge []byte
		change func(*fakeOS)
		status []Status // memory, IOMMU, ACS
		says   []string
	}{
		{"nothing to register with", config(0), nil, []Status{Warn, OK, OK},
			[]string{"GPUDirect is off", "NVIDIA's open kernel modules: no", "or nvidia_peermem",
				"1 bridge, none redirects"}},
		{"the module is there to load", config(0),
			write("/lib/modules/6.1.0-50-amd64/modules.dep", "updates/nvidia/nvidia_peermem.ko:\n"),
			[]Status{Warn, OK, OK}, []string{"modprobe nvidia_peermem"}},
		{"the module is loaded", config(0), write("/sys/module/nvidia_peermem/initstate", "live"),
			[]Status{OK, OK, OK}, []string{"nvidia_peermem: loaded"}},
		{"dma-buf", config(0), write(version, "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54"),
			[]Status{OK, OK, OK}, []string{"reg_dmabuf_mr"}},
		{"dma-buf on an old kernel", config(0), func(sys *fakeOS) {
			sys.write(t, version, "Open Kernel Module")
			sys.write(t, "/proc/sys/kernel/osrelease", "5.4.0-1\n")
		}, []Status{Warn, OK, OK}, []string{"a kernel of 5.12 or later"}},
		{"an IOMMU that translates", config(0), write(pciDir+"/0000:09:00.0/iommu_group/type", "DMA-FQ\n"),
			[]Status{Warn, Warn, OK}, []string{"0000:09:00.0: translated", "iommu=pt"}},
		{"an IOMMU that does not", config(0), write(pciDir+"/0000:09:00.0/iommu_group/type", "identity\n"),
			[]Status{Warn, OK, OK}, []string{"no IOMMU translates"}},
		{"a bridge that redirects", config(0x001d), nil, []Status{Warn, OK, Warn},
			[]string{"0000:00:02.0: redirect", "setpci"}},
		{"a bridge that only validates", config(0x0001), nil, []Status{Warn, OK, OK}, []string{"none redirects"}},
		{"not root", config(0)[:64], nil, []Status{Warn, OK, Warn}, []string{"as root"}},
	} {
		sys := gpuHost(t, tt.bridge)
		if tt.change != nil {
			tt.change(sys)
		}
		found := checkGPUDirect(&examination{os: sys, class: []string{"mlx5_0", "ib0"}, modules: readModules(sys)})
		var status []Status
		all := ""
		for _, f := range found {
			status = append(status, f.Status)
			all += f.Looked + "\n" + f.Meaning + "\n" + f.Next + "\n"
		}
		if !slices.Equal(status, tt.status) {
			t.Errorf("%s: %v, want %v\n%s", tt.name, status, tt.status, all)
		}
		for _, s := range tt.says {
			if !strings.Contains(all, s) {
				t.Errorf("%s: %q is not said in\n%s", tt.name, s, all)
			}
		}
		checkForm(t, found)
	}
}

// TestNoGPU: without a GPU, or without a card, there is nothing to say.
func TestNoGPU(t *testing.T) {
	for _, tt := range []struct {
		sys    *fakeOS
		class  []string
		device string
	}{{plant(t, "cards"), []string{"mlx5_0"}, ""}, {gpuHost(t, nil), nil, ""},
		{gpuHost(t, nil), []string{"mlx5_0"}, "ib0"}} {
		e := &examination{os: tt.sys, class: tt.class, device: tt.device, modules: readModules(tt.sys)}
		if found := checkGPUDirect(e); len(found) != 0 {
			t.Errorf("%q of %q: %+v", tt.device, tt.class, found)
		}
	}
}

// TestACSOfBadConfig: a list that leads nowhere, or in a circle, ends.
func TestACSOfBadConfig(t *testing.T) {
	circle, outside := make([]byte, 4096), make([]byte, 4096)
	binary.LittleEndian.PutUint32(circle[0x100:], 0x0001|0x100<<20)
	binary.LittleEndian.PutUint32(outside[0x100:], 0x0001|0xffc<<20)
	for name, c := range map[string][]byte{"circle": circle, "outside": outside, "short": make([]byte, 0x104)} {
		if control, known := acsOf(c); control != 0 || !known {
			t.Errorf("%s: %#x, %v", name, control, known)
		}
	}
	if _, known := acsOf(make([]byte, 0x103)); known {
		t.Error("a header that was not read whole is known")
	}
}

func TestKernelAtLeast(t *testing.T) {
	for release, want := range map[string]bool{"5.12.0": true, "5.11.9": false, "6.1.0-50-amd64": true,
		"4.18.0-1.el8": false, "10.0": true, "": false, "x": false} {
		if got := kernelAtLeast(release, 5, 12); got != want {
			t.Errorf("%q: %v", release, got)
		}
	}
}

func TestNamespaces(t *testing.T) {
	for _, tt := range []struct {
		known, exclusive bool
		class            []string
		want             string
	}{
		{true, false, []string{"rxe0"}, "netns shared"}, {true, true, []string{"rxe0"}, "netns exclusive"},
		{false, false, []string{"rxe0"}, ""}, {true, true, nil, ""},
	} {
		found := checkNamespaces(&examination{class: tt.class, exclusive: tt.exclusive, modeKnown: tt.known})
		if (len(found) == 0) != (tt.want == "") || len(found) > 0 && !strings.Contains(found[0].Looked, tt.want) {
			t.Errorf("%+v: %+v", tt, found)
		}
	}
}

// TestMTUFinding: a port whose packets are short is reported, with both MTUs.
func TestMTUFinding(t *testing.T) {
	sys := &fakeOS{tree: tree{t.TempDir()}}
	sys.write(t, netDir+"/d0/ifindex", "3\n")
	sys.write(t, netDir+"/d0/mtu", "576\n")
	for _, tt := range []struct {
		port   PortSummary
		active verbs.MTU
		status Status
		says   []string
		not    string
	}{
		{PortSummary{PortNum: 1, State: verbs.PortActive, Netdev: "d0"}, verbs.MTU256, Warn,
			[]string{"active_mtu 256, max_mtu 4096; d0: mtu 576", "256 bytes only", "ip link set d0 mtu 1500",
				"path_mtu=256"}, ""},
		{PortSummary{PortNum: 1, State: verbs.PortActive, Netdev: "d0"}, verbs.MTU512, Warn,
			[]string{"512 bytes only"}, ""},
		{PortSummary{PortNum: 1, State: verbs.PortActive, Netdev: "d0"}, verbs.MTU1024, OK,
			[]string{"path_mtu may be at most 1024"}, "ip link"},
		{PortSummary{PortNum: 1, State: verbs.PortActive, Netdev: "elsewhere"}, verbs.MTU256, Warn,
			[]string{"path_mtu=256 at both ends"}, "elsewhere"},
		{PortSummary{PortNum: 2, State: verbs.PortState(1)}, verbs.MTU256, OK, []string{"port 2"}, "ip link"},
	} {
		f := mtuFinding(sys, "rxe0", tt.port, &verbs.PortAttr{ActiveMTU: tt.active, MaxMTU: verbs.MTU4096})
		all := f.Looked + "\n" + f.Meaning + "\n" + f.Next
		for _, s := range tt.says {
			if f.Status != tt.status || !strings.Contains(all, s) {
				t.Errorf("%+v %v: %s, want %s %q in\n%s", tt.port, tt.active, f.Status, tt.status, s, all)
			}
		}
		if tt.not != "" && strings.Contains(all, tt.not) {
			t.Errorf("%+v: %q is said in\n%s", tt.port, tt.not, all)
		}
	}
}
