package mmsg

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Header holds the IP header fields that control messages carry; ip(7), ipv6(7).
type Header struct {
	TrafficClass uint8  // IPv4: type of service
	HopLimit     uint8  // IPv4: time to live; 0 if the kernel did not report it
	FlowLabel    uint32 // IPv6 only: 20 bits
}

// IPv6 socket options that x/sys does not define; linux/in6.h. FlowInfo reports traffic class and flow label of
// received datagrams, unless both are 0. FlowInfoSend takes the flow label from the destination address of a datagram:
// any label not reserved by another process of the network namespace.
const (
	FlowInfo     = 11
	FlowInfoSend = 33
)

const (
	maxFlowLabel = 1<<20 - 1
	classShift   = 20
)

// control is a buffer for the control messages of one datagram, aligned as the kernel requires.
type control struct {
	room [9]uint64
	used int // bytes
}

func (c *control) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&c.room)), len(c.room)*8)
}

// add appends a control message with a value of size bytes, 2 or 4.
func (c *control) add(level, kind int32, size int, value uint32) {
	b := c.bytes()[c.used:]
	h := (*unix.Cmsghdr)(unsafe.Pointer(&b[0]))
	h.Level, h.Type = level, kind
	h.SetLen(unix.CmsgLen(size))
	if size == 2 {
		binary.NativeEndian.PutUint16(b[unix.CmsgLen(0):], uint16(value))
	} else {
		binary.NativeEndian.PutUint32(b[unix.CmsgLen(0):], value)
	}
	c.used += unix.CmsgSpace(size)
}

// header decodes the IP header fields in the first n bytes.
func (c *control) header(n int) (h Header) {
	for b := c.bytes()[:n]; len(b) >= unix.CmsgLen(0); {
		m := (*unix.Cmsghdr)(unsafe.Pointer(&b[0]))
		size := int(m.Len)
		if size < unix.CmsgLen(0) || size > len(b) {
			break
		}
		h.take(m.Level, m.Type, b[unix.CmsgLen(0):size])
		b = b[min(unix.CmsgSpace(size-unix.CmsgLen(0)), len(b)):]
	}
	return h
}

// take decodes one control message.
func (h *Header) take(level, kind int32, value []byte) {
	switch {
	case level == unix.IPPROTO_IP && kind == unix.IP_TOS && len(value) >= 1:
		h.TrafficClass = value[0]
	case len(value) < 4:
	case level == unix.IPPROTO_IP && kind == unix.IP_TTL, level == unix.IPPROTO_IPV6 && kind == unix.IPV6_HOPLIMIT:
		h.HopLimit = uint8(binary.NativeEndian.Uint32(value))
	case level == unix.IPPROTO_IPV6 && kind == FlowInfo:
		info := binary.BigEndian.Uint32(value)
		h.TrafficClass, h.FlowLabel = uint8(info>>classShift), info&maxFlowLabel
	}
}
