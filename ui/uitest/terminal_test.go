package uitest

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

func shell(t testing.TB, script string) *Terminal {
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "TERM=xterm"}
	return StartTerminal(t, cmd, 40, 10)
}

func TestTerminal(t *testing.T) {
	tm := shell(t, `stty size; read a; echo "got $a"; read a; stty size; exit 3`)
	tm.Until("10 40")
	tm.Keys("h", "i", "enter")
	tm.Until("got hi")
	tm.Resize(60, 20)
	tm.Keys("enter")
	tm.Until("20 60")
	if status := tm.Wait(); status != 3 {
		t.Errorf("status %d", status)
	}
	tm.Restored()
}

// TestMarginsBeyondWindow checks that a program that has not seen yet that the window is
// smaller may set margins and scroll in them.
func TestMarginsBeyondWindow(t *testing.T) {
	tm := shell(t, `printf 'first\033[2;60r\033[2;1H\033Mscrolled'`)
	tm.Wait()
	tm.Until("scrolled")
}

// fakeTerminal notes failures, to see that the checks do fail.
type fakeTerminal struct {
	testing.TB
	said []string
}

func (f *fakeTerminal) Helper()           {}
func (f *fakeTerminal) Error(args ...any) { f.said = append(f.said, fmt.Sprint(args...)) }
func (f *fakeTerminal) Errorf(s string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(s, args...))
}

func TestRestoredCanFail(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"nothing", `:`, ""},
		{"raw", `stty raw -echo`, "line discipline"},
		{"screen", `printf '\033[?1049h'`, "alternate screen"},
		{"screen left", `printf '\033[?1049h\033[?1049l'`, ""},
		{"cursor", `printf '\033[?25l'`, "modes"},
		{"cursor shown", `printf '\033[?25l\033[?25h'`, ""},
		{"mouse", `printf '\033[?1002h\033[?1006h\033[?1002l'`, "modes"},
		{"paste", `printf '\033[?2004h'`, "modes"},
		{"keyboard", `printf '\033[>1u'`, "kitty"},
		{"keyboard back", `printf '\033[>1u\033[<1u'`, ""},
		{"other keys", `printf '\033[>4;2m'`, "modifyOtherKeys"},
		{"title", `printf '\033]2;rdmatui\a'`, "title"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &fakeTerminal{TB: t}
			tm := shell(f, tt.script)
			tm.Wait()
			tm.Restored()
			said := strings.Join(f.said, "\n")
			if (said == "") != (tt.want == "") || !strings.Contains(said, tt.want) {
				t.Errorf("said %q, want %q", said, tt.want)
			}
		})
	}
}
