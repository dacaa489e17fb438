package theme

// Glyphs are the symbols beside plain text. Every glyph is one cell wide in both
// sets, so that a layout does not depend on the set; only the arrows between states
// are wider.
type Glyphs struct {
	ASCII bool // only ASCII is known to display

	H, V              string // lines
	DashH, DashV      string // dashed lines
	TL, TR, BL, BR    string // corners
	TeeL, TeeR        string // ├ ┤
	TeeT, TeeB        string // ┬ ┴
	Cross             string
	Left, Right       string // arrows
	Up, Down          string
	LongRight         string // three cells: a transition
	Peers             string // between two ends of a connection
	Full, Hollow, Ban string // marks: required, optional, not allowed
	Check             string
	Alert             string // a setting that may be forgotten is on
	Pointer           string // the row under the cursor
	Ellipsis          string
	Sep               string // between items of one line
	Dash              string // no value
	Micro             string
	Times             string
	Thumb, Rail       string // scroll bar
	Track             string // empty part of a gauge
	Spark             [8]string
	Eighths           [8]string // 1/8 to 8/8 of a cell, from the left
}

var unicodeGlyphs = Glyphs{
	H: "─", V: "│", DashH: "╌", DashV: "┆", TL: "╭", TR: "╮", BL: "╰", BR: "╯",
	TeeL: "├", TeeR: "┤", TeeT: "┬", TeeB: "┴", Cross: "┼",
	Left: "←", Right: "→", Up: "↑", Down: "↓", LongRight: "──▶", Peers: "⇄",
	Full: "●", Hollow: "○", Ban: "✗", Check: "✓", Alert: "⚠", Pointer: "▸",
	Ellipsis: "…", Sep: "·", Dash: "–",
	Micro: "µ", Times: "×", Thumb: "█", Rail: "│", Track: "░",
	Spark:   [8]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
	Eighths: [8]string{"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
}

var asciiGlyphs = Glyphs{
	ASCII: true,
	H:     "-", V: "|", DashH: "-", DashV: ":", TL: "+", TR: "+", BL: "+", BR: "+",
	TeeL: "+", TeeR: "+", TeeT: "+", TeeB: "+", Cross: "+",
	Left: "<", Right: ">", Up: "^", Down: "v", LongRight: "-->", Peers: "=",
	Full: "*", Hollow: "o", Ban: "x", Check: "v", Alert: "!", Pointer: ">",
	Ellipsis: "~", Sep: "-", Dash: "-",
	Micro: "u", Times: "x", Thumb: "#", Rail: "|", Track: ".",
	Spark:   [8]string{"_", ".", "-", "~", "=", "+", "*", "#"},
	Eighths: [8]string{" ", " ", " ", "-", "-", "=", "=", "#"},
}

// asciiFor spells common signs in ASCII, for text that was written with them.
var asciiFor = map[rune]string{
	'─': "-", '╌': "-", '┆': ":", '━': "-", '│': "|", '┃': "|", '╭': "+", '╮': "+", '╰': "+", '╯': "+",
	'├': "+", '┤': "+", '┬': "+", '┴': "+", '┼': "+", '┌': "+", '┐': "+", '└': "+", '┘': "+",
	'←': "<", '→': ">", '↑': "^", '↓': "v", '▶': ">", '◀': "<", '▸': ">", '▲': "^", '▼': "v",
	'●': "*", '○': "o", '✗': "x", '⚠': "!", '✓': "v", '•': "*", '·': "-", '…': "~", '–': "-", '—': "-",
	'µ': "u", 'μ': "u", '×': "x", '≤': "<=", '≥': ">=", '≠': "!=", '±': "+-", '²': "^2", 'ⁿ': "^n",
	'‘': "'", '’': "'", '“': `"`, '”': `"`, '█': "#", '░': ".", '⌫': "<", '−': "-", '⏎': "<",
}

// ASCIIFor returns the ASCII spelling of a sign, if it has one.
func ASCIIFor(r rune) (string, bool) {
	s, ok := asciiFor[r]
	return s, ok
}
