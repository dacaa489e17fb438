package program

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"rdmatui/ui/uitest"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// TestScenariosJourney runs scenarios by keys alone, in a terminal without colours:
// in one go with both ends here, a step at a time, and one that is stopped while it
// waits for a peer.
func TestScenariosJourney(t *testing.T) {
	tm := open(t, 80, 24, []string{"PATH=/bin", "TERM=xterm", "NO_COLOR=1", "LANG=C"}, "--provider", "soft")
	tm.Until("soft0", "GID ")
	tm.Keys("7")
	tm.Until("rc-pingpong", "A queue pair brought up by hand", "other end here")
	tm.Keys("/")
	tm.Type("rdma_server")
	tm.Keys("enter")
	tm.Until("The connection manager from end to end")
	tm.Keys("enter")
	tm.Until("all 24 steps", "All its objects are destroyed", "other end: done")
	tm.Keys("esc")
	tm.Until("parameters")
	tm.Keys("s")
	tm.Until("step 1 of 24", "Create a channel for the connection manager")
	tm.Keys("space")
	tm.Until("step 2 of 24", "rdma_create_event_channel() =")
	tm.Keys("space")
	tm.Until("step 3 of 24")
	tm.Keys("5") // its objects show on the other screens
	tm.Until("conn is in IDLE")
	tm.Keys("7", "b")
	tm.Until("all 24 steps", "All its objects are destroyed", "other end: done")
	tm.Keys("]", "]")
	tm.Until("steps of wr 2 SEND", "1 posted", "8 polled")
	tm.Keys("esc")
	tm.Until("parameters")
	tm.Keys("o", "b")
	tm.Until("rdma_client -s ", "start this side first")
	tm.Keys("enter")
	tm.Until("step 5 of 23", "running for", "rdma_client -s ", "waiting ")
	tm.Keys("D")
	tm.Until("Stop the scenario")
	tm.Keys("y")
	tm.Until("Stopped. All its objects are destroyed")
	tm.Keys("esc")
	tm.Until("parameters")
	leaveNothing(t, tm)
}

var toType = regexp.MustCompile(`udaddy -s (127[0-9.]+) -p 7174`)

// TestScenarioWithPeer has one end of a scenario on the screen, the other in a
// separate process.
func TestScenarioWithPeer(t *testing.T) {
	tm := open(t, 120, 40, terminalEnv(), "--provider", "soft")
	tm.Until("soft0", "GID ")
	tm.Keys("7")
	tm.Until("other end here")
	tm.Keys("/")
	tm.Type("udaddy")
	tm.Keys("enter")
	tm.Until("udaddy")
	tm.Keys("o", "b")
	tm.Until("start this side first")
	found := toType.FindStringSubmatch(tm.Screen())
	if found == nil {
		t.Fatalf("no address is told:\n%s", tm.Screen())
	}
	tm.Keys("enter")
	tm.Until("waiting ", "udaddy -s ")
	out, err := exec.Command(binary(t), "--provider", "soft", "scenario", "udaddy", found[1]).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	tm.Until("Finished. All its objects are destroyed")
	tm.Keys("esc")
	tm.Until("parameters")
	leaveNothing(t, tm)
}

// leaveNothing leaves without objects, so that no question is asked.
func leaveNothing(t *testing.T, tm *uitest.Terminal) {
	t.Helper()
	tm.Keys("q")
	if status := tm.Wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	tm.Restored()
}

// TestScenarioStepsInTerminal steps through a scenario without the screen.
func TestScenarioStepsInTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		keys   []string
		until  string
		status int
	}{
		"left":        {[]string{"q", "enter"}, "stopped before step 3 of 23", 1},
		"end of file": {[]string{"ctrl+d"}, "stopped before step 3 of 23", 1},
		"stopped":     {[]string{"ctrl+c"}, "stopped by SIGINT", 130},
	} {
		t.Run(name, func(t *testing.T) {
			tm := open(t, 120, 40, terminalEnv(), "--provider", "soft", "scenario", "hello", "--server", "--step")
			tm.Until("step 1 of 23: Create a channel for the connection",
				"rdma_create_event_channel events", "enter: run")
			tm.Keys("enter")
			tm.Until("step 2 of 23", "rdma_create_event_channel()")
			tm.Keys("enter")
			tm.Until("step 3 of 23")
			tm.Keys(c.keys...)
			tm.Until(c.until)
			if status := tm.Wait(); status != c.status {
				t.Errorf("exit status %d, not %d", status, c.status)
			}
		})
	}
	t.Run("to the end", func(t *testing.T) {
		tm := open(t, 120, 40, terminalEnv(), "--provider", "soft", "scenario", "mckey", "--bind", "127.0.0.1",
			"239.1.2.3", "--step", "--soft", "127.0.0.1")
		tm.Until("enter: run")
		tm.Type("c")
		tm.Keys("enter")
		tm.Until("rdma_leave_multicast(")
		if status := tm.Wait(); status != 0 {
			t.Errorf("exit status %d", status)
		}
	})
}

// TestScenarioOnRXE has both ends on the kernel's device.
func TestScenarioOnRXE(t *testing.T) {
	vmtest.Need(t)
	tm := open(t, 120, 40, terminalEnv(), "--provider", "ibverbs")
	tm.Until("rxe0", "GID ")
	tm.Keys("7")
	tm.Until("rc-pingpong", "ibv_rc_pingpong -d DEVICE", "10.9.0.1")
	tm.Keys("b", "o", "enter")
	tm.Until("all 11 steps", "All its objects are destroyed", "other end: done")
	tm.Keys("esc")
	tm.Until("parameters")
	tm.Keys("/")
	tm.Type("rdma_server")
	tm.Keys("enter", "b", "o", "enter")
	tm.Until("hello as client of 10.9.0.1", "all 24 steps", "All its objects are destroyed", "other end: done")
	tm.Keys("esc")
	tm.Until("parameters")
	leaveNothing(t, tm)
	nothingLeft(t)
}

// TestChatTyped types a chat on the screen, with the other end here and with one in a
// separate process, and ends it with esc.
func TestChatTyped(t *testing.T) {
	tm := open(t, 80, 24, []string{"PATH=/bin", "TERM=xterm", "NO_COLOR=1", "LANG=C"}, "--provider", "soft")
	tm.Until("soft0", "GID ")
	tm.Keys("7", "/")
	tm.Type("chat")
	tm.Keys("enter")
	tm.Until("against itself", "Many messages over one connection")
	tm.Keys("enter")
	tm.Until("say: ", "enter send  esc end", "Type a message on the last line")
	tm.Type("7 quick: q? x")
	tm.Keys("enter")
	tm.Until("you  7 quick: q? x", "peer server get 7 quick: q? x")
	tm.Keys("enter") // empty: does nothing
	tm.Type("second")
	tm.Keys("enter")
	tm.Until("peer server get second")
	tm.Keys("tab")
	tm.Until("say: ", "entry --") // the next screen, which takes typing too
	tm.Type("third")
	tm.Keys("enter", "shift+tab")
	tm.Until("peer server get third")
	tm.Keys("esc")
	tm.Until("you  disconnect", "Finished. All its objects are destroyed")
	tm.UntilGone("say: ")
	tm.Keys("esc")
	tm.Until("parameters")
	leaveNothing(t, tm)
}

var toChat = regexp.MustCompile(`rdmatui scenario chat (127[0-9.]+)`)

// TestChatServed has the server on the screen, and the client in a separate process:
// the client's lines show.
func TestChatServed(t *testing.T) {
	tm := open(t, 120, 40, terminalEnv(), "--provider", "soft")
	tm.Until("soft0", "GID ")
	tm.Keys("7", "/")
	tm.Type("chat")
	tm.Keys("enter")
	tm.Until("against itself", "Many messages over one connection")
	tm.Keys("o", "b")
	tm.Until("start this side first", "rdmatui scenario chat 127.")
	found := toChat.FindStringSubmatch(tm.Screen())
	if found == nil {
		t.Fatalf("no address is told:\n%s", tm.Screen())
	}
	tm.Keys("enter")
	tm.Until("waiting ")
	client := exec.Command(binary(t), "--provider", "soft", "scenario", "chat", found[1])
	client.Stdin = strings.NewReader("from the other\n")
	if out, err := client.CombinedOutput(); err != nil || !strings.Contains(string(out), "server get from the other") {
		t.Errorf("%v\n%s", err, out)
	}
	tm.Until("peer from the other", "peer disconnect")
	tm.Keys("D")
	tm.Until("Stop the scenario")
	tm.Keys("y")
	tm.Until("Stopped. All its objects are destroyed")
	tm.Keys("esc")
	tm.Until("parameters")
	leaveNothing(t, tm)
}
