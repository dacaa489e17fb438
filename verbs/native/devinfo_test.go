package native_test

import (
	"fmt"
	"os/exec"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/native"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// TestDevinfoAgrees compares every attribute with the output of ibv_devinfo.
func TestDevinfoAgrees(t *testing.T) {
	vmtest.Need(t)
	out, err := exec.Command(vmtest.Program(t, "ibv_devinfo"), "-v", "-d", vmDevice).Output()
	if err != nil {
		t.Fatal(err)
	}
	devinfo := parseDevinfo(string(out))
	r := openRig(t)
	attr, err := r.dev.QueryDevice()
	r.must(err)
	compareDevinfo(t, attr, devinfo, nil, "max_map_per_fmr") // printed only where max_fmr is not 0
	port, err := r.dev.QueryPort(1)
	r.must(err)
	compareDevinfo(t, port, devinfo, map[string]string{"port_num": "port", "lid": "port_lid", "lmc": "port_lmc"},
		"flags")
	if port.Flags&verbs.PortGRHRequired == 0 {
		t.Error("a RoCE port does not require a GRH")
	}
	ex, err := r.dev.QueryDeviceEx()
	r.must(err)
	if want := devinfo["device_cap_flags_ex"]; fmt.Sprintf("0x%X", uint64(ex.DeviceCapFlagsEx)) != want {
		t.Errorf("device_cap_flags_ex 0x%x, ibv_devinfo says %s", uint64(ex.DeviceCapFlagsEx), want)
	}
	table, err := r.dev.QueryGIDTable()
	r.must(err)
	seen := 0
	for _, e := range table {
		want := devinfo[fmt.Sprintf("GID[%3d]", e.Index)]
		if kind := map[verbs.GIDType]string{verbs.GIDTypeRoCEv2: "RoCE v2",
			verbs.GIDTypeRoCEv1: "RoCE v1"}[e.Type]; want != e.GID.String()+", "+kind {
			t.Errorf("GID %d is %s %s, ibv_devinfo says %q", e.Index, e.GID, e.Type, want)
		}
		if e.Netdev != "d0" || e.PortNum != 1 {
			t.Errorf("GID %d is of port %d on %q, want port 1 on d0", e.Index, e.PortNum, e.Netdev)
		}
		seen++
	}
	if printed := strings.Count(string(out), "GID["); seen != printed || seen == 0 {
		t.Errorf("%d GIDs, ibv_devinfo prints %d", seen, printed)
	}
}

// parseDevinfo returns the printed values by name.
func parseDevinfo(out string) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(out) {
		if name, value, ok := strings.Cut(line, ":\t"); ok {
			values[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return values
}

// compareDevinfo compares each field of attr with the printed line of the same name.
func compareDevinfo(t *testing.T, attr any, devinfo, renamed map[string]string, unprinted ...string) {
	t.Helper()
	v := reflect.ValueOf(attr)
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		printedName := name
		if other, ok := renamed[name]; ok {
			printedName = other
		}
		printed, ok := devinfo[printedName]
		if !ok {
			if !strings.Contains(strings.Join(unprinted, " "), name) {
				t.Errorf("ibv_devinfo prints no %s", name)
			}
			continue
		}
		if got := plain(v.Field(i)); got != number(printed) && !strings.EqualFold(fmt.Sprint(v.Field(i)), printed) {
			t.Errorf("%s is %s (%v), ibv_devinfo says %q", name, got, v.Field(i), printed)
		}
	}
}

// plain formats integers without the names of their types.
func plain(v reflect.Value) string {
	switch {
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	default:
		return fmt.Sprint(v)
	}
}

var inBrackets = regexp.MustCompile(`\((\d+)\)$`)

// number converts "0x1f", "31" and "PORT_ACTIVE (4)" to decimal; other text stays.
func number(s string) string {
	if m := inBrackets.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	if n, err := strconv.ParseUint(s, 0, 64); err == nil {
		return strconv.FormatUint(n, 10)
	}
	return s
}

func TestDeviceList(t *testing.T) {
	vmtest.Need(t)
	list, err := native.New().Devices()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 {
		t.Fatalf("%d devices, want %s alone", len(list), vmDevice)
	}
	guid := list[0].NodeGUID
	want := verbs.DeviceInfo{
		Name: vmDevice, Provider: "ibverbs", NodeGUID: guid, NodeType: "CA", Transport: "InfiniBand",
		DevName: "uverbs0", DevPath: "/sys/class/infiniband_verbs/uverbs0", IBDevPath: "/sys/class/infiniband/rxe0",
	}
	if list[0] != want || guid == (verbs.GUID{}) {
		t.Errorf("%+v, want %+v", list[0], want)
	}
}
