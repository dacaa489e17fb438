package measure

import (
	"fmt"

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
	for _, t := range v.Threads[:min(len(v.Threads), mostThreads)] {
		name := line.Escape(t.Name)
		if t.Role != "" {
			name = t.Role
		}
		if r.w >= wideReport {
			name = fmt.Sprintf("%-15s %7d CPU %d", name, t.TID, t.CPU)
		}
		all := t.User + t.System
		r.bar(name, fmt.Sprintf("%.0f %%, %.0f sys", all*100, t.System*100), all, 1, r.th.Fill)
	}
}
