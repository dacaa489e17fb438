package devices

import (
	"testing"

	"rdmatui/verbs"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// BenchmarkHostDetail measures the cost of the host's facts in addition to the
// provider's calls, with nothing opened before.
func BenchmarkHostDetail(b *testing.B) {
	vmtest.Need(b)
	native := &fakeProvider{name: "ibverbs",
		devices: []*fakeDevice{{info: verbs.DeviceInfo{Name: "rxe0"}, attr: verbs.DeviceAttr{PhysPortCnt: 1},
			port: verbs.PortAttr{LinkLayer: verbs.LinkEthernet},
			gids: []verbs.GIDEntry{{PortNum: 1}, {PortNum: 1, Index: 1}}}}}
	for b.Loop() {
		sys := Host()
		if _, err := New([]verbs.Provider{native}, sys).Detail("rxe0"); err != nil {
			b.Fatal(err)
		}
		sys.Close()
	}
}

func BenchmarkHostList(b *testing.B) {
	vmtest.Need(b)
	inv := New([]verbs.Provider{&sysfsProvider{}}, Host())
	for b.Loop() {
		inv.List()
	}
}
