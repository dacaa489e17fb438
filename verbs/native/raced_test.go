//go:build race

package native

// raced is set under the race detector, which empties sync.Pool at random, so that
// plain calls allocate.
const raced = true
