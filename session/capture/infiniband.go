package capture

import (
	"net/netip"

	"rdmatui/verbs/wire"
)

// lrh reads the headers of a packet on an InfiniBand link, to which a GRH belongs if it leaves its subnet.
func lrh(w *walk, b []byte) (step, []byte) {
	f := w.f
	if f.LRH.Decode(b) != nil {
		return w.short()
	}
	f.IB, f.options, f.Len = true, true, f.LRH.Len-wire.LRHLen // the check of the ICRC does not know the LRH
	f.Src = netip.AddrPortFrom(wire.LID(f.LRH.SLID), 0)
	f.Dst = netip.AddrPortFrom(wire.LID(f.LRH.DLID), 0)
	b = b[wire.LRHLen:]
	switch f.LRH.Next {
	case wire.NextGRH:
		if len(b) < wire.GRHLen {
			return w.short()
		}
		if b[0]>>4 != 6 || b[6] != nextBTH {
			return nil, nil
		}
		f.global(b)
		f.Len -= wire.GRHLen
		b = b[wire.GRHLen:]
	case wire.NextBTH:
	default:
		return nil, nil
	}
	w.found = f.Len >= 0
	return nil, b
}

// The header of an ERF record: time (64), type (8), flags (8), record's length (16), lost (16), length as sent (16).
const (
	erfLen      = 16
	erfTypeAt   = 8
	erfLostAt   = 12
	erfExtended = 0x80 // of the type, and of the first byte of each extension header: another follows
	erfExtLen   = 8
	erfPadLen   = 2 // before an Ethernet frame
)

// erfTypes are the Ethernet types of what ERF records hold; bridged is an Ethernet frame.
var erfTypes = map[byte]uint16{
	2: etherBridged, 11: etherBridged, 16: etherBridged, 20: etherBridged, 21: etherInfiniBand, 22: etherIPv4,
	23: etherIPv6,
}

// erfColored are the types that have a color or a hash in place of the number of lost packets.
var erfColored = map[byte]bool{11: true, 16: true, 20: true}

// erf reads the header of an ERF record (Endace), as ibdump and DAG cards write it, with its extension headers.
func erf(f *Frame, b []byte) (uint16, []byte, error) {
	if len(b) < erfLen {
		return 0, nil, errOther
	}
	kind, more := b[erfTypeAt], b[erfTypeAt]
	proto, known := erfTypes[kind&^erfExtended]
	if !erfColored[kind&^erfExtended] {
		f.Missed += uint64(word(b[erfLostAt:]))
	}
	b = b[erfLen:]
	for more&erfExtended != 0 {
		if len(b) < erfExtLen {
			return 0, nil, errOther
		}
		more, b = b[0], b[erfExtLen:]
	}
	switch {
	case !known:
		return 0, nil, errLink
	case proto != etherBridged:
		return proto, b, nil
	case len(b) < erfPadLen:
		return 0, nil, errOther
	}
	return ethernet(f, b[erfPadLen:])
}
