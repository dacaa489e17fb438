package agent

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// dontFragment makes a socket send datagrams that neither this host nor a router fragments, whatever path MTU the
// kernel remembers: ip(7), IP_PMTUDISC_PROBE.
func dontFragment(network, _ string, c syscall.RawConn) error {
	var set error
	err := c.Control(func(fd uintptr) {
		if strings.HasSuffix(network, "6") {
			set = unix.SetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, unix.IPV6_PMTUDISC_PROBE)
			return
		}
		set = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_PROBE)
	})
	if err != nil {
		return err
	}
	return set
}
