//go:build !linux

package dl

// packages is empty: nothing to install would help.
var packages map[string]string
