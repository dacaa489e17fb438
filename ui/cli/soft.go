package cli

import (
	"fmt"
	"net/netip"
	"strings"

	"rdmatui/devices"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// maxSoft is the number of software devices.
const maxSoft = 2

// softAddrs parses --soft: one or two local addresses; nil without the flag.
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
		return nil,
			usagef("--soft %q: %d addresses for two devices, soft0 and soft1; give one or two", c.soft, len(addrs))
	case len(addrs) == maxSoft && addrs[0] == addrs[1]:
		return nil, usagef("--soft %q: both addresses are the same; give soft0 and soft1 different ones", c.soft)
	}
	return addrs, nil
}

// checkAddrs fails if the software devices cannot have the addresses that the user asked for.
func checkAddrs(p verbs.Provider, addrs []netip.Addr, flag string) error {
	if b, ok := p.(interface{ Bind() error }); ok && addrs != nil {
		if err := b.Bind(); err != nil {
			return fmt.Errorf("--soft %s: %w", flag, err)
		}
	}
	return nil
}

// printNotes prints the providers' notes about the named devices on standard error,
// but those that were said before.
func (c *call) printNotes(inv *devices.Inventory, names []string, said map[string]bool) {
	for _, name := range names {
		for _, text := range inv.Notes(name) {
			if !said[text] {
				said[text] = true
				fmt.Fprintln(c.Stderr, "note: "+line.Escape(strings.Join(strings.Fields(text), " ")))
			}
		}
	}
}
