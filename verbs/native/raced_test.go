//go:build race

package native

// raced: the race detector empties sync.Pool at random, so that plain calls allocate.
const raced = true
