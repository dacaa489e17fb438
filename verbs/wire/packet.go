package wire

// Packet is one packet: a BTH, the extended headers that its opcode calls for, and the payload.
type Packet struct {
	BTH          BTH
	DETH         DETH
	FETH         FETH
	RETH         RETH
	AtomicETH    AtomicETH
	AETH         AETH
	AtomicAckETH AtomicAckETH
	ImmDt        ImmDt
	IETH         IETH
	// Headers is the set of extended headers that were decoded; the others are zero. Encoding depends on the opcode and
	// does not read it.
	Headers Headers
	// Payload is the data without its pad. After decoding it aliases the bytes that were decoded.
	Payload []byte
	// ICRC is the invariant CRC as received. [ICRC.Verify] checks it and [ICRC.Append] makes it; encoding does not read
	// it.
	ICRC uint32
}

// Parse decodes b, a UDP payload from BTH to ICRC. On an error the packet holds what could be decoded before it.
func Parse(b []byte) (Packet, error) {
	var p Packet
	err := p.Decode(b)
	return p, err
}

// Decode is [Parse] into an existing packet: it assigns every field of p. It does not check the ICRC.
func (p *Packet) Decode(b []byte) error {
	*p = Packet{}
	if err := p.BTH.Decode(b); err != nil {
		return err
	}
	end := len(b) - ICRCLen
	if end < BTHLen {
		return errShortICRC
	}
	p.ICRC = trailer(b)
	info := &opcodes[p.BTH.Opcode]
	if info.Name == "" {
		return ErrOpcode
	}
	rest, err := p.decodeHeaders(info.Headers, b[BTHLen:end:end])
	if err != nil {
		return err
	}
	if pad := int(p.BTH.Pad); len(rest)%4 != 0 || pad > len(rest) {
		return ErrPad
	}
	p.Payload = rest[:len(rest)-int(p.BTH.Pad)]
	return nil
}

// DecodeHead is [Packet.Decode] for a packet of which only the first n bytes are known, and the others are zero. It
// leaves out what they do not hold whole: the extended headers from there on, and the ICRC.
func (p *Packet) DecodeHead(b []byte, n int) error {
	if n >= len(b) {
		return p.Decode(b)
	}
	if n < BTHLen && len(b) >= BTHLen {
		*p = Packet{}
		return errShortBTH
	}
	err := p.Decode(b)
	at := BTHLen
	for i, length := range headerLens {
		h := Headers(1) << i
		if !p.Headers.Has(h) {
			continue
		}
		if at += length; at > n {
			p.forget(h)
		}
	}
	p.ICRC = 0
	return err
}

// forget removes an extended header.
func (p *Packet) forget(h Headers) {
	p.Headers &^= h
	switch h {
	case HasDETH:
		p.DETH = DETH{}
	case HasFETH:
		p.FETH = FETH{}
	case HasRETH:
		p.RETH = RETH{}
	case HasAtomicETH:
		p.AtomicETH = AtomicETH{}
	case HasAETH:
		p.AETH = AETH{}
	case HasAtomicAckETH:
		p.AtomicAckETH = AtomicAckETH{}
	case HasImmDt:
		p.ImmDt = ImmDt{}
	default:
		p.IETH = IETH{}
	}
}

// decodeHeaders decodes the headers of want from the start of b and returns the bytes after them.
func (p *Packet) decodeHeaders(want Headers, b []byte) ([]byte, error) {
	for i, length := range headerLens {
		h := Headers(1) << i
		if want&h == 0 {
			continue
		}
		if err := p.decodeHeader(h, b); err != nil {
			return nil, err
		}
		p.Headers |= h
		b = b[length:]
	}
	return b, nil
}

func (p *Packet) decodeHeader(h Headers, b []byte) error {
	switch h {
	case HasDETH:
		return p.DETH.Decode(b)
	case HasFETH:
		return p.FETH.Decode(b)
	case HasRETH:
		return p.RETH.Decode(b)
	case HasAtomicETH:
		return p.AtomicETH.Decode(b)
	case HasAETH:
		return p.AETH.Decode(b)
	case HasAtomicAckETH:
		return p.AtomicAckETH.Decode(b)
	case HasImmDt:
		return p.ImmDt.Decode(b)
	default:
		return p.IETH.Decode(b)
	}
}

// Append appends the packet without its ICRC to dst, with the pad for the payload's length: BTH.Pad is ignored. For an
// unknown opcode it writes the BTH and the payload.
func (p *Packet) Append(dst []byte) []byte {
	dst = p.AppendHeaders(dst, len(p.Payload))
	dst = append(dst, p.Payload...)
	return AppendPad(dst, len(p.Payload))
}

// AppendHeaders appends the BTH and the extended headers for a payload of n bytes, which the caller then appends,
// followed by [AppendPad] and [ICRC.Append]. In this way a payload goes from memory to the packet in one copy.
func (p *Packet) AppendHeaders(dst []byte, n int) []byte {
	bth := p.BTH
	bth.Pad = uint8(padLen(n))
	dst = bth.Append(dst)
	want := opcodes[bth.Opcode].Headers
	for h := Headers(1); h <= want; h <<= 1 {
		if want&h != 0 {
			dst = p.appendHeader(h, dst)
		}
	}
	return dst
}

func (p *Packet) appendHeader(h Headers, dst []byte) []byte {
	switch h {
	case HasDETH:
		return p.DETH.Append(dst)
	case HasFETH:
		return p.FETH.Append(dst)
	case HasRETH:
		return p.RETH.Append(dst)
	case HasAtomicETH:
		return p.AtomicETH.Append(dst)
	case HasAETH:
		return p.AETH.Append(dst)
	case HasAtomicAckETH:
		return p.AtomicAckETH.Append(dst)
	case HasImmDt:
		return p.ImmDt.Append(dst)
	default:
		return p.IETH.Append(dst)
	}
}

// AppendPad appends the zero bytes that fill the last word of a payload of n bytes.
func AppendPad(dst []byte, n int) []byte {
	var zero [3]byte
	return append(dst, zero[:padLen(n)]...)
}

// padLen returns how many bytes fill a payload of n bytes up to a multiple of four.
func padLen(n int) int { return -n & 3 }
