package completions

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/wire"
)

// immediate shows the immediate data in both byte orders: which one a program sees
// depends on whether it calls ntohl.
func (d *detail) immediate(wc *verbs.WC) {
	if !field("imm_data").Defined(wc) {
		return
	}
	var sent [4]byte
	binary.BigEndian.PutUint32(sent[:], wc.ImmData)
	d.heading("imm_data")
	d.add("  ", fmt.Sprintf("sent as % x: 0x%08x = %d", sent, wc.ImmData, wc.ImmData), d.th.Value)
	swapped := bits.ReverseBytes32(wc.ImmData)
	d.add("  ", fmt.Sprintf("no ntohl: 0x%08x = %d (little-endian)", swapped, swapped), d.th.Dim)
}

// arrived shows what the completion wrote into memory.
func (d *detail) arrived(c *timeline.Completion) {
	a := c.Arrived
	if a == nil {
		if c.Recv && !c.WC.Failed() && c.WC.Opcode == verbs.WCRecvRDMAWithImm {
			d.heading("data")
			d.add("  ", "the peer wrote to the address in its request, not into this RECV's memory", d.th.Dim)
		}
		return
	}
	data, total := a.Data, int(a.Total)
	if c.WC.WCFlags&verbs.WCGRH != 0 && c.Recv {
		d.grh(data)
		data, total = data[min(len(data), wire.GRHLen):], max(total-wire.GRHLen, 0)
	}
	head := "data, " + format.Counted(total, "byte")
	if len(data) < total {
		head += fmt.Sprintf(", the first %d", len(data))
	}
	d.heading(head)
	d.dump(data)
}

// grh decodes the GRH in front of a datagram's data.
func (d *detail) grh(data []byte) {
	d.heading("GRH, 40 bytes before the data")
	var h wire.GRH
	if err := h.Decode(data); err != nil {
		d.add("  ", err.Error(), d.th.Warn)
		d.dump(data[:min(len(data), wire.GRHLen)])
		return
	}
	kind, tclass, length, next, hops := "IPv6 header", "traffic class", "payload length", "next header", "hop limit"
	if h.Version == 4 {
		kind, tclass, length, next, hops = "IPv4 header in the last 20 bytes", "type of service", "total length",
			"protocol", "time to live"
	}
	d.add("  ", fmt.Sprintf("version %d: %s", h.Version, kind), d.th.Value)
	d.add("  ", fmt.Sprintf("sgid %s", gidText(&h, true)), d.th.Value)
	d.add("  ", fmt.Sprintf("dgid %s", gidText(&h, false)), d.th.Value)
	text := fmt.Sprintf("%s 0x%02x, ", tclass, h.TrafficClass)
	if h.Version == 6 {
		text += fmt.Sprintf("flow label 0x%05x, ", h.FlowLabel)
	}
	d.add("  ", fmt.Sprintf("%s%s %d, %s %s, %s %d", text, length, h.Length, next, nextHeader(h.NextHeader), hops,
		h.HopLimit), d.th.Value)
	if h.Version == 4 && !h.ChecksumOK {
		d.add("  ", "the header's checksum is wrong", d.th.Warn)
	}
}

// gidText formats an address as in the GID table.
func gidText(h *wire.GRH, src bool) string {
	addr := h.DGID
	if src {
		addr = h.SGID
	}
	gid := verbs.GID(addr.As16()).String()
	if h.Version == 4 {
		return gid + ", " + addr.String()
	}
	return gid
}

// nextHeader names the headers that lead to a BTH: of InfiniBand and RoCE v1, and of
// RoCE v2.
func nextHeader(v uint8) string {
	switch v {
	case 0x1b:
		return "0x1b (BTH)"
	case 17:
		return "17 (UDP)"
	}
	return fmt.Sprint(v)
}

// dump shows bytes in hex and as text, as many per row as fit.
func (d *detail) dump(data []byte) {
	perRow := 16
	if d.wordsWidth() < 4+5+16*3+1+16 {
		perRow = 8
	}
	for at := 0; at < len(data); at += perRow {
		row := data[at:min(at+perRow, len(data))]
		text := strings.Map(printable, string(runesOf(row)))
		d.words = append(d.words,
			wordLine{fmt.Sprintf("  %04x %-*s %s", at, 3*perRow-1, fmt.Sprintf("% x", row), text), d.th.Value})
	}
}

// runesOf takes each byte as one character.
func runesOf(p []byte) []rune {
	out := make([]rune, len(p))
	for i, c := range p {
		out[i] = rune(c)
	}
	return out
}

func printable(r rune) rune {
	if r < ' ' || r > '~' {
		return '.'
	}
	return r
}
