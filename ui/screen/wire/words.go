package wire

import (
	"strings"
	"sync"

	"rdmatui/session/conversation"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/wire"
	"rdmatui/verbs/wire/mad"
)

// shorter abbreviates the parts of opcodes that would fill a column.
var shorter = strings.NewReplacer("RDMA_WRITE", "WRITE", "RDMA_READ_RESPONSE", "READ_RESP", "RDMA_READ", "READ",
	"_WITH_IMMEDIATE", "_IMM", "_WITH_INVALIDATE", "_INV",
	"ATOMIC_ACKNOWLEDGE", "ATOMIC_ACK", "ACKNOWLEDGE", "ACK", "RC_", "", "UC_", "UC ", "UD_", "UD ")

// shortNames are the opcodes as the list shows them: the transport is left out for
// the reliable connection, the most common.
var shortNames = sync.OnceValue(func() *[256]string {
	var names [256]string
	for i := range names {
		names[i] = shorter.Replace(wire.Opcode(i).String())
	}
	return &names
})

func shortName(o wire.Opcode) string { return shortNames()[o] }

// messageName returns the name of an opcode without the packet's place in the message.
func messageName(o wire.Opcode) string {
	name := shortName(o)
	for _, place := range []string{"_FIRST", "_MIDDLE", "_LAST"} {
		name = strings.TrimSuffix(name, place)
	}
	return name
}

// broken are the marks of packets that were not received; saidElsewhere are those that the
// meaning of a packet says as well.
const (
	broken        = conversation.Malformed | conversation.Lost | conversation.BadICRC
	usual         = conversation.Second | conversation.Tunnel | conversation.Cut // nothing is wrong with a packet
	saidElsewhere = conversation.RNR | conversation.NAK | conversation.CNP | conversation.CM
)

// drawMarks shows what happened to a packet, if it is out of the ordinary.
func drawMarks(b *line.Buf, r *row) {
	th, all := b.Theme, r.Marks&^saidElsewhere
	if r.Missed > 0 { // with the number of packets, in the list
		all &^= conversation.Gap
	}
	for _, style := range [...]struct {
		of conversation.Marks
		st theme.Style
	}{{broken, th.Err}, {^(broken | usual), th.Warn}, {usual, th.Dim}} {
		for _, name := range (all & style.of).Names() {
			b.Text(name, style.st)
			b.Space(1)
		}
	}
}

// mistake says why a packet could not be decoded.
func mistake(r *row) string { return strings.TrimPrefix(r.Err.Error(), "wire: ") }

// drawMeaning says in words what the headers request or answer.
func drawMeaning(b *line.Buf, r *row) {
	th, p := b.Theme, &r.Wire
	if r.Err != nil {
		b.Text(mistake(r), th.Err)
		return
	}
	if m := mad.In(&r.Wire, len(r.Data)); m != nil {
		b.Text(m.String(), opcodeStyle(th, r))
		return
	}
	for h := wire.Headers(1); h <= p.Headers; h <<= 1 {
		if p.Headers.Has(h) && meanings[h] != nil {
			meanings[h](b, p)
			b.Space(1)
		}
	}
	for _, f := range [...]struct {
		on   bool
		name string
	}{{p.BTH.AckReq, "ack_req"}, {p.BTH.Solicited, "se"}, {p.BTH.FECN, "fecn"}, {p.BTH.BECN, "becn"}} {
		if f.on {
			b.Text(f.name, th.Dim)
			b.Space(1)
		}
	}
}

// meanings describe each header briefly.
var meanings = map[wire.Headers]func(*line.Buf, *wire.Packet){
	wire.HasDETH: func(b *line.Buf, p *wire.Packet) {
		b.Text("from qp ", b.Theme.Label)
		b.Hex(uint64(p.DETH.SrcQP), 6, b.Theme.Value)
	},
	wire.HasFETH: func(b *line.Buf, p *wire.Packet) {
		b.Text(p.FETH.Type.String(), b.Theme.Value)
		b.Text(" of ", b.Theme.Label)
		b.Text(p.FETH.Level.String(), b.Theme.Value)
	},
	wire.HasRETH: func(b *line.Buf, p *wire.Packet) {
		drawRemote(b, p.RETH.VA, p.RETH.RKey)
		b.Space(1)
		eventline.Count(b, uint64(p.RETH.DMALen), b.Theme.Value)
		b.Text(" B total", b.Theme.Dim)
	},
	wire.HasAtomicETH: func(b *line.Buf, p *wire.Packet) {
		if p.BTH.Opcode == wire.RCCompareSwap {
			b.Text("if ", b.Theme.Label)
			b.Hex(p.AtomicETH.Compare, 1, b.Theme.Value)
			b.Text(" then ", b.Theme.Label)
		} else {
			b.Text("add ", b.Theme.Label)
		}
		b.Hex(p.AtomicETH.SwapAdd, 1, b.Theme.Value)
		b.Space(1)
		drawRemote(b, p.AtomicETH.VA, p.AtomicETH.RKey)
	},
	wire.HasAETH: func(b *line.Buf, p *wire.Packet) {
		b.Text(p.AETH.Syndrome.String(), syndromeStyle(b.Theme, p.AETH.Syndrome))
		b.Text(" msn ", b.Theme.Label)
		b.Uint(uint64(p.AETH.MSN), b.Theme.Value)
	},
	wire.HasAtomicAckETH: func(b *line.Buf, p *wire.Packet) {
		b.Text("it was ", b.Theme.Label)
		b.Hex(p.AtomicAckETH.Orig, 1, b.Theme.Value)
	},
	wire.HasImmDt: func(b *line.Buf, p *wire.Packet) {
		b.Text("imm ", b.Theme.Label)
		b.Hex(uint64(p.ImmDt.Data), 8, b.Theme.Value)
	},
	wire.HasIETH: func(b *line.Buf, p *wire.Packet) {
		b.Text("invalidates ", b.Theme.Label)
		b.Hex(uint64(p.IETH.RKey), 8, b.Theme.Value)
	},
}

func drawRemote(b *line.Buf, va uint64, rkey uint32) {
	b.Text("va ", b.Theme.Label)
	b.Hex(va, 1, b.Theme.Value)
	b.Text(" rkey ", b.Theme.Label)
	b.Hex(uint64(rkey), 8, b.Theme.Value)
}

// ladderName returns the short opcode; for an answer other than a plain ACK its
// meaning, for a management datagram its name.
func ladderName(r *row) string {
	if m := mad.In(&r.Wire, len(r.Data)); m != nil {
		return m.Name()
	}
	if r.Err == nil && r.Wire.BTH.Opcode == wire.RCAcknowledge {
		return r.Wire.AETH.Syndrome.String()
	}
	return shortName(r.Wire.BTH.Opcode)
}

// syndromeStyle is that of an error for a final refusal, and of a warning for one after which the requester sends
// again.
func syndromeStyle(th *theme.Theme, s wire.Syndrome) theme.Style {
	switch kind := s.Kind(); {
	case kind == wire.SyndromeACK:
		return th.OK
	case kind == wire.SyndromeRNR, kind == wire.SyndromeNAK && s.NAKCode() == wire.NAKPSNSequence:
		return th.Warn
	}
	return th.Err
}
