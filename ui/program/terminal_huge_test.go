package program

import (
	"os/exec"
	"syscall"
	"testing"

	"rdmatui/ui/uitest"
)

// mostForHuge bounds the memory of the program in a terminal of any size, in KiB.
const mostForHuge = 2 << 20

// TestHugeTerminal: sizes are what the other end of a connection has told. One that no screen has is refused at the
// start, and bounded later.
func TestHugeTerminal(t *testing.T) {
	cmd := exec.Command("sh", "-c", `stty cols 60000 rows 60000; exec "$0"`, binary(t))
	cmd.Env = terminalEnv()
	tm := uitest.StartTerminal(t, cmd, 240, 24)
	tm.Until("60000 columns by 60000 rows", "stty cols 120 rows 40")
	if status := tm.Wait(); status != 1 {
		t.Errorf("exit status %d", status)
	}
	cmd = exec.Command(binary(t))
	cmd.Env = terminalEnv()
	tm = uitest.StartTerminal(t, cmd, 80, 24)
	tm.Until("guided tours")
	before := len(tm.Written())
	tm.Claim(60000, 60000)
	eventually(t, "nothing is drawn in the new size", func() bool { return len(tm.Written()) > before+2000 })
	tm.Keys("ctrl+c")
	tm.Wait()
	if peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; peak > mostForHuge {
		t.Errorf("the program took %d KiB", peak)
	}
	tm.Restored()
}
