package uitest

import (
	"fmt"
	"strings"
)

// sequences are the bytes that a terminal sends for keys that are not characters.
var sequences = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z", "space": " ", "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"pgup": "\x1b[5~", "pgdown": "\x1b[6~", "delete": "\x1b[3~", "ctrl+c": "\x03", "ctrl+d": "\x04", "ctrl+u": "\x15",
	"ctrl+t": "\x14", "ctrl+r": "\x12", "ctrl+z": "\x1a",
}

// Keys presses keys by the names that bindings use, one after the other.
func (tm *Terminal) Keys(names ...string) {
	tm.t.Helper()
	for _, name := range names {
		seq, ok := sequences[name]
		if !ok {
			seq = name
			if strings.Contains(name, "+") && len(name) > 1 {
				tm.t.Fatalf("what a terminal sends for %s is not known here", name)
			}
		}
		tm.Type(seq)
	}
}

// Paste sends text as a terminal does that brackets a paste.
func (tm *Terminal) Paste(text string) {
	tm.t.Helper()
	tm.Type("\x1b[200~" + text + "\x1b[201~")
}

// Click presses and releases the left button on a cell, counted from 0.
func (tm *Terminal) Click(x, y int) {
	tm.t.Helper()
	tm.Type(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%[1]d;%[2]dm", x+1, y+1))
}

// Type sends text unchanged.
func (tm *Terminal) Type(text string) {
	tm.t.Helper()
	if _, err := tm.master.WriteString(text); err != nil {
		tm.t.Fatal(err)
	}
}
