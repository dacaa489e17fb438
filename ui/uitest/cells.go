package uitest

import (
	"time"

	uv "github.com/charmbracelet/ultraviolet"
)

// Cells returns the rows of the screen, each cell with its style. The cell after a wide one has width 0.
func (tm *Terminal) Cells() [][]uv.Cell {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	rows := make([][]uv.Cell, tm.em.Height())
	for y := range rows {
		rows[y] = make([]uv.Cell, tm.em.Width())
		for x := range rows[y] {
			if c := tm.em.CellAt(x, y); c != nil {
				rows[y][x] = *c
			}
		}
	}
	return rows
}

// Rest waits until the program has drawn nothing for a moment, or has drawn without pause for too long.
func (tm *Terminal) Rest() { tm.Quiet(moment) }

// Quiet is Rest with a moment of its own, for a test that notices if that was too short.
func (tm *Terminal) Quiet(moment time.Duration) {
	limit := time.After(10 * moment)
	for {
		select {
		case <-tm.changed:
		case <-time.After(moment):
			return
		case <-limit:
			return
		}
	}
}

// moment is longer than the pauses within one update of the screen.
const moment = 400 * time.Millisecond
