package capture

import (
	"net/netip"

	"rdmatui/verbs"
)

// ipSteps read what follows an IP header, by its protocol.
var ipSteps [256]step

// ipv4 reads an IPv4 header.
func ipv4(w *walk, b []byte) (step, []byte) {
	f := w.f
	f.Raw.ip = len(f.Raw.bytes) - len(b)
	if len(b) < ipv4Len {
		return w.short()
	}
	head, fragment := int(b[0]&0xf)*4, word(b[6:])
	if b[0]>>4 != 4 || head < ipv4Len {
		return nil, nil
	}
	if len(b) < head {
		return w.short()
	}
	next := ipSteps[b[9]]
	if next == nil {
		return nil, nil
	}
	if fragment&fragmentMask != 0 {
		w.skip = SkipFragment
		return nil, nil
	}
	f.IP = verbs.IPHeader{TrafficClass: b[1], HopLimit: b[8]}
	f.ID, f.DF, f.options = word(b[4:]), fragment&dontFrag != 0, head > ipv4Len
	w.ends(netip.AddrFrom4([4]byte(b[12:])), netip.AddrFrom4([4]byte(b[16:])))
	return next, b[head:]
}

// ends takes the addresses of an IP header.
func (w *walk) ends(src, dst netip.Addr) {
	w.src, w.dst = netip.AddrPortFrom(src, 0), netip.AddrPortFrom(dst, 0)
}

const (
	extRouting  = 43
	extFragment = 44
	segments6   = 4 // type of a routing header: segment routing (RFC 8754)
)

// ipv6 reads an IPv6 header with its extensions.
func ipv6(w *walk, b []byte) (step, []byte) {
	f := w.f
	f.Raw.ip = len(f.Raw.bytes) - len(b)
	if len(b) < ipv6Len {
		return w.short()
	}
	if b[0]>>4 != 6 {
		return nil, nil
	}
	first := long(b)
	f.IP = verbs.IPHeader{TrafficClass: uint8(first >> 20), HopLimit: b[7], FlowLabel: first & 0xfffff}
	w.ends(netip.AddrFrom16([16]byte(b[8:])), netip.AddrFrom16([16]byte(b[24:])))
	next := b[6]
	b = b[ipv6Len:]
	for i := 0; extensions[next] && i < maxExtensions; i++ {
		if len(b) < 8 || len(b) < 8+8*int(b[1]) {
			return w.short()
		}
		n := 8 + 8*int(b[1])
		if next == extRouting && b[2] == segments6 && !w.route(b[:n]) {
			return nil, nil
		}
		next, b, f.options = b[0], b[n:], true
	}
	if next == extFragment {
		w.skip = SkipFragment
		return nil, nil
	}
	return ipSteps[next], b
}

// route takes a header of segment routing. The first segment of its list is the packet's last one: a packet of UDP is
// for that address.
//
//	0  next header (8), length (8), type (8), segments left (8)
//	4  last entry (8), flags (8), tag (16)
//	8  segments (128 each)
func (w *walk) route(b []byte) bool {
	w.routed = true
	if len(b) < 24 || b[3] == 0 || b[0] != protocolUDP {
		return true
	}
	if !w.keep(Layer{Kind: SRv6}) {
		return false
	}
	w.dst = netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[8:])), 0)
	return true
}

// udp reads a UDP header, after which the RoCE packet begins, or an encapsulation.
func udp(w *walk, b []byte) (step, []byte) {
	if len(b) < udpLen {
		return w.short()
	}
	f, src, dst := w.f, word(b), word(b[2:])
	n := int(word(b[4:])) - udpLen
	w.src, w.dst = netip.AddrPortFrom(w.src.Addr(), src), netip.AddrPortFrom(w.dst.Addr(), dst)
	if b = b[udpLen:]; dst == roceV2Port {
		f.Src, f.Dst, f.Len, w.found = w.src, w.dst, n, n >= 0
		return nil, b
	}
	if next := udpSteps[dst]; next != nil {
		return next, b
	}
	if src == l2tpPort {
		return l2tp, b
	}
	return unknownPort, b
}

// ipKinds are the encapsulations of IP in IP, by the outer and the inner version.
var ipKinds = [2][2]Kind{{IPIP, SixInFour}, {FourInSix, SixInSix}}

// ipInIP enters the IP packet within another.
func ipInIP(w *walk, b []byte) (step, []byte) {
	if len(b) == 0 {
		return w.short()
	}
	outer, inner := 0, 0
	if w.src.Addr().Is6() {
		outer = 1
	}
	if b[0]>>4 == 6 {
		inner = 1
	}
	kind := ipKinds[outer][inner]
	if w.routed {
		kind = SRv6
	}
	return w.inside(Layer{Kind: kind}, plainIP, b)
}

// etherInIP enters an Ethernet frame in an IP packet (RFC 8986).
func etherInIP(w *walk, b []byte) (step, []byte) {
	kind := EtherIP
	if w.src.Addr().Is6() {
		kind = SRv6
	}
	return w.inside(Layer{Kind: kind}, bridged, b)
}

// etherIP reads the header of RFC 3378: version (4), reserved (12).
func etherIP(w *walk, b []byte) (step, []byte) {
	if len(b) < 2 {
		return w.short()
	}
	return w.inside(Layer{Kind: EtherIP}, bridged, b[2:])
}

// ah skips an authentication header (RFC 4302): protocol (8), length in words less 2 (8).
func ah(w *walk, b []byte) (step, []byte) {
	if len(b) < 2 || len(b) < 8+4*int(b[1]) {
		return w.short()
	}
	w.f.options = true
	return ipSteps[b[0]], b[8+4*int(b[1]):]
}

// Flags of GRE (RFC 2784, 2890; 2637 for version 1).
const (
	greSum      = 0x8000
	greRouting  = 0x4000
	greKey      = 0x2000
	greSequence = 0x1000
	greAck      = 0x80
	greVersion  = 7
)

// gre reads the header of GRE: flags (13), version (3), Ethernet type (16), then, as the flags say, checksum and
// reserved (32), key (32), sequence (32), acknowledgement (32).
func gre(w *walk, b []byte) (step, []byte) {
	if len(b) < 4 {
		return w.short()
	}
	flags, proto, n := word(b), word(b[2:]), 4
	if flags&greRouting != 0 || flags&greVersion > 1 {
		return nil, nil
	}
	in := Layer{Kind: GRE}
	if flags&greSum != 0 {
		n += 4
	}
	if flags&greKey != 0 {
		if len(b) < n+4 {
			return w.short()
		}
		in.ID, in.HasID = long(b[n:]), true
		n += 4
	}
	if flags&greSequence != 0 {
		n += 4
	}
	if flags&greVersion == 1 && flags&greAck != 0 {
		n += 4
	}
	if len(b) < n {
		return w.short()
	}
	if mirror := mirrors[proto]; mirror != nil {
		return mirror(w, b[n:], flags&greSequence != 0)
	}
	if proto == etherBridged && in.HasID { // RFC 7637
		in.Kind, in.ID = NVGRE, in.ID>>8
	}
	if proto == greWCCP {
		return w.first(b[n:], trial{0, plainIP, in}, trial{4, plainIP, in})
	}
	return w.inside(in, ether(proto), b[n:])
}

const greWCCP = 0x883e // an IP packet, which a redirect header of 4 bytes may precede

// mirrors read the headers of mirrored packets that GRE carries.
var mirrors = map[uint16]func(w *walk, b []byte, numbered bool) (step, []byte){
	etherERSPAN: erspan, etherERSPAN3: erspan3, etherEverflow: everflow,
}

// erspan reads ERSPAN of type I, which has no header, or II: version (4), VLAN (12), class, encapsulation and
// truncation (6), session (10), reserved (12), port (20). Type II has a sequence number in GRE.
// Some switches write 12 bytes in their place (SONiC's Everflow).
func erspan(w *walk, b []byte, numbered bool) (step, []byte) {
	const headLen, longLen = 8, 12
	if len(b) < headLen {
		return w.short()
	}
	second := trial{headLen, bridged, Layer{Kind: ERSPAN2, ID: uint32(word(b[2:]) & 0x3ff), HasID: true}}
	plain := trial{0, bridged, Layer{Kind: ERSPAN1}}
	vendor := trial{longLen, bridged, Layer{Kind: Everflow}}
	if numbered && b[0]>>4 == 1 {
		return w.first(b, second, plain, vendor)
	}
	return w.first(b, plain, second, vendor)
}

// erspan3 reads ERSPAN of type III, which 8 bytes of the platform may follow:
//
//	 0  version (4), VLAN (12), class, condition and truncation (6), session (10)
//	 4  time (32)
//	 8  security group (16)
//	10  a frame, not a packet (1), its type (5), hardware (6), direction (1), granularity (2), platform (1)
func erspan3(w *walk, b []byte, _ bool) (step, []byte) {
	const headLen, platformLen = 12, 8
	if len(b) < headLen {
		return w.short()
	}
	in := Layer{Kind: ERSPAN3, ID: uint32(word(b[2:]) & 0x3ff), HasID: true}
	n, next := headLen, step(bridged)
	if b[11]&1 != 0 {
		n += platformLen
	}
	if b[10]>>2&0x1f == 2 {
		next = plainIP
	}
	return w.first(b, trial{n, next, in}, trial{headLen, bridged, in})
}

// everflow skips what NVIDIA switches write before a mirrored packet.
func everflow(w *walk, b []byte, _ bool) (step, []byte) {
	const headLen = 22
	in := Layer{Kind: Everflow}
	return w.first(b, trial{headLen, bridged, in}, trial{0, bridged, in})
}
