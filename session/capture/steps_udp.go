package capture

// udpSteps read what follows a UDP header, by the destination port.
var udpSteps map[uint16]step

const l2tpPort = 1701

// Flags of VXLAN (RFC 7348) and of its generic protocol extension.
const (
	vxlanID    = 0x08
	vxlanProto = 0x04
)

// vxlan reads the header of VXLAN: flags (8), reserved (24), network (24), reserved (8). Some write the one of the
// generic protocol extension with the same port.
func vxlan(w *walk, b []byte) (step, []byte) {
	if len(b) < 8 {
		return w.short()
	}
	if b[0]&vxlanProto != 0 {
		return vxlanGPE(w, b)
	}
	if b[0]&vxlanID == 0 {
		return nil, nil
	}
	return w.inside(Layer{Kind: VXLAN, ID: triple(b[4:]), HasID: true}, bridged, b[8:])
}

// vxlanGPE reads the header of the generic protocol extension, which has a protocol before the network.
func vxlanGPE(w *walk, b []byte) (step, []byte) {
	if len(b) < 8 {
		return w.short()
	}
	next := step(bridged)
	if b[0]&vxlanProto != 0 {
		next = ether(nshTypes[b[3]])
	}
	return w.inside(Layer{Kind: VXLANGPE, ID: triple(b[4:]), HasID: b[0]&vxlanID != 0}, next, b[8:])
}

// unknownPort tries what is used with ports of the administrator's choice: VXLAN, and the mirror of HP's switches, of
// 12 bytes.
func unknownPort(w *walk, b []byte) (step, []byte) {
	const mirrorLen = 12
	if len(b) < mirrorLen+ethernetLen {
		return nil, nil
	}
	mirror, skip := trial{mirrorLen, bridged, Layer{Kind: HPERM}}, w.skip
	defer func() { w.skip = skip }() // a guess proves nothing
	if b[0] == vxlanID && b[7] == 0 {
		return w.first(b, trial{8, bridged, Layer{Kind: VXLAN, ID: triple(b[4:]), HasID: true}}, mirror)
	}
	return w.first(b, mirror)
}

// geneve reads the header of RFC 8926: version (2), length of the options in words (6), flags (8), Ethernet type (16),
// network (24), reserved (8).
func geneve(w *walk, b []byte) (step, []byte) {
	if len(b) < 8 {
		return w.short()
	}
	n := 8 + 4*int(b[0]&0x3f)
	if len(b) < n {
		return w.short()
	}
	return w.inside(Layer{Kind: Geneve, ID: triple(b[4:]), HasID: true}, ether(word(b[2:])), b[n:])
}

// gtp reads the header of GTP-U (3GPP TS 29.281): version (3), type (1), reserved (1), flags (3), message (8), length
// (16), tunnel (32). With a flag, sequence (16), N-PDU (8) and the type of an extension (8) follow; each extension has
// its length in words first, and the type of the next one last.
func gtp(w *walk, b []byte) (step, []byte) {
	const flags, extended, user = 7, 4, 255
	if len(b) < 8 {
		return w.short()
	}
	if b[0]>>4 != 3 || b[1] != user {
		return nil, nil
	}
	in, n := Layer{Kind: GTPU, ID: long(b[4:]), HasID: true}, 8
	if b[0]&flags != 0 {
		n += 4
	}
	if len(b) < n {
		return w.short()
	}
	more := b[0]&extended != 0 && b[n-1] != 0
	for range maxExtensions {
		if !more {
			break
		}
		if len(b) <= n || b[n] == 0 || len(b) < n+4*int(b[n]) {
			return w.short()
		}
		n += 4 * int(b[n])
		more = b[n-1] != 0
	}
	return w.inside(in, plainIP, b[n:])
}

// Flags of L2TP.
const (
	l2tpControl  = 0x8000
	l2tpLength   = 0x4000
	l2tpSequence = 0x0800
	l2tpOffset   = 0x0200
)

// l2tp reads a data header of L2TP: flags (12), version (4). That of version 2 (RFC 2661) has, as the flags say, its
// length (16), tunnel and session (32), sequence (32), an offset (16); PPP follows.
func l2tp(w *walk, b []byte) (step, []byte) {
	if len(b) < 2 {
		return w.short()
	}
	flags, n := word(b), 2
	switch {
	case flags&l2tpControl != 0:
		return nil, nil
	case flags&0xf == 3:
		if len(b) < 4 {
			return w.short()
		}
		return l2tp3(w, b[4:])
	case flags&0xf != 2:
		return nil, nil
	}
	if flags&l2tpLength != 0 {
		n += 2
	}
	if len(b) < n+4 {
		return w.short()
	}
	in := Layer{Kind: L2TP2, ID: uint32(word(b[n+2:])), HasID: true}
	if n += 4; flags&l2tpSequence != 0 {
		n += 4
	}
	if flags&l2tpOffset != 0 {
		if len(b) < n+2 {
			return w.short()
		}
		n += 2 + int(word(b[n:]))
	}
	if len(b) < n {
		return w.short()
	}
	return w.inside(in, ppp, b[n:])
}

// l2tpOverIP reads version 3 without UDP; session 0 is that of control messages.
func l2tpOverIP(w *walk, b []byte) (step, []byte) { return l2tp3(w, b) }

// l2tp3 reads a session of version 3 (RFC 3931): session (32), then a cookie of 0, 4 or 8 bytes and a sublayer of 0
// or 4, which only the two ends know. An Ethernet frame or a packet of IP or PPP follows.
func l2tp3(w *walk, b []byte) (step, []byte) {
	if len(b) < 4 {
		return w.short()
	}
	in := Layer{Kind: L2TP3, ID: long(b), HasID: true}
	if in.ID == 0 {
		return nil, nil
	}
	return w.first(b, trial{4, bridged, in}, trial{8, bridged, in}, trial{12, bridged, in}, trial{16, bridged, in},
		trial{4, plainIP, in}, trial{8, plainIP, in}, trial{12, plainIP, in}, trial{16, plainIP, in}, trial{4, ppp, in})
}

// tzsp reads TaZmen sniffer protocol: version (8), type (8), encapsulation (16), and tags of a type (8), a length (8)
// and a value; types 0 and 1, padding and the end, stand alone.
func tzsp(w *walk, b []byte) (step, []byte) {
	const version, ethernetInside = 1, 1
	if len(b) < 4 {
		return w.short()
	}
	if b[0] != version || word(b[2:]) != ethernetInside {
		return nil, nil
	}
	for b = b[4:]; len(b) > 0; {
		switch {
		case b[0] == 1:
			return w.inside(Layer{Kind: TZSP}, bridged, b[1:])
		case b[0] == 0:
			b = b[1:]
		case len(b) < 2 || len(b) < 2+int(b[1]):
			return w.short()
		default:
			b = b[2+int(b[1]):]
		}
	}
	return w.short()
}

// lisp reads the header of RFC 9300: flags (8), nonce (24), instance (24) and locators (8). An IP packet follows.
func lisp(w *walk, b []byte) (step, []byte) {
	const hasInstance = 0x08
	if len(b) < 8 {
		return w.short()
	}
	in := Layer{Kind: LISP, HasID: b[0]&hasInstance != 0}
	if in.HasID {
		in.ID = triple(b[4:])
	}
	return w.inside(in, plainIP, b[8:])
}

// gue reads generic UDP encapsulation: variant (2), control (1), length in words (5), protocol (8), flags (16).
// Variant 1 has no header: an IP packet follows.
func gue(w *walk, b []byte) (step, []byte) {
	if len(b) < 4 {
		return w.short()
	}
	n := 4 + 4*int(b[0]&0x1f)
	switch {
	case b[0]>>6 == 1:
		return w.inside(Layer{Kind: GUE}, plainIP, b)
	case b[0]>>5 != 0: // another variant, or control
		return nil, nil
	case len(b) < n:
		return w.short()
	case b[1] == 4 || b[1] == 41:
		return w.inside(Layer{Kind: GUE}, plainIP, b[n:])
	}
	return ipSteps[b[1]], b[n:]
}

// teredo skips the indications of RFC 4380 before an IPv6 packet: authentication (0, 1) with an identifier, a value, a
// nonce (64) and a confirmation (8), and origin (0, 0) with a port and an address.
func teredo(w *walk, b []byte) (step, []byte) {
	if len(b) >= 4 && b[0] == 0 && b[1] == 1 {
		n := 13 + int(b[2]) + int(b[3])
		if len(b) < n {
			return w.short()
		}
		b = b[n:]
	}
	if len(b) >= 8 && b[0] == 0 && b[1] == 0 {
		b = b[8:]
	}
	return w.inside(Layer{Kind: Teredo}, plainIP, b)
}

// jmirror reads the header of Juniper's mirrors: identifier (32), session (32). IP or PPP follows.
func jmirror(w *walk, b []byte) (step, []byte) {
	if len(b) < 8 {
		return w.short()
	}
	in := Layer{Kind: Jmirror, ID: long(b[4:]), HasID: true}
	return w.first(b, trial{8, plainIP, in}, trial{8, ppp, in}, trial{8, bridged, in})
}
