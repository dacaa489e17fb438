package program

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"rdmatui/ui/uitest"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// waysOut are the ways in which a program with objects on a device may end.
var waysOut = []struct {
	name   string
	leave  func(*uitest.Terminal)
	status int
}{
	{"q and y", func(tm *uitest.Terminal) { tm.Keys("q"); tm.Until("objects exist"); tm.Keys("y") }, 0},
	{"ctrl+c and y", func(tm *uitest.Terminal) { interruptAndQuit(tm) }, 0},
	{"ctrl+c at the question", func(tm *uitest.Terminal) {
		tm.Keys("q")
		tm.Until("objects exist")
		tm.Keys("ctrl+c")
		tm.UntilGone("objects exist")
		interruptAndQuit(tm)
	}, 0},
	{"ctrl+c in the console", func(tm *uitest.Terminal) {
		tm.Keys(":", "x")
		tm.Until(":x")
		tm.Keys("ctrl+c")
		tm.UntilGone(":x")
		tm.Keys("ctrl+c")
		interruptAndQuit(tm)
	}, 0},
	{"ctrl+c while exchange waits", func(tm *uitest.Terminal) {
		tm.Type(":exchange far qp=a listen=127.0.0.1 port=0 timeout=1h")
		tm.Until("timeout=1h")
		tm.Keys("enter")
		tm.Until("waiting")
		tm.Keys("ctrl+c")
		tm.UntilGone("waiting")
		tm.Keys("ctrl+c")
		interruptAndQuit(tm)
	}, 0},
	{"SIGINT", func(tm *uitest.Terminal) { tm.Signal(syscall.SIGINT) }, 130},
	{"SIGTERM", func(tm *uitest.Terminal) { tm.Signal(syscall.SIGTERM) }, 143},
	{"SIGHUP", func(tm *uitest.Terminal) { tm.Signal(syscall.SIGHUP) }, 129},
	{"SIGTERM twice", func(tm *uitest.Terminal) { tm.Signal(syscall.SIGTERM); tm.Signal(syscall.SIGTERM) }, 143},
	{"SIGTERM while a command waits", func(tm *uitest.Terminal) {
		tm.Type(":get_cq_event timeout=1h")
		tm.Until(":get_cq_event timeout=1h") // unread input would be left in the terminal
		tm.Keys("enter")
		tm.UntilGone(":get_cq_event")
		tm.Signal(syscall.SIGTERM)
	}, 143},
}

// interruptAndQuit interrupts while nothing has the keyboard, and answers the question.
func interruptAndQuit(tm *uitest.Terminal) {
	tm.Keys("ctrl+c")
	tm.Until("objects exist")
	tm.Keys("y")
}

func TestLeaving(t *testing.T) { leaveEachWay(t, "soft0", func(*testing.T) {}) }

func TestLeavingOnKernel(t *testing.T) {
	vmtest.Need(t)
	leaveEachWay(t, device, nothingLeft)
}

func leaveEachWay(t *testing.T, name string, check func(*testing.T)) {
	for _, way := range waysOut {
		t.Run(way.name, func(t *testing.T) {
			tm := open(t, 80, 24, terminalEnv(), "-d", name)
			makeObjects(tm)
			way.leave(tm)
			if status := tm.Wait(); status != way.status {
				t.Errorf("exit status %d, want %d", status, way.status)
			}
			tm.Restored()
			if left := strings.Trim(tm.Screen(), " \n"); left != "" {
				t.Errorf("left on the terminal:\n%s", left)
			}
			check(t)
		})
	}
}

// TestLeavingWithStacks: SIGQUIT and SIGABRT end the program like other signals, and
// print the stacks once the screen is closed.
func TestLeavingWithStacks(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGABRT} {
		t.Run(sig.String(), func(t *testing.T) {
			tm := open(t, 120, 40, terminalEnv(), "-d", "soft0")
			makeObjects(tm)
			tm.Signal(sig)
			if status := tm.Wait(); status != 128+int(sig) {
				t.Errorf("exit status %d, want %d", status, 128+int(sig))
			}
			tm.Restored()
			_, said, _ := strings.Cut(string(tm.Written()), "\x1b[?1049l")
			if !strings.Contains(said, "goroutine ") || !strings.Contains(said, "rdmatui/session") {
				t.Errorf("the stacks were not written after the screen was left:\n%s", said)
			}
		})
	}
}

// TestLeavingHungScreen: if the screen does not respond, a later signal ends the
// process with the terminal restored.
func TestLeavingHungScreen(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = terminalEnv(crashVariable + "=soft0:" + hangsInUpdate)
	tm := uitest.StartTerminal(t, cmd, 120, 40)
	makeObjects(tm)
	tm.Type(":alloc_pd second device=soft0\r\r")
	eventually(t, "Update does not hang", func() bool { // a pending frame overdraws its output
		return bytes.Contains(tm.Written(), []byte(hangsInUpdate))
	})
	for ended := false; !ended; ended = tm.Ended(100 * time.Millisecond) {
		tm.Signal(syscall.SIGTERM)
	}
	if status := tm.Wait(); status != 128+int(syscall.SIGTERM) {
		t.Errorf("exit status %d", status)
	}
	tm.Restored()
}

// makeObjects makes two queue pairs in RTS with all they need, and a channel.
func makeObjects(tm *uitest.Terminal) {
	tm.Until("port 1 ACTIVE")
	tm.Keys("2")
	tm.Until("no queue pair yet")
	tm.Keys("b")
	tm.Until("2 QP 2 MR 1 CQ")
	tm.Keys("c")
	tm.Until("that can change in RTS", "events 6:")
	tm.Type(":create_comp_channel ch\r\r")
	tm.Until("ibv_create_comp_channel(")
}

// TestLeavingNothing: without objects q asks no question.
func TestLeavingNothing(t *testing.T) {
	tm := open(t, 80, 24, terminalEnv(), "--provider", "soft")
	tm.Until("soft0")
	tm.Keys("q")
	if status := tm.Wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	tm.Restored()
}

// TestTerminalGone: the window is closed while the program runs.
func TestTerminalGone(t *testing.T) {
	tm := open(t, 80, 24, terminalEnv(), "--provider", "soft")
	tm.Until("soft0")
	tm.HangUp()
	if status := tm.Wait(); status != 128+int(syscall.SIGHUP) {
		t.Errorf("exit status %d", status)
	}
}
