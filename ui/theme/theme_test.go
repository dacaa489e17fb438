package theme

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestFromEnv(t *testing.T) {
	tests := []struct {
		name  string
		env   map[string]string
		theme string
		ascii bool
	}{
		{"nothing set", nil, "16", true},
		{"true colour", map[string]string{"TERM": "xterm", "COLORTERM": "truecolor", "LANG": "en_US.UTF-8"}, "dark",
			false},
		{"256 colours", map[string]string{"TERM": "screen-256color", "LANG": "C.utf8"}, "256", false},
		{"light", map[string]string{"TERM": "xterm-256color", "COLORFGBG": "0;15", "LANG": "C.UTF-8"}, "light", false},
		{"light with default", map[string]string{"TERM": "xterm-256color", "COLORFGBG": "0;default;7"}, "light", true},
		{"dark by COLORFGBG", map[string]string{"TERM": "xterm-256color", "COLORFGBG": "15;0"}, "256", true},
		{"NO_COLOR wins", map[string]string{"TERM": "xterm-256color", "NO_COLOR": "1", "LANG": "C.UTF-8"}, "none",
			false},
		{"empty NO_COLOR does not count", map[string]string{"TERM": "xterm-256color", "NO_COLOR": ""}, "256", true},
		{"dumb", map[string]string{"TERM": "dumb"}, "none", true},
		{"LC_ALL before LANG", map[string]string{"LC_ALL": "C", "LANG": "en_US.UTF-8"}, "16", true},
		{"LC_CTYPE before LANG", map[string]string{"LC_CTYPE": "C.UTF-8", "LANG": "C"}, "16", false},
		{"tmux inherits COLORTERM", map[string]string{"TERM": "tmux-256color", "COLORTERM": "truecolor",
			"TMUX": "/tmp/tmux-0/default,1,0"}, "256", true},
		{"tmux, known by TERM alone", map[string]string{
			"TERM": "tmux-256color", "COLORTERM": "truecolor"}, "256", true},
		{"tmux under the name of xterm", map[string]string{
			"TERM": "xterm-256color", "COLORTERM": "24bit", "TMUX": "x,1,0"}, "256", true},
		{"tmux that passes 24 bits on", map[string]string{"TERM": "tmux-direct", "TMUX": "x,1,0"}, "dark", true},
		{"tmux on a light terminal", map[string]string{"TERM": "tmux-256color", "COLORTERM": "truecolor",
			"COLORFGBG": "0;15"}, "light", true},
		{"old tmux", map[string]string{"TERM": "screen", "TMUX": "x,1,0"}, "256", true},
		{"screen", map[string]string{"TERM": "screen", "COLORTERM": "truecolor", "STY": "1.tty"}, "256", true},
		{"screen far away", map[string]string{"TERM": "screen"}, "256", true},
		{"screen under the name of xterm", map[string]string{
			"TERM": "xterm", "COLORTERM": "truecolor", "STY": "1.tty"}, "256", true},
		{"NO_COLOR in tmux", map[string]string{
			"TERM": "tmux-256color", "TMUX": "x,1,0", "NO_COLOR": "1"}, "none", true},
		{"console font", map[string]string{"TERM": "linux", "LANG": "C.UTF-8"}, "16", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			th := FromEnv(func(k string) string { return tt.env[k] })
			if th.Name != tt.theme || th.Glyphs.ASCII != tt.ascii {
				t.Errorf("got %s ascii=%v, want %s ascii=%v", th.Name, th.Glyphs.ASCII, tt.theme, tt.ascii)
			}
		})
	}
}

func TestWithBackground(t *testing.T) {
	if got := New("dark", true).WithBackground(false); got.Name != "light" || got.Glyphs.ASCII {
		t.Errorf("dark on a light terminal: %s, ascii %v", got.Name, got.Glyphs.ASCII)
	}
	if got := New("256", true).WithBackground(false); got.Name != "light" {
		t.Errorf("256 on a light terminal: %s", got.Name)
	}
	if got := New("safe", true).WithBackground(false); got.Name != "safe" {
		t.Errorf("a theme that fits no background became %s", got.Name)
	}
	if got := New("none", false).WithBackground(false); got.Name != "none" {
		t.Errorf("no colour became %s", got.Name)
	}
}

// Every semantic style has exactly one rule.
func TestRulesCoverStyles(t *testing.T) {
	seen := map[*Style]bool{}
	var s Styles
	for _, r := range rules {
		if p := r.style(&s); seen[p] {
			t.Error("two rules for one style")
		} else {
			seen[p] = true
		}
	}
	if n := reflect.TypeOf(s).NumField(); n != len(seen) {
		t.Errorf("%d styles, %d rules", n, len(seen))
	}
}

func TestPrefixes(t *testing.T) {
	colour := regexp.MustCompile(`[;\[](3[0-8]|4[0-8]|9[0-7]|10[0-7])(;|m)`)
	whole := regexp.MustCompile(`^(\x1b\[[0-9;]+m)*$`)
	truecolour := regexp.MustCompile(`[34]8;`)
	for _, name := range Names {
		v := reflect.ValueOf(New(name, true).Styles)
		for i := range v.NumField() {
			sgr := v.Field(i).Interface().(Style).SGR()
			field := v.Type().Field(i).Name
			if !whole.MatchString(sgr) {
				t.Errorf("%s %s: %q is not SGR alone", name, field, sgr)
			}
			if name == "none" && colour.MatchString(sgr) {
				t.Errorf("none %s has a colour: %q", field, sgr)
			}
			if name == "256" && strings.Contains(sgr, "8;2;") {
				t.Errorf("256 %s leaves the 256 colours: %q", field, sgr)
			}
			if name == "16" && truecolour.MatchString(sgr) {
				t.Errorf("16 %s leaves the 16 colours: %q", field, sgr)
			}
		}
	}
	// Meaning must survive without colour.
	th := New("none", true)
	for name, s := range map[string]Style{"Err": th.Err, "Selection": th.Selection, "TabActive": th.TabActive,
		"Changed": th.Changed, "Cursor": th.Cursor} {
		if s.SGR() == "" {
			t.Errorf("%s is invisible without colour", name)
		}
	}
}

func TestGlyphWidths(t *testing.T) {
	for _, g := range []Glyphs{unicodeGlyphs, asciiGlyphs} {
		v := reflect.ValueOf(g)
		for i := range v.NumField() {
			name, want := v.Type().Field(i).Name, 1
			if name == "LongRight" {
				want = 3
			}
			for _, s := range glyphStrings(v.Field(i)) {
				if w := ansi.StringWidth(s); w != want {
					t.Errorf("%s %q is %d cells, want %d", name, s, w, want)
				}
				if g.ASCII && s[0] >= 0x80 {
					t.Errorf("%s %q is not ASCII", name, s)
				}
			}
		}
	}
	for r, s := range asciiFor {
		for _, c := range []byte(s) {
			if c < 0x20 || c > 0x7e {
				t.Errorf("%q spelled with %q", r, s)
			}
		}
	}
}

func glyphStrings(v reflect.Value) []string {
	switch v.Kind() {
	case reflect.String:
		return []string{v.String()}
	case reflect.Array:
		var out []string
		for i := range v.Len() {
			out = append(out, v.Index(i).String())
		}
		return out
	}
	return nil
}
