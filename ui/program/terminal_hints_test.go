package program

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"rdmatui/ui/uitest"
)

// TestClickEveryHint clicks each hint of each screen in a real terminal: it is answered, the window is whole, esc leads
// back and the program lives on. The wide window shows all hints, the small one those that fit.
func TestClickEveryHint(t *testing.T) {
	for _, size := range [][2]int{{200, 60}, {80, 24}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel() // they wait most of the time
			clickHints(t, size[0], size[1])
		})
	}
}

func clickHints(t *testing.T, w, h int) {
	c := clicker{Terminal: open(t, w, h, terminalEnv(), "-d", "soft0", "--provider", "soft"), t: t, w: w, h: h}
	makeObjects(c.Terminal)
	c.Type(":post_recv b sge=dst:0:64\r\r:post_send a SEND sge=src:0:8 send_flags=SIGNALED\r\r")
	c.Until("2 ok")
	for id, text := range shownAlways {
		clicked := map[string]bool{}
		c.show(id, text)
		if id == 4 { // Post may have sent more than was received: the repetitions would keep what follows moving
			c.Type(":modify_qp a ERR\r\r:modify_qp b ERR\r\r")
			c.answered()
			c.show(id, text)
		}
		for {
			next, ok := c.find(func(text string) bool { return !clicked[text] })
			if !ok {
				break
			}
			clicked[next.text] = true
			c.click(next)
			after := pause
			if _, still := c.find(func(text string) bool { return text == next.text }); !still && c.hints() != nil {
				after = long // something was done that cannot be done again: its effects may still come
			}
			differs := c.redrawn(after)
			c.show(id, text)
			for tries := 0; differs != "" && tries < 3; tries++ { // did the screen change by itself meanwhile?
				again, ok := c.find(func(text string) bool { return text == next.text })
				if !ok {
					break // the click has changed what can be done
				}
				c.Click(again.x, h-1)
				differs = c.redrawn(long)
				c.show(id, text)
			}
			if differs != "" {
				t.Errorf("screen %d after a click on %q: %s", id, next.text, differs)
			}
		}
		if len(clicked) < 5 {
			t.Errorf("screen %d: only %v can be clicked", id, clicked)
		}
	}
	leave(t, c.Terminal, "objects exist")
}

// The screen is taken as drawn when it has not changed for the pause, which is longer than a frame; what is read now
// and then, such as memory, comes within the long one.
const (
	pause = 40 * time.Millisecond
	long  = time.Second
)

// shownAlways are texts of each screen, by its key, that no hint takes away for good.
var shownAlways = []string{"guided tours", "╭ devices", "queue pairs", "will it work?", "CQ", "identifiers",
	"packets", "scenarios", "entry", "ends"}

// clicker is a terminal whose hints are clicked.
type clicker struct {
	*uitest.Terminal
	t    *testing.T
	w, h int
}

// hint is a key with what it does, as the last row shows it from a column on.
type hint struct {
	text string
	x    int
}

// hints returns those of a screen; none while something covers them.
func (c *clicker) hints() (all []hint) {
	rows := strings.Split(c.Screen(), "\n")
	last := strings.TrimSpace(rows[len(rows)-1])
	if !strings.HasSuffix(last, ": command  ? help  q quit") {
		return nil
	}
	x := 1
	for _, text := range strings.Split(last, "  ") {
		all = append(all, hint{text, x})
		x += ansi.StringWidth(text) + 2
	}
	return all
}

// find returns the first hint whose text fits.
func (c *clicker) find(fits func(text string) bool) (found hint, ok bool) {
	all := c.hints()
	if at := slices.IndexFunc(all, func(h hint) bool { return fits(h.text) }); at >= 0 {
		return all[at], true
	}
	return hint{}, false
}

// hintAnswers are parts of what the same key shows on each screen.
var hintAnswers = map[string]string{
	": command": "\n:",
	"? help":    "keys of ",
	"q quit":    "objects exist",
}

// click clicks a hint and waits for its answer, which for most is any change. If a late change of the screen has moved
// a hint with an answer of its own when the program saw the click, it clicks again.
func (c *clicker) click(h hint) {
	c.t.Helper()
	before, answer := c.Cells(), hintAnswers[h.text] // with their styles: the focus may be nothing else
	defer func() {
		if c.t.Failed() {
			c.t.Logf("after the click on %q:\n%s", h.text, c.Screen())
		}
	}()
	c.Click(h.x, c.h-1)
	last := time.Now()
	eventually(c.t, fmt.Sprintf("a click on %q shows nothing:\n%s", h.text, c.Screen()), func() bool {
		if !reflect.DeepEqual(c.Cells(), before) && strings.Contains(c.Screen(), answer) {
			return true
		}
		now, ok := c.find(func(text string) bool { return text == h.text })
		if ok && (answer != "" && now.x != h.x || time.Since(last) > long) {
			h, last = now, time.Now()
			c.Click(h.x, c.h-1)
		}
		return false
	})
}

// redrawn draws the window anew once nothing has changed for a time, and returns the difference to what it was, without
// what moves: numbers and plots.
func (c *clicker) redrawn(after time.Duration) (differs string) {
	c.t.Helper()
	c.stopTest()
	c.Quiet(after)
	c.Filled(c.w, c.h)
	before := c.Screen()
	still := moving.ReplaceAllString(before, "#")
	c.Resize(39, 9)
	c.Until("too small: 40×10 at least")
	c.Resize(c.w, c.h)
	c.UntilGone("too small")
	for tries := 0; moving.ReplaceAllString(c.Screen(), "#") != still; tries++ {
		if tries == 100 {
			return fmt.Sprintf("the window\n%s\nis, drawn anew,\n%s", before, c.Screen())
		}
		time.Sleep(pause / 10)
	}
	return ""
}

// stopTest ends a test of the Measure screen: everything on it moves until then.
func (c *clicker) stopTest() {
	c.t.Helper()
	running := func() bool {
		_, ok := c.find(func(text string) bool { return text == "esc stop the test" })
		return ok
	}
	if running() {
		c.Type(esc)
		eventually(c.t, "the test does not stop", func() bool { return !running() })
	}
}

var moving = regexp.MustCompile(`[0-9][0-9,.]*| *[▁▂▃▄▅▆▇█]+`)

// esc is the key as the kitty keyboard protocol sends it: the byte of esc and a key make alt and the key.
const esc = "\x1b[27u"

// answered waits until the program has answered all that was typed: an open command line shows what comes after it.
func (c *clicker) answered() {
	c.Type(":answered")
	c.Until("\n:answered")
	c.Type(esc)
	c.UntilGone("\n:answered")
}

// show brings a screen to the front. A tour is left by its key, whatever else a click has opened by esc, until esc is
// no hint any more.
func (c *clicker) show(id int, text string) {
	c.t.Helper()
	c.Keys("ctrl+t")
	var last time.Time
	eventually(c.t, "esc does not lead back", func() bool {
		if time.Since(last) < 3*pause { // a question ignores the first moment, a run has to end first
			return false
		}
		last = time.Now()
		c.Type(fmt.Sprint(esc, id))
		c.Quiet(pause)
		_, more := c.find(func(text string) bool { return strings.HasPrefix(text, "esc ") })
		return c.hints() != nil && !more && strings.Contains(c.Screen(), text)
	})
}
