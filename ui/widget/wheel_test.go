package widget

import "testing"

// TestWheel: the wheel scrolls up or down, and nothing else does.
func TestWheel(t *testing.T) {
	for kind, want := range map[MouseKind]int{WheelUp: -1, WheelDown: 1, Click: 0} {
		if by, ok := (Mouse{Kind: kind}).Wheel(); by != want || ok != (want != 0) {
			t.Errorf("%d: %d, %v", kind, by, ok)
		}
	}
}
