package completions

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// The values of all fields begin in one column, and those that are defined are whole.
func TestFieldsAreAligned(t *testing.T) {
	th := theme.New("none", true)
	stamped := verbs.WC{Opcode: verbs.WCRecvRDMAWithImm, Stamps: verbs.CQWithTimestamp | verbs.CQWithWallclock,
		CompletionTS: 1<<63 + 1, CompletionWallclockNS: 1e18}
	for _, wc := range []verbs.WC{{}, {Status: verbs.WCRNRRetryExcErr}, stamped} {
		for _, w := range []int{46, 78, 87, 110} {
			d := newBench(t, th, 64).s.detail
			d.show(&timeline.Event{WC: timeline.Completion{WC: wc, QP: "a"}})
			view := ansi.Strip(widget.Render(th, d, w, 60))
			at := map[int]bool{}
			for i := range verbs.WCFields {
				f := &verbs.WCFields[i]
				for l := range strings.SplitSeq(view, "\n") {
					if strings.HasPrefix(l, " "+f.Name+" ") ||
						strings.HasPrefix(l, " "+f.Name[:min(len(f.Name), 15)]+"…") {
						_, value, _ := strings.Cut(l[1:], " ")
						at[len([]rune(l))-len([]rune(strings.TrimLeft(value, " ")))] = true
						if f.Defined(&wc) && !strings.HasPrefix(strings.TrimLeft(value, " "), f.Format(&wc)) {
							t.Errorf("%d columns: %s is cut: %q", w, f.Name, l)
						}
					}
				}
			}
			if len(at) != 1 {
				t.Errorf("%d columns: values in the columns %v:\n%s", w, at, view)
			}
		}
	}
}
