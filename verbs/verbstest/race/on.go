//go:build race

// Package race tells tests whether they run under the race detector, which makes everything ten times slower and
// empties sync.Pool at random.
package race

// Enabled reports that the race detector is on.
const Enabled = true
