package wire

import "strconv"

// String returns the packet on one line: the opcode's name, the queue pair, the PSN and the other header fields.
func (p *Packet) String() string { return string(p.AppendSummary(nil)) }

// AppendSummary appends the line of [Packet.String] to dst. It contains only printable ASCII, whatever the packet
// holds: payload bytes are counted, not shown.
func (p *Packet) AppendSummary(dst []byte) []byte {
	dst = p.BTH.Opcode.appendText(dst)
	dst = appendHexField(dst, " qp ", uint64(p.BTH.DestQP), 6)
	dst = appendHexField(dst, " psn ", uint64(p.BTH.PSN), 6)
	for h := Headers(1); h <= p.Headers; h <<= 1 {
		if p.Headers.Has(h) {
			dst = p.appendHeaderSummary(h, dst)
		}
	}
	if len(p.Payload) > 0 {
		dst = append(dst, " len "...)
		dst = strconv.AppendInt(dst, int64(len(p.Payload)), 10)
	}
	return p.BTH.appendFlags(dst)
}

func (p *Packet) appendHeaderSummary(h Headers, dst []byte) []byte {
	for i := range fieldsOf(h) {
		f := &fieldsOf(h)[i]
		dst = append(dst, ' ')
		if h == HasAETH && f.Text != nil { // "ACK" and "NAK" need no name before them
			dst = p.AETH.Syndrome.appendText(dst)
			continue
		}
		dst = append(append(dst, f.Short...), ' ')
		switch {
		case f.Text != nil:
			dst = append(dst, f.Text(p)...)
		case f.Hex:
			dst = appendHex(dst, f.Of(p), (f.Bits+3)/4)
		default:
			dst = strconv.AppendUint(dst, f.Of(p), 10)
		}
	}
	return dst
}

// appendFlags appends the names of the flags that are set.
func (h *BTH) appendFlags(dst []byte) []byte {
	if h.AckReq {
		dst = append(dst, " ack_req"...)
	}
	if h.Solicited {
		dst = append(dst, " solicited"...)
	}
	if h.FECN {
		dst = append(dst, " fecn"...)
	}
	if h.BECN {
		dst = append(dst, " becn"...)
	}
	return dst
}

// appendHexField appends a name and a number of the given count of hexadecimal digits.
func appendHexField(dst []byte, name string, v uint64, digits int) []byte {
	return appendHex(append(dst, name...), v, digits)
}

// appendHex appends v as 0x and the given count of digits.
func appendHex(dst []byte, v uint64, digits int) []byte {
	dst = append(dst, "0x"...)
	for i := digits - 1; i >= 0; i-- {
		dst = append(dst, "0123456789abcdef"[v>>(4*i)&0xf])
	}
	return dst
}

// appendUnknown appends a value that has no name.
func appendUnknown(dst []byte, v uint8) []byte {
	return append(appendHex(append(dst, "unknown("...), uint64(v), 2), ')')
}
