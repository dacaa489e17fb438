package widget

import (
	"slices"

	"charm.land/bubbles/v2/key"

	"rdmatui/ui/keymap"
	"rdmatui/ui/widget/line"
)

// hintGap is the cells between two hints.
const hintGap = 2

// hints returns the keys that fit into room cells: the last ones, and as many of the context's
// own as fit before them, that of a tour first; next is its key, "" for none.
func hints(c keymap.Context, next string, room int) []key.Binding {
	own, last := c.Short()
	if i := slices.IndexFunc(own, func(b key.Binding) bool { return b.Help().Key == next }); i > 0 {
		own = slices.Concat(own[i:i+1], own[:i], own[i+1:])
	}
	for _, b := range last {
		room -= hintCells(b) + hintGap
	}
	room += hintGap
	n := 0
	for _, b := range own {
		if room -= hintCells(b) + hintGap; room < 0 {
			break
		}
		n++
	}
	return append(own[:n:n], last...)
}

// LeastHints returns the cells of the most useful hint and of those that are always shown.
func LeastHints(c keymap.Context) (n int) {
	own, last := c.Short()
	for _, b := range append(own[:min(len(own), 1):1], last...) {
		n += hintCells(b) + hintGap
	}
	return max(n-hintGap, 0)
}

func hintCells(b key.Binding) int { h := b.Help(); return line.Width(h.Key) + 1 + line.Width(h.Desc) }

// DrawHints appends the hints of a context: the most useful first, and always the keys
// of the command line, help and the way out. next is the key to mark, "" for none.
func DrawHints(b *line.Buf, c keymap.Context, next string) {
	th := b.Theme
	for i, h := range hints(c, next, b.Room()) {
		if i > 0 {
			b.Space(hintGap)
		}
		of, does := th.Key, th.KeyText
		if h.Help().Key == next {
			of, does = th.TabActive, th.Accent
		}
		b.Text(h.Help().Key, of)
		b.Space(1)
		b.Text(h.Help().Desc, does)
	}
}

// HintAt returns the key whose hint is at a column of a line of w cells that DrawHints has drawn.
func HintAt(c keymap.Context, next string, w, x int) (name string, ok bool) {
	left := 0
	for _, h := range hints(c, next, w) {
		n := hintCells(h)
		if x >= left && x < left+n {
			return h.Keys()[0], true
		}
		left += n + hintGap
	}
	return "", false
}
