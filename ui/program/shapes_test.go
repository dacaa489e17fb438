package program

import (
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"rdmatui/ui/uitest"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// shape is a kind of network found on hosts, set up beside d0 with its own device, rxe1.
type shape struct {
	name    string
	lay     []string // the commands that set it up
	netdev  string   // the netdev of rxe1 and of its GIDs
	netdevs []string // made by lay, to be deleted
	gid     string   // the GID to choose
	address string   // where peers reach it
	// The stock servers listen on IPv4 only: without it they are reached through the loopback
	// interface, so the device has to be named.
	named bool
}

const secondDevice = "rxe1"

// Link-local addresses are made from the hardware address.
const (
	e0Hardware  = "02:00:00:00:08:01"
	e0LinkLocal = "fe80::ff:fe00:801"
)

var shapes = []shape{
	{
		name: "a second subnet", netdev: "e0", netdevs: []string{"e0"}, gid: "::ffff:10.8.0.1", address: "10.8.0.1",
		lay: []string{
			"ip link add e0 type veth peer name e1", "ip addr add 10.8.0.1/24 dev e0",
			"ip link set e0 up", "ip link set e1 up",
		},
	},
	{
		name: "a bond", netdev: "bond0", netdevs: []string{"bond0", "e0", "f0"},
		gid: "::ffff:10.7.0.1", address: "10.7.0.1",
		lay: []string{
			"ip link add bond0 type bond mode active-backup miimon 100",
			"ip link add e0 type veth peer name e1", "ip link add f0 type veth peer name f1",
			"ip link set e0 master bond0", "ip link set f0 master bond0", "ip link set e1 up", "ip link set f1 up",
			"ip addr add 10.7.0.1/24 dev bond0", "ip link set bond0 up",
		},
	},
	{
		name: "IPv6 only", netdev: "e0", netdevs: []string{"e0"}, gid: "fd00:8::1", address: "fd00:8::1", named: true,
		lay: []string{
			"ip link add e0 type veth peer name e1", "ip addr add fd00:8::1/64 dev e0 nodad",
			"ip link set e0 up", "ip link set e1 up",
		},
	},
	{
		name: "link-local only", netdev: "e0", netdevs: []string{"e0"}, gid: e0LinkLocal,
		address: e0LinkLocal + "%e0", named: true,
		lay: []string{
			"ip link add e0 address " + e0Hardware + " type veth peer name e1",
			"ip link set e0 up", "ip link set e1 up",
		},
	},
}

// make sets up the network and the device for the duration of the test, and returns the index of
// the GID to choose.
func (s *shape) make(t *testing.T) (row string) {
	for _, line := range s.lay {
		command(t, line)
	}
	t.Cleanup(func() {
		for _, netdev := range s.netdevs {
			command(t, "ip link del "+netdev)
		}
	})
	command(t, "rdma link add "+secondDevice+" type rxe netdev "+s.netdev)
	t.Cleanup(func() { command(t, "rdma link del "+secondDevice) })
	want := fmt.Sprintf("%x", netip.MustParseAddr(s.gid).As16())
	eventually(t, secondDevice+" has no GID "+s.gid, func() bool {
		row = rowWhere(secondDevice, func(gid string) bool { return strings.ReplaceAll(gid, ":", "") == want })
		return row != ""
	})
	eventually(t, s.address+" is not ready", func() bool {
		out, err := exec.Command("ip", "-6", "addr", "show", "dev", s.netdev, "tentative").Output()
		return err == nil && len(out) == 0
	})
	return row
}

// TestShapes: in each network a ping-pong with the stock program succeeds without naming a GID, also
// over the connection manager; the doctor names the GID index in use.
func TestShapes(t *testing.T) {
	vmtest.Need(t)
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			row := s.make(t)
			t.Run("doctor", func(t *testing.T) {
				doctor := start(t, vmtest.Binary(t), "doctor")
				_ = doctor.cmd.Wait() // it warns about other things
				has(t, doctor.out.String(), fmt.Sprintf("%s port 1: ", secondDevice),
					fmt.Sprintf("best %s: %s", row, s.gid))
				has(t, start(t, vmtest.Binary(t), "devices", "--json", secondDevice).done(),
					fmt.Sprintf("%q:%q", "netdev", s.netdev))
				has(t, start(t, vmtest.Binary(t), "advise", s.address).done(),
					fmt.Sprintf("use %s, port 1, GID index %s, source address", secondDevice, row))
			})
			t.Run("as the client", func(t *testing.T) { s.weConnect(t, row) })
			t.Run("as the server", func(t *testing.T) { s.weServe(t, row) })
			t.Run("by the connection manager", s.managed)
			nothingLeftOn(t, secondDevice)
			nothingLeft(t)
		})
	}
}

// TestShapesOnScreen plays the same ping-pong by keys.
func TestShapesOnScreen(t *testing.T) {
	vmtest.Need(t)
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			s.onScreen(t, s.make(t))
			nothingLeftOn(t, secondDevice)
			nothingLeft(t)
		})
	}
}

// stock runs the stock ping-pong, which must be given device and GID index.
func (s *shape) stock(t *testing.T, row, n, port string, more ...string) *program {
	args := []string{"-d", secondDevice, "-g", row, "-n", n, "-p", port}
	return start(t, vmtest.Program(t, "ibv_rc_pingpong"), append(args, more...)...)
}

func (s *shape) ours(t *testing.T, port string, more ...string) *program {
	return start(t, vmtest.Binary(t), append([]string{"scenario", "rc-pingpong", "-n", "10", "-p", port}, more...)...)
}

func (s *shape) weConnect(t *testing.T, row string) {
	port := freePort()
	server := s.stock(t, row, "10", port)
	server.listening(port)
	args := []string{s.address}
	if s.named {
		args = []string{"-d", secondDevice, "127.0.0.1"}
	}
	client := s.ours(t, port, args...)
	bothDone(t, client, server)
	has(t, client.out.String(), "open_device "+secondDevice, "sgid_index="+row+" ")
}

func (s *shape) weServe(t *testing.T, row string) {
	port := freePort()
	server := s.ours(t, port, "--server", "--bind", s.address)
	server.listening(port)
	bothDone(t, s.stock(t, row, "10", port, s.address), server)
	has(t, server.out.String(), "open_device "+secondDevice, "sgid_index="+row+" ")
}

// onScreen plays both roles by keys: the client finds the device by the address; without one, the
// server is given the device.
func (s *shape) onScreen(t *testing.T, row string) {
	tm := open(t, 120, 40, terminalEnv(), "--provider", "ibverbs")
	tm.Until("rxe0", "GID ")
	tm.Keys("7")
	tm.Until("rc-pingpong", "ibv_rc_pingpong -d DEVICE", "unset: rxe0") // the devices are known
	const port, n = "18515", "20"
	iterations := func() {
		tm.Keys("e", "backspace", "backspace", "backspace", "backspace")
		tm.Type(n)
		tm.Keys("enter", "enter")
	}
	var other *program
	if s.named {
		tm.Keys("e", "down", "down", "e")
		tm.Type(secondDevice)
		tm.Keys("enter", "down")
		iterations()
		tm.Until("waiting ")
		eventually(t, "the screen does not listen on port "+port, func() bool { return hereListens(port) })
		other = s.stock(t, row, n, port, s.address)
	} else {
		other = s.stock(t, row, n, port)
		other.listening(port)
		tm.Keys("o", "enter", "e")
		tm.Type(s.address)
		tm.Keys("enter", "down", "down")
		iterations()
	}
	ended(t, tm)
	other.done()
}

// ended waits for the end of a scenario on the screen, and leaves.
func ended(t *testing.T, tm *uitest.Terminal) {
	t.Helper()
	tm.Until("Finished. All its objects are destroyed")
	tm.Keys("esc")
	tm.Until("parameters")
	leaveNothing(t, tm)
}

// managed leaves the choice to the manager: both ends name only the address.
func (s *shape) managed(t *testing.T) {
	rping := func(more ...string) *program {
		return start(t, vmtest.Program(t, "rping"), append(more, "-a", s.address, "-V", "-C", "10", "-S", "64")...)
	}
	ours := []string{"scenario", "rping", "-n", "10", "-s", "64"}
	listens := func() bool { return strings.Contains(connectionsOn(t, secondDevice), "LISTEN") }
	server := rping("-s")
	eventually(t, "rping does not listen", listens)
	client := start(t, vmtest.Binary(t), append(ours, s.address)...)
	bothDone(t, client, server)
	has(t, client.out.String(), "device "+secondDevice)

	server = start(t, vmtest.Binary(t), slices.Concat(ours, []string{"--server", "--bind", s.address})...)
	eventually(t, "our rping does not listen", listens)
	bothDone(t, rping("-c"), server)
	has(t, server.out.String(), "device "+secondDevice)
}

// hereListens reports whether a process in this network namespace listens on the TCP port.
func hereListens(port string) bool {
	out, _ := exec.Command("ss", "-Hltn", "sport", "=", ":"+port).Output()
	return len(out) > 0
}

// TestExclusiveNamespaces: if each device is visible in one network namespace only, it works there, and
// elsewhere the doctor says why there is none.
func TestExclusiveNamespaces(t *testing.T) {
	vmtest.Need(t)
	// the mode can change only while there is no other namespace; the wire and its devices go with it
	command(t, "ip netns del peer")
	t.Cleanup(func() { restoreWire(t) })
	netnsMode(t, "exclusive")
	t.Cleanup(func() { netnsMode(t, "shared") })
	s := shapes[0]
	row := s.make(t)
	command(t, "ip netns add pod")
	t.Cleanup(func() { command(t, "ip netns del pod") })
	command(t, "ip -n pod link set lo up")
	tell := func(what string, prefix ...string) string {
		line := append(prefix, vmtest.Binary(t), "--provider", "ibverbs", what)
		p := start(t, line[0], line[1:]...)
		_ = p.cmd.Wait() // it fails in the pod
		return p.out.String()
	}
	has(t, tell("doctor"), fmt.Sprintf("%s port 1: ", secondDevice), fmt.Sprintf("best %s: %s", row, s.gid))
	s.weConnect(t, row)
	s.weServe(t, row)
	nothingLeftOn(t, secondDevice)
	pod := []string{"ip", "netns", "exec", "pod"}
	has(t, tell("doctor", pod...), "netns exclusive", "rdma dev set DEVICE netns NAME")
	if listed := tell("devices", pod...); strings.Contains(listed, secondDevice) {
		t.Errorf("the pod sees a device that is not in it:\n%s", listed)
	}
	out, err := exec.Command("rdma", "dev", "set", secondDevice, "netns", "pod").CombinedOutput()
	if !vmtest.KernelAtLeast(t, 7, 0) {
		// The driver must revoke what programs have opened, which rxe cannot.
		if err == nil || !strings.Contains(string(out), "not supported") {
			t.Errorf("%s can be moved to another namespace now, %v: %s", secondDevice, err, out)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s cannot be moved: %v: %s", secondDevice, err, out)
	}
	has(t, tell("doctor", pod...), "all GIDs belong to other network namespaces")
	if listed := tell("devices"); strings.Contains(listed, secondDevice) {
		t.Errorf("%s is seen where it was:\n%s", secondDevice, listed)
	}
	// back, for those who delete it
	command(t, "ip netns attach first 1")
	command(t, "ip netns exec pod rdma dev set "+secondDevice+" netns first")
	command(t, "ip netns del first")
	workInPod(t, pod)
}

// workInPod follows the doctor's advice for rxe: its interface is moved first, then its link is made and moved.
func workInPod(t *testing.T, pod []string) {
	t.Helper()
	const moved, podAddress = "rxe2", "10.6.0.1"
	for _, line := range []string{
		"ip link add g0 type veth peer name g1", "ip link set g0 netns pod", "ip link set g1 netns pod",
		"ip -n pod addr add " + podAddress + "/24 dev g0", "ip -n pod link set g0 up", "ip -n pod link set g1 up",
		"ip netns exec pod rdma link add " + moved + " type rxe netdev g0", "rdma dev set " + moved + " netns pod",
	} {
		command(t, line)
	}
	inPod := func(args ...string) *program {
		line := slices.Concat(pod, args)
		return start(t, line[0], line[1:]...)
	}
	eventually(t, "the doctor finds no GID in the pod", func() bool {
		doctor := inPod(vmtest.Binary(t), "--provider", "ibverbs", "doctor")
		_ = doctor.cmd.Wait()
		return strings.Contains(doctor.out.String(), "::ffff:"+podAddress)
	})
	port := freePort()
	server := inPod(vmtest.Program(t, "ibv_rc_pingpong"), "-d", moved, "-g", "1", "-n", "10", "-p", port)
	eventually(t, "ibv_rc_pingpong does not listen", func() bool {
		out, _ := exec.Command(pod[0], append(pod[1:], "ss", "-Hltn", "sport", "=", ":"+port)...).Output()
		return len(out) > 0
	})
	client := inPod(vmtest.Binary(t), "--provider", "ibverbs", "scenario", "rc-pingpong", "-n", "10", "-p", port,
		podAddress)
	bothDone(t, client, server)
	has(t, client.out.String(), "open_device "+moved)
}

// netnsMode sets whether devices are visible in all network namespaces. A deleted namespace disappears a
// little later.
func netnsMode(t *testing.T, mode string) {
	eventually(t, "the mode "+mode+" is refused", func() bool {
		return exec.Command("rdma", "system", "set", "netns", mode).Run() == nil
	})
}

// restoreWire sets the machine's initial wire up again.
func restoreWire(t *testing.T) {
	for _, line := range []string{
		"ip netns add peer", "ip link add d0 type veth peer name d1", "ip link set d1 netns peer",
		"ip addr add " + address + "/24 dev d0", "ip link set d0 up", "ip -n peer link set lo up",
		"ip -n peer addr add " + peerAddress + "/24 dev d1", "ip -n peer link set d1 up",
		"rdma link add " + device + " type rxe netdev d0",
	} {
		command(t, line)
	}
	if _, err := os.Stat("/sys/module/siw"); err == nil {
		command(t, "rdma link add siw0 type siw netdev d0")
	}
	eventually(t, device+" has no GID "+address, func() bool { return rowOf("0a09:0001") != "" })
}
