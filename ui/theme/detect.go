package theme

import "strings"

// FromEnv picks a theme and glyph set from the environment; getenv is os.Getenv in
// the program. The terminal's background, if it reports one, comes later: see
// WithBackground.
func FromEnv(getenv func(string) string) *Theme {
	return New(colours(getenv), utf8Locale(getenv))
}

// Auto selects what fits the terminal.
const Auto = "auto"

// Chosen returns the theme that the user chose, by the names that New knows, with
// "auto" or "unicode" or "ascii" glyphs; auto fits the terminal. If the environment
// forbids colour, a choice does not restore it.
func Chosen(getenv func(string) string, name, glyphs string) *Theme {
	fit := FromEnv(getenv)
	auto := name == Auto || name == "" || fit.Name == "none"
	if auto {
		name = fit.Name
	}
	unicode := !fit.Glyphs.ASCII
	if glyphs == "unicode" || glyphs == "ascii" {
		unicode = glyphs == "unicode"
	}
	t := New(name, unicode)
	if !auto {
		t = t.withGround()
	}
	return t
}

func colours(getenv func(string) string) string {
	term := getenv("TERM")
	true24 := trueColour(term) || !multiplexed(getenv) && claimsTrueColour(getenv("COLORTERM"))
	switch {
	case getenv("NO_COLOR") != "", term == "dumb":
		return "none"
	case !true24 && !multiplexed(getenv) && !strings.Contains(term, "256color"):
		return "16"
	case lightBackground(getenv("COLORFGBG")):
		return "light"
	case !true24:
		return "256"
	}
	return "dark"
}

// multiplexed reports whether tmux or screen draws on the terminal. COLORTERM is then
// inherited from the terminal outside, and says nothing of what they let through.
// Both know 256 colours under each of their names.
func multiplexed(getenv func(string) string) bool {
	term := getenv("TERM")
	return getenv("TMUX") != "" || getenv("STY") != "" ||
		strings.HasPrefix(term, "tmux") || strings.HasPrefix(term, "screen")
}

func claimsTrueColour(colorterm string) bool { return colorterm == "truecolor" || colorterm == "24bit" }

// trueColour knows the terminals with 24-bit colours by name.
func trueColour(term string) bool {
	for _, part := range []string{"direct", "kitty", "ghostty", "alacritty", "wezterm", "foot"} {
		if strings.Contains(term, part) {
			return true
		}
	}
	return false
}

// lightBackground parses rxvt's "fg;bg" or "fg;default;bg": 7 and 9 to 15 are light.
func lightBackground(fgbg string) bool {
	switch fgbg[strings.LastIndexByte(fgbg, ';')+1:] {
	case "7", "9", "10", "11", "12", "13", "14", "15":
		return true
	}
	return false
}

// utf8Locale follows setlocale's order: LC_ALL, LC_CTYPE, LANG; the first that is
// set decides. The Linux console speaks UTF-8 but its font lacks most glyphs.
func utf8Locale(getenv func(string) string) bool {
	if getenv("TERM") == "linux" {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}
