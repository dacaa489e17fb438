package cm

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"rdmatui/session/core"
)

// lookupPatience bounds the lookup of a host name.
const lookupPatience = 10 * time.Second

// AddrArg parses an address argument: an IP address, with or without a port, another
// object's address, or a host name, which it looks up. Without the argument it
// returns the zero address.
func AddrArg(c *core.Call, name string, port uint64) (netip.AddrPort, error) {
	text, err := addrText(c, name)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("%s: %w", name, err)
	}
	if text == "" {
		return netip.AddrPortFrom(netip.IPv6Unspecified(), uint16(port)), nil
	}
	if a, err := netip.ParseAddrPort(text); err == nil {
		if a.Port() == 0 {
			return netip.AddrPortFrom(a.Addr(), uint16(port)), nil
		}
		if port != 0 && a.Port() != uint16(port) {
			return a, fmt.Errorf("%s: the address has port %d, but port= is %d", name, a.Port(), port)
		}
		return a, nil
	}
	ip, err := netip.ParseAddr(text)
	if err != nil {
		ip, err = lookUpHost(c.Ctx, text)
	}
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("%s: %w", name, err)
	}
	return netip.AddrPortFrom(ip, uint16(port)), nil
}

// addrText returns an address argument's text: res.dst_addr is a reference if there
// is an object res, and a host name otherwise.
func addrText(c *core.Call, name string) (string, error) {
	text := c.Cmd.String(name)
	object, field, dotted := strings.Cut(text, ".")
	if !dotted || !c.S.Taken(object) {
		return text, nil
	}
	text, err := c.S.LookUp(object, field)
	if err == nil {
		c.Choose(name, text)
	}
	return text, err
}

func lookUpHost(ctx context.Context, host string) (netip.Addr, error) {
	if !IsHost(host) {
		return netip.Addr{}, fmt.Errorf("%q is not a host name or IP address", host)
	}
	ctx, cancel := context.WithTimeout(ctx, lookupPatience)
	defer cancel()
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.Addr{}, err
	}
	return ips[0].Unmap(), nil // without an error there is one
}

// IsHost reports whether s can be a host in a line: an IP address, or letters,
// digits, dots and dashes.
func IsHost(s string) bool {
	if _, err := netip.ParseAddr(s); err == nil {
		return true
	}
	return len(s) <= 253 && strings.IndexFunc(s, func(r rune) bool {
		return !(r == '.' || r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z')
	}) < 0
}
