package timeline

import "rdmatui/verbs"

// Counts is what a log has seen since it began, exact whatever it has dropped.
type Counts struct {
	Total    uint64
	Dropped  uint64 // events that the ring keeps no more
	ByKind   [kinds]uint64
	WCOK     uint64
	WCFailed uint64
	Bytes    uint64 // sum of byte_len of the completions that define it
	status   [statusSlots]uint64
	opcode   [opcodeSlots]uint64
}

// CQCounts is what has been taken from one completion queue.
type CQCounts struct {
	OK, Failed uint64
	Bytes      uint64 // as Counts.Bytes
}

// Statuses and opcodes have one slot each and a last one for those that newer
// libraries may know: counting must not allocate. Opcodes of the receive side
// begin at 128.
const (
	statusSlots = int(verbs.WCTMRndvIncomplete) + 2
	opcodeHalf  = 16
	opcodeSlots = 2*opcodeHalf + 1
)

func statusSlot(s verbs.WCStatus) int { return int(min(uint32(s), uint32(statusSlots-1))) }

func opcodeSlot(o verbs.WCOpcode) int {
	switch {
	case o < opcodeHalf:
		return int(o)
	case o >= verbs.WCRecv && o < verbs.WCRecv+opcodeHalf:
		return opcodeHalf + int(o-verbs.WCRecv)
	}
	return opcodeSlots - 1
}

// Status returns how many completions ended with s; statuses that this program
// does not know share one count.
func (c *Counts) Status(s verbs.WCStatus) uint64 { return c.status[statusSlot(s)] }

// Opcode returns how many successful completions had the opcode o (a failed one
// has none); opcodes that this program does not know share one count.
func (c *Counts) Opcode(o verbs.WCOpcode) uint64 { return c.opcode[opcodeSlot(o)] }

// Kind returns how many events there were of a kind.
func (c *Counts) Kind(k Kind) uint64 {
	if k >= kinds {
		return 0
	}
	return c.ByKind[k]
}

// counter counts events as they are appended.
type counter struct {
	total  Counts
	cqs    map[string]*CQCounts
	lastCQ string    // completions come in batches of one queue
	last   *CQCounts // the counts of lastCQ
}

func (c *counter) count(e *Event) {
	c.total.Total++
	if e.Kind < kinds {
		c.total.ByKind[e.Kind]++
	}
	if e.Kind == KindWC {
		c.countAlike(&e.WC, 1)
	}
}

func (c *counter) cq(name string) *CQCounts {
	if c.last != nil && c.lastCQ == name {
		return c.last
	}
	counts := c.cqs[name]
	if counts == nil {
		counts = &CQCounts{}
		c.cqs[name] = counts
	}
	c.lastCQ, c.last = name, counts
	return counts
}

// definesLength reports whether byte_len means anything in a completion.
var definesLength = wcField("byte_len").Defined

func wcField(name string) *verbs.WCField {
	for i := range verbs.WCFields {
		if verbs.WCFields[i].Name == name {
			return &verbs.WCFields[i]
		}
	}
	panic("timeline: verbs.WCFields has no " + name) // a mistake in that table; any test sees it
}
