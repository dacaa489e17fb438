package session

import (
	"strings"
	"testing"
)

// TestIsHost: what can stand as one word of a line, and nothing that a line or a shell would read otherwise.
func TestIsHost(t *testing.T) {
	for host, want := range map[string]bool{
		"a": true, "z": true, "A": true, "Z": true, "0": true, "9": true, "node-1.lab_2": true, "10.9.0.1": true, "fe80::1%d0": true, "": true,
		"@": false, "[": false, "`": false, "{": false, "/": false, ":": false, "a b": false, "a;b": false, "a#b": false, "ä": false,
		strings.Repeat("a", 253): true, strings.Repeat("a", 254): false,
	} {
		if got := isHost(host); got != want {
			t.Errorf("isHost(%q) is %v", host, got)
		}
	}
}
