package theme

import (
	"strings"
	"testing"
)

// TestChosen: the user's choice of colours and glyphs counts before what the terminal seems to be, but gives no colour
// to one who wants none. Only a chosen theme sets the background.
func TestChosen(t *testing.T) {
	rich := map[string]string{"TERM": "xterm", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
	plain := map[string]string{"TERM": "xterm"}
	bare := map[string]string{"TERM": "xterm", "COLORTERM": "truecolor", "LANG": "C.UTF-8", "NO_COLOR": "1"}
	for _, tt := range []struct {
		env          map[string]string
		name, glyphs string
		want         string
		ascii        bool
		ground       bool
	}{
		{rich, "", "", "dark", false, false}, {rich, "auto", "auto", "dark", false, false},
		{rich, "auto", "ascii", "dark", true, false}, {plain, "auto", "unicode", "16", false, false},
		{plain, "auto", "", "16", true, false}, {plain, "auto", "nosuch", "16", true, false},
		{rich, "dark", "", "dark", false, true}, {rich, "light", "", "light", false, true},
		{rich, "contrast", "ascii", "contrast", true, true}, {rich, "16", "", "16", false, false},
		{rich, "none", "", "none", false, false}, {plain, "light", "", "light", true, true},
		{bare, "light", "", "none", false, false}, {bare, "auto", "ascii", "none", true, false},
		{rich, "nosuch", "", "dark", false, true},
	} {
		th := Chosen(func(k string) string { return tt.env[k] }, tt.name, tt.glyphs)
		if th.Name != tt.want || th.Glyphs.ASCII != tt.ascii || (th.Ground != "") != tt.ground {
			t.Errorf("%q, %q with %v: %s, ASCII %v, ground %q", tt.name, tt.glyphs, tt.env, th.Name, th.Glyphs.ASCII,
				th.Ground)
		}
		if th.Ground != "" && (!strings.HasPrefix(th.Ground, "#") || len(th.Ground) != 7) {
			t.Errorf("%s: ground %q", tt.name, th.Ground)
		}
		if c := th.Copy(); c == th || c.Name != th.Name || c.Ground != th.Ground || c.Glyphs != th.Glyphs ||
			c.Err.SGR() != th.Err.SGR() {
			t.Errorf("%s: the copy is %s, ground %q", tt.name, c.Name, c.Ground)
		}
	}
}

// TestGrounds: a theme that was made for one background gives way to its fellow on the other; others stay.
func TestGrounds(t *testing.T) {
	for _, tt := range []struct {
		name string
		dark bool
		want string
	}{
		{"dark", true, "dark"}, {"dark", false, "light"}, {"256", true, "256"}, {"256", false, "light"},
		{"light", true, "dark"}, {"light", false, "light"}, {"16", true, "16"}, {"16", false, "16"},
		{"contrast", false, "contrast"}, {"safe", true, "safe"}, {"none", true, "none"},
	} {
		for _, uni := range []bool{true, false} {
			if got := New(tt.name, uni).WithBackground(tt.dark); got.Name != tt.want || got.Glyphs.ASCII == uni {
				t.Errorf("%s on a background that is dark %v: %s, ASCII %v", tt.name, tt.dark, got.Name,
					got.Glyphs.ASCII)
			}
		}
	}
}

// TestBecome: a theme that becomes another takes all copies of its styles with it, and leaves the other alone.
func TestBecome(t *testing.T) {
	th, next := New("dark", true), New("light", false)
	next.Ground = "#ffffff"
	held, was := th.Err, New("light", false)
	th.Become(next)
	if th.Name != "light" || !th.Glyphs.ASCII || th.Ground != "#ffffff" || held.SGR() != was.Err.SGR() {
		t.Errorf("%s, ASCII %v, ground %q, error %q", th.Name, th.Glyphs.ASCII, th.Ground, held.SGR())
	}
	th.Become(New("none", true))
	if next.Err.SGR() != was.Err.SGR() || held.SGR() == was.Err.SGR() {
		t.Error("the theme that it became has changed too, or a copy has not")
	}
}

// TestBackgroundOfTheTerminal: rxvt's colours 7 and 9 to 15 are light, the others dark.
func TestBackgroundOfTheTerminal(t *testing.T) {
	for text, want := range map[string]bool{"": false, "0;6": false, "0;7": true, "0;8": false, "15": true, "9": true,
		"0;default;10": true, "0;11": true, "0;12": true, "0;13": true, "0;14": true, "0;16": false, "7;0": false,
		"0;x": false, ";15": true} {
		if got := lightBackground(text); got != want {
			t.Errorf("%q: light %v", text, got)
		}
	}
	for term, want := range map[string]string{"xterm-kitty": "dark", "foot": "dark", "alacritty": "dark",
		"wezterm":       "dark",
		"xterm-ghostty": "dark", "xterm-direct": "dark", "vt100": "16", "xterm-256color": "256", "": "16"} {
		if got := colours(func(k string) string { return map[string]string{"TERM": term}[k] }); got != want {
			t.Errorf("%s: %s, want %s", term, got, want)
		}
	}
	for _, tt := range []struct {
		all, ctype, lang string
		want             bool
	}{{"", "", "", false}, {"", "", "en_US.utf8", true}, {"C", "en_US.UTF-8", "", false}, {"", "C", "C.UTF-8", false},
		{"de_DE.UTF-8", "C", "C", true}, {"", "xUTF-8@euro", "C", true}} {
		env := map[string]string{"LC_ALL": tt.all, "LC_CTYPE": tt.ctype, "LANG": tt.lang}
		if got := utf8Locale(func(k string) string { return env[k] }); got != tt.want {
			t.Errorf("%+v: UTF-8 %v", tt, got)
		}
	}
}
