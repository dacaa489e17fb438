package theme

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// foreground finds the colour of text in what a terminal is sent.
var foreground = regexp.MustCompile(`(?:^|[\[;])(?:38;2;(\d+);(\d+);(\d+)|38;5;(\d+)|([39])([0-7]))(?:;|m)`)

// background finds the colour behind it.
var background = regexp.MustCompile(`(?:^|[\[;])(?:48;2;(\d+);(\d+);(\d+)|48;5;(\d+)|(10|4)([0-7]))(?:;|m)`)

// shown returns the colour that a terminal shows for text in a style: with 24 bits, or
// with 256 colours, where it takes the nearest. ok is false if the style has no colour.
func shown(t *testing.T, s Style, only256 bool) (colour string, ok bool) {
	t.Helper()
	return colourOf(foreground, s, only256)
}

func colourOf(ground *regexp.Regexp, s Style, only256 bool) (colour string, ok bool) {
	m := ground.FindStringSubmatch(s.SGR())
	if m == nil {
		return "", false
	}
	var n [7]int
	for i := 1; i < len(m); i++ {
		n[i], _ = strconv.Atoi(m[i]) // digits or nothing
	}
	switch {
	case m[4] != "":
		return ansiColour(n[4]), true
	case m[5] == "9", m[5] == "10":
		return ansiColour(8 + n[6]), true
	case m[5] != "":
		return ansiColour(n[6]), true
	case only256:
		near := ansi.Convert256(color.RGBA{R: uint8(n[1]), G: uint8(n[2]), B: uint8(n[3]), A: 255})
		return ansiColour(int(near)), true
	}
	return fmt.Sprintf("#%02x%02x%02x", n[1], n[2], n[3]), true
}

// hue is the angle of a colour on the wheel, red being 0 and green 120, and how far it
// is from grey, 0 to 1.
func hue(t *testing.T, colour string) (degrees, saturation float64) {
	t.Helper()
	rgb, err := strconv.ParseUint(colour[1:], 16, 24)
	if err != nil {
		t.Fatal(err)
	}
	r, g, b := float64(rgb>>16), float64(rgb>>8&0xff), float64(rgb&0xff)
	top := max(r, g, b)
	spread := top - min(r, g, b)
	if spread == 0 {
		return 0, 0
	}
	return math.Mod(math.Atan2(math.Sqrt(3)*(g-b), 2*r-g-b)*180/math.Pi+360, 360), spread / top
}

// mark is a style with the range of its hue.
type mark struct {
	field    string
	style    Style
	from, to float64
}

// Success is green, a warning yellow to brown, a failure red, and all three are far
// apart; this end is blue, the other one purple; what changed is on brown, what was added on
// green: as the theme says it, and where a terminal or tmux reduces it to 256 colours.
func TestColoursMean(t *testing.T) {
	for _, name := range Names {
		th := New(name, true)
		for _, only256 := range []bool{false, true} {
			marks := []mark{{"Err", th.Err, 340, 375}, {"Warn", th.Warn, 30, 65}, {"OK", th.OK, 75, 150}}
			for _, m := range []mark{{"Mine", th.Mine, 175, 225}, {"Theirs", th.Theirs, 265, 315},
				{"Info", th.Info, 235, 305}, {"Accent", th.Accent, 175, 225}, {"Required", th.Required, 30, 65}} {
				c, ok := shown(t, m.style, only256)
				if h, far := hue(t, cmp.Or(c, "#000000")); ok && name != "safe" &&
					(far < 0.1 || h < m.from || h > m.to) {
					t.Errorf("%s, 256 colours %v: %s is %s, hue %.0f, saturation %.2f", name, only256, m.field, c,
						h, far)
				}
			}
			for _, m := range []mark{{"Changed", th.Changed, 30, 65}, {"Added", th.Added, 100, 150}} {
				c, ok := colourOf(background, m.style, only256)
				if h, _ := hue(t, cmp.Or(c, "#000000")); ok && name != "safe" && (h < m.from || h > m.to) {
					t.Errorf("%s, 256 colours %v: %s is on %s, hue %.0f", name, only256, m.field, c, h)
				}
			}
			var labs [][3]float64
			for _, m := range marks {
				c, ok := shown(t, m.style, only256)
				if !ok {
					continue // without colours: TestMeaningWithoutColour
				}
				labs = append(labs, lab(linear(t, c)))
				h, far := hue(t, c)
				if name != "safe" && (far < 0.25 || math.Mod(h-m.from+360, 360) > m.to-m.from) {
					t.Errorf("%s, 256 colours %v: %s is %s, hue %.0f, saturation %.2f",
						name, only256, m.field, c, h, far)
				}
			}
			if want := 3; name != "none" && len(labs) != want {
				t.Fatalf("%s: %d of %d marks have a colour", name, len(labs), want)
			}
			for i := range labs {
				a, b := labs[i], labs[(i+1)%3]
				if d := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]); d < 20 {
					t.Errorf("%s, 256 colours %v: %s and %s are only %.1f apart", name, only256, marks[i].field,
						marks[(i+1)%3].field, d)
				}
			}
		}
	}
}

// Without colours, attributes tell success, a warning and a failure apart; the glyphs of
// each set do too.
func TestMeaningWithoutColour(t *testing.T) {
	th := New("none", true)
	for _, pair := range [][2]Style{{th.OK, th.Warn}, {th.OK, th.Err}, {th.Warn, th.Err}, {th.Err, th.Dim},
		{th.Selection, th.SelBlur}} {
		if pair[0].SGR() == pair[1].SGR() {
			t.Errorf("two meanings look like %q", pair[0].SGR())
		}
	}
	for _, unicode := range []bool{true, false} {
		g := New("none", unicode).Glyphs
		if g.Check == g.Ban || g.Check == g.Alert || g.Ban == g.Alert {
			t.Errorf("marks look alike: success %q, failure %q, warning %q", g.Check, g.Ban, g.Alert)
		}
	}
}
