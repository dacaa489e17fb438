package completions

import (
	"rdmatui/session/timeline"
	"rdmatui/verbs/ring"
)

// history holds the newest completions taken for display, and the numbers of those
// that pass the filter.
type history struct {
	keep int
	rows ring.Ring[timeline.Event]
	next uint64 // number of the next row, from 0

	hidden  uint64 // rows before this number are cleared, and not shown
	hidden1 uint64 // hidden before the last clear

	match func(*timeline.Event) bool // nil: all pass
	shown []uint64                   // numbers of the rows that pass; unused without a filter
}

func newHistory(keep int) *history { return &history{keep: keep} }

// room is how many rows can be added before the oldest of those that are shown are dropped.
func (h *history) room() int { return h.keep - h.rows.Len() + h.cleared() }

// first is the number of the oldest row that is kept.
func (h *history) first() uint64 { return h.next - uint64(h.rows.Len()) }

func (h *history) add(e *timeline.Event) {
	*h.rows.Keep(h.keep) = *e
	h.next++
	if len(h.shown) > 0 && h.shown[0] < h.first() {
		h.shown = h.shown[1:]
	}
	if h.match != nil && h.match(e) {
		h.shown = append(h.shown, h.next-1)
	}
}

// clear hides all rows, until undo.
func (h *history) clear() {
	h.hidden, h.hidden1 = h.next, h.hidden
	h.filter(h.match)
}

// undo shows what the last clear has hidden, as far as it is kept.
func (h *history) undo() {
	h.hidden, h.hidden1 = h.hidden1, 0
	h.filter(h.match)
}

// cleared is how many of the rows that are kept are hidden.
func (h *history) cleared() int { return int(max(h.hidden, h.first()) - h.first()) }

// filter shows only the rows that match; nil shows all.
func (h *history) filter(match func(*timeline.Event) bool) {
	h.match, h.shown = match, nil
	if match == nil {
		return
	}
	for k := max(h.first(), h.hidden); k < h.next; k++ {
		if match(h.row(k)) {
			h.shown = append(h.shown, k)
		}
	}
}

func (h *history) row(k uint64) *timeline.Event { return h.rows.At(int(k - h.first())) }

// Len returns how many rows pass the filter.
func (h *history) Len() int {
	if h.match != nil {
		return len(h.shown)
	}
	return h.rows.Len() - h.cleared()
}

// at returns the i-th row that passes; it is valid until the next add.
func (h *history) at(i int) *timeline.Event {
	if h.match != nil {
		return h.row(h.shown[i])
	}
	return h.rows.At(i + h.cleared())
}
