package devices

import (
	"fmt"

	"rdmatui/ui/widget/line"
)

// tabsFrom is the column of the frame where the tabs start, after the title.
const tabsFrom = 3

// tabText is the text of a tab; during a search it has the number of matches.
func (p *pane) tabText(id sectionID) string {
	sh := p.s.sheets[id]
	if sh == nil || len(sh.words) == 0 {
		return sectionTable[id].name
	}
	return fmt.Sprintf("%s %d", sectionTable[id].name, sh.hits)
}

// tab is a section in the title of a pane, with its width.
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

// room is the width that the title leaves for tabs.
func (p *pane) room() int { return p.w - line.Width(p.box.Title) - tabsFrom }

// tabs returns the sections with their keys; if they do not fit, without keys, or the
// current one alone.
func (p *pane) tabs() []tab {
	if p.isList() {
		return nil
	}
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
