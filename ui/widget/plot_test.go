package widget_test

import (
	"math"
	"strings"
	"testing"

	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// drawPlot returns the rows of a plot.
func drawPlot(unicode bool, h int, row func(b *line.Buf, y int)) string {
	var rows []string
	for y := range h {
		b := line.New(theme.New("none", unicode))
		row(b, y)
		rows = append(rows, b.String())
	}
	return strings.Join(rows, "\n")
}

func TestLines(t *testing.T) {
	ramp, none := []float64{0, 1, 2, 3, 4, 5, 6, 7}, math.NaN()
	for _, tt := range []struct {
		name   string
		uni    bool
		values []float64
		top    float64
		want   string
	}{
		{"ramp", true, ramp, 7, "  ⣠⠞\n⣠⠞⠁ "},
		{"flat", true, []float64{7, 7, 7, 7, 7, 7, 7, 7}, 7, "⠉⠉⠉⠉\n    "},
		{"zero", true, make([]float64, 8), 0, "    \n⣀⣀⣀⣀"},
		{"gap", true, []float64{7, 7, none, none, 0, 0}, 7, "⠉   \n  ⣀ "},
		{"step", true, []float64{0, 7}, 7, "⢸   \n⣸   "},
		{"above the top", true, []float64{math.Inf(1), 99}, 7, "⠉   \n    "},
		{"ascii", false, []float64{7, 7, none, none, 0, 0}, 7, "*   \n  * "},
	} {
		p := widget.Plot{W: 4, H: 2, Top: tt.top, Lines: []widget.PlotSeries{{Values: tt.values}}}
		got := drawPlot(tt.uni, 2, p.Draw)
		if got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestBehind draws marks and levels behind a line.
func TestBehind(t *testing.T) {
	for uni, want := range map[bool]string{true: "╌╌╌╌\n⠉⠁┆ ", false: "----\n**: "} {
		p := widget.Plot{W: 4, H: 2, Top: 8, Lines: []widget.PlotSeries{{Values: []float64{3.5, 3.5, 3.5}}},
			Marks: []int{2}, Levels: []widget.PlotLevel{{Value: 8}, {Value: 9}}}
		if got := drawPlot(uni, 2, p.Draw); got != want {
			t.Errorf("\n%s\nwant\n%s", got, want)
		}
		if y, ok := p.Row(9); ok {
			t.Errorf("9 of 8 is in row %d", y)
		}
	}
}

func TestBars(t *testing.T) {
	got := drawPlot(true, 2, func(b *line.Buf, y int) {
		widget.Bars(b, y, 6, 2, []float64{0, 1, 8, 12, 16, math.NaN()}, 16,
			theme.Style{})
	})
	if want := "   ▄█ \n ▁███ "; got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		slots  float64
		n      int
		want   []float64
	}{
		{[]float64{1, 2, 3, 4}, 0, 4, []float64{1, 2, 3, 4}},
		{[]float64{1, 3, 5, 7}, 0, 2, []float64{2, 6}},
		{[]float64{1, 2}, 0, 4, []float64{1, 1, 2, 2}},
		{[]float64{1, 2}, 4, 4, []float64{1, 2, math.NaN(), math.NaN()}},
		{nil, 4, 2, []float64{math.NaN(), math.NaN()}},
	} {
		got := widget.FitValues(tt.values, tt.slots, tt.n)
		for i, w := range tt.want {
			if got[i] != w && !(math.IsNaN(got[i]) && math.IsNaN(w)) {
				t.Errorf("%v over %v: %v, want %v", tt.values, tt.slots, got, tt.want)
				break
			}
		}
	}
}
