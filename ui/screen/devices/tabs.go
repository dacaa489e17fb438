package devices

import (
	"fmt"

	"rdmatui/ui/widget/line"
)

// tabsFrom is the column of the frame in which the tabs begin, after the title.
const tabsFrom = 3

// tabText is what a tab says; during a search, how much was found there too.
func (p *pane) tabText(id sectionID) string {
	sh := p.s.sheets[id]
	if sh == nil || len(sh.words) == 0 {
		return sectionTable[id].name
	}
	return fmt.Sprintf("%s %d", sectionTable[id].name, sh.hits)
}

// tab is a section in the title of a pane, and how wide it is there.
type tab struct {
	id    sectionID
	key   string
	text  string
	width int
}

func (p *pane) makeTabs(keys bool, ids ...sectionID) (tabs []tab, total int) {
	for _, id := range ids {
		t := tab{id: id, text: p.tabText(id)}
		if keys {
			t.key = sectionTable[id].key.Help().Key + " "
		}
		t.width = line.Width(t.key) + line.Width(t.text) + 2
		tabs, total = append(tabs, t), total+t.width
	}
	return tabs, total
}

// room is what the title leaves for tabs.
func (p *pane) room() int { return p.w - line.Width(p.box.Title) - tabsFrom }

// tabs are the sections with their keys; without, or the current one alone, where
// not all of that fits.
func (p *pane) tabs() []tab {
	for _, keys := range []bool{true, false} {
		if tabs, total := p.makeTabs(keys, p.secs...); total <= p.room() {
			return tabs
		}
	}
	tabs, _ := p.makeTabs(true, p.current())
	return tabs
}

func (p *pane) drawTabs(b *line.Buf) {
	th := p.s.th
	b.Space(1)
	for _, t := range p.tabs() {
		st, key := th.Tab, th.Key
		if t.id == p.current() && len(p.secs) > 1 {
			st, key = th.TabActive, th.TabActive
		}
		b.Text(" ", st)
		b.Text(t.key, key)
		b.Text(t.text, st)
		b.Text(" ", st)
	}
}

// tabAt finds the tab at a column of the frame.
func (p *pane) tabAt(x int) (sectionID, bool) {
	left := tabsFrom + line.Width(p.box.Title)
	for _, t := range p.tabs() {
		if x >= left && x < left+t.width {
			return t.id, true
		}
		left += t.width
	}
	return 0, false
}
