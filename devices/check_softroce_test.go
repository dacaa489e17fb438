package devices

import (
	"os"
	"slices"
	"testing"
)

// TestModuleAvailability: without an index of modules nothing is known.
func TestModuleAvailability(t *testing.T) {
	const dir = "/lib/modules/6.1.0-50-amd64"
	sys := plant(t, "bare")
	sys.write(t, dir+"/modules.builtin", "kernel/fs/configfs/configfs.ko\n")
	mods := readModules(sys)
	for name, want := range map[string]availability{"rdma_rxe": available, "configfs": available, "siw": notAvailable} {
		if got, at := mods.available(name); got != want || at != dir {
			t.Errorf("%s: %d in %s, want %d", name, got, at, want)
		}
	}
	for _, tt := range []struct{ gone, at string }{{dir + "/modules.dep", dir},
		{"/proc/sys/kernel/osrelease", "/lib/modules"}} {
		if err := os.Remove(sys.at(tt.gone)); err != nil {
			t.Fatal(err)
		}
		if got, at := mods.available("siw"); got != availabilityUnknown || at != tt.at {
			t.Errorf("without %s: %d in %s", tt.gone, got, at)
		}
	}
}

// TestBuiltInModules: a built-in module is found by its parameters, by what it makes in /sys, or by the index.
func TestBuiltInModules(t *testing.T) {
	sys := plant(t, "bare")
	names := []string{"ib_core", "ib_uverbs", "ib_umad", "rdma_ucm", "rdma_rxe"}
	for _, name := range names {
		if readModules(sys).has(name) {
			t.Errorf("%s is there before it is made", name)
		}
	}
	sys.write(t, "/sys/class/infiniband/rxe0/node_type", "1: CA")
	sys.write(t, "/sys/class/infiniband_verbs/abi_version", "6")
	sys.write(t, "/sys/class/infiniband_mad/abi_version", "5")
	sys.write(t, "/sys/class/misc/rdma_cm/abi_version", "4")
	sys.write(t, "/lib/modules/6.1.0-50-amd64/modules.builtin", "kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko\n")
	for _, name := range names {
		if !readModules(sys).has(name) {
			t.Errorf("%s is not found", name)
		}
	}
	if readModules(sys).has("rdma_cm") {
		t.Error("rdma_cm is found, which nothing shows")
	}
}

func TestSoftRoCECandidates(t *testing.T) {
	sys := plant(t, "bare")
	var names []string
	for _, c := range softRoCECandidates(sys) {
		names = append(names, c.name)
	}
	if want := []string{"eth0", "br0", "eth1"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q: the card before the bridge, those that are down last, no VLAN, no loopback", names, want)
	}
	sys.write(t, "/sys/class/net/eth1/device/vendor", "0x8086")
	if c := softRoCECandidates(sys); c[0].name != "eth0" || c[1].name != "br0" {
		t.Errorf("a card that is down comes first: %+v", c)
	}
	sys.onNetdev = map[string]string{"eth0": "mlx5_0"}
	if c := softRoCECandidates(sys); c[0].name != "br0" {
		t.Errorf("a netdev with an RDMA device is a candidate: %+v", c)
	}
}
