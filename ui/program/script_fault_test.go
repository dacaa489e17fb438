package program

import (
	"strings"
	"testing"
)

// TestFaultsInAScript loses and reorders packets in a script without a screen: every message still arrives, and the
// results show the settings.
func TestFaultsInAScript(t *testing.T) {
	const script = `
open_device soft0
alloc_pd pd
reg_mr src length=65536
reg_mr dst length=65536 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ
create_cq cq cqe=64
create_qp a
create_qp b
connect_qps a b timeout=14
fault loss=10% reorder=0.1 duplicate=5% corrupt=1% seed=7
write_mem src pattern:65536
post_recv b sge=dst count=8
repeat 8 post_send a SEND sge=src
poll_cq cq n=16 timeout=30s
expect mem dst 0 pattern:65536
write_mem src "other"
post_send a RDMA_READ wr_id=99 sge=src remote_addr=dst.addr rkey=dst.rkey
poll_cq cq timeout=30s
expect mem src 0 pattern:65536
fault off
fault
`
	out, errs, status := invoke(t, script, "run", "--provider", "soft", "-")
	if status != 0 {
		t.Fatalf("status %d\n%s%s", status, out, errs)
	}
	for _, want := range []string{"loss=10% duplicate=5% reorder=10% corrupt=1% seed=7", "sends: none"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestFaultHelp checks the help against the table.
func TestFaultHelp(t *testing.T) {
	out, _, status := invoke(t, "", "help", "fault")
	if status != 0 || !strings.Contains(out, "loss=SHARE") || !strings.Contains(out, "corrupt") {
		t.Errorf("status %d\n%s", status, out)
	}
}
