package capture

import (
	"cmp"
	"encoding/binary"
	"net/netip"
)

// maxSteps bounds the headers that are read for one packet, also where an ambiguous one is read in several ways.
const maxSteps = 64

// step reads one header. It returns what reads the next one, and the bytes from there on; nil where the search ends.
type step func(w *walk, b []byte) (step, []byte)

// walk looks for the RoCE packet in a captured one, below whatever encapsulates it.
type walk struct {
	f        *Frame
	src, dst netip.AddrPort // of the IP header that was read last
	routed   bool           // by segment routing: the IPv6 header has an SRH
	layers   []Layer
	left     int  // steps
	found    bool // f.Len is set, and the bytes that are left begin with the BTH
	skip     Skip
	outers   map[Outer]*Outer
	last     *Outer
}

// Skip is why a packet was not looked at to its end. Those of the other protocols are no RoCE packets.
type Skip uint8

// The reasons.
const (
	NotSkipped    Skip = iota
	SkipLink           // the interface has a link type that is not decoded
	SkipDeep           // more encapsulations than are followed
	SkipFragment       // a fragment of an IP packet; fragments are not put together
	SkipEncrypted      // ESP or MACsec
	SkipCut            // cut by the capture before the BTH
	skips
)

// skipTexts have for each reason its name, and what it says of some packets.
var skipTexts = [skips]struct{ name, text string }{
	SkipLink:      {"link_type", "skipped: unsupported link type"},
	SkipDeep:      {"nesting", "skipped: too many encapsulations"},
	SkipFragment:  {"fragment", "skipped: IP fragment"},
	SkipEncrypted: {"encrypted", "skipped: encrypted by ESP or MACsec"},
	SkipCut:       {"truncated", "skipped: truncated before the transport header"},
}

// SkipReasons lists the reasons.
func SkipReasons() []Skip { return []Skip{SkipLink, SkipDeep, SkipFragment, SkipEncrypted, SkipCut} }

// Name returns the reason as one word.
func (s Skip) Name() string { return skipTexts[s].name }

// String says what became of the packets, and why.
func (s Skip) String() string { return skipTexts[s].text }

// decode finds the RoCE packet in a captured packet; n is its length as sent. It fails with errOther if there is none.
func (w *walk) decode(f *Frame, of link, b []byte, n int) error {
	w.f, w.layers, w.left, w.skip, w.found = f, w.layers[:0], maxSteps, NotSkipped, false
	f.Raw.bytes, f.Raw.n = b, n
	proto, b, err := of(f, b)
	if err != nil {
		if err == errLink {
			w.skip = SkipLink
		}
		return err
	}
	if b = w.run(ether(proto), b); !w.found {
		return errOther
	}
	f.Raw.bth = len(f.Raw.bytes) - len(b)
	f.Data = b[:min(len(b), f.Len)]
	if len(w.layers) > 0 {
		f.Outer = w.intern()
	}
	return nil
}

// run follows the headers from a step on. It returns what is left after the last one.
func (w *walk) run(next step, b []byte) []byte {
	for next != nil {
		if w.left--; w.left < 0 {
			w.skip = SkipDeep
			return nil
		}
		next, b = next(w, b)
	}
	return b
}

// maxOuters bounds the encapsulations that are stored once: those in a capture are a stranger's.
const maxOuters = 1 << 10

// intern returns the encapsulations of the packet, the same value for the same ones.
func (w *walk) intern() *Outer {
	var o Outer
	o.n = copy(o.layers[:], w.layers)
	if w.last != nil && *w.last == o {
		return w.last
	}
	if known := w.outers[o]; known != nil {
		w.last = known
		return known
	}
	if w.outers == nil || len(w.outers) >= maxOuters {
		w.outers = map[Outer]*Outer{}
	}
	w.last = &o
	w.outers[o] = w.last
	return w.last
}

// keep stores an encapsulation with the headers that were read so far. It returns false beyond the bound.
func (w *walk) keep(l Layer) bool {
	if len(w.layers) >= maxLayers {
		w.skip = SkipDeep
		return false
	}
	l.MAC, l.VLAN, l.Src, l.Dst = w.f.MAC, w.f.VLAN, w.src, w.dst
	w.layers = append(w.layers, l)
	return true
}

// enter keeps an encapsulation, within which other headers stand.
func (w *walk) enter(l Layer) bool {
	if !w.keep(l) {
		return false
	}
	f := w.f
	f.MAC, f.VLAN, f.PCP, f.ID, f.DF, f.options = MAC{}, 0, 0, 0, false, false
	w.src, w.dst, w.routed = netip.AddrPort{}, netip.AddrPort{}, false
	return true
}

// inside enters an encapsulation and goes on with the step for what it holds.
func (w *walk) inside(l Layer, next step, b []byte) (step, []byte) {
	if next == nil || !w.enter(l) {
		return nil, nil
	}
	return next, b
}

// short ends the search in a header that is not whole.
func (w *walk) short() (step, []byte) {
	if len(w.f.Raw.bytes) < w.f.Raw.n {
		w.skip = SkipCut
	}
	return nil, nil
}

// trial is one way to read what follows an ambiguous header: with a step, some bytes further on.
type trial struct {
	skip int
	next step
	in   Layer // Kind NoKind: none
}

// first reads an ambiguous header in several ways up to one that leads to a RoCE packet.
func (w *walk) first(b []byte, ways ...trial) (step, []byte) {
	frame, src, dst, routed, depth, skip := *w.f, w.src, w.dst, w.routed, len(w.layers), w.skip
	for _, way := range ways {
		if len(b) < way.skip || way.in.Kind != NoKind && !w.enter(way.in) {
			continue
		}
		if rest := w.run(way.next, b[way.skip:]); w.found {
			return nil, rest
		}
		*w.f, w.src, w.dst, w.routed, w.layers, w.skip = frame, src, dst, routed, w.layers[:depth], cmp.Or(skip, w.skip)
	}
	return nil, nil
}

func word(b []byte) uint16   { return binary.BigEndian.Uint16(b) }
func long(b []byte) uint32   { return binary.BigEndian.Uint32(b) }
func triple(b []byte) uint32 { return uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]) }
