// Package preflight says before a request is posted whether what it needs is
// there, as far as the session knows: states, room in the queues, memory, rights,
// and the other end where that is in the session too. It reads a snapshot and
// makes no call. A form shows the findings while it is filled in, and a line that
// posts tells of what is missing. The provider's answer is the true one, so a
// finding never keeps a request from being posted. What a form lacks, and how
// findings look, is the screen's business.
package preflight

import (
	"fmt"
	"slices"
)

// Verdict says whether a request has what it needs.
type Verdict uint8

// Verdicts, the worst first.
const (
	Missing Verdict = iota // the request will fail, or have no effect
	Unknown                // this session cannot tell
	Met
)

// Fix is what would mend a finding.
type Fix uint8

// Fixes.
const (
	NoFix        Fix = iota
	FixState         // move the queue pair to another state
	FixRecv          // post a RECV at the other end
	FixAccess        // change the region's access
	FixRegion        // register a region
	FixPeerState     // move the other end's queue pair to another state
)

// Finding is one need of a request.
type Finding struct {
	Verdict Verdict
	Text    string // one sentence with values, without a full stop
	Fix     Fix
}

// Report are the findings of a request.
type Report []Finding

// Add adds a need that is met, in the words of good, or missing, in those of bad.
// A met need without words is left out.
func (r *Report) Add(ok bool, good, bad string) { r.add(ok, NoFix, good, bad) }

func (r *Report) add(ok bool, fix Fix, good, bad string) {
	switch {
	case !ok:
		*r = append(*r, Finding{Missing, bad, fix})
	case good != "":
		*r = append(*r, Finding{Met, good, NoFix})
	}
}

// Missing adds what the request lacks.
func (r *Report) Missing(format string, args ...any) {
	*r = append(*r, Finding{Missing, fmt.Sprintf(format, args...), NoFix})
}

// Unsure adds what this session cannot tell.
func (r *Report) Unsure(format string, args ...any) {
	*r = append(*r, Finding{Unknown, fmt.Sprintf(format, args...), NoFix})
}

// Sort puts the worst first, and leaves the order of equals.
func (r Report) Sort() {
	slices.SortStableFunc(r, func(a, b Finding) int { return int(a.Verdict) - int(b.Verdict) })
}
