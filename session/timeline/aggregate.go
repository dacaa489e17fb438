package timeline

import "rdmatui/verbs"

// CountCompletions adds n completions like wc to the counts without an event
// for each: a traffic runner makes too many to be told one by one. Total and
// ByKind, which count events, stay as they are.
func (l *Log) CountCompletions(cq string, wc verbs.WC, n uint64) {
	if n == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts.countAlike(&Completion{WC: wc, CQ: cq}, n)
	l.notify()
}

// countAlike counts n completions that are all like w.
func (c *counter) countAlike(w *Completion, n uint64) {
	cq := c.cq(w.CQ)
	c.total.status[statusSlot(w.WC.Status)] += n
	if w.WC.Failed() {
		c.total.WCFailed += n
		cq.Failed += n
		return
	}
	c.total.WCOK += n
	cq.OK += n
	c.total.opcode[opcodeSlot(w.WC.Opcode)] += n
	if definesLength(&w.WC) {
		c.total.Bytes += n * uint64(w.WC.ByteLen)
		cq.Bytes += n * uint64(w.WC.ByteLen)
	}
}
