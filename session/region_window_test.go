package session

import "testing"

// TestShownWindows: a window is found by its key as long as it is bound.
func TestShownWindows(t *testing.T) {
	var l shownWindows
	a, b := &MW{}, &MW{}
	l.add(a, 7)
	l.add(b, 8)
	if l.find(7) != a || l.find(8) != b || l.find(9) != nil {
		t.Error("a window is not found by its key")
	}
	l.remove(a)
	if l.find(7) != nil || l.find(8) != b {
		t.Error("one that was removed is found, or another is not")
	}
}
