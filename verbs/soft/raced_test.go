//go:build race

package soft

// raced is set under the race detector, which slows everything down tenfold.
const raced = true
