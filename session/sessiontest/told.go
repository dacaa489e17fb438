package sessiontest

import (
	"math/rand/v2"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft"
)

// SoftInOrder makes deterministic software devices.
func SoftInOrder() verbs.Provider {
	r := rand.New(rand.NewPCG(1, 2))
	return soft.New(soft.Options{Rand: r.Uint64, Settle: true, Memory: memory.New(1<<30, "a test's")})
}
