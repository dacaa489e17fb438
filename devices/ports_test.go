package devices

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rdmatui/verbs"
)

const portDown verbs.PortState = 1

// twoPorts is a card with a cable only in its second port.
func twoPorts(t *testing.T) *fakeDevice {
	d := card(t, "mlx4_0")
	d.attr.PhysPortCnt = 2
	d.ports = []verbs.PortAttr{d.port, d.port}
	d.ports[0].State, d.ports[0].PKeyTblLen, d.ports[1].PKeyTblLen = portDown, 1, 1
	d.gids = []verbs.GIDEntry{{PortNum: 2, Index: 1, GID: gid(t, "10.9.2.1"), Type: verbs.GIDTypeRoCEv2}}
	return d
}

// infiniBand is a card in an InfiniBand subnet, and a limited member of a second
// partition.
func infiniBand(t *testing.T) *fakeDevice {
	d := card(t, "mlx5_0")
	d.port = verbs.PortAttr{
		State: verbs.PortActive, LinkLayer: verbs.LinkInfiniBand, LID: 4, SMLID: 1, GIDTblLen: 8, PKeyTblLen: 2,
	}
	d.pkeys = []uint16{0xffff, 0x0012}
	d.gids = []verbs.GIDEntry{{PortNum: 1, GID: gid(t, "fec0:0:0:7::4"), Type: verbs.GIDTypeIB}}
	return d
}

func mixed(t *testing.T) *fakeDevice {
	d := twoPorts(t)
	d.info.Name, d.ports[0].LinkLayer = "mlx4_1", verbs.LinkInfiniBand
	return d
}

// TestPortsListed: each port has its own state, rate and netdev, and the default is
// the first that is ACTIVE.
func TestPortsListed(t *testing.T) {
	p := &fakeProvider{name: "ibverbs", devices: []*fakeDevice{twoPorts(t), mixed(t), infiniBand(t)}}
	var got []string
	for _, d := range New([]verbs.Provider{p}, plant(t, "ports")).List() {
		for _, p := range d.Ports {
			got = append(got, fmt.Sprintln(d.Name, p.PortNum, p.State, p.LinkLayer, p.Rate, p.Netdev))
		}
		got = append(got, fmt.Sprintln("use", d.UsualPort().PortNum, d.UsualPort().Why))
	}
	want := `mlx4_0 1 DOWN ETHERNET 40 ens2
mlx4_0 2 ACTIVE ETHERNET 40 ens2d1
use 2 the first ACTIVE port; port 1 is DOWN
mlx4_1 1 DOWN INFINIBAND 10 ib0
mlx4_1 2 ACTIVE ETHERNET 40 ens3
use 2 the first ACTIVE port; port 1 is DOWN
mlx5_0 1 ACTIVE INFINIBAND 100 ib1
use 1 the only port
`
	if strings.Join(got, "") != want {
		t.Errorf("got\n%swant\n%s", strings.Join(got, ""), want)
	}
}

// TestPortsInDetail: a card's ports have their own tables, and InfiniBand ports their
// LIDs, subnet prefix and P_Keys.
func TestPortsInDetail(t *testing.T) {
	inv := New([]verbs.Provider{&fakeProvider{name: "ibverbs", devices: []*fakeDevice{twoPorts(t), infiniBand(t)}}},
		plant(t, "ports"))
	two, err := inv.Detail("mlx4_0")
	if err != nil || len(two.Ports) != 2 || two.Ports[0].State != portDown || len(two.Ports[0].GIDs) != 0 ||
		len(two.Ports[1].GIDs) != 1 || two.Ports[1].PortNum != 2 {
		t.Errorf("%+v, %v", two.Ports, err)
	}
	ib, err := inv.Detail("mlx5_0")
	if err != nil {
		t.Fatal(err)
	}
	p := ib.Ports[0]
	if p.LID != 4 || p.SMLID != 1 || !slices.Equal(p.PKeys, []uint16{0xffff, 0x0012}) ||
		p.GIDs[0].GID.SubnetPrefix() != 0xfec0000000000007 || p.GIDs[0].Netdev != "" {
		t.Errorf("%+v", p)
	}
}

// TestPortsDiagnosed: each port is reported by number with advice for its link layer,
// and the default is named.
func TestPortsDiagnosed(t *testing.T) {
	p := &fakeProvider{name: "ibverbs", devices: []*fakeDevice{twoPorts(t), mixed(t), infiniBand(t)}}
	found := New([]verbs.Provider{p}, plant(t, "ports")).Diagnose(t.Context(), "")
	checkForm(t, found)
	for _, tt := range []struct {
		check                 string
		status                Status
		looked, meaning, next string
	}{
		{"ports", Warn, "mlx4_0 port 1: DOWN; ens2: down", "time out; default port: 2", "ip link set ens2 up"},
		{"ports", OK, "mlx4_0 port 2: ACTIVE", "carries packets; default port: the first ACTIVE port; port 1 is DOWN",
			""},
		{"ports", Warn, "mlx4_1 port 1: DOWN, LID 0, SM LID 0", "default port: 2", "opensm"},
		{"ports", OK, "mlx5_0 port 1: ACTIVE, LID 4, SM LID 1", "carries packets", ""},
		{"gids", Warn, "mlx4_0 port 1: 0 GIDs", "no address", "ens2"},
		{"gids", OK, "mlx4_0 port 2: 1 GID, best 1: ::ffff:10.9.2.1", "connect", ""},
		{"gids", Warn, "mlx4_1 port 1: 0 GIDs", "the port has no GID", "dmesg"},
		{"gids", OK, "mlx5_0 port 1: 1 GID, best 0: fec0:0:0:7::4 IB", "connect", ""},
	} {
		if !slices.ContainsFunc(named(found, tt.check), func(f Finding) bool {
			return f.Status == tt.status && strings.HasPrefix(f.Looked, tt.looked) &&
				strings.Contains(f.Meaning, tt.meaning) && strings.Contains(f.Next, tt.next)
		}) {
			t.Errorf("no finding %s %s %q %q %q in\n%+v", tt.check, tt.status, tt.looked, tt.meaning, tt.next,
				named(found, tt.check))
		}
	}
}
