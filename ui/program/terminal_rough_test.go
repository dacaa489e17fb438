package program

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"rdmatui/ui/uitest"
)

// The tests of this file treat the terminal roughly: nothing may be lost, nothing garbled.

// redrawn checks that the screen is what the program draws on an empty terminal: a resize makes it draw everything.
// What moves with time, such as a rate after a flood, comes to rest first.
func redrawn(t *testing.T, tm *uitest.Terminal, w, h int) {
	t.Helper()
	var before, after string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		tm.Until("q quit") // no message that goes
		tm.Rest()
		before = tm.Screen()
		tm.Resize(39, 9)
		tm.Until("too small: 40×10 at least")
		tm.Resize(w, h)
		tm.Until("q quit")
		tm.Rest()
		if after = tm.Screen(); after == before {
			tm.Filled(w, h)
			return
		}
	}
	t.Fatalf("drawn anew the screen is\n%s\nand before\n%s", after, before)
}

// TestPasteFortyLines pastes 40 lines of which line 7 fails.
func TestPasteFortyLines(t *testing.T) {
	for name, wrong := range map[string]string{"fails": "alloc_pd p7 device=none", "mistyped": "alloc_pdd p7"} {
		t.Run(name, func(t *testing.T) {
			tm := open(t, 120, 40, terminalEnv(), "-d", "soft0", "--provider", "soft")
			tm.Until("port 1 ACTIVE")
			lines := make([]string, 40)
			for i := range lines {
				lines[i] = fmt.Sprintf("alloc_pd p%d", i+1)
			}
			lines[6] = wrong
			tm.Keys(":")
			tm.Paste(strings.Join(lines, "\n") + "\n")
			tm.Until("paste stopped at line 7 of 40: ", ":"+wrong)
			if screen := tm.Screen(); strings.Count(screen, "paste stopped") != 1 ||
				strings.Contains(screen, "alloc_pd p8") {
				t.Errorf("the screen is\n%s", screen)
			}
			tm.Keys("ctrl+u")
			tm.Type("alloc_pd p7")
			tm.Keys("enter")
			tm.Until("paste: 40 lines done")
			tm.Keys("enter")
			tm.UntilGone("paste: 40 lines done")
			redrawn(t, tm, 120, 40)
			leave(t, tm, "40 objects exist")
		})
	}
}

// mebibyte is a paste of 1 MiB.
var mebibyte = strings.Repeat("note 0123456789\n", 1<<20/16)

// TestPasteMebibyte pastes 1 MiB in places that take text and in one that does not: one message says why it is refused
// and what to do, what was typed stays, and the program goes on.
func TestPasteMebibyte(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before func(*uitest.Terminal)
		paste  string
		told   string
		typed  string
	}{
		{"lines in the console", func(tm *uitest.Terminal) { tm.Keys(":"); tm.Type("note kept") }, mebibyte,
			"paste not taken: it has 1,048,576 bytes, the console takes 262,144", ":note kept"},
		{"one line in the console", func(tm *uitest.Terminal) { tm.Keys(":"); tm.Type("note kept") },
			strings.Repeat("x", 1<<20), "paste not taken: it has 1,048,576 bytes", ":note kept"},
		{"a field",
			func(tm *uitest.Terminal) { tm.Keys("3"); tm.Until("will it work?"); tm.Keys("P"); tm.Type("kept") },
			mebibyte, "paste not taken: it has 1,048,576 bytes", "kept"},
		{"Connections", func(tm *uitest.Terminal) { tm.Keys("5"); tm.Until("no identifier yet") }, mebibyte,
			"paste not taken: it has 1,048,576 bytes", "no identifier yet"},
		{"Scenarios", func(tm *uitest.Terminal) { tm.Keys("7"); tm.Until("▸ rc-pingpong") }, mebibyte,
			"paste not taken: ", "▸ rc-pingpong"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tm := open(t, 120, 40, terminalEnv(), "-d", "soft0", "--provider", "soft")
			makeObjects(tm)
			tt.before(tm)
			tm.Until(tt.typed)
			tm.Paste(tt.paste)
			tm.Until(tt.told, tt.typed)
			if n := strings.Count(tm.Screen(), "paste not taken"); n != 1 {
				t.Errorf("%d messages:\n%s", n, tm.Screen())
			}
			tm.Signal(syscall.SIGTERM)
			if status := tm.Wait(); status != 143 {
				t.Errorf("exit status %d", status)
			}
			tm.Restored()
		})
	}
}

// tabs are texts on each screen, by its key.
var tabs = []string{"guided tours", "max_mr_size", "queue pairs", "will it work?", "CQ", "identifiers",
	"packets", "scenarios", "entry"}

// digitless returns the lines of a screen without their numbers and plots: the counters of a network interface go on.
func digitless(screen string) []string {
	screen = regexp.MustCompile(`[0-9]`).ReplaceAllString(screen, "0")
	return strings.Split(regexp.MustCompile(`[▁-█]`).ReplaceAllString(screen, " "), "\n")
}

// TestExtremeSizes draws all screens in a window of 500×200, and resizes to 20×6 and back on each.
func TestExtremeSizes(t *testing.T) {
	const w, h = 500, 200
	tm := open(t, w, h, terminalEnv(), "-d", "soft0", "--provider", "soft")
	makeObjects(tm)
	for i, text := range tabs {
		tm.Keys(fmt.Sprint(i))
		tm.Until(text)
		tm.Filled(w, h)
		same := func() (differ []string) {
			tm.Until("q quit")
			tm.Rest()
			before := digitless(tm.Screen())
			tm.Resize(20, 6)
			tm.Until("needs 40×10")
			if screen := strings.TrimSpace(tm.Screen()); screen != "needs 40×10" {
				t.Errorf("screen %d in 20×6:\n%s", i, screen)
			}
			tm.Resize(w, h)
			tm.Until(text, "q quit")
			tm.Rest()
			after := digitless(tm.Screen())
			for y := range min(len(before), len(after)) {
				if before[y] != after[y] {
					differ = append(differ, before[y], after[y])
				}
			}
			return differ
		}
		differ := same()
		for again := 0; differ != nil && again < 2; again++ { // a device may have changed meanwhile
			differ = same()
		}
		if differ != nil {
			t.Errorf("screen %d is not drawn again as it was:\n%s", i, strings.Join(differ, "\n"))
		}
	}
	leave(t, tm, "7 objects exist")
}

// TestResizeInFlood resizes while completions come in: in the end the screen is as one drawn anew, and no completion is
// missing.
func TestResizeInFlood(t *testing.T) {
	tm := open(t, 120, 40, terminalEnv(), "-d", "soft0", "--provider", "soft")
	makeObjects(tm)
	tm.Keys("4")
	const posts = 60000
	tm.Type(fmt.Sprintf(":post_send a RDMA_WRITE count=%d outstanding=8 sge=src:0:8 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED\r\r", posts))
	tm.Until(" ok")
	all := [][2]int{{80, 24}, {200, 60}, {61, 17}, {20, 6}, {500, 200}, {40, 10}, {1, 1}, {120, 40}}
	for round := range 3 {
		for i, size := range all {
			tm.Resize(size[0], size[1])
			tm.Keys(fmt.Sprint((round + i) % 9))
		}
		tm.Filled(120, 40)
	}
	tm.Keys("4")
	tm.Until("60,000 ok")
	redrawn(t, tm, 120, 40)
	leave(t, tm, "7 objects exist")
}

// TestSuspend suspends the program with ctrl+z under a shell, also with the console open, and resizes the window
// meanwhile.
func TestSuspend(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(sh, "-i")
	cmd.Env = terminalEnv("PS1=shell> ", "ENV=")
	tm := uitest.StartTerminal(t, cmd, 120, 40)
	tm.Until("shell>")
	tm.Type(binary(t) + " -d soft0 --provider soft\r")
	makeObjects(tm)
	tm.UntilGone("ch → ch") // the message about the last line
	tm.Rest()
	before := tm.Screen()
	stops := 0
	stop := func(answer string) {
		t.Helper()
		stops++
		tm.Keys("ctrl+z")
		tm.UntilTimes(stops, "Stopped") // those of before are on the shell's screen too
		tm.Released()
		tm.Type("echo $((6*7)) " + answer + "\r")
		tm.Until("42 " + answer)
	}
	stop("first")
	tm.Type("fg\r")
	tm.Until("that can change in RTS")
	eventually(t, "after fg the screen differs from\n"+before, func() bool { return tm.Screen() == before })

	tm.Keys(":")
	tm.Type(`note "half`)
	tm.Until(`:note "half`)
	stop("second")
	tm.Resize(80, 24)
	tm.Type("fg\r")
	tm.Until(`:note "half`)
	tm.Filled(80, 24)
	tm.Type(` done"` + "\r\r")
	tm.Keys("8")
	tm.Until("half done")
	tm.Keys("3", "t", "t", "enter")
	tm.Until("RDMA_WRITE SUCCESS")
	redrawn(t, tm, 80, 24)
	tm.Keys("q")
	tm.Until("objects exist")
	tm.Keys("y")
	eventually(t, "the shell does not prompt again", func() bool { // its prompts of before are on the screen too
		return strings.HasSuffix(strings.TrimSpace(tm.Screen()), "\nshell>")
	})
	tm.Type("exit\r")
	if status := tm.Wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	tm.Restored()
}
