package sessiontest

import (
	"rdmatui/session/core"
)

// TakenInAll sums the completions taken, as cq_stats reports them.
func TakenInAll(v core.CQView) (n uint64) {
	for _, mode := range v.Stats {
		n += mode.Completions
	}
	return n
}
