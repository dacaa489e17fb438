package cm

import (
	"cmp"
	"context"
	"net/netip"
	"strings"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
)

// GetAddrInfo translates with Go's resolver, where librdmacm uses the C library's. There is no path resolver, so no
// result contains a path.
func GetAddrInfo(ctx context.Context, node, service string, hints verbs.AddrInfoHints) ([]verbs.AddrInfo, error) {
	info, err := addrInfo(ctx, node, service, hints)
	if ctx.Err() != nil {
		err = ctx.Err() // the resolver would report its own error
	}
	if err != nil {
		return nil, verbs.NewOpError("rdma_getaddrinfo", "", err)
	}
	return []verbs.AddrInfo{info}, nil
}

func addrInfo(ctx context.Context, node, service string, hints verbs.AddrInfoHints) (verbs.AddrInfo, error) {
	info := verbs.AddrInfo{
		Flags: hints.Flags, Family: hints.Family, QPType: hints.QPType, PortSpace: hints.PortSpace, Src: hints.Src,
	}
	if strings.ContainsRune(node+service, 0) {
		return info, syscall.EINVAL
	}
	if node == "" && service == "" {
		if hints == (verbs.AddrInfoHints{}) {
			return info, syscall.EINVAL
		}
		return info, nil // nothing to translate
	}
	network, err := networkOf(&info)
	if err != nil {
		return info, err
	}
	port, err := link.ResolvePort(ctx, network, service) // 0 for no service
	if err != nil {
		return info, err
	}
	passive := hints.Flags&verbs.AddrInfoPassive != 0
	addr, err := hostOf(ctx, node, passive, hints)
	if err != nil {
		return info, err
	}
	info.Flags = hints.Flags & verbs.AddrInfoPassive
	info.Family = verbs.FamilyInet6
	if addr.Is4() {
		info.Family = verbs.FamilyInet
	}
	if at := netip.AddrPortFrom(addr, port); passive {
		info.Src = at
	} else {
		info.Dst = at
	}
	return info, nil
}

// networkOf fills in a missing queue pair type or port space, checks that they match, and returns the network for
// service names.
func networkOf(info *verbs.AddrInfo) (string, error) {
	space, known := spaceNetworks[info.PortSpace]
	if !known && info.PortSpace != verbs.PortSpaceIB {
		return "", verbs.AddrInfoSockType
	}
	kind := typeNetworks[info.QPType]
	if space != "" && kind != "" && space != kind {
		return "", verbs.AddrInfoSockType
	}
	network := cmp.Or(space, kind, "tcp")
	if info.QPType == 0 {
		info.QPType = map[string]verbs.QPType{"tcp": verbs.RC, "udp": verbs.UD}[network]
	}
	if info.PortSpace == 0 {
		info.PortSpace = map[string]verbs.CMPortSpace{"tcp": verbs.PortSpaceTCP, "udp": verbs.PortSpaceUDP}[network]
	}
	return network, nil
}

var (
	spaceNetworks = map[verbs.CMPortSpace]string{
		0: "", verbs.PortSpaceTCP: "tcp", verbs.PortSpaceUDP: "udp", verbs.PortSpaceIPoIB: "udp",
	}
	typeNetworks = map[verbs.QPType]string{
		verbs.RC: "tcp", verbs.UC: "tcp", verbs.XRCSend: "tcp", verbs.XRCRecv: "tcp", verbs.UD: "udp",
	}
)

// hostOf returns the node's first address of the family. An empty node means any local address if passive, and this
// host otherwise.
func hostOf(ctx context.Context, node string, passive bool, hints verbs.AddrInfoHints) (netip.Addr, error) {
	switch hints.Family {
	case verbs.FamilyUnspec, verbs.FamilyInet, verbs.FamilyInet6:
	case verbs.FamilyIB: // only from a path resolver, or for a GID
		return netip.Addr{}, verbs.AddrInfoAddrFamily
	default:
		return netip.Addr{}, verbs.AddrInfoBadFamily
	}
	v6 := hints.Family == verbs.FamilyInet6
	switch {
	case node == "" && passive && v6:
		return netip.IPv6Unspecified(), nil
	case node == "" && passive:
		return netip.IPv4Unspecified(), nil
	case node == "" && v6:
		return netip.IPv6Loopback(), nil
	case node == "":
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil // not IPv6: the software devices have IPv4 addresses
	}
	if addr, err := netip.ParseAddr(node); err == nil {
		if hints.Family != verbs.FamilyUnspec && addr.Is4() == v6 {
			return netip.Addr{}, verbs.AddrInfoAddrFamily
		}
		return addr, nil
	}
	if hints.Flags&verbs.AddrInfoNumericHost != 0 {
		return netip.Addr{}, verbs.AddrInfoNoName
	}
	return link.ResolveHost(ctx, node, hints.Family)
}
