package syntax

import (
	"strings"
	"testing"
)

// TestKeyAt: text before '=' is a name only if an argument could have that name.
func TestKeyAt(t *testing.T) {
	long := strings.Repeat("n", MaxNameLen)
	for s, want := range map[string]string{
		"a=1": "a", "A=": "A", "_x=1": "_x", "a1=2": "a1", "z_9==": "z_9", long + "=1": long,
		"1=2": "", "9a=2": "", "=1": "", "": "", "a": "", "a-b=1": "", "a.b=1": "", "a b=1": "", "@a=1": "", "[=1": "",
		"{=1": "", "é=1": "", long + "n=1": "",
	} {
		if got := keyAt(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
