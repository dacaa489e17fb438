//go:build !race

package native

const raced = false
