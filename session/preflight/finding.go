// Package preflight checks, before a request is posted, whether its requirements are
// met as far as the session knows: states, room in the queues, memory, access rights,
// and the peer if it is in the session. It reads a snapshot and makes no calls. A
// form shows the findings while it is filled in, and a posting line warns of what is
// missing. A finding never prevents a post: the provider decides. Incomplete forms,
// and how findings look, are the screen's business.
package preflight

import (
	"fmt"
	"slices"
)

// Verdict says whether a requirement is met.
type Verdict uint8

// Verdicts, worst first.
const (
	Missing Verdict = iota // the request will fail, or have no effect
	Unknown                // this session cannot tell
	Met
)

// Fix is the action that resolves a finding.
type Fix uint8

// Fixes.
const (
	NoFix        Fix = iota
	FixState         // move the queue pair to another state
	FixRecv          // post a RECV at the peer
	FixAccess        // change the region's access
	FixRegion        // register a region
	FixPeerState     // move the peer's queue pair to another state
)

// Finding is one requirement of a request.
type Finding struct {
	Verdict Verdict
	Text    string // one sentence with values, without a full stop
	Fix     Fix
}

// Report are the findings of a request.
type Report []Finding

// Add adds a requirement with the text good if it is met, or bad if not. A met
// requirement without text is omitted.
func (r *Report) Add(ok bool, good, bad string) { r.add(ok, NoFix, good, bad) }

func (r *Report) add(ok bool, fix Fix, good, bad string) {
	switch {
	case !ok:
		*r = append(*r, Finding{Missing, bad, fix})
	case good != "":
		*r = append(*r, Finding{Met, good, NoFix})
	}
}

// Missing adds an unmet requirement.
func (r *Report) Missing(format string, args ...any) {
	*r = append(*r, Finding{Missing, fmt.Sprintf(format, args...), NoFix})
}

// Unsure adds something that this session cannot check.
func (r *Report) Unsure(format string, args ...any) {
	*r = append(*r, Finding{Unknown, fmt.Sprintf(format, args...), NoFix})
}

// Sort puts the worst first; equal ones keep their order.
func (r Report) Sort() {
	slices.SortStableFunc(r, func(a, b Finding) int { return int(a.Verdict) - int(b.Verdict) })
}
