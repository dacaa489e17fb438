//go:build !race

package soft

const raced = false
