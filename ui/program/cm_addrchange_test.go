package program

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// onBond listens on a bond and waits for its address to change; the listener keeps
// its state and still works.
const onBond = `
rdma_create_event_channel events
rdma_create_id listen
rdma_bind_addr listen 10.96.0.1 port=7471
rdma_listen listen
rdma_get_cm_event ADDR_CHANGE id=listen timeout=60s
expect id listen LISTENING
rdma_destroy_id listen
`

// TestAddrChangeIsTold makes the bond under a session fail over.
func TestAddrChangeIsTold(t *testing.T) {
	vmtest.Need(t)
	for _, line := range strings.Split(strings.TrimSpace(`
ip link add s0 type bond mode active-backup fail_over_mac active
ip link add s1 type veth peer name s1p
ip link add s2 type veth peer name s2p
ip link set s1p up
ip link set s2p up
ip link set s1 master s0
ip link set s2 master s0
ip link set s0 up
ip addr add 10.96.0.1/24 dev s0
rdma link add rxe7 type rxe netdev s0`), "\n") {
		command(t, line)
	}
	t.Cleanup(func() {
		for _, line := range []string{"rdma link delete rxe7", "ip link del s0", "ip link del s1", "ip link del s2"} {
			command(t, line)
		}
	})
	dir := t.TempDir()
	script, said := filepath.Join(dir, "script"), filepath.Join(dir, "said")
	if err := os.WriteFile(script, []byte(onBond), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(said)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	ours := prepare(t, vmtest.Binary(t), "run", "--provider", "ibverbs", script).cmd
	ours.Stdout, ours.Stderr = out, out
	if err := ours.Start(); err != nil {
		t.Fatal(err)
	}
	text := func() string { b, _ := os.ReadFile(said); return string(bytes.TrimSpace(b)) }
	eventually(t, "ours does not listen", func() bool { return strings.Contains(text(), "listening at") })
	command(t, "ip link set s0 type bond active_slave s2")
	if err := ours.Wait(); err != nil {
		t.Errorf("%v:\n%s", err, text())
	}
	flat := strings.Join(strings.Fields(text()), " ")
	for _, want := range []string{"ADDR_CHANGE", "the interface's hardware address changed", "connect again"} {
		if !strings.Contains(flat, want) {
			t.Errorf("%q is not in\n%s", want, text())
		}
	}
}
