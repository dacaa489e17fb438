package uitest

import (
	"cmp"
	"fmt"
	"html"
	"image/color"
	"maps"
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

const (
	cellWidth, cellHeight = 10, 20
	baseline              = 15 // of text, below the top of its cell
	widestGap             = 1  // of blanks in a piece of text: columns stay in line in any font
)

// look is how a cell's glyph is drawn.
type look struct {
	colour                          string
	bold, faint, italic, underlined bool
}

// layer holds the drawing of some rows, by look. Each part is the text of SVG elements or of a path.
type layer struct {
	backs map[string]*strings.Builder // paths, by colour
	inks  map[look]*ink
}

// ink holds everything of one look.
type ink struct {
	text              strings.Builder // elements
	fill, shade, line strings.Builder // paths
	marks, xs, ys     []string        // single glyphs and their positions
	across, along     map[int][]span  // lines of frames, by their height, by their distance from the left
}

// span is a part of a line.
type span struct{ from, to int }

func newLayer() *layer {
	return &layer{backs: map[string]*strings.Builder{}, inks: map[look]*ink{}}
}

// row adds the cells of a row.
func (l *layer) row(y int, cells []uv.Cell) {
	l.ground(y, cells)
	runs := map[look]*run{}
	for x := range cells {
		glyph, as := cells[x].Content, lookOf(&cells[x])
		if strings.TrimSpace(glyph) == "" && !as.underlined {
			continue
		}
		if !inRun(glyph) {
			l.ink(as).glyph(x, y, glyph)
			continue
		}
		r := runs[as]
		if r == nil || x-r.end() > widestGap {
			l.ink(as).write(r, y)
			r = &run{at: x}
			runs[as] = r
		}
		r.text = append(r.text, []rune(strings.Repeat(" ", x-r.end())+glyph)...)
	}
	for as, r := range runs {
		l.ink(as).write(r, y)
	}
}

// run is a piece of text in one row.
type run struct {
	at   int
	text []rune
}

func (r *run) end() int { return r.at + len(r.text) }

// ground adds the backgrounds of a row that differ from the picture's.
func (l *layer) ground(y int, cells []uv.Cell) {
	for x := 0; x < len(cells); {
		back, start := backOf(&cells[x]), x
		for x < len(cells) && backOf(&cells[x]) == back {
			x++
		}
		if back == ground {
			continue
		}
		if l.backs[back] == nil {
			l.backs[back] = new(strings.Builder)
		}
		w := (x - start) * cellWidth
		fmt.Fprintf(l.backs[back], "M%d %dh%dv%dh-%dz", start*cellWidth, y*cellHeight, w, cellHeight, w)
	}
}

func (l *layer) ink(as look) *ink {
	if l.inks[as] == nil {
		l.inks[as] = &ink{across: map[int][]span{}, along: map[int][]span{}}
	}
	return l.inks[as]
}

// write adds a piece of text with its length, because fonts differ in width.
func (k *ink) write(r *run, y int) {
	if r == nil {
		return
	}
	length := ""
	if len(r.text) > 1 {
		length = fmt.Sprintf(` textLength="%d"`, len(r.text)*cellWidth)
	}
	fmt.Fprintf(&k.text, `<text x="%d" y="%d"%s>%s</text>`+"\n", r.at*cellWidth, y*cellHeight+baseline, length,
		html.EscapeString(string(r.text)))
}

// glyph adds a path, or a character in a cell of its own if fonts disagree on its width.
func (k *ink) glyph(x, y int, glyph string) {
	px, py := x*cellWidth, y*cellHeight
	for _, of := range []struct {
		glyphs map[string]string
		path   *strings.Builder
	}{{strokes, &k.line}, {fills, &k.fill}, {shades, &k.shade}} {
		if d, ok := of.glyphs[glyph]; ok {
			fmt.Fprintf(of.path, "M%d %d%s", px, py, d)
			return
		}
	}
	if d := braille(glyph); d != "" {
		fmt.Fprintf(&k.fill, "M%d %d%s", px, py, d)
		return
	}
	if arms, ok := boxes[glyph]; ok {
		k.box(px, py, arms)
		return
	}
	k.marks = append(k.marks, glyph)
	k.xs, k.ys = append(k.xs, fmt.Sprint(px)), append(k.ys, fmt.Sprint(py+baseline))
}

// box adds half lines; those that touch become one.
func (k *ink) box(px, py int, has arms) {
	cx, cy := px+cellWidth/2, py+cellHeight/2
	for _, half := range []struct {
		arm   arms
		lines map[int][]span
		at    int
		span
	}{
		{left, k.across, cy, span{px, cx}}, {right, k.across, cy, span{cx, px + cellWidth}},
		{up, k.along, cx, span{py, cy}}, {down, k.along, cx, span{cy, py + cellHeight}},
	} {
		if has&half.arm == 0 {
			continue
		}
		line := half.lines[half.at]
		if n := len(line); n > 0 && line[n-1].to == half.from {
			line[n-1].to = half.to
		} else {
			line = append(line, half.span)
		}
		half.lines[half.at] = line
	}
}

// write writes the layer's elements; class names the class of each colour.
func (l *layer) write(b *strings.Builder, class func(colour string) string) {
	for _, colour := range slices.Sorted(maps.Keys(l.backs)) {
		fmt.Fprintf(b, `<path class="%s g" d="%s"/>`+"\n", class(colour), l.backs[colour])
	}
	for _, as := range slices.SortedFunc(maps.Keys(l.inks), func(a, b look) int {
		return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
	}) {
		fmt.Fprintf(b, `<g class="%s%s">`+"\n", class(as.colour), as.classes())
		l.inks[as].writeTo(b)
		b.WriteString("</g>\n")
	}
}

func (as look) classes() (names string) {
	for _, attr := range []struct {
		name string
		set  bool
	}{{"bold", as.bold}, {"faint", as.faint}, {"italic", as.italic}, {"under", as.underlined}} {
		if attr.set {
			names += " " + attr.name
		}
	}
	return names
}

func (k *ink) writeTo(b *strings.Builder) {
	for _, y := range slices.Sorted(maps.Keys(k.across)) {
		for _, s := range k.across[y] {
			fmt.Fprintf(&k.line, "M%d %dh%d", s.from, y, s.to-s.from)
		}
	}
	for _, x := range slices.Sorted(maps.Keys(k.along)) {
		for _, s := range k.along[x] {
			fmt.Fprintf(&k.line, "M%d %dv%d", x, s.from, s.to-s.from)
		}
	}
	b.WriteString(k.text.String())
	if len(k.marks) > 0 {
		fmt.Fprintf(b, `<text x="%s" y="%s">%s</text>`+"\n", strings.Join(k.xs, " "), strings.Join(k.ys, " "),
			html.EscapeString(strings.Join(k.marks, "")))
	}
	for _, of := range []struct {
		class string
		path  *strings.Builder
	}{{"fill", &k.fill}, {"shade", &k.shade}, {"line", &k.line}} {
		if of.path.Len() > 0 {
			fmt.Fprintf(b, `<path class="%s" d="%s"/>`+"\n", of.class, of.path)
		}
	}
}

// lookOf and backOf return the visible colours of a cell: reverse video exchanges them.
func lookOf(c *uv.Cell) look {
	s := &c.Style
	colour := hex(s.Fg, foreground)
	if s.Attrs&uv.AttrReverse != 0 {
		colour = hex(s.Bg, ground)
	}
	return look{colour: colour, bold: s.Attrs&uv.AttrBold != 0, faint: s.Attrs&uv.AttrFaint != 0,
		italic: s.Attrs&uv.AttrItalic != 0, underlined: s.Underline != uv.UnderlineNone}
}

func backOf(c *uv.Cell) string {
	if c.Style.Attrs&uv.AttrReverse != 0 {
		return hex(c.Style.Fg, foreground)
	}
	return hex(c.Style.Bg, ground)
}

func hex(c color.Color, otherwise string) string {
	if c == nil {
		return otherwise
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
