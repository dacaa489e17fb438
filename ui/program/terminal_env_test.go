package program

import (
	"bytes"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
)

// TestResize resizes the window while the program runs, to one that is too small and
// back.
func TestResize(t *testing.T) {
	tm := open(t, 80, 24, terminalEnv(), "-d", "soft0")
	makeObjects(tm)
	for _, size := range append(sizes, sizes[0]) {
		tm.Resize(size.w, size.h)
		tm.Until("queue pairs ", "No completions yet")
		tm.Filled(size.w, size.h)
		for _, small := range [][2]int{{39, 24}, {80, 9}, {1, 1}} {
			tm.Resize(small[0], small[1])
			tm.UntilGone("queue pairs")
		}
		tm.Resize(39, 9)
		tm.Until("too small: 40×10 at least")
		tm.Resize(40, 10)
		tm.Until("╭ a: attributes")
	}
	interruptAndQuit(tm)
	if status := tm.Wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	tm.Restored()
}

// colour matches the sequences that set a colour: 30 to 49, 58 and 90 to 107, except
// 39, 49 and 59, which reset to the terminal's own.
var colour = regexp.MustCompile(`\x1b\[(?:[0-9;:]*;)?(?:3[0-8]|4[0-8]|58|9[0-7]|10[0-7])(?:[;:][0-9;:]*)?m`)

// screenTexts are texts on the screen of each number key.
var screenTexts = map[string]string{
	"1": "max_mr_size", "2": "queue pairs", "3": "will it work?", "4": "in flight", "8": "entry",
}

// TestEnvironment checks the bytes that reach the terminal against its environment
// variables.
func TestEnvironment(t *testing.T) {
	tests := []struct {
		name          string
		env           []string
		colours, utf8 bool
	}{
		{"common", nil, true, true},
		{"NO_COLOR", []string{"NO_COLOR=1"}, false, true},
		{"empty NO_COLOR", []string{"NO_COLOR="}, true, true},
		{"LANG=C", []string{"LANG=C"}, true, false},
		{"LC_ALL=POSIX", []string{"LC_ALL=POSIX"}, true, false},
		{"no locale", []string{"LANG="}, true, false},
		{"16 colours", []string{"TERM=xterm"}, true, true},
		{"true colour", []string{"COLORTERM=truecolor"}, true, true},
		{"console", []string{"TERM=linux"}, true, false},
		{"screen", []string{"TERM=screen"}, true, true},
		{"tmux", inTmux, true, true},
		{"unknown", []string{"TERM=frobnicator"}, true, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tm := open(t, 100, 30, terminalEnv(tt.env...), "-d", "soft0", "--provider", "soft")
			makeObjects(tm)
			for key, text := range screenTexts {
				tm.Keys(key)
				tm.Until(text)
			}
			tm.Keys("?")
			tm.Until("keys of ")
			tm.Keys("q")
			tm.UntilGone("keys of ")
			interruptAndQuit(tm)
			tm.Wait()
			tm.Restored()
			wantBytes(t, tm.Written(), tt.colours, tt.utf8)
		})
	}
}

// TestNoScreen: a terminal that cannot draw a screen gets one line, and nothing else.
func TestNoScreen(t *testing.T) {
	for _, kind := range []string{"dumb", ""} {
		tm := open(t, 100, 30, terminalEnv("TERM="+kind), "--provider", "soft")
		tm.Wait()
		tm.Restored()
		got := string(tm.Written())
		if strings.ContainsRune(got, '\x1b') || !strings.Contains(got, "rdmatui: TERM="+kind+" names no terminal") ||
			strings.Count(strings.TrimSpace(got), "\n") > 0 {
			t.Errorf("TERM=%s: %q", kind, got)
		}
	}
}

// inTmux is what tmux gives to its programs, with the claim of the terminal outside.
var inTmux = []string{"TERM=tmux-256color", "COLORTERM=truecolor", "TMUX=/nonexistent/default,1,0"}

// TestErrorsInTmux checks that an error is red where tmux passes only 256 colours on: a
// light 24-bit red becomes grey there.
func TestErrorsInTmux(t *testing.T) {
	tm := open(t, 100, 30, terminalEnv(inTmux...), "-d", "soft0", "--provider", "soft")
	tm.Until("soft0")
	tm.Keys(":")
	tm.Until("─ console")
	tm.Type("alloc_pd nothing=1")
	tm.Keys("enter")
	const text = "alloc_pd has no argument"
	tm.Until(text)
	found := false
	for _, row := range tm.Cells() {
		line := ""
		for _, c := range row {
			line += c.Content
		}
		at := strings.Index(line, text)
		if at < 0 {
			continue
		}
		found = true
		fg := row[utf8.RuneCountInString(line[:at])].Style.Fg
		if fg == nil {
			t.Fatal("the error has no colour")
		}
		if r, g, b, _ := fg.RGBA(); r < g+g/4 || r < b+b/4 {
			t.Errorf("the error's colour is %v, not red", fg)
		}
	}
	if !found {
		t.Error("no row holds the error")
	}
	if got := regexp.MustCompile(`\x1b\[(?:[0-9;:]*[;:])?[34]8[;:]2[;:][0-9;:]*m`).Find(tm.Written()); got != nil {
		t.Errorf("tmux was sent a 24-bit colour: %q", got)
	}
	tm.Signal(syscall.SIGTERM)
	tm.Wait()
}

// wantBytes looks for colours and for non-ASCII characters.
func wantBytes(t *testing.T, raw []byte, colours, utf8 bool) {
	t.Helper()
	if got := colour.Find(raw); (got != nil) != colours {
		t.Errorf("colours %v, want %v: %q", got != nil, colours, got)
	}
	at := bytes.IndexFunc(raw, func(r rune) bool { return r >= 0x80 })
	if (at >= 0) != utf8 {
		t.Errorf("beyond ASCII %v, want %v: %q", at >= 0, utf8, raw[max(at, 0):min(max(at, 0)+20, len(raw))])
	}
}
