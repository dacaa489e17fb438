package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// undone destroys a queue pair and a region with bytes in it, makes both again, and writes from one end to the other.
const undone = `open_device ` + device + `
alloc_pd pd
reg_mr src pd=pd length=64 access=LOCAL_WRITE
reg_mr dst pd=pd length=64 access=LOCAL_WRITE|REMOTE_WRITE
create_cq cq cqe=16
create_qp a pd=pd send_cq=cq recv_cq=cq
create_qp b pd=pd send_cq=cq recv_cq=cq
connect_qps a b
write_mem dst "kept" offset=8
destroy_qp b
dereg_mr dst
undo
undo
expect mem dst "kept" offset=8
modify_qp a RESET
connect_qps a b
write_mem src "written"
post_send a RDMA_WRITE sge=src:0:7 remote_addr=dst.addr rkey=dst.rkey
poll_cq cq n=1 timeout=10s
expect wc status=SUCCESS
expect mem dst "written"
`

// TestUndoOnKernel: what undo makes again works on the kernel's device.
func TestUndoOnKernel(t *testing.T) {
	vmtest.Need(t)
	script := filepath.Join(t.TempDir(), "undo.rdma")
	if err := os.WriteFile(script, []byte(undone), 0o600); err != nil {
		t.Fatal(err)
	}
	out := kernelSide(t).start(t, "run", script).done()
	for _, want := range []string{"dst again; ", "b again; its qp_num is new: "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
