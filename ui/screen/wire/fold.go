package wire

import (
	"rdmatui/session/conversation"
	"rdmatui/verbs/wire"
)

// hop is an arrow of the ladder: one packet, or the packets of a message that follow each
// other without trouble.
type hop struct {
	first, last    uint64 // packets of the source
	packets, bytes int    // bytes of payload
	sent, arrived  int    // lines of the ladder
	label          int    // width of the label with its spaces, if the arrow slopes
}

// link is what decides whether a packet continues the message of the one before.
type link struct {
	end   conversation.End
	info  wire.OpcodeInfo
	psn   wire.PSN
	marks conversation.Marks
	plain bool // decoded, of a known opcode
}

func linkOf(r *row) link {
	info, known := r.Wire.BTH.Opcode.Info()
	return link{r.To(), info, r.Wire.BTH.PSN, r.Marks, r.Err == nil && known}
}

// continues reports whether the packet b goes on with the message of a.
func (a *link) continues(b *link) bool {
	return a.plain && b.plain && (a.marks|b.marks)&trouble == 0 && a.end == b.end &&
		a.info.Operation == b.info.Operation &&
		a.info.Position&wire.Ends == 0 && b.info.Position&wire.Starts == 0 && b.psn == a.psn.Add(1)
}

// fold makes the hops of the packets at hand.
func (l *ladder) fold() {
	l.hops, l.foldable = l.hops[:0], false
	var before link
	run := 0 // hops at the end that are one message
	for _, n := range l.near {
		r := l.list.source.Trial(n)
		if r == nil {
			continue
		}
		this := linkOf(r)
		if before.continues(&this) {
			run++
		} else {
			l.join(run)
			run = 1
		}
		l.hops = append(l.hops, hop{first: n, last: n, packets: 1, bytes: len(r.Wire.Payload)})
		before = this
	}
	l.join(run)
}

// join makes one hop of the last n, if they are enough, unless each packet has an arrow of its own.
func (l *ladder) join(n int) {
	if n < foldMin {
		return
	}
	if l.foldable = true; l.all {
		return
	}
	at := len(l.hops) - n
	for _, h := range l.hops[at+1:] {
		l.hops[at].last = h.last
		l.hops[at].packets++
		l.hops[at].bytes += h.bytes
	}
	l.hops = l.hops[:at+1]
}
