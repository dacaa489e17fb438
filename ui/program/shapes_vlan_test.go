package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// The addresses of a VLAN on the wire between d0 and d1.
const vlanOurs, vlanTheirs = "10.100.0.1", "10.100.0.2"

// layVLAN makes a VLAN with its own subnet on both ends of the wire.
func layVLAN(t *testing.T) {
	for _, line := range []string{
		"ip link add link d0 name d0.100 type vlan id 100", "ip addr add " + vlanOurs + "/24 dev d0.100",
		"ip link set d0.100 up",
		"ip -n peer link add link d1 name d1.100 type vlan id 100",
		"ip -n peer addr add " + vlanTheirs + "/24 dev d1.100", "ip -n peer link set d1.100 up",
	} {
		command(t, line)
	}
	t.Cleanup(func() {
		command(t, "ip link del d0.100")
		command(t, "ip -n peer link del d1.100")
	})
	eventually(t, device+" has no GID "+vlanOurs, func() bool { return rowOf("0a64:0001") != "" })
}

// TestVLANIsFound: a ping-pong over a VLAN succeeds without naming a GID, with the
// software device and with the stock program, in both roles.
func TestVLANIsFound(t *testing.T) {
	vmtest.Need(t)
	layVLAN(t)
	ours := []string{vmtest.Binary(t), "scenario", "rc-pingpong", "-d", device, "-n", "10"}
	soft := []string{"ip", "netns", "exec", "peer", vmtest.Binary(t), "--provider", "soft", "--soft", vlanTheirs,
		"scenario", "rc-pingpong", "-d", "soft0", "-n", "10"}
	stock := []string{vmtest.Program(t, "ibv_rc_pingpong"), "-d", device, "-g", rowOf("0a64:0001"), "-n", "10"}
	for _, tt := range []struct {
		name           string
		server, client []string
		address        string
	}{
		{"with the software device as the server", soft, ours, vlanTheirs},
		{"with the software device as the client", ours, soft, vlanOurs},
		{"with the stock program as the server", stock, ours, vlanOurs},
		{"with the stock program as the client", ours, stock, vlanOurs},
	} {
		t.Run(tt.name, func(t *testing.T) {
			port := freePort()
			end := func(command []string, more ...string) *program {
				args := append(append([]string{}, command[1:]...), "-p", port)
				return start(t, command[0], append(args, more...)...)
			}
			serves := func(command []string) []string {
				if command[0] == stock[0] {
					return nil
				}
				return []string{"--server"}
			}
			server := end(tt.server, serves(tt.server)...)
			server.listening(port)
			client := end(tt.client, tt.address)
			bothDone(t, client, server)
		})
	}
	nothingLeft(t)
}

// TestDoctorNamesTheRowOfThePod: in a separate network namespace the kernel shows the
// GIDs of all namespaces; the doctor names the namespace's own, which is also the
// default for sgid_index.
func TestDoctorNamesTheRowOfThePod(t *testing.T) {
	vmtest.Need(t)
	for _, line := range []string{
		"ip netns add pod", "ip link add mv0 link d0 type macvlan mode bridge", "ip link set mv0 netns pod",
		"ip -n pod addr add 10.9.0.77/24 dev mv0", "ip -n pod link set mv0 up", "ip -n pod link set lo up",
	} {
		command(t, line)
	}
	t.Cleanup(func() { command(t, "ip netns del pod") })
	eventually(t, device+" has no GID 10.9.0.77", func() bool { return rowOf("0a09:004d") != "" })
	row := rowOf("0a09:004d")
	inPod := func(args ...string) string {
		p := start(t, "ip", append([]string{"netns", "exec", "pod", vmtest.Binary(t)}, args...)...)
		_ = p.cmd.Wait() // doctor warns about other things
		return p.out.String()
	}
	script := filepath.Join(t.TempDir(), "ah.rdma")
	if err := os.WriteFile(script, []byte("open_device "+device+"\nalloc_pd pd\ncreate_ah ah dgid=::ffff:10.9.0.2\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"best " + row + ": ::ffff:10.9.0.77", []string{"doctor"}},
		{"mv0", []string{"devices", "-d", device, "--json"}},
		{" sgid_index=" + row + " ", []string{"run", script}},
	} {
		if out := inPod(tt.args...); !strings.Contains(out, tt.want) {
			t.Errorf("%v does not say %q:\n%s", tt.args, tt.want, out)
		}
	}
}
