package capture

import "rdmatui/verbs/wire"

// Ethernet types beside those of IP and RoCE v1.
const (
	etherInfiniBand = 1 // no Ethernet type: what follows is a packet of InfiniBand, from its LRH
	etherPPP        = 0x880b
	etherBridged    = 0x6558
	etherMPLS       = 0x8847
	etherMPLSMulti  = 0x8848
	etherPPPoE      = 0x8864
	etherNSH        = 0x894f
	etherERSPAN     = 0x88be // types I and II
	etherERSPAN3    = 0x22eb
	etherEverflow   = 0x8949 // SONiC on NVIDIA switches: 22 bytes before the mirrored packet
)

// etherSteps read what follows an Ethernet type. They are set when the program starts: steps refer to each other.
var etherSteps map[uint16]step

func init() {
	etherSteps = map[uint16]step{
		etherBridged: bridged, etherMPLS: mpls, etherMPLSMulti: mpls, etherPPPoE: pppoe, etherPPP: ppp, etherNSH: nsh,
		0x88e7: macInMAC, 0x22f3: trill, 0x8903: fabricPath,
		0x8926: tag(4), 0x893f: tag(6), 0xf1c1: tag(4), // VN-tag, E-tag (802.1BR), R-tag (802.1CB)
		0x892f: tag(4),    // HSR: path and length (16), sequence (16)
		0x88e5: macsec,    // 802.1AE
		0x8909: ciscoMeta, // Cisco metadata
		0x8870: llc,       // of frames that are longer than a length may be
	}
	ipSteps = [256]step{
		4: ipInIP, 41: ipInIP, 47: gre, 50: encrypted, 51: ah, 97: etherIP, 115: l2tpOverIP, 137: mpls, 143: etherInIP,
		protocolUDP: udp,
	}
	udpSteps = map[uint16]step{
		4789: vxlan, 8472: vxlan, 48879: vxlan, 4790: vxlanGPE, 6081: geneve, 6635: mpls, 4754: gre, 2152: gtp,
		l2tpPort: l2tp, 37008: tzsp, 4341: lisp, 6080: gue, 3544: teredo, 30030: jmirror,
	}
}

// ether returns the step that reads what follows an Ethernet type, nil if it is not known.
func ether(proto uint16) step {
	switch proto {
	case etherIPv4:
		return ipv4
	case etherIPv6:
		return ipv6
	case etherRoCEv1:
		return roceV1
	case etherInfiniBand:
		return lrh
	}
	return etherSteps[proto]
}

// llc reads LLC and SNAP headers.
func llc(w *walk, b []byte) (step, []byte) {
	proto, rest, err := w.f.snap(b)
	if err != nil {
		return nil, nil
	}
	return ether(proto), rest
}

// bridged reads an Ethernet header within an encapsulation.
func bridged(w *walk, b []byte) (step, []byte) {
	if len(b) < ethernetLen {
		return w.short()
	}
	proto, rest, err := ethernet(w.f, b)
	if err != nil {
		return nil, nil
	}
	return ether(proto), rest
}

// plainIP reads an IP header of either version.
func plainIP(w *walk, b []byte) (step, []byte) {
	proto, rest, err := rawIP(w.f, b)
	if err != nil {
		return nil, nil
	}
	return ether(proto), rest
}

// tag returns a step that skips a tag of n bytes, of which the Ethernet type of what follows comes after.
func tag(n int) step {
	return func(w *walk, b []byte) (step, []byte) { return tagged16(w, b, n) }
}

// tagged16 goes on behind a tag of n bytes and an Ethernet type.
func tagged16(w *walk, b []byte, n int) (step, []byte) {
	if len(b) < n+2 {
		return w.short()
	}
	proto, rest, err := w.f.tags(word(b[n:]), b[n+2:])
	if err != nil {
		return w.short()
	}
	return ether(proto), rest
}

// ciscoMeta skips Cisco's metadata: version (8), length in words (8), options.
func ciscoMeta(w *walk, b []byte) (step, []byte) {
	if len(b) < 2 {
		return w.short()
	}
	return tagged16(w, b, 2+4*int(b[1]))
}

// macsec reads the tag of IEEE 802.1AE: flags (8), short length (8), packet number (32), and the sender's identifier
// (64) if a flag says so. Behind one that only protects the integrity the packet stands as it is.
func macsec(w *walk, b []byte) (step, []byte) {
	const identified, isEncrypted = 0x20, 0x08
	if len(b) < 6 {
		return w.short()
	}
	if b[0]&isEncrypted != 0 {
		return encrypted(w, b)
	}
	n := 6
	if b[0]&identified != 0 {
		n += 8
	}
	return tagged16(w, b, n)
}

func encrypted(w *walk, _ []byte) (step, []byte) {
	w.skip = SkipEncrypted
	return nil, nil
}

// mpls reads a stack of labels: label (20), class (3), bottom of the stack (1), time to live (8). What follows has no
// type: IP, or an Ethernet frame, which may have a control word (RFC 4448) before it.
func mpls(w *walk, b []byte) (step, []byte) {
	for range maxSteps {
		if len(b) < 4 {
			return w.short()
		}
		entry := long(b)
		if b = b[4:]; entry>>8&1 != 0 {
			in := Layer{Kind: MPLS, ID: entry >> 12, HasID: true}
			return w.first(b, trial{0, plainIP, in}, trial{4, bridged, in}, trial{0, bridged, in})
		}
	}
	w.skip = SkipDeep
	return nil, nil
}

// pppoe reads a PPPoE session header: version and type (8), code (8), session (16), length (16).
func pppoe(w *walk, b []byte) (step, []byte) {
	if len(b) < 6 {
		return w.short()
	}
	if b[0] != 0x11 || b[1] != 0 {
		return nil, nil
	}
	return w.inside(Layer{Kind: PPPoE, ID: uint32(word(b[2:])), HasID: true}, ppp, b[6:])
}

// pppTypes are the Ethernet types of what PPP carries.
var pppTypes = map[uint16]uint16{
	0x21: etherIPv4, 0x57: etherIPv6, 0x281: etherMPLS, 0x283: etherMPLSMulti,
}

// ppp reads PPP's protocol, of 8 or 16 bits, which the address and control bytes of HDLC may precede.
func ppp(w *walk, b []byte) (step, []byte) {
	if len(b) >= 2 && b[0] == 0xff && b[1] == 3 {
		b = b[2:]
	}
	if len(b) < 2 {
		return w.short()
	}
	proto, n := word(b), 2
	if b[0]&1 != 0 {
		proto, n = uint16(b[0]), 1
	}
	return ether(pppTypes[proto]), b[n:]
}

// macInMAC reads the instance tag of IEEE 802.1ah: flags (8), instance (24). An Ethernet header follows.
func macInMAC(w *walk, b []byte) (step, []byte) {
	if len(b) < 4 {
		return w.short()
	}
	return w.inside(Layer{Kind: MACinMAC, ID: triple(b[1:]), HasID: true}, bridged, b[4:])
}

// trill reads the header of RFC 6325: version (2), reserved (2), multicast (1), length of the options in words (5),
// hops (6), two nicknames (32).
func trill(w *walk, b []byte) (step, []byte) {
	if len(b) < 6 {
		return w.short()
	}
	n := 6 + 4*int(word(b)>>6&0x1f)
	if len(b) < n {
		return w.short()
	}
	return w.inside(Layer{Kind: TRILL}, bridged, b[n:])
}

// fabricPath reads Cisco's tag: tree (10), hops (6). An Ethernet header follows.
func fabricPath(w *walk, b []byte) (step, []byte) {
	if len(b) < 2 {
		return w.short()
	}
	return w.inside(Layer{Kind: FabricPath}, bridged, b[2:])
}

// nshTypes are the Ethernet types of what a network service header carries (RFC 8300).
var nshTypes = map[byte]uint16{1: etherIPv4, 2: etherIPv6, 3: etherBridged, 4: etherNSH, 5: etherMPLS}

// nsh reads a network service header: flags (10), length in words (6), type of the metadata (8), protocol (8), path
// (24), index (8).
func nsh(w *walk, b []byte) (step, []byte) {
	if len(b) < 8 {
		return w.short()
	}
	n := 4 * int(b[1]&0x3f)
	if n < 8 || len(b) < n {
		return w.short()
	}
	return w.inside(Layer{Kind: NSH, ID: triple(b[4:]), HasID: true}, ether(nshTypes[b[3]]), b[n:])
}

// roceV1 reads the GRH of RoCE v1.
func roceV1(w *walk, b []byte) (step, []byte) {
	w.f.Raw.ip = len(w.f.Raw.bytes) - len(b)
	if len(b) < wire.GRHLen {
		return w.short()
	}
	if b[0]>>4 != 6 || b[6] != nextBTH {
		return nil, nil
	}
	w.f.global(b)
	w.f.V1, w.f.Len, w.found = true, int(word(b[4:])), true
	return nil, b[wire.GRHLen:]
}
