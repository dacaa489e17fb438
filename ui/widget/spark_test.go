package widget_test

import (
	"math"
	"testing"

	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

func TestSpark(t *testing.T) {
	none := theme.Style{}
	ramp := []float64{0, 1, 2, 3, 4, 5, 6, 7}
	tests := []struct {
		name string
		uni  bool
		draw func(b *line.Buf)
		want string
	}{
		{"ramp", true, func(b *line.Buf) { widget.Spark(b, ramp, 10, 7, none) }, "  ▁▂▃▄▅▆▇█"},
		{"the last fit", true, func(b *line.Buf) { widget.Spark(b, ramp, 3, 0, none) }, "▆▇█"},
		{"ascii", false, func(b *line.Buf) { widget.Spark(b, ramp, 8, 7, none) }, "_.-~=+*#"},
		{"hostile", true, func(b *line.Buf) {
			widget.Spark(b, []float64{math.NaN(), math.Inf(1), -1, 9}, 4, 4, none)
		}, "▁█▁█"},
		{"gauge half", true, func(b *line.Buf) { widget.Gauge(b, 0.5, 5, none, none) }, "██▌░░"},
		{"gauge full", true, func(b *line.Buf) { widget.Gauge(b, 2, 4, none, none) }, "████"},
		{"gauge empty", true, func(b *line.Buf) { widget.Gauge(b, math.NaN(), 4, none, none) }, "░░░░"},
		{"gauge ascii", false, func(b *line.Buf) { widget.Gauge(b, 0.5, 5, none, none) }, "##-.."},
	}
	for _, tt := range tests {
		b := line.New(theme.New("none", tt.uni))
		tt.draw(b)
		if b.String() != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, b.String(), tt.want)
		}
	}
}
