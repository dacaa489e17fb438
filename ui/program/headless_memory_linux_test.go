package program

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// TestMemoryLimit allocates more than there is memory for, within the device's limits, where the runtime would end the
// program with the stacks of all goroutines. It must report ENOMEM instead, destroy its objects, and fail.
func TestMemoryLimit(t *testing.T) {
	if vmtest.Inside() {
		t.Skip("nothing in it depends on the kernel's devices")
	}
	const head = "open_device soft0\nalloc_pd pd\ncreate_cq cq cqe=64\n"
	for name, line := range map[string]string{
		"regions":           "repeat 40 reg_mr length=1073741824",
		"queue pairs":       "repeat 2000 create_qp max_send_wr=16384 max_recv_wr=16384 max_send_sge=32 max_recv_sge=32 max_inline_data=512",
		"completion queues": "repeat 16000 create_cq cqe=131072",
		"receive queues":    "repeat 16000 create_srq max_wr=16384 max_sge=32",
		"a region resized":  "reg_mr m length=1\nrereg_mr m length=1073741824",
	} {
		for _, limit := range []string{"-v 2400000", "-d 500000"} {
			t.Run(name+", ulimit "+limit, func(t *testing.T) {
				cmd := exec.CommandContext(t.Context(), "sh", "-c",
					fmt.Sprintf(`ulimit %s && exec "$0" --soft 127.14.0.9 run -`, limit), binary(t))
				cmd.Stdin = strings.NewReader(head + line)
				var stderr strings.Builder
				cmd.Stderr = &stderr
				err := cmd.Run()
				text := stderr.String()
				if err == nil || cmd.ProcessState.ExitCode() != 1 || strings.Count(text, "\n") != 1 ||
					!strings.Contains(text, "ENOMEM") ||
					!strings.Contains(text, "memory budget") {
					t.Errorf("%v: %.300s", err, text)
				}
			})
		}
	}
}
