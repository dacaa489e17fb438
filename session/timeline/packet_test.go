package timeline

import (
	"errors"
	"strings"
	"testing"

	"rdmatui/verbs/wire"
)

// TestPacketJSON: each header has its fields under the specification's names; missing headers are omitted.
func TestPacketJSON(t *testing.T) {
	bth := make([]byte, wire.BTHLen)
	for name, tt := range map[string]struct {
		p       Packet
		want    string // a piece
		without string // no piece
	}{
		"no header":   {Packet{Data: bth[1:]}, `"payload_len":0,"len":11}`, "opcode"},
		"a header":    {Packet{Data: bth}, `"opcode":`, "fecn"},
		"whole":       {Packet{Data: bth}, `"dst":`, `"error"`},
		"none missed": {Packet{Data: bth}, `"dst":`, "missed"},
		"one missed":  {Packet{Data: bth, Missed: 1}, `"missed":1,`, `"error"`},
		"broken":      {Packet{Data: bth, Err: errors.New("too short")}, `"error":"too short",`, "missed"},
		"FECN":        {packetWith(0, func(p *wire.Packet) { p.BTH.FECN = true }), `"fecn":true,"becn":false,`, ""},
		"BECN":        {packetWith(0, func(p *wire.Packet) { p.BTH.BECN = true }), `"fecn":false,"becn":true,`, ""},
		"DETH": {packetWith(wire.HasDETH, func(p *wire.Packet) { p.DETH.QKey, p.DETH.SrcQP = 5, 6 }),
			`"qkey":5,"src_qp":6,`, "dma_len"},
		"RETH": {
			packetWith(wire.HasRETH, func(p *wire.Packet) { p.RETH.VA, p.RETH.RKey, p.RETH.DMALen = 5, 6, 7 }),
			`"va":5,"rkey":6,"dma_len":7,`, "swap"},
		"atomic": {
			packetWith(wire.HasAtomicETH, func(p *wire.Packet) { p.AtomicETH.SwapAdd, p.AtomicETH.Compare = 5, 6 }),
			`"swap_add":5,"compare":6,`, "dma_len"},
		"atomic's ACK": {packetWith(wire.HasAtomicAckETH, func(p *wire.Packet) { p.AtomicAckETH.Orig = 9 }),
			`"orig":9,`, "imm_data"},
		"immediate": {packetWith(wire.HasImmDt, func(p *wire.Packet) { p.ImmDt.Data = 9 }), `"imm_data":9,`, "orig"},
		"invalidate": {packetWith(wire.HasIETH, func(p *wire.Packet) { p.IETH.RKey = 9 }),
			`"invalidate_rkey":9,`, "imm_data"},
		"credits": {packetWith(wire.HasAETH, func(p *wire.Packet) { p.AETH.Syndrome, p.AETH.MSN = 3, 4 }),
			`"credits":3,"msn":4,`, "nak"},
		"no limit": {packetWith(wire.HasAETH, func(p *wire.Packet) { p.AETH.Syndrome = 0x1f }),
			`"msn":0,`, "credits"},
		"RNR": {packetWith(wire.HasAETH, func(p *wire.Packet) { p.AETH.Syndrome = 0x2c }),
			`"rnr_timer":12,`, "credits"},
		"NAK": {packetWith(wire.HasAETH, func(p *wire.Packet) { p.AETH.Syndrome = 0x62 }),
			`"nak_code":2,`, "rnr_timer"},
	} {
		e := Event{Kind: KindPacket, Packet: &tt.p}
		got := string(e.AppendJSON(nil))
		if !strings.Contains(got, tt.want) || tt.without != "" && strings.Contains(got, tt.without) {
			t.Errorf("%s: %s\n want %s, and no %s", name, got, tt.want, tt.without)
		}
	}
}

func packetWith(h wire.Headers, set func(*wire.Packet)) Packet {
	p := Packet{Data: make([]byte, wire.BTHLen)}
	p.Wire.Headers = h
	set(&p.Wire)
	return p
}
