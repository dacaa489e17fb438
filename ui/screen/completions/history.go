package completions

import "rdmatui/session/timeline"

// history holds the newest completions that were taken for showing, and which
// of them pass the filter.
type history struct {
	keep  int
	rows  []timeline.Event // row k is at k % keep
	first uint64           // oldest row that is kept; rows are numbered from 0
	next  uint64           // row to come

	match func(*timeline.Event) bool // nil: all pass
	shown []uint64                   // numbers of the rows that pass; unused without a filter
}

func newHistory(keep int) *history { return &history{keep: keep} }

// room is how many rows can be added before the oldest go.
func (h *history) room() int { return h.keep - int(h.next-h.first) }

func (h *history) add(e *timeline.Event) {
	if h.room() == 0 {
		h.first++
		if len(h.shown) > 0 && h.shown[0] < h.first {
			h.shown = h.shown[1:]
		}
	}
	if at := int(h.next % uint64(h.keep)); at == len(h.rows) {
		h.rows = append(h.rows, *e)
	} else {
		h.rows[at] = *e
	}
	if h.match != nil && h.match(e) {
		h.shown = append(h.shown, h.next)
	}
	h.next++
}

func (h *history) clear() { h.first, h.shown = h.next, nil }

// filter lets only those through that match; nil lets all through.
func (h *history) filter(match func(*timeline.Event) bool) {
	h.match, h.shown = match, nil
	if match == nil {
		return
	}
	for k := h.first; k < h.next; k++ {
		if match(h.row(k)) {
			h.shown = append(h.shown, k)
		}
	}
}

func (h *history) row(k uint64) *timeline.Event { return &h.rows[k%uint64(h.keep)] }

// Len is how many rows pass the filter.
func (h *history) Len() int {
	if h.match != nil {
		return len(h.shown)
	}
	return int(h.next - h.first)
}

// at returns the i-th row that passes; it is good until the next add.
func (h *history) at(i int) *timeline.Event {
	if h.match != nil {
		return h.row(h.shown[i])
	}
	return h.row(h.first + uint64(i))
}
