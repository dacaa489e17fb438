package cli

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"rdmatui/devices"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// TestGIDTable: one row for each used row of every device, as text and as JSON.
func TestGIDTable(t *testing.T) {
	_, stdout, stderr, status := invokeSoft("", "devices", "--gids", "soft1")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if status != Done || len(lines) != 3 || !slices.Equal(strings.Fields(lines[0]),
		[]string{"DEVICE", "PORT", "INDEX", "GID", "TYPE", "NETDEV"}) ||
		!slices.Equal(strings.Fields(lines[2]), []string{"soft1", "1", "1", "::ffff:127.0.0.2", "ROCE_V2"}) {
		t.Errorf("exit status %d, %s\n%s", status, stderr, stdout)
	}
	if _, all, _, _ := invokeSoft("", "devices", "--gids"); strings.Count(all, "ROCE_V2") != 4 {
		t.Errorf("all devices:\n%s", all)
	}
	_, stdout, _, _ = invokeSoft("", "devices", "--gids", "--json", "soft1")
	lines = strings.Split(strings.TrimSpace(stdout), "\n")
	var row map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &row); err != nil || row["device"] != "soft1" ||
		row["index"] != 1.0 || row["gid"] != "::ffff:127.0.0.2" {
		t.Errorf("%v, %s", err, stdout)
	}
}

// TestCompare names what differs, the values of one side alone too, and counts the rest.
func TestCompare(t *testing.T) {
	_, stdout, _, status := invokeSoft("", "devices", "soft0", "soft1")
	if status != Done || !strings.Contains(stdout, "\nport 1 gid 1  ::ffff:127.0.0.1 ROCE_V2 ") ||
		!strings.Contains(stdout, "\n3 differences, ") || strings.Contains(stdout, "max_qp") {
		t.Errorf("exit status %d:\n%s", status, stdout)
	}
	one := devices.Detail{Ports: make([]devices.Port, 1)}
	two := devices.Detail{Ports: make([]devices.Port, 2)}
	one.Name, two.Name = "one", "two"
	one.Ports[0].PortNum, two.Ports[0].PortNum, two.Ports[1].PortNum = 1, 1, 2
	two.DeviceAttr.DeviceCapFlags = uint32(verbs.DeviceCap(1<<0 | 1<<4))
	two.Ports[0].PKeys = []uint16{0xffff}
	a, b := sideOf(&one), sideOf(&two)
	for key, want := range map[string][2]string{
		"device_cap_flags": {"0x0", "0x11 RESIZE_MAX_WR AUTO_PATH_MIG"},
		"port 1 pkey 0":    {"", "0xffff"}, "port 2 lid": {"", "0"},
	} {
		if got := [2]string{a.values[key], b.values[key]}; got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	all := merged([]string{"a", "b", "e"}, []string{"a", "c", "b", "d"})
	if got := strings.Join(all, " "); got != "a c b d e" {
		t.Errorf("merged: %s", got)
	}
}

// TestDeviceByGUID: a node GUID stands for a name, in each of the forms that other programs print.
func TestDeviceByGUID(t *testing.T) {
	p := soft.New(soft.Options{})
	infos, err := p.Devices()
	if err != nil {
		t.Fatal(err)
	}
	guid := infos[1].NodeGUID.String()
	plain := strings.ReplaceAll(guid, ":", "")
	for text, want := range map[string]string{guid: "soft1", "0x" + plain: "soft1", strings.ToUpper(plain): "soft1",
		"soft1": "soft1", "0000:0000:0000:0001": "0000:0000:0000:0001", "mlx5_0": "mlx5_0",
		"sixteen_letters_": "sixteen_letters_"} {
		if got := nameOf([]verbs.Provider{p}, text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	for _, args := range [][]string{{"devices", "-d", guid}, {"devices", guid}} {
		var stdout, stderr bytes.Buffer
		program := &Program{Native: func() verbs.Provider { return p }, Host: devices.Host(),
			Stdin: strings.NewReader(""), Soft: func([]netip.Addr) verbs.Provider { return noLibrary{} },
			Stdout: &stdout, Stderr: &stderr}
		if status := program.Run(t.Context(), args); status != Done || !strings.HasPrefix(stdout.String(), "soft1 ") {
			t.Errorf("%q: exit status %d, %s%s", args, status, stderr.String(), stdout.String())
		}
	}
}
