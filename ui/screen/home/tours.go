package home

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/screen"
	"rdmatui/ui/tour"
)

// tourItems returns the tours, two lines each, or if not all fit into so many rows only that under the cursor.
func tourItems(s *Screen, rows int) (out []item) {
	th := s.th
	for i, t := range tour.All {
		head := []span{{t.Name, &th.Value, 0}}
		does, place := "start the tour", s.book.Place(t.ID)
		switch {
		case place.Done:
			head = append(head, span{"  " + th.Glyphs.Check + " done", &th.OK, 0})
		case place.Step > 0:
			does = "go on with the tour"
			head = append(head, span{fmt.Sprintf("  step %d of %d", place.Step+1, len(t.Steps)), &th.Info, 0})
		}
		lines := [][]span{head}
		if 2*len(tour.All) <= rows || i == s.tours.cursor {
			lines = append(lines, []span{{t.About, &th.Dim, 3}})
		}
		out = append(out, item{lines: lines, name: t.ID, does: does,
			open: func() tea.Cmd { return screen.Send(tour.Start{ID: t.ID}) }})
	}
	return out
}
