package program

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// goesAddr is the address of the device that goes.
const goesAddr = "10.99.0.1"

// waitingRun waits for a message that does not come.
const waitingRun = `open_device rxe9
alloc_pd pd
reg_mr buf length=4096 access=LOCAL_WRITE
create_cq cq
create_qp a
create_qp b
connect_qps a b
post_recv b
poll_cq cq n=1 timeout=8s
`

// TestEndsNameTheirCause takes the link or the device away under a bench, a ping-pong and a script that waits. Each end
// ends with a failure, and its last line names the cause and the next step.
func TestEndsNameTheirCause(t *testing.T) {
	vmtest.Need(t)
	script := filepath.Join(t.TempDir(), "wait.rdma")
	if err := os.WriteFile(script, []byte(waitingRun), 0o600); err != nil {
		t.Fatal(err)
	}
	const (
		down = "port 1 of rxe9 is DOWN, so no packet passes: bring the link up"
		gone = "all objects of rxe9 are destroyed: when rdmatui devices lists it again, open it again"
	)
	pair := func(words ...string) func(t *testing.T) []*program {
		return func(t *testing.T) []*program {
			port := freePort()
			args := func(end ...string) []string {
				return append(append(append([]string{}, words...), end...), "-d", goes, "-p", port)
			}
			server := "--server"
			if words[0] == "bench" {
				server = "--bind=" + goesAddr
			}
			a := kernelSide(t).start(t, args(server)...)
			a.listening(port)
			return []*program{a, kernelSide(t).start(t, args(goesAddr)...)}
		}
	}
	for _, ends := range []struct{ name, command, want string }{
		{"down", "ip link set r0 down", down}, {"removed", "rdma link delete " + goes, gone},
	} {
		for _, what := range []struct {
			name  string
			begin func(t *testing.T) []*program
		}{
			{"one-sided bench", pair("bench", "write-bw", "-D", "100")},
			{"two-sided bench", pair("bench", "send-lat", "-D", "100")},
			{"ping-pong", pair("scenario", "rc-pingpong", "-n", "1000000000")},
			{"run", func(t *testing.T) []*program { return []*program{kernelSide(t).start(t, "run", script)} }},
		} {
			t.Run(fmt.Sprint(what.name, ", ", ends.name), func(t *testing.T) {
				addGoes(t)
				programs := what.begin(t)
				if len(programs) > 1 {
					eventually(t, goes+" sends nothing", func() bool { return sentPackets(t) > 100 })
				}
				time.Sleep(2 * time.Second) // messages are under way
				command(t, ends.command)
				for i, p := range programs {
					err := p.cmd.Wait()
					lines := strings.Split(strings.TrimSpace(p.out.String()), "\n")
					if last := lines[len(lines)-1]; err == nil || !strings.Contains(last, ends.want) {
						t.Errorf("end %d: %v; %q, want %q", i, err, last, ends.want)
					}
				}
			})
		}
	}
}

// sentPackets reads how many packets the device that goes has sent.
func sentPackets(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/sys/class/infiniband/" + goes + "/ports/1/hw_counters/sent_pkts")
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
