package bringup

import (
	"slices"

	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// chart draws the states of a queue pair: [the current one], (the target), the other
// possible ones bright, the rest dim.
type chart struct {
	th         *theme.Theme
	now, to    verbs.QPState
	reachables []verbs.QPState
}

// mainLine is the way up; the other states are drawn on a line of their own.
var mainLine = []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD}

// wideChart is the width of the chart with long arrows.
const wideChart = 41

func (c *chart) lines(w int) []func(*line.Buf) {
	if w >= wideChart {
		return []func(*line.Buf){c.wideMain, c.wideStem, c.wideSide}
	}
	return []func(*line.Buf){c.slimMain, c.slimSide}
}

// state writes a name between two cells that mark it.
func (c *chart) state(b *line.Buf, s verbs.QPState) {
	open, shut, st := " ", " ", c.th.Undefined
	switch {
	case s == c.now:
		open, shut, st = "[", "]", stateStyle(c.th, s)
	case s == c.to:
		open, shut, st = "(", ")", c.th.Key
	case slices.Contains(c.reachables, s):
		st = c.th.Value
	}
	b.Text(open, st)
	b.Text(s.String(), st)
	b.Text(shut, st)
}

// slim writes a name without cells for missing marks.
func (c *chart) slim(b *line.Buf, s verbs.QPState) {
	if s == c.now || s == c.to {
		c.state(b, s)
		return
	}
	st := c.th.Undefined
	if slices.Contains(c.reachables, s) {
		st = c.th.Value
	}
	b.Text(s.String(), st)
}

func (c *chart) wideMain(b *line.Buf) {
	for i, s := range mainLine {
		if i > 0 {
			b.Text(c.th.Glyphs.LongRight, c.th.Frame)
		}
		c.state(b, s)
	}
}

// stem is the column under the middle of RTS.
const stem = 29

func (c *chart) wideStem(b *line.Buf) {
	b.Space(stem)
	b.Text(c.th.Glyphs.V, c.th.Frame)
}

func (c *chart) wideSide(b *line.Buf) {
	b.Text(" any ", c.th.Undefined)
	b.Text(c.th.Glyphs.LongRight, c.th.Frame)
	c.state(b, verbs.QPErr)
	b.Text(c.th.Glyphs.LongRight, c.th.Frame)
	b.Text(" RESET", c.th.Undefined)
	b.To(stem + 1) // the chart is one cell inside its box
	b.Text(c.th.Glyphs.BL, c.th.Frame)
	b.Text(c.th.Glyphs.LongRight, c.th.Frame)
	c.state(b, verbs.QPSQE)
}

func (c *chart) slimMain(b *line.Buf) {
	for i, s := range mainLine {
		if i > 0 {
			b.Text(c.th.Glyphs.Right, c.th.Frame)
		}
		c.slim(b, s)
	}
}

func (c *chart) slimSide(b *line.Buf) {
	b.Text("any", c.th.Undefined)
	b.Text(c.th.Glyphs.Right, c.th.Frame)
	c.slim(b, verbs.QPErr)
	b.Text(c.th.Glyphs.Right, c.th.Frame)
	b.Text("RESET  RTS", c.th.Undefined)
	b.Text(c.th.Glyphs.Right, c.th.Frame)
	c.slim(b, verbs.QPSQE)
}
