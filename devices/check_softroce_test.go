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
