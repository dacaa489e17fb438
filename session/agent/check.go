package agent

import (
	"fmt"
	"net/netip"
	"strings"

	"rdmatui/devices"
)

// maxName bounds the names of devices and interfaces, in bytes; the kernel's are shorter.
const maxName = 64

// check returns an error for facts that no honest end tells: addresses and names go into lines for the other end, and
// into commands that a person may paste.
func (f *Facts) check() error {
	d := f.Device
	if d == nil {
		return nil
	}
	names, addrs := []string{d.Name}, []netip.Addr{}
	for _, n := range d.Netdevs {
		names = append(names, n.Name, n.Address)
		for _, p := range n.Addresses {
			addrs = append(addrs, p.Addr())
		}
	}
	for _, g := range d.GIDs {
		names, addrs = append(names, g.Netdev), append(addrs, g.Addr)
	}
	return plain(names, addrs)
}

// checkRoute is check for a route.
func checkRoute(r *devices.Route) error {
	return plain([]string{r.Netdev, r.Errno, r.HopMAC, r.HopState}, []netip.Addr{r.Source, r.Gateway})
}

// plain returns an error for a name with other characters than names have, and for an address with a zone, which can be
// any text, or of many hosts.
func plain(names []string, addrs []netip.Addr) error {
	for _, n := range names {
		if len(n) > maxName || strings.ContainsFunc(n, notInName) || strings.HasPrefix(n, "-") {
			return fmt.Errorf("the answer has %.40q as a name", n)
		}
	}
	for _, a := range addrs {
		if a.Zone() != "" || a.IsMulticast() {
			return fmt.Errorf("the answer has %.80q as an address", a)
		}
	}
	return nil
}

func notInName(r rune) bool { return notInField(r) && !strings.ContainsRune("_-@", r) }
