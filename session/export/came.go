package export

import (
	"fmt"
	"maps"
	"slices"
)

// A session with a screen takes completions as they come. A program and a script
// wait for them, as many as there were, before the step that followed; a poll_cq
// that asked for them later finds them taken.

// early are completions that were taken before a poll_cq asked for them, by queue.
type early map[string]uint64

// add takes note of completions, and lists the queues that they are of.
func (e *early) add(came map[string]uint64) []string {
	if *e == nil {
		*e = early{}
	}
	for cq, n := range came {
		(*e)[cq] += n
	}
	return slices.Sorted(maps.Keys(came))
}

// claim is how many of n completions that a poll_cq asks for are still to come.
func (e early) claim(cq string, n uint64) (left uint64) {
	had := min(n, e[cq])
	if had > 0 {
		e[cq] -= had
	}
	return n - had
}

// patience is how long a program or script waits for what came by itself, in ms.
const patience = 10_000

// takeWhatCame waits for the completions that the session took by itself.
func (t *line) takeWhatCame(came map[string]uint64) {
	for _, name := range t.early.add(came) {
		cq, err := t.find(name)
		if err != nil {
			continue
		}
		t.awaitAll()
		t.gap()
		t.comment("The session took these completions as they came.")
		t.put("%s", fmt.Sprintf("expect(poll_cq(%s, %d, %d) == %d, %s);", cq.expr, came[name], patience, came[name],
			quoted(fmt.Sprintf("%d completions of %s", came[name], name))))
	}
}
