package export

import (
	"fmt"
	"maps"
	"slices"

	"rdmatui/verbs/format"
)

// A session with a screen takes completions in the background. A program or script
// waits for as many as there were before the following step; a later poll_cq for them
// finds them taken.

// early counts completions that were taken before a poll_cq asked for them, by queue.
type early map[string]uint64

// add adds completions, and lists their queues.
func (e *early) add(came map[string]uint64) []string {
	if *e == nil {
		*e = early{}
	}
	for cq, n := range came {
		(*e)[cq] += n
	}
	return slices.Sorted(maps.Keys(came))
}

// claim returns how many of the n completions of a poll_cq are still to be polled.
func (e early) claim(cq string, n uint64) (left uint64) {
	had := min(n, e[cq])
	if had > 0 {
		e[cq] -= had
	}
	return n - had
}

// patience is how long a program or script waits for completions taken in the
// background, in ms.
const patience = 10_000

// takeWhatCame waits for the completions that the session took in the background.
func (t *line) takeWhatCame(came map[string]uint64) {
	for _, name := range t.early.add(came) {
		cq := t.find(name)
		if cq == nil {
			continue
		}
		t.awaitAll()
		t.gap()
		t.comment("The session took these completions as they came.")
		t.put("%s", fmt.Sprintf("expect(poll_cq(%s, %d, %d) == %d, %s);", cq.expr, came[name], patience, came[name],
			quoted(fmt.Sprintf("%s of %s", format.Counted(came[name], "completion"), name))))
	}
}
