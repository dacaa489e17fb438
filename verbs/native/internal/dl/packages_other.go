//go:build !linux

package dl

// packages is empty: there is nothing to install.
var packages map[string]string
