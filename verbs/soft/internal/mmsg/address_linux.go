package mmsg

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// address is a sockaddr_in or sockaddr_in6 in the kernel's form.
type address [unix.SizeofSockaddrInet6]byte

// Offsets in a sockaddr; an IPv6 address follows a word of flow information.
const (
	portAt  = 2
	addr4At = 4
	flowAt  = 4
	addr6At = 8
	scopeAt = 24
)

// set writes an address and returns its length. scope is the interface of an IPv6 link-local address.
func (a *address) set(to netip.AddrPort, scope uint32) (length uint32) {
	ip := to.Addr()
	binary.BigEndian.PutUint16(a[portAt:], to.Port())
	if ip.Is4() {
		binary.NativeEndian.PutUint16(a[:], unix.AF_INET)
		b := ip.As4()
		copy(a[addr4At:], b[:])
		return unix.SizeofSockaddrInet4
	}
	binary.NativeEndian.PutUint16(a[:], unix.AF_INET6)
	binary.NativeEndian.PutUint32(a[addr4At:], 0)
	b := ip.As16()
	copy(a[addr6At:], b[:])
	binary.NativeEndian.PutUint32(a[scopeAt:], scope)
	return unix.SizeofSockaddrInet6
}

func (a *address) is4() bool { return binary.NativeEndian.Uint16(a[:]) == unix.AF_INET }

// setFlow sets the flow label of datagrams to an IPv6 address.
func (a *address) setFlow(label uint32) { binary.BigEndian.PutUint32(a[flowAt:], label&maxFlowLabel) }

// get reads an address, without its scope.
func (a *address) get() netip.AddrPort {
	port := binary.BigEndian.Uint16(a[portAt:])
	if a.is4() {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(a[addr4At:])), port)
	}
	return netip.AddrPortFrom(netip.AddrFrom16([16]byte(a[addr6At:])), port)
}
