package uitest

import (
	"encoding/xml"
	"errors"
	"image/color"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
)

// pictured makes cells of lines; style is that of all.
func pictured(style uv.Style, lines ...string) (rows [][]uv.Cell) {
	for _, line := range lines {
		var row []uv.Cell
		for _, r := range line {
			row = append(row, uv.Cell{Content: string(r), Width: 1, Style: style})
		}
		rows = append(rows, row)
	}
	return rows
}

func TestDraw(t *testing.T) {
	red, blue := color.RGBA{R: 255, A: 255}, color.RGBA{B: 255, A: 255}
	tests := []struct {
		name  string
		cells [][]uv.Cell
		want  []string
	}{
		{"text", pictured(uv.Style{}, "", " a <b"),
			[]string{`<text x="10" y="35" textLength="40">a &lt;b</text>`, ".c0{color:" + foreground + "}"}},
		{"blanks", pictured(uv.Style{}, "a"+strings.Repeat(" ", widestGap+1)+"b"),
			[]string{`<text x="0" y="15">a</text>`, `<text x="30" y="15">b</text>`}},
		{"frame", pictured(uv.Style{}, "╭─┬╮", "│ ││"),
			[]string{`M0 0m5 20v-5q0-5 5-5`, `M10 10h20`, `M5 20v20`, `M25 10v30`}},
		{"area", pictured(uv.Style{}, "▸█░"),
			[]string{`class="fill" d="M0 0m2 6 7 4-7 4zM10 0h10v20h-10z"`, `class="shade" d="M20 0m0 3`}},
		{"plot", pictured(uv.Style{}, "⣀⠁⠀"),
			[]string{`class="fill" d="M0 0m1 16h3v3h-3zm5 0h3v3h-3zM10 0m1 1h3v3h-3z"`}},
		{"alone", pictured(uv.Style{}, "⚠ ⚠"), []string{`<text x="0 20" y="15 15">⚠⚠</text>`}},
		{"colours", pictured(uv.Style{Fg: red, Bg: blue, Attrs: uv.AttrBold}, "a b"), []string{
			`.c0{color:#0000ff}.c1{color:#ff0000}`, `<path class="c0 g" d="M0 0h30v20h-30z"/>`, `<g class="c1 bold">`}},
		{"reversed", pictured(uv.Style{Fg: red, Attrs: uv.AttrReverse}, "a"),
			[]string{`.c0{color:#ff0000}.c1{color:` + ground + `}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			width := slices.MaxFunc(tt.cells, func(a, b []uv.Cell) int { return len(a) - len(b) })
			tt.cells[0] = append(tt.cells[0], make([]uv.Cell, len(width)-len(tt.cells[0]))...)
			svg := DrawSVG("a picture", []Frame{{Cells: tt.cells}})
			wellFormed(t, svg)
			for _, want := range tt.want {
				if !strings.Contains(svg, want) {
					t.Errorf("no %s in\n%s", want, svg)
				}
			}
			if strings.Contains(svg, "keyframes") {
				t.Errorf("a still moves:\n%s", svg)
			}
		})
	}
}

// TestFilm has a row that stays, one that changes, and a key that is pressed twice.
func TestFilm(t *testing.T) {
	first, second := pictured(uv.Style{}, "stays", "first"), pictured(uv.Style{}, "stays", "other")
	svg := DrawSVG("a film", []Frame{
		{Cells: first, For: time.Second}, {Cells: first, Key: "x", For: time.Second},
		{Cells: second, For: time.Second}, {Cells: second, Key: "x", For: time.Second},
	})
	wellFormed(t, svg)
	for want, n := range map[string]int{
		">stays<": 1, ">first<": 1, ">other<": 1, ">x<": 1, "@keyframes": 3,
		"{0%{visibility:visible}50%{visibility:hidden}}":                                              1, // first
		"{0%{visibility:hidden}50%{visibility:visible}}":                                              1, // other
		"{0%{visibility:hidden}25%{visibility:visible}50%{visibility:hidden}75%{visibility:visible}}": 1, // x
		// the last frame is what stands still
		"4.0s step-end infinite;visibility:hidden": 1,
	} {
		if strings.Count(svg, want) != n {
			t.Errorf("%d times %s, want %d, in\n%s", strings.Count(svg, want), want, n, svg)
		}
	}
}

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
}

func TestWords(t *testing.T) {
	svg := DrawSVG("rdmatui", []Frame{{Cells: pictured(uv.Style{},
		"qp_num 0xfeedab addr 02ca:beef is SUCCESS, 12 µs, \"rdma\\0\\xddxddp\", memory regi…")}})
	want := []string{"rdmatui", "qp_num", "addr", "SUCCESS", "memory"}
	if got := SVGWords(svg); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
