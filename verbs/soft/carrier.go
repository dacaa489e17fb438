package soft

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/transport"
	"rdmatui/verbs/wire"
)

// carrier transports an adapter's packets, and holds the properties of it that the adapter reports.
type carrier struct {
	attach func(wake func()) (link.Link, error)
	addrs  []netip.Addr // by GID index
	netdev string
	speed  func() int // of the netdev, in Mbit/s; nil: there is none
	mtu    verbs.MTU
	// showHeaders selects whether received packets carry their IP header; nil: they always do.
	showHeaders func(on bool)
	// source is the UDP source port of all packets; 0: each queue pair has its own.
	source uint16
	polled bool // packets must be polled for
}

// UDPOptions select the addresses at which devices are reached from outside the process.
type UDPOptions struct {
	// Addrs are local addresses: the first is soft0's, the second soft1's; with only one there is no soft1. Without
	// any, the devices take two free addresses of 127.0.0.1 to 127.0.0.64, so that several processes can run side by
	// side.
	Addrs []netip.Addr
	// NoGSO disables segmentation offload, in case the network card damages packets with it.
	NoGSO bool
}

// binder binds the port on an address.
type binder func(netip.Addr) (*link.Endpoint, error)

// loopbacks is the number of addresses tried, from 127.0.0.1 on.
const loopbacks = 64

// maxDevices is the maximum number of devices.
const maxDevices = 2

// memoryCarrier attaches a device to the fabric with its link-local address, which is row 0 of a RoCE GID table, and
// another address.
func memoryCarrier(fabric *link.Fabric, guid verbs.GUID, addr netip.Addr) *carrier {
	addrs := []netip.Addr{linkLocal(guid), addr}
	return &carrier{
		attach: func(wake func()) (link.Link, error) { return fabric.Attach(wake, addrs...) },
		addrs:  addrs, mtu: transport.MaxMTU,
	}
}

// linkLocal is the address fe80::/64 with the GUID as its interface identifier, as row 0 of a RoCE GID table is.
func linkLocal(g verbs.GUID) netip.Addr {
	ip := [16]byte{0: 0xfe, 1: 0x80}
	copy(ip[8:], g[:])
	return netip.AddrFrom16(ip)
}

// loopback returns 127.0.0.1 for 0.
func loopback(n int) netip.Addr { return netip.AddrFrom4([4]byte{127, 0, 0, byte(1 + n)}) }

// udpCarrier attaches a device to a bound port.
func udpCarrier(e *link.Endpoint) *carrier {
	netdev, mtu := e.Netdev()
	return &carrier{
		attach: func(wake func()) (link.Link, error) { return e.Attach(wake) },
		addrs:  []netip.Addr{e.Addr()}, showHeaders: e.ShowHeaders, netdev: netdev, speed: e.Speed,
		mtu: pathMTU(mtu, e.Addr()), source: wire.Port, polled: true,
	}
}

// pathMTU returns the largest MTU whose packets fit an interface's, in bytes; 0 stands for an interface that is not
// known.
func pathMTU(bytes int, addr netip.Addr) verbs.MTU {
	const udpLen, ipv4Len = 8, 20
	headers := verbs.GRHLen + udpLen + wire.MaxLen - transport.MaxMTU.Bytes()
	if addr.Is4() {
		headers -= verbs.GRHLen - ipv4Len
	}
	for m := transport.MaxMTU; m > verbs.MTU256; m-- {
		if m.Bytes()+headers <= bytes {
			return m
		}
	}
	return verbs.MTU256
}

// bindAll binds the port on the addresses of the options: on all or on none.
func (o *UDPOptions) bindAll(bind binder) (bound []*link.Endpoint, err error) {
	free := len(o.Addrs) == 0
	addrs := o.Addrs
	if free {
		for i := range loopbacks {
			addrs = append(addrs, loopback(i))
		}
	}
	for _, addr := range addrs {
		e, err := bind(addr)
		if err == nil {
			bound = append(bound, e)
		} else if !free || !errors.Is(err, syscall.EADDRINUSE) {
			return nil, giveUp(bound, err)
		}
		if len(bound) == maxDevices {
			return bound, nil
		}
	}
	switch {
	case !free:
		return bound, nil
	case len(bound) == 0:
		return nil, errAllInUse
	}
	return nil, giveUp(bound, errNoneFree)
}

var errNoneFree = fmt.Errorf("UDP port %d of %s to %s: %w", wire.Port, loopback(0),
	loopback(loopbacks-1), syscall.EADDRINUSE)

// errAllInUse is errNoneFree if not even one address is free.
var errAllInUse = fmt.Errorf("%w", errNoneFree)

func giveUp(bound []*link.Endpoint, err error) error {
	for _, e := range bound {
		e.Close()
	}
	return err
}

// remedy returns what the user can do if the port cannot be bound; "" if unknown.
func remedy(err error, bind binder) string {
	switch {
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "this host does not have the address; 'ip addr' lists its addresses"
	case !errors.Is(err, syscall.EADDRINUSE):
		return ""
	case !errors.Is(err, errAllInUse) && anyFree(bind):
		return "another program, such as another rdmatui, uses this port of the address; choose other addresses with --soft"
	}
	return "rdma_rxe, if it is loaded, binds this port on all addresses of its network namespace; " +
		"run 'modprobe -r rdma_rxe' or use another namespace (ip netns exec)"
}

// anyFree reports whether the port is free on some loopback address, so that no program binds it on all addresses.
func anyFree(bind binder) bool {
	for i := range loopbacks {
		e, err := bind(loopback(i))
		if err == nil {
			e.Close()
			return true
		}
	}
	return false
}

// fallBackNote returns the note about devices that do not use UDP.
func fallBackNote(err error, bind binder) verbs.Note {
	return verbs.Note{Devices: []string{"soft0", "soft1"}, Text: "soft0 and soft1 are connected in memory only, so " +
		"other programs cannot reach them: " + helped(err, bind).Error()}
}

// helped adds the remedy to an error.
func helped(err error, bind binder) error {
	if help := remedy(err, bind); help != "" {
		return fmt.Errorf("%w; %s", err, help)
	}
	return err
}

// goodBuffer is the receive buffer, in bytes, that a peer with a full window does not overrun.
const goodBuffer = 400 << 10

// bufferNotes returns a note for a device whose socket buffer, of n bytes, is smaller than goodBuffer.
func bufferNotes(name string, n int) []verbs.Note {
	if n >= goodBuffer {
		return nil
	}
	text := fmt.Sprintf("%s can buffer only %s of received packets, less than %s, so bursts are lost and resent; "+
		"run 'sysctl -w net.core.rmem_max=4194304'", name, format.Size(uint64(n)), format.Size(goodBuffer))
	return []verbs.Note{{Devices: []string{name}, Text: text}}
}
