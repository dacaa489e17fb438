package theme

import (
	"fmt"
	"math"
	"strconv"
	"testing"
)

// xterm16 are xterm's default colours; other terminals differ.
var xterm16 = [16]string{
	"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
	"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
}

// linear is a colour's red, green and blue in linear light.
func linear(t *testing.T, colour string) (out [3]float64) {
	t.Helper()
	if n, err := strconv.Atoi(colour); err == nil {
		colour = ansiColour(n)
	}
	rgb, err := strconv.ParseUint(colour[1:], 16, 24)
	if err != nil {
		t.Fatal(err)
	}
	for i := range out {
		v := float64(rgb>>(16-8*i)&0xff) / 255
		if v <= 0.04045 {
			out[i] = v / 12.92
		} else {
			out[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return out
}

// ansiColour is the colour that xterm shows for a number.
func ansiColour(n int) string {
	switch {
	case n < 16:
		return xterm16[n]
	case n >= 232:
		v := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", v, v, v)
	}
	level := func(v int) int { return [6]int{0, 95, 135, 175, 215, 255}[v] }
	n -= 16
	return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
}

// luminance is the relative luminance as WCAG 2 defines it.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	c := linear(t, colour)
	return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// texts are the tokens read on the normal background, and on the row under the cursor.
var texts = []token{text, muted, quiet, accent, ok, warn, fail, info, focus, mine, theirs}

// Text is readable on each of its backgrounds; lines may be fainter.
func TestContrast(t *testing.T) {
	least := map[string]float64{"dark": 4.5, "light": 4.5, "safe": 4.5, "256": 4.5, "16": 4.5, "contrast": 7}
	for name, p := range palettes {
		if p == nil {
			continue
		}
		check := func(fg, bg token, least float64) {
			t.Helper()
			front, back := p[fg], p[bg]
			if front == "" && (fg == text || fg == onMark) {
				front = "7" // the terminal's default
			}
			if front == "" || back == "" {
				return
			}
			if ratio := contrast(t, front, back); ratio < least {
				t.Errorf("%s: token %d on %d has a contrast of %.2f, want %.1f", name, fg, bg, ratio, least)
			}
		}
		for _, fg := range texts {
			if name == "16" && fg == fail { // the terminal's bright red
				continue
			}
			check(fg, ground, least[name])
			check(fg, selBack, 4.5)
			check(fg, blurBack, 4.5)
		}
		for _, bg := range []token{changedBack, addedBack, rangeBack, range2Back, matchBack} {
			check(onMark, bg, least[name])
		}
		check(onAccent, accent, least[name])
		check(faint, ground, 3)
	}
}

// The row under the cursor has more contrast with the focus than without.
func TestFocusIsLouder(t *testing.T) {
	for name, p := range palettes {
		th := New(name, true)
		if th.Selection.SGR() == th.SelBlur.SGR() || th.Selection.SGR() == "" || th.SelBlur.SGR() == "" {
			t.Errorf("%s: one cannot tell the row with the keys, %q, from another, %q", name, th.Selection.SGR(),
				th.SelBlur.SGR())
		}
		if p == nil || p[selBack] == "" {
			if th.Selection.SGR() != "\x1b[22;39;49m\x1b[7m" {
				t.Errorf("%s: the row with the keys is %q, not reversed in one colour", name, th.Selection.SGR())
			}
			continue
		}
		if sel, blur := contrast(t, p[selBack], p[ground]), contrast(t, p[blurBack], p[ground]); sel < blur*1.15 {
			t.Errorf("%s: the row with the keys has %.2f, another %.2f", name, sel, blur)
		}
	}
}

// blindness converts linear light to what is seen without red or green cones:
// Machado, Oliveira and Fernandes 2009, severity 1.
var blindness = map[string][3][3]float64{
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
}

// lab is CIE L*a*b* of linear light, white being D65.
func lab(c [3]float64) [3]float64 {
	for i := range c {
		c[i] = min(max(c[i], 0), 1)
	}
	f := func(v float64) float64 {
		if v > 216.0/24389 {
			return math.Cbrt(v)
		}
		return (24389.0/27*v + 16) / 116
	}
	x := f((0.4124564*c[0] + 0.3575761*c[1] + 0.1804375*c[2]) / 0.95047)
	y := f(0.2126729*c[0] + 0.7151522*c[1] + 0.0721750*c[2])
	z := f((0.0193339*c[0] + 0.1191920*c[1] + 0.9503041*c[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// In "safe", ok, warn and fail are distinguishable without red or green cones: 20 is
// far more than needed side by side.
func TestSafeForTheColourBlind(t *testing.T) {
	p := palettes["safe"]
	for name, m := range blindness {
		seen := func(fg token) [3]float64 {
			c := linear(t, p[fg])
			var out [3]float64
			for i, row := range m {
				out[i] = row[0]*c[0] + row[1]*c[1] + row[2]*c[2]
			}
			return lab(out)
		}
		for _, pair := range [][2]token{{ok, warn}, {ok, fail}, {warn, fail}} {
			a, b := seen(pair[0]), seen(pair[1])
			if d := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]); d < 20 {
				t.Errorf("%s: tokens %d and %d are only %.1f apart", name, pair[0], pair[1], d)
			}
		}
	}
}

// Red means an error: no other style uses its colour.
func TestRedIsForErrors(t *testing.T) {
	for _, r := range rules {
		var s Styles
		if (r.fg == fail || r.bg == fail) && r.style(&s) != &s.Err {
			t.Error("a style beside Err is red")
		}
	}
}

// In every theme, inactive elements look inactive, and a mark differs from a frame.
func TestInactiveAndMarks(t *testing.T) {
	for name := range palettes {
		for _, uni := range []bool{true, false} {
			th := New(name, uni)
			if th.Undefined.SGR() == th.TabActive.SGR() || th.Tab.SGR() == th.TabActive.SGR() {
				t.Errorf("%s: tabs that are shown and not look alike", name)
			}
			g := &th.Glyphs
			for _, mark := range []string{g.Check, g.Ban, g.Full, g.Hollow, g.Pointer} {
				for _, line := range []string{g.H, g.V, g.TL, g.TR, g.BL, g.BR, g.TeeL, g.TeeR, g.TeeT, g.TeeB,
					g.Cross} {
					if mark == line {
						t.Errorf("%s: %q is a mark and a line", name, mark)
					}
				}
			}
		}
	}
}
