package measure

import (
	"cmp"
	"fmt"
	"slices"

	"rdmatui/session/measure"
	"rdmatui/ui/widget/line"
)

const (
	mostThreads = 8  // in the report
	wideReport  = 60 // cells from which a thread has its number
)

// threads shows which threads of this program use the CPUs.
func (r *report) threads(v *measure.View) {
	sum := 0.0
	for _, t := range v.Threads {
		sum += t.User + t.System
	}
	if len(v.Threads) == 0 {
		return
	}
	note := "in the last second"
	if !v.State.Over() {
		note = "now"
	}
	r.rows = append(r.rows, func(b *line.Buf) {
		b.Text(" CPU by thread ", r.th.Header)
		b.Text(fmt.Sprintf("%.0f %% %s", sum*100, note), r.th.Dim)
	})
	rows := loopRows(v.Threads)
	most := max(1, rows[0].User+rows[0].System)
	for i := range rows[:min(len(rows), mostThreads)] {
		t := &rows[i]
		name := line.Escape(t.Name)
		if t.Role != "" {
			name = t.Role
		}
		if r.w >= wideReport {
			at := fmt.Sprintf("%7d CPU %d", t.TID, t.CPU)
			if t.threads > 1 {
				at = fmt.Sprintf("%7d threads", t.threads)
			}
			name = fmt.Sprintf("%-15s %-13s", name, at)
		}
		all := t.User + t.System
		r.bar(name, fmt.Sprintf("%.0f %%, %.0f sys", all*100, t.System*100), all, most, r.th.Fill)
	}
}

// threadRow is a thread, or all threads that one loop ran on.
type threadRow struct {
	measure.Thread
	threads int
}

// loopRows joins the threads of a loop, since the Go runtime moves it between threads, in the order of their first.
// If both loops ran on one thread, the times of the two cannot be told apart.
func loopRows(threads []measure.Thread) (rows []threadRow) {
	both := slices.ContainsFunc(threads, func(t measure.Thread) bool { return t.Role == measure.BothEnds })
	at := map[string]int{}
	for _, t := range threads {
		if t.Role != "" && both {
			t.Role = measure.BothEnds
		}
		if i, known := at[t.Role]; known && t.Role != "" {
			rows[i].User += t.User
			rows[i].System += t.System
			rows[i].threads++
			continue
		}
		at[t.Role] = len(rows)
		rows = append(rows, threadRow{t, 1})
	}
	slices.SortStableFunc(rows, func(a, b threadRow) int { return cmp.Compare(b.User+b.System, a.User+a.System) })
	return rows
}
