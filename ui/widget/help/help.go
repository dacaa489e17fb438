// Package help shows the keys of a context: one line of it, or all.
package help

import (
	"slices"

	"charm.land/bubbles/v2/key"

	"rdmatui/ui/keymap"
	"rdmatui/ui/widget/line"
)

// gap is the cells between two hints.
const gap = 2

// hints returns the keys that fit into room cells: the last ones, and as many of the context's
// own as fit before them, that of a tour first; next is its key, "" for none.
func hints(c keymap.Context, next string, room int) []key.Binding {
	own, last := c.Short()
	if i := slices.IndexFunc(own, func(b key.Binding) bool { return b.Help().Key == next }); i > 0 {
		own = slices.Concat(own[i:i+1], own[:i], own[i+1:])
	}
	for _, b := range last {
		room -= cells(b) + gap
	}
	room += gap
	n := 0
	for _, b := range own {
		if room -= cells(b) + gap; room < 0 {
			break
		}
		n++
	}
	return append(own[:n:n], last...)
}

// Least returns the cells of the most useful hint and of those that are always shown.
func Least(c keymap.Context) (n int) {
	own, last := c.Short()
	for _, b := range append(own[:min(len(own), 1):1], last...) {
		n += cells(b) + gap
	}
	return max(n-gap, 0)
}

func cells(b key.Binding) int { h := b.Help(); return line.Width(h.Key) + 1 + line.Width(h.Desc) }

// Marked appends the hints of a context: the most useful first, and always the keys
// of the command line, help and the way out. next is the key to mark, "" for none.
func Marked(b *line.Buf, c keymap.Context, next string) {
	th := b.Theme
	for i, h := range hints(c, next, b.Room()) {
		if i > 0 {
			b.Space(gap)
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

// At returns the key whose hint is at a column of a line of w cells that Marked has drawn.
func At(c keymap.Context, next string, w, x int) (name string, ok bool) {
	left := 0
	for _, h := range hints(c, next, w) {
		n := cells(h)
		if x >= left && x < left+n {
			return h.Keys()[0], true
		}
		left += n + gap
	}
	return "", false
}
