package cm

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"unsafe"

	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

// rawSockaddr converts an address. An IPv4-mapped IPv6 address becomes IPv4, like the
// routes to it; a zone is the name of an interface, or its index.
func rawSockaddr(a netip.AddrPort) (*abi.SockaddrStorage, error) {
	storage := new(abi.SockaddrStorage)
	addr := a.Addr().Unmap()
	switch {
	case addr.Is4():
		to := (*abi.SockaddrIn)(unsafe.Pointer(storage))
		to.Family, to.Addr = abi.AFInet, addr.As4()
		binary.BigEndian.PutUint16(to.Port[:], a.Port())
	case addr.Is6():
		scope, err := scopeID(addr.Zone())
		if err != nil {
			return nil, err
		}
		to := (*abi.SockaddrIn6)(unsafe.Pointer(storage))
		to.Family, to.Addr, to.ScopeID = abi.AFInet6, addr.As16(), scope
		binary.BigEndian.PutUint16(to.Port[:], a.Port())
	default:
		return nil, syscall.EINVAL
	}
	return storage, nil
}

func scopeID(zone string) (uint32, error) {
	if zone == "" {
		return 0, nil
	}
	if index, err := strconv.ParseUint(zone, 10, 32); err == nil {
		return uint32(index), nil
	}
	card, err := net.InterfaceByName(zone)
	if err != nil {
		return 0, err
	}
	return uint32(card.Index), nil
}

// sockaddr converts an address; it returns the zero value for no address and for other
// families, such as AF_IB.
func sockaddr(s *abi.SockaddrStorage) netip.AddrPort {
	switch s.Family {
	case abi.AFInet:
		from := (*abi.SockaddrIn)(unsafe.Pointer(s))
		return netip.AddrPortFrom(netip.AddrFrom4(from.Addr), binary.BigEndian.Uint16(from.Port[:]))
	case abi.AFInet6:
		from := (*abi.SockaddrIn6)(unsafe.Pointer(s))
		addr := netip.AddrFrom16(from.Addr)
		if from.ScopeID != 0 {
			addr = addr.WithZone(zoneName(from.ScopeID))
		}
		return netip.AddrPortFrom(addr, binary.BigEndian.Uint16(from.Port[:]))
	}
	return netip.AddrPort{}
}

// sockaddrAt converts an address of n bytes that C allocated.
func sockaddrAt(addr uintptr, n uint32) netip.AddrPort {
	storage := new(abi.SockaddrStorage)
	size := min(int(n), int(unsafe.Sizeof(*storage)))
	copy(unsafe.Slice((*byte)(unsafe.Pointer(storage)), size), dl.Bytes(addr, size))
	if storage.Family == abi.AFIB {
		from := (*abi.SockaddrIB)(unsafe.Pointer(storage))
		return netip.AddrPortFrom(netip.AddrFrom16(from.Addr), binary.BigEndian.Uint16(from.SID[6:]))
	}
	return sockaddr(storage)
}

func zoneName(scope uint32) string {
	if card, err := net.InterfaceByIndex(int(scope)); err == nil {
		return card.Name
	}
	return strconv.FormatUint(uint64(scope), 10)
}
