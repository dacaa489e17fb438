package tune

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rdmatui/verbs"
)

func TestParseCPUs(t *testing.T) {
	for _, tt := range []struct {
		list string
		want []int
	}{
		{"0", []int{0}}, {"0-2", []int{0, 1, 2}}, {"1,3-4", []int{1, 3, 4}},
		{"", nil}, {"a", nil}, {"1-", nil}, {"-1", nil}, {"0-99999999", nil}, {"3-1", nil},
	} {
		if got := parseCPUs(tt.list); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %v, want %v", tt.list, got, tt.want)
		}
	}
}

// TestNodes reads nodes from a copy of sysfs, and says what is missing.
func TestNodes(t *testing.T) {
	const one = "the host has one NUMA node"
	for _, tt := range []struct {
		name     string
		files    map[string]string
		own, far int
		lack     string
	}{
		{"none", nil, -1, -1, one},
		{"one", map[string]string{"devices/system/node/node0/cpulist": "0-3\n", "dev/device/numa_node": "0\n"}, 0, -1,
			one},
		{"two", map[string]string{
			"devices/system/node/node0/cpulist": "0-3\n", "devices/system/node/node1/cpulist": "4-7\n",
			"dev/device/numa_node": "1\n",
		}, 1, 0, ""},
		{"two, one without CPUs", map[string]string{
			"devices/system/node/node0/cpulist": "0-3\n", "devices/system/node/node1/cpulist": "\n",
			"dev/device/numa_node": "0\n",
		}, 0, -1, one},
		{"a device of no node", map[string]string{
			"devices/system/node/node0/cpulist": "0-3\n", "devices/system/node/node1/cpulist": "4-7\n",
			"dev/device/numa_node": "-1\n",
		}, -1, 0, "the device belongs to no NUMA node; the host has 2"},
	} {
		sys := t.TempDir()
		for name, text := range tt.files {
			path := filepath.Join(sys, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		n := readNodes(sys, filepath.Join(sys, "dev"))
		if lack := lackNodes(&host{nodes: n}); n.at(ownNode) != tt.own || n.at(farNode) != tt.far || lack != tt.lack {
			t.Errorf("%s: %+v, far %d, %q", tt.name, n, n.far(), lack)
		}
	}
}

// TestLack checks what experiments say about a device that lacks what they need.
func TestLack(t *testing.T) {
	moderates := &verbs.DeviceAttrEx{CQModCaps: verbs.CQModCaps{MaxCQCount: 64, MaxCQPeriod: 16}}
	poor := &host{mtu: verbs.MTU256, reads: 1, attr: verbs.DeviceAttr{MaxSGE: 2, MaxQPInitRDAtom: 1}}
	rich := &host{mtu: verbs.MTU1024, reads: 16, attr: verbs.DeviceAttr{MaxSGE: 30, MaxSRQ: 1}, ex: moderates}
	for _, tt := range []struct{ name, poor, rich string }{
		{"gather", "max_sge of the device is 2", ""},
		{"path-mtu", "the active MTU is 256 bytes, the smallest there is", ""},
		{"max-rd-atomic", "max_qp_init_rd_atom of the device is 1", ""},
		{"srq", "the device has no shared receive queues", ""},
		{"cq-moderation", "the device has no CQ moderation (max_cq_count is 0)", ""},
	} {
		e, err := Find(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		if p, r := e.lack(poor), e.lack(rich); p != tt.poor || r != tt.rich {
			t.Errorf("%s: %q, %q", tt.name, p, r)
		}
	}
}
