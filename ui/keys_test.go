package ui

import "testing"

// TestCapsLock: a letter that only works in lower case asks about Caps Lock, one that works in upper case does not.
func TestCapsLock(t *testing.T) {
	const asks = "Is Caps Lock on?"
	g := newGuided(t, 120, 40, "alloc_pd pd")
	for _, tt := range []struct{ screen, key, want string }{
		{"1", "Q", "no key Q here, only q. " + asks},
		{"1", "X", ""}, // x means nothing either
		{"4", "L", ""},
		{"4", "G", ""},
		{"3", "P", ""},
	} {
		g.press(tt.screen, tt.key)
		g.app.Beat()
		if tt.want != "" && !g.Contains(tt.want) || tt.want == "" && g.Contains(asks) {
			t.Errorf("%s on screen %s shows\n%s", tt.key, tt.screen, g.View())
		}
		g.press("esc")
		g.app.Beat()
		if g.Contains(asks) {
			t.Errorf("after another key the screen shows\n%s", g.View())
		}
	}
	g.press("1", "q", "Y")
	g.app.Beat()
	if !g.Contains("no key Y here, only y. " + asks) {
		t.Errorf("Y in a question shows\n%s", g.View())
	}
	g.press("n", ":")
	g.Type("QUIT")
	g.app.Beat()
	if g.Contains(asks) {
		t.Errorf("typed text shows\n%s", g.View())
	}
}
