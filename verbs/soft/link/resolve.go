package link

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"

	"rdmatui/verbs"
)

// ResolveHost returns the first address of a name from the host's resolver, of the given family unless that is
// unspecified. The error is a [verbs.AddrInfoError].
func ResolveHost(ctx context.Context, name string, family verbs.AddrFamily) (netip.Addr, error) {
	network := map[verbs.AddrFamily]string{verbs.FamilyInet: "ip4", verbs.FamilyInet6: "ip6"}[family]
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, cmp.Or(network, "ip"), name)
	if err != nil {
		return netip.Addr{}, resolverError(err)
	}
	if len(addrs) == 0 {
		return netip.Addr{}, verbs.AddrInfoNoData
	}
	return addrs[0].Unmap(), nil
}

// ResolvePort returns the port of a service, given by name or number, of the network "tcp" or "udp". The error is a
// [verbs.AddrInfoError].
func ResolvePort(ctx context.Context, network, service string) (uint16, error) {
	port, err := net.DefaultResolver.LookupPort(ctx, network, service)
	if err != nil {
		return 0, verbs.AddrInfoService
	}
	return uint16(port), nil
}

// resolverError translates an error of Go's resolver to the C code.
func resolverError(err error) error {
	var dns *net.DNSError
	var wrong *net.AddrError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return verbs.AddrInfoNoName
	case errors.As(err, &dns) && (dns.IsTemporary || dns.IsTimeout):
		return verbs.AddrInfoAgain
	case errors.As(err, &wrong): // the name has addresses, but none of the family
		return verbs.AddrInfoAddrFamily
	}
	return verbs.AddrInfoFail
}
