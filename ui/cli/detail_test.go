package cli

import (
	"slices"
	"strings"
	"testing"

	"rdmatui/devices"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// TestDetailHasEveryField: devices -v prints every field of the structs, those without a value too.
func TestDetailHasEveryField(t *testing.T) {
	d := devices.Detail{DeviceAttrEx: &verbs.DeviceAttrEx{}, Ports: make([]devices.Port, 1)}
	d.Name = "dev0"
	text := string(appendDetail(nil, &d))
	value := map[string]string{}
	for l := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimSpace(l), " ")
		value[name] = strings.TrimSpace(rest)
	}
	var names []string
	for i := range fields.Device {
		names = append(names, fields.Device[i].Name)
	}
	if len(names) != 40 {
		t.Errorf("struct ibv_device_attr has %d fields, want 40", len(names))
	}
	for i := range fields.DeviceEx {
		names = append(names, fields.DeviceEx[i].Name)
	}
	for i := range fields.Port {
		names = append(names, fields.Port[i].Name)
	}
	for _, name := range names {
		if value[name] == "" {
			t.Errorf("%s is not printed:\n%s", name, text)
		}
	}
	if value["fw_ver"] != "–" {
		t.Errorf("fw_ver is %q", value["fw_ver"])
	}
}

// TestPortsOfACard: each port has a line of the list and a part of the detail, which says
// which one is used where none is named; InfiniBand's has its LIDs, subnet prefix and P_Keys.
func TestPortsOfACard(t *testing.T) {
	d := devices.Detail{Ports: []devices.Port{
		{PortAttr: verbs.PortAttr{PortNum: 1, State: 1, LinkLayer: verbs.LinkEthernet}},
		{PortAttr: verbs.PortAttr{PortNum: 2, State: verbs.PortActive, LinkLayer: verbs.LinkInfiniBand,
			LID: 4, SMLID: 1},
			GIDs:  []devices.GID{{GID: verbs.GID{0: 0xfe, 1: 0xc0, 7: 7, 15: 4}, Type: verbs.GIDTypeIB}},
			PKeys: []uint16{0xffff, 0, 0x12}},
	}}
	d.Name, d.Provider, d.Transport = "mlx4_0", "ibverbs", "InfiniBand"
	s := devices.Summary{DeviceInfo: d.DeviceInfo, Ports: []devices.PortSummary{
		{PortNum: 1, State: 1, LinkLayer: verbs.LinkEthernet, Rate: 40, Netdev: "ens2"},
		{PortNum: 2, State: verbs.PortActive, LinkLayer: verbs.LinkInfiniBand, Rate: 56, Netdev: "ib0"},
	}}
	var list []string
	for _, row := range deviceRows(s) {
		list = append(list, strings.Join(row, " "))
	}
	if want := []string{"mlx4_0 ibverbs 1 DOWN RoCE 40 Gb/s ens2 0000:0000:0000:0000",
		"mlx4_0 ibverbs 2 ACTIVE InfiniBand 56 Gb/s ib0 0000:0000:0000:0000"}; !slices.Equal(list, want) {
		t.Errorf("%q", list)
	}
	_, ports, _ := strings.Cut(string(appendDetail(nil, &d)), "  port 1\n")
	first, second, _ := strings.Cut(ports, "  port 2\n")
	for _, tt := range []struct{ text, name, value string }{
		{first, "state", "DOWN"},
		{second, "default port", "the first ACTIVE port; port 1 is DOWN"}, {second, "state", "ACTIVE"},
		{second, "lid", "4"}, {second, "sm_lid", "1"},
		{second, "gid 0", "fec0:0:0:7::4 IB"}, {second, "pkey 0", "0xffff"}, {second, "pkey 2", "0x0012"},
	} {
		if !strings.Contains(tt.text, string(appendValue(nil, 2, tt.name, tt.value))) {
			t.Errorf("no %s %s in\n%s", tt.name, tt.value, tt.text)
		}
	}
	if strings.Contains(first, "default port") {
		t.Error("port 1 is called the default, too")
	}
}
