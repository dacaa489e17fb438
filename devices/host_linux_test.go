package devices

import (
	"context"
	"encoding/json"
	"net/netip"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rdmatui/verbs"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// sysfsProvider lists the kernel's devices without a library.
type sysfsProvider struct{ fakeProvider }

func (p *sysfsProvider) Devices() ([]verbs.DeviceInfo, error) {
	names, err := Host().ReadDir(classDir)
	var infos []verbs.DeviceInfo
	for _, name := range names {
		infos = append(infos, verbs.DeviceInfo{Name: name, Provider: "ibverbs"})
	}
	return infos, err
}

func run(t *testing.T, line string) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", line).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

func TestHostJoin(t *testing.T) {
	vmtest.Need(t)
	sys := Host()
	defer sys.Close()
	native := &fakeProvider{name: "ibverbs", devices: []*fakeDevice{rxe0(t)}}
	d, err := New([]verbs.Provider{native}, sys).Detail("rxe0")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(d.HostFacts)
	t.Logf("%s", text)
	if len(d.Problems) != 0 {
		t.Errorf("problems: %+v", d.Problems)
	}
	if d.Driver != "rdma_rxe" || d.NodeDesc != "rxe" || !slices.Contains(d.KernelModules, "ib_uverbs") ||
		d.KernelModules[0] != "rdma_rxe" {
		t.Errorf("driver %q, node_desc %q, modules %q", d.Driver, d.NodeDesc, d.KernelModules)
	}
	for _, file := range []string{"/dev/infiniband/uverbs0", "/dev/infiniband/rdma_cm", "/dev/infiniband/umad0"} {
		if !slices.Contains(d.CharDevices, file) {
			t.Errorf("no %s in %q", file, d.CharDevices)
		}
	}
	if len(d.Netdevs) != 1 || d.Netdevs[0].Name != "d0" || d.Netdevs[0].OperState != "up" || d.Netdevs[0].MTU != 1500 ||
		!slices.Contains(d.Netdevs[0].Addresses, netip.MustParsePrefix("10.9.0.1/24")) {
		t.Errorf("netdevs: %+v", d.Netdevs)
	}
	if g := d.Ports[0].GIDs; g[0].Netdev != "d0" || g[1].Netdev != "d0" {
		t.Errorf("GIDs: %+v", g)
	}
}

func TestHostListAgreesWithRdmaLink(t *testing.T) {
	vmtest.Need(t)
	list := New([]verbs.Provider{&sysfsProvider{}}, Host()).List()
	if len(list) != 1 || len(list[0].Ports) != 1 {
		t.Fatalf("list: %+v", list)
	}
	p := list[0].Ports[0]
	link := run(t, "rdma link show "+list[0].Name+"/1")
	for _, part := range []string{"link rxe0/1", "state " + p.State.String(), "netdev " + p.Netdev} {
		if !strings.Contains(link, part) {
			t.Errorf("%q is not in %q", part, link)
		}
	}
	if dev, err := Host().DeviceForNetdev("d0"); dev != "rxe0" || err != nil {
		t.Errorf("the device on d0: %q, %v", dev, err)
	}
}

func TestHostResources(t *testing.T) {
	vmtest.Need(t)
	server := exec.Command(vmtest.Program(t, "ibv_rc_pingpong"), "-d", "rxe0", "-g", "1")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		server.Process.Kill()
		server.Wait()
	}()
	sys := Host()
	defer sys.Close()
	pid := uint32(server.Process.Pid)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		r, err := New(nil, sys).Resources("rxe0")
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(r.QPs, func(q QPUse) bool { return q.PID == pid })
		if i >= 0 && r.QPs[i].State == verbs.QPInit {
			// The kernel reports the totals before the queue pairs, and they may
			// predate this one: read both again.
			if r, err = New(nil, sys).Resources("rxe0"); err != nil {
				t.Fatal(err)
			}
			i = slices.IndexFunc(r.QPs, func(q QPUse) bool { return q.PID == pid })
			if i < 0 {
				t.Fatalf("the server's QP is gone: %+v", r)
			}
			checkPingpong(t, r, r.QPs[i], pid)
			break
		}
		if !sleep(ctx, 50*time.Millisecond) {
			t.Fatalf("the server's QP does not show: %+v", r)
		}
	}
	if r, err := New(nil, sys).Resources("none"); err == nil {
		t.Errorf("resources of a device that does not exist: %+v", r)
	}
}

// TestHostConnections: a listening rdma_cm_id is told as iproute2 tells it.
func TestHostConnections(t *testing.T) {
	vmtest.Need(t)
	server := exec.Command(vmtest.Program(t, "rping"), "-s", "-a", "10.9.0.1", "-p", "7999")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		server.Process.Kill()
		server.Wait()
	}()
	sys := Host()
	defer sys.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		r, err := New(nil, sys).Resources("rxe0")
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(r.CMIDs, func(u CMIDUse) bool { return u.PID == uint32(server.Process.Pid) })
		if i >= 0 && r.CMIDs[i].State == "LISTEN" {
			stock := run(t, "rdma resource show cm_id")
			if u := r.CMIDs[i]; u.PortSpace != "TCP" || u.Src.String() != "10.9.0.1:7999" || u.Dst.IsValid() ||
				u.Comm != "rping" || !strings.Contains(stock, "state LISTEN ps TCP") ||
				!strings.Contains(stock, "src-addr "+u.Src.String()) {
				t.Errorf("%+v, iproute2: %s", u, stock)
			}
			return
		}
		if !sleep(ctx, 50*time.Millisecond) {
			t.Fatalf("the server's rdma_cm_id does not show: %+v", r)
		}
	}
}

func checkPingpong(t *testing.T, r Resources, qp QPUse, pid uint32) {
	t.Helper()
	text, _ := json.Marshal(r)
	t.Logf("%s", text)
	if qp.Type != "RC" || !strings.HasPrefix(qp.Comm, "ibv_rc_pingpong") {
		t.Errorf("the server's QP: %+v", qp)
	}
	if !strings.Contains(run(t, "rdma resource show qp"), "lqpn "+strconv.Itoa(int(qp.QPNum))) {
		t.Errorf("rdma resource does not show QP %d", qp.QPNum)
	}
	i := slices.IndexFunc(r.Users, func(u User) bool { return u.PID == pid })
	if i < 0 || r.Users[i].Counts["mr"] != 1 || r.Users[i].Counts["qp"] != 1 {
		t.Errorf("users: %+v", r.Users)
	}
	if r.Totals["qp"] < 2 || r.Totals["mr"] < 1 {
		t.Errorf("totals: %v", r.Totals)
	}
}

func TestHostWatchSeesALinkBeingMade(t *testing.T) {
	vmtest.Need(t)
	sys := Host()
	defer sys.Close()
	inv := New([]verbs.Provider{&sysfsProvider{}}, sys)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	changed := inv.Watch(ctx)
	run(t, "ip link add w0 type dummy && ip link set w0 up && rdma link add rxew type rxe netdev w0")
	has := func() bool {
		return slices.ContainsFunc(inv.List(), func(s Summary) bool { return s.Name == "rxew" })
	}
	for range changed {
		if has() {
			break
		}
	}
	if !has() {
		t.Fatal("a new device was not announced")
	}
	run(t, "rdma link delete rxew; ip link delete w0")
	for range changed {
		if !has() {
			break
		}
	}
	if has() {
		t.Error("the removal of a device was not announced")
	}
	cancel()
	for range changed {
	}
}

func TestHostDiagnosis(t *testing.T) {
	vmtest.Need(t)
	sys := Host()
	defer sys.Close()
	native := &fakeProvider{name: "ibverbs", devices: []*fakeDevice{rxe0(t)}}
	found := New([]verbs.Provider{native}, sys).Diagnose(t.Context(), "")
	for _, f := range found {
		t.Logf("%-4s %-16s %s; %s. %s", f.Status, f.Check, f.Looked, f.Meaning, f.Next)
	}
	checkForm(t, found)
	if Worst(found) == Fail {
		t.Error("a working machine fails")
	}
	for _, name := range []string{"rdma_class", "char_devices", "provider_drivers", "soft_roce", "udp_4791", "gids"} {
		f := named(found, name)
		if len(f) == 0 || f[0].Status != OK {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestCharDevicesOfAName: a device's name is part of the path of its files; what is no name is not looked up.
func TestCharDevicesOfAName(t *testing.T) {
	for name, want := range map[string]bool{"rxe0": true, "mlx5_0": true, "": false, "..": false, "../mlx5_0": false,
		strings.Repeat("x", maxText+1): false} {
		asked := ""
		got := charDevices(name, func(device string) []string {
			asked = device
			return []string{"/dev/infiniband/uverbs0"}
		})
		if (len(got) == 1) != want || (asked == name) != (want || name == "") {
			t.Errorf("%.10q: %v, asked for %.10q", name, got, asked)
		}
	}
}
