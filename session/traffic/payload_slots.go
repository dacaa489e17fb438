package traffic

import (
	"bytes"
	"fmt"

	"rdmatui/session/region"
	"rdmatui/verbs"
)

// slotCheck makes and checks the bytes of messages that several queue pairs
// exchange over one shared receive queue. A stock program lets all of them come
// into one buffer and leave from it, so that what it answers may be any message
// that it has got, or some of each: so all messages are the same. What came last
// is wiped before its RECV is posted again, each of which has a slot of its own:
// bytes that did not come would show.
type slotCheck struct {
	client     bool
	Want, Wipe []byte
	have       []byte
	index      []int // by slot less 1: place of its RECV among those that were posted
	next       int   // RECVs posted so far
}

// NewSlotCheck is for messages of a size.
func NewSlotCheck(size int, client bool) *slotCheck {
	c := &slotCheck{client: client, Want: make([]byte, size), Wipe: make([]byte, size), have: make([]byte, size)}
	mark(c.Want, 0)
	for i, b := range c.Want {
		c.Wipe[i] = ^b // not 0 either: marks are less than 251
	}
	return c
}

// Check holds a slot against the message. A server accepts zeros, too: the stock
// client's filling, of which later messages may have some.
func (c *slotCheck) Check(mr verbs.MR, slot uint64) error {
	if _, err := mr.ReadAt(c.have, int64(slot)*int64(len(c.have))); err != nil {
		return err
	}
	if bytes.Equal(c.have, c.Want) {
		return nil
	}
	for i, b := range c.have {
		if b != c.Want[i] && !(b == 0 && !c.client) {
			return fmt.Errorf("the message of RECV %d differs at byte %d: 0x%02x instead of 0x%02x", slot, i, b, c.Want[i])
		}
	}
	return nil
}

// Clear wipes a slot.
func (c *slotCheck) Clear(mr verbs.MR, slot uint64) error {
	_, err := mr.WriteAt(c.Wipe, int64(slot)*int64(len(c.Wipe)))
	return err
}

// makeSlots makes RECVs with a slot for each: the region's first has the message
// that is sent, and RECV n the nth after it.
func (p *pinger) makeSlots(r *region.MR) error {
	if n := p.srq.Recvs.Len(); n > 0 {
		return fmt.Errorf("%s has %d RECVs outstanding, but with validate=1 pingpong posts its own", p.srq.Name, n)
	}
	size := uint64(p.size)
	p.slots = NewSlotCheck(p.size, p.client)
	p.recvs = make([]verbs.RecvWR, min(PingDepth, uint64(p.mostRecvs()), r.MR.Spec().Length/size-1))
	p.slots.index, p.slots.next = make([]int, len(p.recvs)), len(p.recvs)
	for i := range p.recvs {
		slot := uint64(i + 1)
		p.slots.index[i] = i
		p.recvs[i] = verbs.RecvWR{WRID: slot, SGList: []verbs.SGE{{Addr: r.MR.Addr() + slot*size, Length: uint32(p.size), LKey: r.MR.LKey()}}}
		if err := p.slots.Clear(p.mr, slot); err != nil {
			return err
		}
	}
	_, err := p.mr.WriteAt(p.slots.Want, 0)
	return err
}

// nextInSlot checks what has come into a slot, and posts its RECV again.
func (p *pinger) nextInSlot(slot uint64) error {
	if slot < 1 || slot > uint64(len(p.recvs)) {
		return fmt.Errorf("RECV %d was not posted by pingpong", slot)
	}
	if err := p.slots.Check(p.mr, slot); err != nil {
		return err
	}
	if err := p.slots.Clear(p.mr, slot); err != nil {
		return err
	}
	n, err := p.receiver().PostRecv(p.recvs[slot-1])
	p.posted += n
	p.slots.index[slot-1] = p.slots.next
	p.slots.next++
	return err
}
