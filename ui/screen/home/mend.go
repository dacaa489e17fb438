package home

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// trouble is something wrong with the queue pair in hand or its peer, or that no device is open. The zero value is
// nothing wrong.
type trouble struct {
	what  string
	mend  steps.Mend
	start bool // no device is open, which is no error
}

// troubleOf finds the first thing wrong: no open device, a failed state at either end, or a request that waits at
// either end for something that can be named.
func troubleOf(s *Screen) trouble {
	if len(s.snap.Devices) == 0 {
		return unopened(s)
	}
	q := s.snap.QP(s.env.Hand.In(&s.snap))
	if q == nil {
		return trouble{}
	}
	if what, m := steps.FailedEnd(&s.snap, q); what != "" {
		return trouble{what: what, mend: m}
	}
	for _, e := range steps.Ends(&s.snap, q) {
		if wait, m := steps.UnstallQP(&s.snap, e); m.Advice() != "" {
			return trouble{what: wait, mend: m}
		}
	}
	return trouble{}
}

// unopened is the trouble that no device is open, if there is one with an active port; without one, the pane of devices
// says what they lack.
func unopened(s *Screen) trouble {
	device := s.usable()
	if device == "" {
		return trouble{}
	}
	t := trouble{what: "no device is open", start: true,
		mend: steps.Mend{Does: "opens " + device + " and creates two queue pairs"}}
	for _, n := range steps.Bench(&s.snap, device) {
		if n.Have == "" {
			t.mend.Lines = append(t.mend.Lines, n.Line)
		}
	}
	return t
}

// text is the trouble, and what the key Fix does or who must do what.
func (t *trouble) text() string {
	if a := t.mend.Advice(); a != "" {
		return t.what + "; " + a
	}
	return t.what
}

// mark is the glyph before the text.
func (t *trouble) mark(g *theme.Glyphs) string {
	if t.start {
		return g.Hollow
	}
	return g.Ban
}

// fix resolves what is wrong, and says what it ran.
func fix(s *Screen) tea.Cmd {
	t := troubleOf(s)
	if !t.mend.Can() {
		return screen.Flash("nothing to fix here")
	}
	told := "ran " + strings.Join(t.mend.Lines, "; ")
	if t.start { // too many to show
		told = "ran " + format.Counted(uint64(len(t.mend.Lines)), "line") + "; the Journal (8) shows them"
	}
	return t.mend.Run(s.runner, screen.Flash(told))
}

func canFix(s *Screen) bool { t := troubleOf(s); return t.mend.Can() }

// notice is the block that shows the trouble.
type notice struct {
	th    *theme.Theme
	style *theme.Style
	lines []string
}

// set takes the trouble, and returns the number of lines, at most most but at least one if something is wrong.
func (n *notice) set(t trouble, w, most int) int {
	n.lines = n.lines[:0]
	if t.what == "" {
		return 0
	}
	if n.style = &n.th.Err; t.start {
		n.style = &n.th.Dim
	}
	n.lines = widget.Wrap(n.lines, line.Escape(t.mark(&n.th.Glyphs)+" "+t.text()), max(w-2, 8))
	return min(len(n.lines), max(most, 1))
}

// SetSize implements widget.Block.
func (n *notice) SetSize(_, _ int) {}

// DrawLine implements widget.Block.
func (n *notice) DrawLine(b *line.Buf, y int) {
	b.Space(1)
	b.Text(n.lines[y], *n.style)
}
