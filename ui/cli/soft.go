package cli

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rdmatui/devices"
	"rdmatui/ui/widget/line"
)

// maxSoft is how many software devices there are.
const maxSoft = 2

// softAddrs reads --soft: one or two local addresses of one family; none where it was not given.
func (c *call) softAddrs() (addrs []netip.Addr, err error) {
	if c.soft == "" {
		return nil, nil
	}
	for word := range strings.SplitSeq(c.soft, ",") {
		a, err := netip.ParseAddr(strings.TrimSpace(word))
		if err != nil || a.IsUnspecified() || a.IsMulticast() {
			return nil, usagef("--soft %q: %q is not the address of a host, such as 192.0.2.1 or fd00::1", c.soft, word)
		}
		addrs = append(addrs, a.Unmap())
	}
	switch {
	case len(addrs) > maxSoft:
		return nil, usagef("--soft %q: %d addresses; there are two devices, soft0 and soft1", c.soft, len(addrs))
	case len(addrs) == maxSoft && addrs[0] == addrs[1]:
		return nil, usagef("--soft %q: the devices need different addresses", c.soft)
	}
	return addrs, nil
}

// printNotes says on standard error, once each, how the devices came out, other than
// the user may have expected.
func (c *call) printNotes(inv *devices.Inventory, names []string) {
	var said []string
	for _, name := range names {
		for _, text := range inv.Notes(name) {
			if !slices.Contains(said, text) {
				said = append(said, text)
				fmt.Fprintln(c.Stderr, "note: "+line.Escape(oneLine(text)))
			}
		}
	}
}
