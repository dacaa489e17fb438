package link

import "net/netip"

// receiveBatch is the maximum number of datagrams received in one call.
const receiveBatch = 64

// batch holds datagrams received from the socket. The buffers are in place before the call.
type batch struct {
	packets [receiveBatch]*Packet
	from    [receiveBatch]netip.AddrPort
	size    [receiveBatch]int // bytes; tooLong if the datagram did not fit
	header  [receiveBatch]Header
}

const tooLong = -1

// message is what one sendmsg passes to the kernel.
type message struct {
	n    int // packets; if more than one, all but the last have the same size, and the kernel separates them
	size int // bytes of the first, with ICRC
}
