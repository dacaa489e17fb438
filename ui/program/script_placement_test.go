package program

import (
	"os"
	"strings"
	"testing"

	"rdmatui/ui/cli"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// placementScript returns the script of FLUSH and ATOMIC_WRITE for a device.
func placementScript(t *testing.T, device string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/export/placement.rdma")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "soft0", device)
}

// TestPlacementScript runs it on the software device.
func TestPlacementScript(t *testing.T) {
	out, stderr, status := invoke(t, placementScript(t, "soft0"), "run", "--json", "-")
	if status != cli.Done {
		t.Fatalf("status %d: %s\n%s", status, stderr, out)
	}
	for _, want := range []string{"ibv_create_qp_ex(soft0", "ibv_wr_flush(qpx", "ibv_wr_atomic_write(qpx"} {
		if !strings.Contains(out, want) {
			t.Errorf("no call %s", want)
		}
	}
}

// TestPlacementScriptOnKernel runs it on the kernel's device. If that lacks the operations, this is reported before
// anything is posted.
func TestPlacementScriptOnKernel(t *testing.T) {
	vmtest.Need(t)
	if hasPlacement(t) {
		if out, stderr, status := invoke(t, placementScript(t, "rxe0"), "run", "--json", "-"); status != cli.Done {
			t.Errorf("status %d: %s\n%s", status, stderr, out)
		}
		nothingLeft(t)
		return
	}
	script := "open_device rxe0\nalloc_pd\ncreate_cq cq\ncreate_qp a send_ops_flags=FLUSH\n"
	out, stderr, status := invoke(t, script, "run", "-")
	if status != cli.Failed || !strings.Contains(stderr, "EOPNOTSUPP") ||
		!strings.Contains(out, "device_cap_flags_ex of rxe0 lacks FLUSH_GLOBAL") {
		t.Errorf("status %d: %s\n%s", status, stderr, out)
	}
}
