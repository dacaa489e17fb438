//go:build !linux

package agent

import "syscall"

// dontFragment does nothing: routers and this host may fragment datagrams.
func dontFragment(string, string, syscall.RawConn) error { return nil }
