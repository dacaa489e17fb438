package link

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"

	"rdmatui/verbs"
)

// ResolveHost asks the host's resolver for the first address of a name, of the family unless that is unspecified. The error is a
// [verbs.AddrInfoError].
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

// ResolvePort finds the port of a service, by name or number, of the network "tcp" or "udp". The error is a [verbs.AddrInfoError].
func ResolvePort(ctx context.Context, network, service string) (uint16, error) {
	port, err := net.DefaultResolver.LookupPort(ctx, network, service)
	if err != nil {
		return 0, verbs.AddrInfoService
	}
	return uint16(port), nil
}

// resolverError is the code that C has for an error of Go's resolver.
func resolverError(err error) error {
	var dns *net.DNSError
	var wrong *net.AddrError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return verbs.AddrInfoNoName
	case errors.As(err, &dns) && (dns.IsTemporary || dns.IsTimeout):
		return verbs.AddrInfoAgain
	case errors.As(err, &wrong): // addresses, and none of the family
		return verbs.AddrInfoAddrFamily
	}
	return verbs.AddrInfoFail
}
