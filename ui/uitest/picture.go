package uitest

import (
	"fmt"
	"html"
	"reflect"
	"regexp"
	"strings"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
)

// Frame is a screen, the key that is pressed while it is shown, if any, and how long it is shown.
type Frame struct {
	Cells [][]uv.Cell
	Key   string
	For   time.Duration
}

// The colours of a terminal with a dark background, for the program's dark theme.
const foreground, ground = "#d8dee9", "#1e1e1e"

// margin is between the screen and the edge of the picture, bar the height of the window's title.
const margin, bar = 20, 40

// DrawSVG draws frames of one size, as an animation if there are several. A viewer without
// animation shows the last one.
func DrawSVG(title string, frames []Frame) string {
	layers, shown := split(frames)
	var body strings.Builder
	colours := map[string]string{}
	class := func(colour string) string {
		if colours[colour] == "" {
			colours[colour] = fmt.Sprint("c", len(colours))
		}
		return colours[colour]
	}
	film := newFilm(frames)
	for i, l := range layers {
		fmt.Fprintf(&body, "<g%s>\n", film.class(shown[i]))
		l.write(&body, class)
		body.WriteString("</g>\n")
	}
	keys(&body, film, frames)

	w, h := len(frames[0].Cells[0])*cellWidth, len(frames[0].Cells)*cellHeight
	var b strings.Builder
	fmt.Fprintf(&b, head, w+2*margin, h+bar+margin, html.EscapeString(title), film.style(), w+2*margin-1,
		h+bar+margin-1, (w+2*margin)/2, html.EscapeString(title))
	b.WriteString("<style>\n")
	for i := range len(colours) {
		for colour, name := range colours {
			if name == fmt.Sprint("c", i) {
				fmt.Fprintf(&b, ".%s{color:%s}", name, colour)
			}
		}
	}
	fmt.Fprintf(&b, "\n</style>\n<g transform=\"translate(%d %d)\">\n%s</g>\n</svg>\n", margin, bar, body.String())
	return b.String()
}

// head is the start of the picture: its size, title, styles and window.
const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" xml:space="preserve">
<title>%s</title>
<style>
text{font:16.6px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;white-space:pre}
text,path,rect{fill:currentColor}
.line{fill:none;stroke:currentColor;stroke-width:1.4}
.shade{opacity:.3}.faint{opacity:.6}.bold text{font-weight:bold}.italic text{font-style:italic}.under text{text-decoration:underline}
.g{shape-rendering:crispEdges}
%s</style>
<rect x=".5" y=".5" width="%d" height="%d" rx="10" style="fill:` + ground + `;stroke:#555c6b"/>
<circle cx="24" cy="20" r="6" fill="#ff5f57"/><circle cx="44" cy="20" r="6" fill="#febc2e"/><circle cx="64" cy="20" r="6" fill="#28c840"/>
<text x="%d" y="26" text-anchor="middle" style="fill:#a8b3c8">%s</text>
`

// split groups rows that are visible in the same frames, so that each is drawn once. shown
// holds the frames in which each layer is visible.
func split(frames []Frame) (layers []*layer, shown []string) {
	at := map[string]int{}
	for y := range frames[0].Cells {
		done := make([]bool, len(frames))
		for i := range frames {
			if done[i] {
				continue
			}
			in := []byte(strings.Repeat("-", len(frames)))
			for j := i; j < len(frames); j++ {
				if !done[j] && reflect.DeepEqual(frames[i].Cells[y], frames[j].Cells[y]) {
					done[j], in[j] = true, 'x'
				}
			}
			n, ok := at[string(in)]
			if !ok {
				n = len(layers)
				at[string(in)] = n
				layers, shown = append(layers, newLayer()), append(shown, string(in))
			}
			layers[n].row(y, frames[i].Cells[y])
		}
	}
	return layers, shown
}

// keys shows each key while it is pressed, in the window's title.
func keys(b *strings.Builder, film *film, frames []Frame) {
	right := len(frames[0].Cells[0]) * cellWidth
	seen := map[string][]byte{}
	var order []string
	for i, f := range frames {
		if f.Key == "" {
			continue
		}
		if seen[f.Key] == nil {
			seen[f.Key] = []byte(strings.Repeat("-", len(frames)))
			order = append(order, f.Key)
		}
		seen[f.Key][i] = 'x'
	}
	for _, key := range order {
		w := (len(key) + 2) * cellWidth
		fmt.Fprintf(b, `<g%s><rect x="%d" y="-33" width="%d" height="26" rx="5" style="fill:#e0af68"/>`,
			film.class(string(seen[key])), right-w, w)
		fmt.Fprintf(b,
			`<text x="%d" y="-14" text-anchor="middle" style="fill:#10141c;font-weight:bold">%s</text></g>`+"\n",
			right-w/2, html.EscapeString(key))
	}
}

// film records which parts are visible in which frames.
type film struct {
	frames []Frame
	length time.Duration
	names  []string // of the parts visible in some frames, as returned by split
}

func newFilm(frames []Frame) *film {
	f := &film{frames: frames}
	for _, frame := range frames {
		f.length += frame.For
	}
	return f
}

// class returns the attribute of a part that is visible in some frames, empty if it is visible in all.
func (f *film) class(in string) string {
	if !strings.Contains(in, "-") {
		return ""
	}
	for i, name := range f.names {
		if name == in {
			return fmt.Sprintf(` class="k%d"`, i)
		}
	}
	f.names = append(f.names, in)
	return fmt.Sprintf(` class="k%d"`, len(f.names)-1)
}

// style writes an animation for each class. Readers who prefer no motion see the last frame.
func (f *film) style() string {
	var b strings.Builder
	for i, in := range f.names {
		fmt.Fprintf(&b, ".k%d{animation:k%d %.1fs step-end infinite", i, i, f.length.Seconds())
		if in[len(in)-1] != 'x' {
			b.WriteString(";visibility:hidden")
		}
		fmt.Fprintf(&b, "}@keyframes k%d{", i)
		var at time.Duration
		for j, frame := range f.frames {
			if j == 0 || in[j] != in[j-1] {
				fmt.Fprintf(&b, "%.3g%%{visibility:%s}", 100*at.Seconds()/f.length.Seconds(),
					map[byte]string{'x': "visible", '-': "hidden"}[in[j]])
			}
			at += frame.For
		}
		b.WriteString("}\n")
	}
	if len(f.names) > 0 {
		b.WriteString("@media (prefers-reduced-motion:reduce){g{animation:none!important}}\n")
	}
	return b.String()
}

// SVGWords returns the words of a picture: letters only, not cut off, and not bytes of a C string.
func SVGWords(svg string) (words []string) {
	for _, text := range regexp.MustCompile(`<text[^>]*>([^<]*)</text>`).FindAllStringSubmatch(svg, -1) {
		words = append(words, wordsOf(html.UnescapeString(text[1]))...)
	}
	return words
}

var (
	word = regexp.MustCompile(`\b([\pL_]{4,})\b(…?)`)
	hexs = regexp.MustCompile(`^[a-f]+$`)
	// escaped are bytes as in a C string, which may be letters by chance.
	escaped = regexp.MustCompile(`\S*\\\S*`)
)

func wordsOf(text string) (words []string) {
	text = escaped.ReplaceAllString(text, " ")
	for _, m := range word.FindAllStringSubmatch(text, -1) {
		if m[2] == "" && !hexs.MatchString(m[1]) {
			words = append(words, m[1])
		}
	}
	return words
}
