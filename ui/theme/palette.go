package theme

import "charm.land/lipgloss/v2"

// token names a colour by its role.
type token int

const (
	none   token = iota
	ground       // the background of a terminal with this theme
	text
	muted
	quiet // secondary text, still readable
	faint // lines
	accent
	ok
	warn
	fail // an error, and nothing else
	info
	focus  // the focused frame
	mine   // of this end of a connection
	theirs // of the other end
	onAccent
	onMark // text on the backgrounds below
	selBack
	blurBack
	changedBack
	addedBack
	rangeBack
	range2Back
	matchBack
	tokens
)

// palette gives each token a colour: "#rrggbb" or an ANSI number, empty for the
// terminal's default. A nil palette has no colours.
type palette *[tokens]string

// palettes by theme. Tests check the contrast of each text to its background, and in
// "safe" the distance of ok, warn and fail without red or green cones.
var palettes = map[string]palette{
	"none": nil,
	"dark": {
		ground: "#1e1e1e", text: "#d8dee9", muted: "#a8b3c8", quiet: "#9ba7be", faint: "#6b7688", accent: "#7dcfff",
		ok: "#9ece6a", warn: "#e0af68", fail: "#ff9399", info: "#c8aefa", focus: "#7dcfff",
		mine: "#7dcfff", theirs: "#e5b3f0", onAccent: "#10141c", onMark: "#ffffff", selBack: "#243c66",
		blurBack: "#262a33", changedBack: "#6b4a12", addedBack: "#1f4d2e", rangeBack: "#20405e",
		range2Back: "#45305f", matchBack: "#5a5018",
	},
	"light": {
		ground: "#ffffff", text: "#1f2430", muted: "#48515f", quiet: "#515a69", faint: "#838b9a", accent: "#0b5394",
		ok: "#226314", warn: "#754b00", fail: "#a8102f", info: "#5f3494", focus: "#0b5394",
		mine: "#0b5394", theirs: "#7a2b86", onAccent: "#ffffff", onMark: "#1f2430", selBack: "#afd7ff",
		blurBack: "#e4e4e4", changedBack: "#ffd787", addedBack: "#d7ffd7", rangeBack: "#d7ffff",
		range2Back: "#ffd7ff", matchBack: "#ffffaf",
	},
	"256": {
		ground: "234", text: "253", muted: "249", quiet: "248", faint: "242", accent: "117",
		ok: "149", warn: "179", fail: "210", info: "183", focus: "117", mine: "117", theirs: "219",
		onAccent: "16", onMark: "231", selBack: "19", blurBack: "235",
		changedBack: "94", addedBack: "22", rangeBack: "25", range2Back: "54", matchBack: "58",
	},
	// Marks are dark on light, since these colours differ between terminals. The row
	// under the cursor is reversed with the focus, underlined without.
	"16": {
		ground: "0", muted: "7", quiet: "7", faint: "8", accent: "14", ok: "10", warn: "11", fail: "9",
		info: "13", focus: "14", mine: "14", theirs: "13", onAccent: "0", onMark: "0", changedBack: "11",
		addedBack: "10", rangeBack: "14", range2Back: "13", matchBack: "11",
	},
	"contrast": {
		ground: "#000000", text: "#ffffff", muted: "#e0e0e0", quiet: "#c8c8c8", faint: "#b0b0b0", accent: "#5fffff",
		ok: "#5fff5f", warn: "#ffff5f", fail: "#ffa0a0", info: "#e0c0ff", focus: "#5fffff",
		mine: "#5fffff", theirs: "#ffb0ff", onAccent: "#000000", onMark: "#ffffff", selBack: "#00389a",
		blurBack: "#2a2a2a", changedBack: "#5a3c00", addedBack: "#004a10", rangeBack: "#003a5a",
		range2Back: "#4a1a5a", matchBack: "#4a4400",
	},
	"safe": {
		ground: "#1e1e1e", text: "#e4e4e4", muted: "#b4bac4", quiet: "#a4abb8", faint: "#737b88", accent: "#8fd0ff",
		ok: "#62b8ea", warn: "#fbf07a", fail: "#ff8540", info: "#d0b8f0", focus: "#ffffff",
		mine: "#8fd0ff", theirs: "#f0c8a0", onAccent: "#10141c", onMark: "#ffffff", selBack: "#243c66",
		blurBack: "#262a33", changedBack: "#5f4a00", addedBack: "#14486a", rangeBack: "#20405e",
		range2Back: "#45305f", matchBack: "#5a5018",
	},
}

// attr is a set of text attributes.
type attr uint8

const (
	bold attr = 1 << iota
	faded
	underline
	reverse
	italic
)

// rule defines one semantic style: its colours and attributes, and the attributes
// used without colour.
type rule struct {
	style  func(*Styles) *Style
	fg, bg token
	attr   attr
	mono   attr
}

var rules = []rule{
	{func(s *Styles) *Style { return &s.Title }, accent, none, bold, bold},
	{func(s *Styles) *Style { return &s.Tab }, muted, none, 0, 0},
	{func(s *Styles) *Style { return &s.TabActive }, onAccent, accent, bold, bold | reverse},
	{func(s *Styles) *Style { return &s.Frame }, faint, none, 0, faded},
	{func(s *Styles) *Style { return &s.FrameFocus }, focus, none, 0, bold},
	{func(s *Styles) *Style { return &s.FrameTitle }, text, none, bold, bold},
	{func(s *Styles) *Style { return &s.Header }, muted, none, bold, bold},
	{func(s *Styles) *Style { return &s.Label }, muted, none, 0, 0},
	{func(s *Styles) *Style { return &s.Value }, text, none, 0, 0},
	{func(s *Styles) *Style { return &s.Dim }, muted, none, 0, faded},
	{func(s *Styles) *Style { return &s.OK }, ok, none, 0, 0},
	{func(s *Styles) *Style { return &s.Warn }, warn, none, 0, bold},
	{func(s *Styles) *Style { return &s.Err }, fail, none, bold, bold | underline},
	{func(s *Styles) *Style { return &s.Info }, info, none, 0, 0},
	{func(s *Styles) *Style { return &s.Mine }, mine, none, 0, bold},
	{func(s *Styles) *Style { return &s.Theirs }, theirs, none, 0, italic},
	{func(s *Styles) *Style { return &s.Accent }, accent, none, bold, bold},
	{func(s *Styles) *Style { return &s.Key }, accent, none, 0, bold},
	{func(s *Styles) *Style { return &s.KeyText }, muted, none, 0, 0},
	{func(s *Styles) *Style { return &s.Selection }, none, selBack, bold, reverse},
	{func(s *Styles) *Style { return &s.SelBlur }, none, blurBack, 0, underline},
	{func(s *Styles) *Style { return &s.Match }, onMark, matchBack, 0, underline},
	{func(s *Styles) *Style { return &s.Changed }, onMark, changedBack, 0, bold | reverse},
	{func(s *Styles) *Style { return &s.Added }, onMark, addedBack, 0, bold},
	{func(s *Styles) *Style { return &s.Range }, onMark, rangeBack, 0, underline},
	{func(s *Styles) *Style { return &s.Range2 }, onMark, range2Back, 0, underline | italic},
	{func(s *Styles) *Style { return &s.Undefined }, quiet, none, 0, faded},
	{func(s *Styles) *Style { return &s.Required }, warn, none, bold, bold},
	{func(s *Styles) *Style { return &s.Optional }, muted, none, 0, 0},
	{func(s *Styles) *Style { return &s.Forbidden }, quiet, none, 0, faded},
	{func(s *Styles) *Style { return &s.Input }, text, none, 0, 0},
	{func(s *Styles) *Style { return &s.Placeholder }, quiet, none, 0, faded},
	{func(s *Styles) *Style { return &s.Cursor }, none, none, reverse, reverse},
	{func(s *Styles) *Style { return &s.Fill }, accent, none, 0, 0},
	{func(s *Styles) *Style { return &s.Track }, faint, none, 0, faded},
}

// evenly switches off colours and faintness. A reversed row would otherwise show each
// cell's colour as a background of its own, and faint cells as grey on white.
const evenly = "\x1b[22;39;49m"

func (r rule) build(p palette) Style {
	s := lipgloss.NewStyle()
	a := r.mono
	if p != nil {
		if a = r.attr; r.bg != none && p[r.bg] == "" {
			a = r.mono // the mark has no background here
		}
		if c := p[r.fg]; c != "" {
			s = s.Foreground(lipgloss.Color(c))
		}
		if c := p[r.bg]; c != "" {
			s = s.Background(lipgloss.Color(c))
		}
	}
	if a == 0 && (p == nil || p[r.fg] == "" && p[r.bg] == "") {
		return Style{new(string)}
	}
	st := Make(s.Bold(a&bold != 0).Faint(a&faded != 0).Underline(a&underline != 0).
		Reverse(a&reverse != 0).Italic(a&italic != 0))
	if a&reverse != 0 && r.fg == none {
		*st.sgr = evenly + *st.sgr
	}
	return st
}
