package command

import (
	"strings"
	"testing"

	"rdmatui/verbs"
)

// TestKeyAt: what stands before '=' is a name only where an argument could have it.
func TestKeyAt(t *testing.T) {
	long := strings.Repeat("n", maxNameLen)
	for s, want := range map[string]string{
		"a=1": "a", "A=": "A", "_x=1": "_x", "a1=2": "a1", "z_9==": "z_9", long + "=1": long,
		"1=2": "", "9a=2": "", "=1": "", "": "", "a": "", "a-b=1": "", "a.b=1": "", "a b=1": "", "@a=1": "", "[=1": "", "{=1": "", "é=1": "", long + "n=1": "",
	} {
		if got := keyAt(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// TestSharedMemoryNames tries each character, and the shortest names.
func TestSharedMemoryNames(t *testing.T) {
	for r := range rune(0x100) {
		text := "shm:/a" + string(r)
		want := '!' <= r && r <= '~' && !strings.ContainsRune(`/"#;`, r)
		b, err := parseBacking(text)
		if (err == nil) != want || want && (b != verbs.Backing{Kind: verbs.SharedMemory, Path: text[len("shm:"):]}) {
			t.Errorf("%q: %+v, %v", text, b, err)
		}
	}
	for text, want := range map[string]bool{"shm:": false, "shm:/": false, "shm:a": false, "shm:ab": false, "shm:/a": true, "shm://": false} {
		if _, err := parseBacking(text); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}
