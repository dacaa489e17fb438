//go:build !linux

package capture

import (
	"fmt"

	"rdmatui/verbs"
)

// Live reads the RoCE packets of a network interface; it needs Linux.
func Live(name string) (*Reader, error) {
	return nil, &verbs.UnsupportedError{
		Feature: "reading packets of " + name,
		Requires: fmt.Sprintf("Linux; here use sudo tcpdump -i %s -U -w - udp port %d | rdmatui wire -",
			name, roceV2Port),
	}
}
