package region

import "testing"

// TestShownWindows: a window is found by its key as long as it is bound.
func TestShownWindows(t *testing.T) {
	var l Windows
	a, b := &MW{}, &MW{}
	l.add(a, 7)
	l.add(b, 8)
	if l.Find(7) != a || l.Find(8) != b || l.Find(9) != nil {
		t.Error("a window is not found by its key")
	}
	l.remove(a)
	if l.Find(7) != nil || l.Find(8) != b {
		t.Error("a removed window is found, or another is not")
	}
}
