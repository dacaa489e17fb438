package theme

import "charm.land/lipgloss/v2"

// token names a colour by its part in the design.
type token int

const (
	none token = iota
	text
	muted
	quiet // text of little weight, still to be read
	faint // lines
	accent
	good
	caution
	bad
	info
	onAccent
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
// terminal's own. A nil palette has no colours at all.
type palette *[tokens]string

var palettes = map[string]palette{
	"none": nil,
	"dark": {
		text: "#d8dee9", muted: "#8f9bb3", quiet: "#75809a", faint: "#5b6578", accent: "#7dcfff",
		good: "#9ece6a", caution: "#e0af68", bad: "#f7768e", info: "#bb9af7",
		onAccent: "#10141c", selBack: "#2f3f5c", blurBack: "#262d3a",
		changedBack: "#6b4a12", addedBack: "#1f4d2e", rangeBack: "#20405e",
		range2Back: "#45305f", matchBack: "#5a5018",
	},
	"light": {
		text: "#1f2430", muted: "#5c6576", quiet: "#747d8e", faint: "#9aa2b1", accent: "#0b63a5",
		good: "#2f7d1f", caution: "#8a5a00", bad: "#b3163a", info: "#6b3fa0",
		onAccent: "#ffffff", selBack: "#cfe2f7", blurBack: "#e6eaf0",
		changedBack: "#ffdf9e", addedBack: "#c6efcc", rangeBack: "#cbe4fa",
		range2Back: "#e6d8f7", matchBack: "#fff1a8",
	},
	"16": {
		muted: "7", quiet: "8", faint: "8", accent: "14", good: "10", caution: "11", bad: "9",
		info: "13", onAccent: "0", selBack: "4", blurBack: "8", changedBack: "3",
		addedBack: "2", rangeBack: "4", range2Back: "5", matchBack: "3",
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

// rule says how one semantic style looks: its colours and attributes, and the
// attributes that must carry the meaning alone where there is no colour.
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
	{func(s *Styles) *Style { return &s.FrameFocus }, accent, none, 0, bold},
	{func(s *Styles) *Style { return &s.FrameTitle }, text, none, bold, bold},
	{func(s *Styles) *Style { return &s.Header }, muted, none, bold, bold},
	{func(s *Styles) *Style { return &s.Label }, muted, none, 0, 0},
	{func(s *Styles) *Style { return &s.Value }, text, none, 0, 0},
	{func(s *Styles) *Style { return &s.Dim }, muted, none, 0, faded},
	{func(s *Styles) *Style { return &s.OK }, good, none, 0, 0},
	{func(s *Styles) *Style { return &s.Warn }, caution, none, 0, bold},
	{func(s *Styles) *Style { return &s.Err }, bad, none, bold, bold | underline},
	{func(s *Styles) *Style { return &s.Info }, info, none, 0, 0},
	{func(s *Styles) *Style { return &s.Accent }, accent, none, bold, bold},
	{func(s *Styles) *Style { return &s.Key }, accent, none, 0, bold},
	{func(s *Styles) *Style { return &s.KeyText }, muted, none, 0, 0},
	{func(s *Styles) *Style { return &s.Selection }, none, selBack, 0, reverse},
	{func(s *Styles) *Style { return &s.SelBlur }, none, blurBack, 0, 0},
	{func(s *Styles) *Style { return &s.Match }, none, matchBack, 0, underline},
	{func(s *Styles) *Style { return &s.Changed }, text, changedBack, bold, bold | reverse},
	{func(s *Styles) *Style { return &s.Added }, text, addedBack, 0, bold},
	{func(s *Styles) *Style { return &s.Range }, text, rangeBack, 0, underline},
	{func(s *Styles) *Style { return &s.Range2 }, text, range2Back, 0, underline | italic},
	{func(s *Styles) *Style { return &s.Undefined }, quiet, none, 0, faded},
	{func(s *Styles) *Style { return &s.Required }, caution, none, bold, bold},
	{func(s *Styles) *Style { return &s.Optional }, muted, none, 0, 0},
	{func(s *Styles) *Style { return &s.Forbidden }, bad, none, 0, faded},
	{func(s *Styles) *Style { return &s.Input }, text, none, 0, 0},
	{func(s *Styles) *Style { return &s.Placeholder }, quiet, none, 0, faded},
	{func(s *Styles) *Style { return &s.Cursor }, none, none, reverse, reverse},
	{func(s *Styles) *Style { return &s.Fill }, accent, none, 0, 0},
	{func(s *Styles) *Style { return &s.Track }, faint, none, 0, faded},
}

func (r rule) build(p palette) Style {
	s := lipgloss.NewStyle()
	a := r.mono
	if p != nil {
		a = r.attr
		if c := p[r.fg]; c != "" {
			s = s.Foreground(lipgloss.Color(c))
		}
		if c := p[r.bg]; c != "" {
			s = s.Background(lipgloss.Color(c))
		}
	}
	if a == 0 && (p == nil || p[r.fg] == "" && p[r.bg] == "") {
		return Style{}
	}
	return Make(s.Bold(a&bold != 0).Faint(a&faded != 0).Underline(a&underline != 0).
		Reverse(a&reverse != 0).Italic(a&italic != 0))
}
