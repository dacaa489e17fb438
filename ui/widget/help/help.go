// Package help shows the keys of a context: one line of it, or all.
package help

import (
	"slices"

	"charm.land/bubbles/v2/key"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/pager"
)

// Line appends the short help of a context: as many keys as there is room for,
// and always, if anything fits at all, the key that shows the others, where that
// works.
func Line(b *line.Buf, c keymap.Context) {
	more := keymap.Global.Help.Help()
	short, first, keep := c.Short(), true, 0
	hasMore := slices.Contains(short, more)
	if hasMore {
		keep = cells(more) + 3
	}
	for _, h := range short {
		if h == more {
			continue
		}
		if cells(h)+3+keep > b.Room() {
			break
		}
		entry(b, h, first)
		first = false
	}
	if hasMore && cells(more) <= b.Room() {
		entry(b, more, first)
	}
}

func cells(h key.Help) int { return line.Width(h.Key) + 1 + line.Width(h.Desc) }

func entry(b *line.Buf, h key.Help, first bool) {
	th := b.Theme
	if !first {
		b.Space(1)
		b.Text(th.Glyphs.Sep, th.Dim)
		b.Space(1)
	}
	b.Text(h.Key, th.Key)
	b.Space(1)
	b.Text(h.Desc, th.KeyText)
}

// Page makes a pager with all keys of a context, to be put into a box.
func Page(th *theme.Theme, c keymap.Context) *pager.Pager {
	type row struct {
		head string
		help key.Help
	}
	var rows []row
	for i, g := range c.Groups {
		if i > 0 {
			rows = append(rows, row{})
		}
		rows = append(rows, row{head: g.Name})
		for _, b := range g.Keys {
			if b.Enabled() {
				rows = append(rows, row{help: b.Help()})
			}
		}
	}
	p := pager.New(th)
	p.SetLines(len(rows), func(b *line.Buf, i int) {
		if r := rows[i]; r.head != "" {
			b.Text(r.head, th.Header)
		} else if r.help.Key != "" {
			b.Space(2)
			b.Cell(r.help.Key, 10, line.Left, th.Key)
			b.Space(1)
			b.Text(r.help.Desc, th.KeyText)
		}
	})
	return p
}
