package program

import (
	"strings"
	"testing"
	"time"

	"rdmatui/ui/uitest"
)

// cutReplies are what terminals answer to queries; see xterm's control sequences and the kitty keyboard protocol.
var cutReplies = []string{
	"\x1b[?62;22;52c", "\x1b[>41;380;0c", "\x1b[24;80R", "\x1b]10;rgb:ffff/ffff/ffff\x07",
	"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\", "\x1bP>|XTerm(380)\x1b\\", "\x1b[?2026;2$y", "\x1b[?1u",
}

// TestReplyInPieces sends each reply of a terminal in two pieces, cut at every byte: none of them is typed. A lone ESC
// is the key, unless the terminal still owes answers.
func TestReplyInPieces(t *testing.T) {
	const pause = 120 * time.Millisecond // longer than a lone ESC waits
	t.Run("in the console", func(t *testing.T) {
		tm := open(t, 120, 40, terminalEnv(), "-d", "soft0", "--provider", "soft")
		tm.Until("port 1 ACTIVE")
		tm.Keys(":")
		tm.Type("note start")
		tm.Until(":note start")
		for _, reply := range cutReplies {
			for cut := 2; cut < len(reply); cut++ {
				tm.Type(reply[:cut])
				time.Sleep(pause)
				tm.Type(reply[cut:])
			}
		}
		tm.Type("end")
		tm.Until(":note startend")
		time.Sleep(3 * time.Second) // no answer is awaited any more
		if !strings.Contains(tm.Screen(), ":note startend") {
			t.Errorf("the screen is\n%s", tm.Screen())
		}
		interrupt(t, tm)
	})
	for _, reply := range cutReplies {
		t.Run("ESC at the start, "+strings.Trim(reply, "\x1b\a\\"), func(t *testing.T) {
			tm := open(t, 120, 40, terminalEnv(), "-d", "soft0", "--provider", "soft")
			tm.Until("port 1 ACTIVE")
			tm.Keys(":")
			tm.Type("note start")
			tm.Until(":note start")
			tm.Type(reply[:1])
			time.Sleep(time.Second)
			tm.Type(reply[1:] + "end")
			tm.Until(":note startend")
			interrupt(t, tm)
		})
	}
}

// interrupt drops the line, closes the console and ends the program.
func interrupt(t *testing.T, tm *uitest.Terminal) {
	t.Helper()
	tm.Keys("ctrl+c")
	tm.UntilGone(":note")
	tm.Keys("ctrl+c")
	tm.UntilGone("─ console")
	tm.Keys("ctrl+c")
	if status := tm.Wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	tm.Restored()
}
