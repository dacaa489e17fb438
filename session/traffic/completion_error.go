package traffic

import (
	"fmt"
	"slices"
	"time"

	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// CompletionError reports a failed completion in a run in which every request must
// succeed.
type CompletionError struct{ WC verbs.WC }

// Error names the request, its status and its vendor_err.
func (e *CompletionError) Error() string {
	return fmt.Sprintf("wr_id %d completed with %s, vendor_err 0x%x", e.WC.WRID, e.WC.Status, e.WC.VendorErr)
}

// tell puts completions that the loop does not count on the time line: those that
// ended the run, those polled with them, and RECVs that no message needs.
func (p *pinger) tell(cq *queue.CQ, wcs []verbs.WC) {
	out := make([]timeline.Completion, len(wcs))
	for i := range wcs {
		if !p.isSend(&wcs[i]) && p.laneOf(wcs[i].QPNum) != nil {
			p.told++
			p.posted--
		}
		cq.Match(&out[i], &wcs[i], time.Since(p.s.Start))
		if wcs[i].Failed() {
			cq.Failed.Add(1)
		} else {
			cq.Completed.Add(1)
		}
	}
	cq.Explain(p.s)
	if p.why == "" {
		if i := slices.IndexFunc(out, func(c timeline.Completion) bool { return c.WC.Failed() }); i >= 0 {
			p.why = queue.LastHint(p.s, &out[i])
		}
	}
	p.s.Tell.Completions(out)
	queue.Seen(p.s).Add(out)
}
