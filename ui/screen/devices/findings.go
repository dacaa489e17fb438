package devices

import (
	"fmt"
	"strings"

	inv "rdmatui/devices"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// findings shows the diagnosis: problems first, each with what was checked, what it
// means and what to do; then the checks that passed.
type findings struct {
	*widget.Pager
	th    *theme.Theme
	list  []inv.Finding
	note  string // shown instead of findings, while the host is examined
	lines []findingLine
	w     int
}

// findingLine is a line of the diagnosis, wrapped to the width.
type findingLine struct {
	mark string // before the text, in its tone
	text string
	in   int // indent
	tone tone
	key  bool // a command to type
}

func newFindings(th *theme.Theme) *findings {
	return &findings{Pager: widget.NewPager(th), th: th}
}

func (f *findings) set(list []inv.Finding, note string) {
	f.list, f.note = list, note
	f.layout()
}

// SetSize implements widget.Block.
func (f *findings) SetSize(w, h int) {
	f.Pager.SetSize(w, h)
	if w != f.w {
		f.w = w
		f.layout()
	}
}

// groups are the statuses, most severe first.
var groups = []struct {
	status inv.Status
	tone   tone
	what   string
}{{inv.Fail, bad, "blocking"}, {inv.Warn, caution, "warnings"}, {inv.OK, good, "OK"}}

func (f *findings) layout() {
	f.lines = f.lines[:0]
	if f.note != "" {
		f.add(findingLine{in: 1, tone: dim}, f.note)
	}
	if len(f.list) > 0 {
		f.add(findingLine{in: 1, tone: heading}, summary(f.list))
	}
	for _, g := range groups {
		first := true
		for i := range f.list {
			if f.list[i].Status == g.status {
				if first || g.status != inv.OK {
					f.lines = append(f.lines, findingLine{})
				}
				first = false
				f.finding(&f.list[i], g.tone)
			}
		}
	}
	f.SetLines(len(f.lines), f.draw)
}

// summary counts the findings by status.
func summary(list []inv.Finding) string {
	var parts []string
	for _, g := range groups {
		n := 0
		for i := range list {
			if list[i].Status == g.status {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, g.what))
		}
	}
	return strings.Join(parts, " · ")
}

// finding adds the lines of one check; a passed one is short.
func (f *findings) finding(x *inv.Finding, t tone) {
	mark := map[inv.Status]string{inv.OK: f.th.Glyphs.Check, inv.Warn: "!", inv.Fail: f.th.Glyphs.Ban}[x.Status]
	f.add(findingLine{mark: mark, in: 3, tone: t}, x.Check+": "+x.Meaning)
	f.add(findingLine{in: 3, tone: dim}, "looked at "+x.Looked)
	if x.Next != "" {
		f.add(findingLine{mark: f.th.Glyphs.Right, in: 3, key: true}, x.Next)
	}
}

// add wraps a text into lines that look like l.
func (f *findings) add(l findingLine, text string) {
	for _, part := range wrapped(text, f.w-l.in-1) {
		l.text = part
		f.lines = append(f.lines, l)
		l.mark = ""
	}
}

func (f *findings) draw(b *line.Buf, i int) {
	l := &f.lines[i]
	st := l.tone.style(f.th)
	if l.key {
		st = f.th.Key
	}
	if l.mark != "" {
		b.Space(1)
		b.Text(l.mark, st)
	}
	b.To(l.in)
	b.Text(l.text, st)
}

// wrapped breaks a single-line text at blanks; a longer word is cut when drawn.
// Unprintable characters are escaped first, which makes the text longer.
func wrapped(text string, w int) []string {
	if w < 1 {
		return nil
	}
	var out []string
	for _, l := range widget.Wrap(nil, line.Escape(text), w) {
		for line.Width(l) > w && len(l) > w { // a word without blanks: a path
			at := cutAt(l, w)
			out = append(out, l[:at])
			l = l[at:]
		}
		out = append(out, l)
	}
	return out
}

// cutAt returns the number of bytes that fit into w cells, at least one character.
func cutAt(s string, w int) int {
	cells := 0
	for i, r := range s {
		if cells += line.Width(string(r)); cells > w && i > 0 {
			return i
		}
	}
	return len(s)
}
