package command

import (
	"strings"
	"testing"
)

// TestControlCharactersOutsideQuotes: control characters, which a terminal may act on and nobody can see, are refused
// outside quotes.
func TestControlCharactersOutsideQuotes(t *testing.T) {
	for c := range byte(0x80) {
		if c > ' ' && c < 0x7f || strings.IndexByte(" \t\n\r", c) >= 0 {
			continue
		}
		if _, err := Parse("note a" + string(rune(c)) + "b"); err == nil ||
			!strings.Contains(err.Error(), "control character") {
			t.Errorf("%q: %v", c, err)
		}
	}
}

// TestPiecesOfAList: a list may have as many pieces as the limit, and no more.
func TestPiecesOfAList(t *testing.T) {
	list := func(n int) string { return strings.TrimSuffix(strings.Repeat("m:0:1,", n), ",") }
	if sges, err := parseSGEs(list(maxSGEs), false); err != nil || len(sges) != maxSGEs {
		t.Errorf("%d pieces, %v", len(sges), err)
	}
	if _, err := parseSGEs(list(maxSGEs+1), false); err == nil || !strings.Contains(err.Error(), "at most 1024") {
		t.Errorf("one too many: %v", err)
	}
}

// TestRecorderMemory: the memory for packets has bounds, which are allowed themselves.
func TestRecorderMemory(t *testing.T) {
	for memory, ok := range map[string]bool{"0": false, "1": true, "4096": true, "4097": false} {
		if _, err := Parse("recorder memory=" + memory); (err == nil) != ok {
			t.Errorf("%s MiB: %v", memory, err)
		}
	}
}
