package timeline

import (
	"net/netip"
	"strconv"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// Packet is a packet that a device sent or received: of a software device as its link
// saw it, of another as it passed the network interface.
type Packet struct {
	Seq      uint64        // 1, 2, 3 … among the packets that a session has kept
	At       time.Time     // when the link saw it
	T        time.Duration // the same since the session began
	Device   string
	Outgoing bool
	Src, Dst netip.AddrPort
	IP       verbs.IPHeader
	Data     []byte // BTH to ICRC
	Cropped  int    // bytes of the packet that are missing at the end of Data
	Missed   uint64 // packets of the device before this one that came too fast to be kept
	Wire     wire.Packet
	Err      error // why not all of Wire could be decoded
}

// Decode fills in Wire and Err from Data.
func (p *Packet) Decode() { p.Err = p.Wire.Decode(p.Data) }

// Direction is "out" or "in", as seen from the device.
func (p *Packet) Direction() string {
	if p.Outgoing {
		return "out"
	}
	return "in"
}

// appendJSON gives the fields under the names of the specification's headers. at
// is when the link saw the packet, on the clock of t: the packet is told a few
// milliseconds later.
func (p *Packet) appendJSON(b []byte) []byte {
	b = appendFraction(append(b, `,"at":`...), p.T, time.Second)
	b = appendText(b, "device", p.Device)
	return p.AppendFields(appendText(b, "direction", p.Direction()))
}

// endpoint is an address with its port; a LID has none.
func endpoint(a netip.AddrPort) string {
	if a.Addr().Zone() != "" {
		return wire.AddrText(a.Addr())
	}
	return a.String()
}

// AppendFields appends addresses, headers and lengths as members of a JSON object, each
// after a comma.
func (p *Packet) AppendFields(b []byte) []byte {
	b = appendText(b, "src", endpoint(p.Src))
	b = appendText(b, "dst", endpoint(p.Dst))
	if p.Missed > 0 {
		b = appendNumber(b, "missed", p.Missed)
	}
	if len(p.Data) >= wire.BTHLen {
		b = appendBTH(b, &p.Wire.BTH)
	}
	for _, h := range wire.HeaderTable()[1:] {
		if p.Wire.Headers.Has(h.Bit) {
			b = appendHeader(b, &h, &p.Wire)
		}
	}
	if p.Err != nil {
		b = appendText(b, "error", p.Err.Error())
	}
	b = appendNumber(b, "payload_len", uint64(len(p.Wire.Payload)))
	return appendNumber(b, "len", uint64(len(p.Data)))
}

func appendBTH(b []byte, h *wire.BTH) []byte {
	b = appendText(b, "opcode", h.Opcode.String())
	b = appendNumber(b, "dest_qp", uint64(h.DestQP))
	b = appendNumber(b, "psn", uint64(h.PSN))
	b = appendNumber(b, "pkey", uint64(h.PKey))
	b = appendBool(b, "ack_req", h.AckReq)
	b = appendBool(b, "se", h.Solicited)
	b = appendBool(b, "migreq", h.MigReq)
	if h.FECN || h.BECN {
		b = appendBool(b, "fecn", h.FECN)
		b = appendBool(b, "becn", h.BECN)
	}
	return appendNumber(b, "pad", uint64(h.Pad))
}

func appendHeader(b []byte, h *wire.Header, p *wire.Packet) []byte {
	if h.Bit == wire.HasAETH {
		return appendAETH(b, p)
	}
	for i := range h.Fields {
		if f := &h.Fields[i]; f.Text != nil {
			b = appendText(b, f.Name, f.Text(p))
		} else {
			b = appendNumber(b, f.Name, f.Of(p))
		}
	}
	return b
}

// appendAETH gives the syndrome as a byte and what is in it; an ACK of a
// responder that grants no credits has none.
func appendAETH(b []byte, p *wire.Packet) []byte {
	s := p.AETH.Syndrome
	b = appendNumber(b, "syndrome", uint64(s))
	b = appendText(b, "syndrome_text", s.String())
	switch s.Kind() {
	case wire.SyndromeACK:
		if n, limited := s.Credits(); limited {
			b = appendNumber(b, "credits", uint64(n))
		}
	case wire.SyndromeRNR:
		b = appendNumber(b, "rnr_timer", uint64(s.RNRTimer()))
	case wire.SyndromeNAK:
		b = appendNumber(b, "nak_code", uint64(s.NAKCode()))
	}
	return appendNumber(b, "msn", uint64(p.AETH.MSN))
}

func appendName(b []byte, name string) []byte {
	b = append(b, ',', '"')
	b = append(b, name...)
	return append(b, '"', ':')
}

func appendNumber(b []byte, name string, v uint64) []byte {
	return strconv.AppendUint(appendName(b, name), v, 10)
}

func appendBool(b []byte, name string, v bool) []byte {
	return strconv.AppendBool(appendName(b, name), v)
}
