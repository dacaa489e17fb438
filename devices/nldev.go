package devices

import (
	"encoding/binary"
	"iter"
	"net/netip"
	"strings"

	"rdmatui/verbs"
)

// The kernel's RDMA netlink family describes devices as trees of attributes:
// length and type (16 bits each, in the machine's byte order), then the value,
// padded to 4 bytes. The numbers are those of rdma/rdma_netlink.h.
const (
	nldevDevIndex    = 1
	nldevDevName     = 2
	nldevPortIndex   = 3
	nldevSummary     = 15  // the table of counts,
	nldevEntry       = 16  // one entry of it,
	nldevEntryName   = 17  // its kind of objects,
	nldevEntryCount  = 18  // how many there are,
	nldevEntryLimit  = 118 // and how many there can be, which older kernels do not tell
	nldevLQPN        = 21
	nldevRQPN        = 22
	nldevRQPSN       = 23
	nldevSQPSN       = 24
	nldevType        = 26
	nldevState       = 27
	nldevPID         = 28
	nldevKernName    = 29
	nldevPortSpace   = 32
	nldevSrcAddr     = 33 // a sockaddr_storage
	nldevDstAddr     = 34
	nldevRKey        = 42 // keys are told to the administrator only
	nldevLKey        = 43
	nldevMRLen       = 45
	nldevPDN         = 60
	nldevMRN         = 62
	nldevNetnsMode   = 66
	nldevCharDevType = 69
	nldevDriverID    = 73
)

// Commands beyond those that the netlink package names.
const nldevCmdGetCharDev = 15

// resourceKind is one kind of object that the kernel tracks: its name, the
// command that lists it, and the attributes that hold the list and one entry.
type resourceKind struct {
	name         string
	cmd          int
	table, entry uint16
}

var resourceKinds = []resourceKind{
	{"ctx", 22, 86, 87}, {"pd", 14, 46, 47}, {"mr", 13, 40, 41}, {"cq", 12, 35, 36},
	{"srq", 23, 88, 89}, {"qp", 10, 19, 20}, {"cm_id", 11, 30, 31},
}

// kernelQPTypes names enum ib_qp_type, which has more types than programs can create.
var kernelQPTypes = map[uint8]string{
	0: "SMI", 1: "GSI", 2: "RC", 3: "UC", 4: "UD", 5: "RAW_IPV6", 6: "RAW_ETHERTYPE",
	8: "RAW_PACKET", 9: "XRC_SEND", 10: "XRC_RECV", 255: "DRIVER",
}

// attributes yields the type and value of consecutive attributes. It stops at the first
// that does not fit.
func attributes(b []byte) iter.Seq2[uint16, []byte] {
	const header, typeMask = 4, 0x3fff
	return func(yield func(uint16, []byte) bool) {
		for len(b) >= header {
			n := int(binary.NativeEndian.Uint16(b))
			if n < header || n > len(b) {
				return
			}
			if !yield(binary.NativeEndian.Uint16(b[2:])&typeMask, b[header:n]) {
				return
			}
			b = b[min((n+3)&^3, len(b)):]
		}
	}
}

// number reads an unsigned value of 1, 4 or 8 bytes; 0 for another size.
func number(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	case 8:
		return binary.NativeEndian.Uint64(b)
	}
	return 0
}

// text reads a string that ends with a zero byte.
func text(b []byte) string {
	s, _, _ := strings.Cut(string(b[:min(len(b), maxText)]), "\x00")
	return s
}

// indexOf finds a device's number in the list of devices.
func indexOf(messages [][]byte, device string) (uint32, bool) {
	for _, m := range messages {
		var name string
		var index uint64
		for typ, v := range attributes(m) {
			switch typ {
			case nldevDevName:
				name = text(v)
			case nldevDevIndex:
				index = number(v)
			}
		}
		if name == device {
			return uint32(index), true
		}
	}
	return 0, false
}

// driverOf returns the module of the driver in the description of a character device, ""
// if there is none.
func driverOf(messages [][]byte) string {
	for _, m := range messages {
		for typ, v := range attributes(m) {
			if typ == nldevDriverID {
				return driverModules[uint32(number(v))]
			}
		}
	}
	return ""
}

// summarize reads how many objects of each kind a device has, and can have.
func (r *Resources) summarize(message []byte) {
	for entry := range (resourceKind{table: nldevSummary, entry: nldevEntry}).entries(message) {
		var kind string
		var count, limit uint64
		for typ, v := range attributes(entry) {
			switch typ {
			case nldevEntryName:
				kind = text(v)
			case nldevEntryCount:
				count = number(v)
			case nldevEntryLimit:
				limit = number(v)
			}
		}
		r.Totals[kind] = count
		if limit != 0 {
			r.Limits[kind] = limit
		}
	}
}

// entries yields the entries of a table of objects.
func (k resourceKind) entries(message []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for typ, table := range attributes(message) {
			if typ != k.table {
				continue
			}
			for typ, entry := range attributes(table) {
				if typ == k.entry && !yield(entry) {
					return
				}
			}
		}
	}
}

func entryOwner(entry []byte) owner {
	var o owner
	for typ, v := range attributes(entry) {
		switch typ {
		case nldevPID:
			o.pid = uint32(number(v))
		case nldevKernName:
			o.comm = text(v)
		}
	}
	return o
}

func qpUse(entry []byte) QPUse {
	o := entryOwner(entry)
	u := QPUse{PID: o.pid, Comm: o.comm}
	for typ, v := range attributes(entry) {
		switch typ {
		case nldevPortIndex:
			u.PortNum = uint8(number(v))
		case nldevLQPN:
			u.QPNum = verbs.QPN(number(v))
		case nldevRQPN:
			u.Dest = verbs.QPN(number(v))
		case nldevRQPSN:
			u.RQPSN = verbs.PSN(number(v))
		case nldevSQPSN:
			u.SQPSN = verbs.PSN(number(v))
		case nldevType:
			u.Type = kernelQPTypes[uint8(number(v))]
		case nldevState:
			u.State = verbs.QPState(number(v))
		}
	}
	return u
}

// cmIDStates names enum rdma_cm_state of the kernel's drivers/infiniband/core/cma_priv.h.
var cmIDStates = []string{
	"IDLE", "ADDR_QUERY", "ADDR_RESOLVED", "ROUTE_QUERY", "ROUTE_RESOLVED", "CONNECT", "DISCONNECT", "ADDR_BOUND",
	"LISTEN", "DEVICE_REMOVAL", "DESTROYING", "ADDRINFO_QUERY", "ADDRINFO_RESOLVED",
}

// portSpaces names enum rdma_ucm_port_space of rdma/rdma_user_cm.h.
var portSpaces = map[uint64]string{0x0002: "IPOIB", 0x0106: "TCP", 0x0111: "UDP", 0x013f: "IB"}

func cmIDUse(entry []byte) CMIDUse {
	o := entryOwner(entry)
	u := CMIDUse{PID: o.pid, Comm: o.comm}
	for typ, v := range attributes(entry) {
		switch typ {
		case nldevLQPN:
			u.QPNum = verbs.QPN(number(v))
		case nldevState:
			if at := number(v); at < uint64(len(cmIDStates)) {
				u.State = cmIDStates[at]
			}
		case nldevPortSpace:
			u.PortSpace = portSpaces[number(v)]
		case nldevSrcAddr:
			u.Src = sockaddr(v)
		case nldevDstAddr:
			u.Dst = sockaddr(v)
		}
	}
	return u
}

// sockaddr reads a struct sockaddr_in or sockaddr_in6: the family in the machine's byte order, the port in the
// network's. It returns the invalid address for other families and for an address that is not set.
func sockaddr(b []byte) netip.AddrPort {
	const inet, inet6 = 2, 10
	if len(b) < 28 {
		return netip.AddrPort{}
	}
	addr := netip.Addr{}
	switch binary.NativeEndian.Uint16(b) {
	case inet:
		addr = netip.AddrFrom4([4]byte(b[4:]))
	case inet6:
		addr = netip.AddrFrom16([16]byte(b[8:]))
	default:
		return netip.AddrPort{}
	}
	port := binary.BigEndian.Uint16(b[2:])
	if addr.IsUnspecified() && port == 0 {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(addr, port)
}

func mrUse(entry []byte) MRUse {
	o := entryOwner(entry)
	u := MRUse{PID: o.pid, Comm: o.comm}
	for typ, v := range attributes(entry) {
		switch typ {
		case nldevMRN:
			u.Number = uint32(number(v))
		case nldevPDN:
			u.PD = uint32(number(v))
		case nldevMRLen:
			u.Length = number(v)
		case nldevRKey:
			u.RKey = uint32(number(v))
		case nldevLKey:
			u.LKey = uint32(number(v))
		}
	}
	return u
}
