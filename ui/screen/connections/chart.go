package connections

import (
	"slices"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// chart draws an identifier's states: the past ones, [the current one], and those to
// come; a failure is marked where it happened.
type chart struct {
	th     *theme.Theme
	way    []session.IDState
	at     session.IDState
	failed bool
	tight  bool // no blanks around the arrows
}

// arrow is drawn between two states.
func (c *chart) arrow() string {
	if c.tight {
		return c.th.Glyphs.Right
	}
	return " " + c.th.Glyphs.Right + " "
}

func (c *chart) name(i int) string {
	if c.way[i] == c.at {
		return "[" + c.way[i].String() + "]"
	}
	return c.way[i].String()
}

// failure is drawn after the state in which a step failed.
func (c *chart) failure() string { return " " + c.th.Glyphs.Ban + " ERROR" }

// lines breaks the states into lines of w cells, and returns the first state of each.
func (c *chart) lines(w int) (starts []int) {
	used := w
	for i := range c.way {
		n := line.Width(c.name(i)) + line.Width(c.arrow())
		if c.failed && c.way[i] == c.at {
			n += line.Width(c.failure())
		}
		if used+n > w && (i == 0 || used > 0) {
			starts, used = append(starts, i), 1
		}
		used += n
	}
	return starts
}

// draw appends the states of a range; an arrow leads to the next.
func (c *chart) draw(b *line.Buf, from, to int) {
	now := slices.Index(c.way, c.at)
	b.Space(1)
	for i := from; i < to; i++ {
		st := c.th.Value
		switch {
		case i == now && c.failed:
			st = c.th.Warn
		case i == now:
			st = c.th.Accent
		case i > now:
			st = c.th.Undefined
		}
		b.Text(c.name(i), st)
		if i == now && c.failed {
			b.Text(c.failure(), c.th.Err)
		}
		if i < len(c.way)-1 {
			b.Text(c.arrow(), c.th.Frame)
		}
	}
}
