// Package theme turns palettes into semantic styles and picks a glyph set.
// Widgets name what a text means (an error, a label); only this package knows
// how it looks.
package theme

// Styles is what text on the screen can mean.
type Styles struct {
	Title       Style // name of the program or of a dialog
	Tab         Style // a screen that is not shown
	TabActive   Style // the screen that is shown
	Frame       Style // border of a pane
	FrameFocus  Style // border of the pane that has the keys
	FrameTitle  Style // title in a border
	Header      Style // column titles
	Label       Style // name of a value
	Value       Style // a value
	Dim         Style // secondary text, units, notes
	OK          Style // success
	Warn        Style // worth a look
	Err         Style // failure
	Info        Style // neutral mark, link to another object
	Accent      Style // what the eye should find first: current state
	Key         Style // a key in a help line
	KeyText     Style // what the key does
	Selection   Style // laid over the row under the cursor
	SelBlur     Style // the same row while another pane has the keys
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

// Theme is a look: styles and glyphs. It is read-only once made.
type Theme struct {
	Name string
	Styles
	Glyphs Glyphs
}

// Names lists the themes New knows.
var Names = []string{"dark", "light", "16", "none"}

// New makes a theme by name ("dark", "light", "16", "none"; anything else is
// "dark") with Unicode or plain ASCII glyphs.
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

// WithBackground returns the theme that fits the terminal's background, once it
// has answered the query for its colour. Only dark and light are exchanged.
func (t *Theme) WithBackground(dark bool) *Theme {
	want := "light"
	if dark {
		want = "dark"
	}
	if t.Name == want || (t.Name != "dark" && t.Name != "light") {
		return t
	}
	return New(want, !t.Glyphs.ASCII)
}
