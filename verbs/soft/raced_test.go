//go:build race

package soft

// raced says that the race detector is at work: all is slower by a factor of ten.
const raced = true
