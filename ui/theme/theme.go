// Package theme turns palettes into semantic styles and picks a glyph set. Widgets
// name the meaning of a text (an error, a label); only this package knows how it
// looks.
package theme

import "strings"

// Styles are the meanings of text on the screen.
type Styles struct {
	Title       Style // name of the program or of a dialog
	Tab         Style // a screen that is not shown
	TabActive   Style // the screen that is shown
	Frame       Style // border of a pane
	FrameFocus  Style // border of the focused pane
	FrameTitle  Style // title in a border
	Header      Style // column titles
	Label       Style // name of a value
	Value       Style // a value
	Dim         Style // secondary text, units, notes
	OK          Style // success
	Warn        Style // worth a look
	Err         Style // failure
	Info        Style // neutral mark, link to another object
	Mine        Style // of this end of a connection
	Theirs      Style // of the other end
	Accent      Style // what the eye should find first: current state
	Key         Style // a key in a help line
	KeyText     Style // what the key does
	Selection   Style // laid over the row under the cursor
	SelBlur     Style // the same row in a pane without the focus
	Match       Style // text found by a filter
	Changed     Style // byte or value that changed
	Added       Style // byte or value that is new
	Range       Style // bytes named by a scatter/gather element
	Range2      Style // the next element, to tell neighbours apart
	Undefined   Style // a field the provider left undefined
	Required    Style // mark of a required field
	Optional    Style // mark of an optional field
	Forbidden   Style // mark of a field that is not allowed
	Input       Style // text being edited
	Placeholder Style // hint in an empty input
	Cursor      Style // the cell under the text cursor
	Fill        Style // filled part of a gauge, sparkline
	Track       Style // empty part of a gauge
}

// Theme is a look: styles and glyphs. Only [Theme.Become] changes it after it is made.
type Theme struct {
	Name string
	Styles
	Glyphs Glyphs
	// Ground is the background, "#rrggbb", that the program sets in the terminal: that of
	// a theme that the user chose. It is "" to keep the terminal's own.
	Ground string
}

// Names lists the themes New knows.
var Names = []string{"dark", "light", "256", "16", "contrast", "safe", "none"}

// About describes each theme in a few words.
var About = map[string]string{
	Auto: "what fits the terminal", "dark": "24-bit colours on a dark background",
	"light": "24-bit colours on a light background", "256": "256 colours on a dark background",
	"16": "the terminal's own 16 colours", "contrast": "high contrast, on black",
	"safe": "for the colour-blind: blue, yellow, orange", "none": "no colours: bold, underlined, reversed",
}

// New makes a theme by name (one of Names; anything else is "dark") with Unicode or
// plain ASCII glyphs.
func New(name string, unicode bool) *Theme {
	p, ok := palettes[name]
	if !ok {
		name, p = "dark", palettes["dark"]
	}
	t := &Theme{Name: name, Glyphs: asciiGlyphs}
	if unicode {
		t.Glyphs = unicodeGlyphs
	}
	for _, r := range rules {
		*r.style(&t.Styles) = r.build(p)
	}
	return t
}

// Become makes t look like another theme, including all copies of t's styles, so that
// text laid out before is drawn in the new style.
func (t *Theme) Become(next *Theme) {
	t.Name, t.Glyphs, t.Ground = next.Name, next.Glyphs, next.Ground
	for _, r := range rules {
		*r.style(&t.Styles).sgr = r.style(&next.Styles).SGR()
	}
}

// Copy returns a separate theme that looks like t.
func (t *Theme) Copy() *Theme {
	c := New(t.Name, !t.Glyphs.ASCII)
	c.Ground = t.Ground
	return c
}

// withGround sets the theme's background in the terminal, if the theme defines one.
func (t *Theme) withGround() *Theme {
	if p := palettes[t.Name]; p != nil && strings.HasPrefix(p[ground], "#") {
		t.Ground = p[ground]
	}
	return t
}

// WithBackground returns the theme that fits the terminal's background, once the
// terminal has reported its colour. It replaces only themes made for one kind of
// background.
func (t *Theme) WithBackground(dark bool) *Theme {
	fits := map[string]map[bool]string{"dark": {false: "light"}, "256": {false: "light"}, "light": {true: "dark"}}
	if want := fits[t.Name][dark]; want != "" {
		return New(want, !t.Glyphs.ASCII)
	}
	return t
}
