package program

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rdmatui/ui/uitest"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// goes is a separate device, so that its removal disturbs no other test.
const goes = "rxe9"

// pingpongLines run a ping-pong with a program on the same device.
const pingpongLines = `alloc_pd pd
reg_mr buf length=4096 access=LOCAL_WRITE
create_cq cq cqe=600
create_qp qp send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=500
modify_qp qp INIT port_num=1 pkey_index=0 qp_access_flags=0
post_recv qp wr_id=1 sge=buf count=500
exchange peer qp=qp address=10.99.0.1 port=PORT
connect_qps qp peer path_mtu=1024
pingpong qp role=client mr=buf n=1000000000`

// underWay are the operations during which a device is removed, each with the screen that shows it.
var underWay = []struct {
	name   string
	screen string
	goOn   string                 // the key that continues it
	leave  func(*uitest.Terminal) // runs before the program has closed the device
	status int                    // the program's exit status
	begin  func(*testing.T, *uitest.Terminal)
}{
	{"stream", "4", "", terminate, 143, func(_ *testing.T, tm *uitest.Terminal) {
		tm.Keys("3")
		for line := range strings.SplitSeq(opcodeLines, "\n") {
			tm.Type(":" + strings.ReplaceAll(line, "alloc_mw w type=TYPE_2", "query_device") + "\r\r")
		}
		tm.Until("a is RTS: SENDs can be posted")
		tm.Type(":post_send a RDMA_WRITE count=1000000000 outstanding=8 signal_every=4 sge=src remote_addr=dst.addr rkey=dst.rkey\r\r")
		tm.Until("waiting", "post_send a RDMA_WRITE")
	}},
	{"ping-pong", "4", "", quit, 0, func(t *testing.T, tm *uitest.Terminal) {
		port := freePort()
		peer := kernelSide(t).start(t, "scenario", "rc-pingpong", "-d", goes, "--server", "-e", "-n",
			"1000000000", "-p", port)
		peer.listening(port)
		for line := range strings.SplitSeq(pingpongLines, "\n") {
			tm.Type(":" + strings.ReplaceAll(line, "PORT", port) + "\r\r")
		}
		tm.Until("round trips")
	}},
	{"bring-up", "2", "enter", quit, 0, func(_ *testing.T, tm *uitest.Terminal) {
		tm.Keys("2")
		tm.Until("no queue pair yet")
		tm.Keys("b")
		tm.Until("a: RESET → INIT", "Ready. enter runs it.")
		tm.Keys("enter")
		tm.Until("a: INIT → RTR", "Ready. enter runs it.")
	}},
}

// TestDeviceRemovedUnderScreen removes a device during an operation. Keys are answered, the program ends when asked to,
// and the terminal is restored. The response times of keys are logged.
func TestDeviceRemovedUnderScreen(t *testing.T) {
	vmtest.Need(t)
	for _, u := range underWay {
		t.Run(u.name, func(t *testing.T) {
			tm, removed := removing(t, u.begin, u.screen)
			if u.goOn != "" {
				tm.Keys(u.goOn)
			}
			t.Logf("until it was closed: %s", answers(tm, u.screen, func() bool {
				return !strings.Contains(tm.Screen(), goes+" · port")
			}))
			if err := <-removed; err != nil {
				t.Error(err)
			}
			tm.Keys("8")
			tm.Type("/remove\r") // a stream's completions come between the two
			tm.Until("the host removes "+goes, goes+" was removed and is closed")
			leaveNothing(t, tm)
		})
		t.Run(u.name+", left at once", func(t *testing.T) {
			tm, removed := removing(t, u.begin, u.screen)
			began := time.Now()
			u.leave(tm)
			if status := tm.Wait(); status != u.status {
				t.Errorf("exit status %d, want %d", status, u.status)
			}
			t.Logf("it ended after %d ms", time.Since(began).Milliseconds())
			tm.Restored()
			if err := <-removed; err != nil {
				t.Error(err)
			}
		})
	}
}

// quit leaves and answers the question if objects exist.
func quit(tm *uitest.Terminal) {
	tm.Keys("q")
	for until := time.Now().Add(patience); time.Now().Before(until) && !tm.Ended(50*time.Millisecond); {
		if strings.Contains(tm.Screen(), "Quitting destroys") {
			tm.Keys("y")
			return
		}
	}
}

func terminate(tm *uitest.Terminal) { tm.Signal(syscall.SIGTERM) }

// addGoes makes the device that goes, and waits until it has its IPv4 GID.
func addGoes(t *testing.T) {
	t.Helper()
	command(t, "ip link add r0 type veth peer name r1")
	t.Cleanup(func() { command(t, "ip link del r0") })
	command(t, "ip link set r1 up")
	command(t, "ip link set r0 up")
	command(t, "ip addr add 10.99.0.1/24 dev r0")
	command(t, "rdma link add "+goes+" type rxe netdev r0")
	gids := "/sys/class/infiniband/" + goes + "/ports/1/gids/"
	eventually(t, goes+" has no IPv4 GID", func() bool {
		for row := range 4 {
			if gid, _ := os.ReadFile(fmt.Sprint(gids, row)); strings.Contains(string(gid), "0a63:0001") {
				return true
			}
		}
		return false
	})
}

// removing starts an operation and has the kernel remove the device meanwhile. The removal ends when the program has
// closed the device.
func removing(t *testing.T, begin func(*testing.T, *uitest.Terminal), screen string) (*uitest.Terminal, <-chan error) {
	t.Helper()
	addGoes(t)
	tm := open(t, 120, 40, terminalEnv(), "-d", goes)
	tm.Until(goes + " · port 1 ACTIVE")
	begin(t, tm)
	n := 0
	t.Logf("before: %s", answers(tm, screen, func() bool { n++; return n > 4 }))
	removed := make(chan error, 1)
	go func() {
		out, err := exec.Command("rdma", "link", "delete", goes).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("rdma link delete: %w: %s", err, out)
		}
		removed <- err
	}()
	eventually(t, "the removal does not begin", func() bool {
		out, err := exec.Command("rdma", "link", "show", goes+"/1").CombinedOutput()
		return err != nil || !strings.Contains(string(out), goes)
	})
	return tm, removed
}

// span is the response time of a key.
type span struct {
	median, longest time.Duration
	n               int
}

func (s span) String() string {
	return fmt.Sprintf("%d keys, each answered within %d ms, half of them within %d ms", s.n, s.longest.Milliseconds(),
		s.median.Milliseconds())
}

// answers switches between a screen and the journal until enough returns true.
func answers(tm *uitest.Terminal, screen string, enough func() bool) span {
	var took []time.Duration
	for !enough() {
		for _, key := range []struct{ name, shows string }{{"8", "╭ journal "}, {screen, ""}} {
			began := time.Now()
			tm.Keys(key.name)
			if key.shows != "" {
				tm.Until(key.shows)
			} else {
				tm.UntilGone("╭ journal ")
			}
			took = append(took, time.Since(began))
		}
	}
	slices.Sort(took)
	if len(took) == 0 {
		return span{}
	}
	return span{took[len(took)/2], took[len(took)-1], len(took)}
}
