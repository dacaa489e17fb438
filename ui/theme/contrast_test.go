package theme

import (
	"math"
	"strconv"
	"testing"
)

// luminance is the relative luminance of "#rrggbb" as WCAG 2 defines it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	rgb, err := strconv.ParseUint(hex[1:], 16, 24)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
		v := float64(rgb>>(8*i)&0xff) / 255
		if v <= 0.04045 {
			sum += weight * v / 12.92
		} else {
			sum += weight * math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return sum
}

// Text can be read on the background that a terminal of its kind is likely to
// have; lines and empty gauges may recede.
func TestContrast(t *testing.T) {
	for name, back := range map[string]string{"dark": "#1e1e1e", "light": "#ffffff"} {
		for _, fg := range []token{text, muted, quiet, accent, good, caution, bad, info} {
			a, b := luminance(t, palettes[name][fg]), luminance(t, back)
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4 {
				t.Errorf("%s: token %d on %s has a contrast of only %.1f", name, fg, back, ratio)
			}
		}
	}
}

// What cannot be chosen looks so, and a mark is no piece of a frame, in every theme.
func TestInactiveAndMarks(t *testing.T) {
	for name := range palettes {
		for _, uni := range []bool{true, false} {
			th := New(name, uni)
			if th.Undefined == th.Tab || th.Undefined == th.TabActive || th.Tab == th.TabActive {
				t.Errorf("%s: tabs that are shown, there and not there look alike", name)
			}
			g := &th.Glyphs
			for _, mark := range []string{g.Check, g.Ban, g.Full, g.Hollow, g.Pointer} {
				for _, line := range []string{g.H, g.V, g.TL, g.TR, g.BL, g.BR, g.TeeL, g.TeeR, g.TeeT, g.TeeB, g.Cross} {
					if mark == line {
						t.Errorf("%s: %q is a mark and a line", name, mark)
					}
				}
			}
		}
	}
}
