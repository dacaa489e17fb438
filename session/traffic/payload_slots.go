package traffic

import (
	"bytes"
	"fmt"

	"rdmatui/session/region"
	"rdmatui/verbs"
)

// slotCheck fills and checks messages that several queue pairs exchange over one
// shared receive queue. A stock program receives all of them into one buffer and
// sends from it, so its reply may be any message that it received, or a mixture:
// therefore all messages are the same. Each RECV has its own slot, which is cleared
// before the RECV is posted again, so that missing bytes are detected.
type slotCheck struct {
	client     bool
	Want, Wipe []byte
	have       []byte
	index      []int // by slot less 1: index of its RECV among those posted
	next       int   // RECVs posted so far
}

// NewSlotCheck makes a check for messages of one size.
func NewSlotCheck(size int, client bool) *slotCheck {
	c := &slotCheck{client: client, Want: make([]byte, size), Wipe: make([]byte, size), have: make([]byte, size)}
	mark(c.Want, 0)
	for i, b := range c.Want {
		c.Wipe[i] = ^b // not 0 either: marks are below 251
	}
	return c
}

// Check compares a slot with the message. A server also accepts zeros: the stock
// client's fill, which may be part of later messages.
func (c *slotCheck) Check(mr verbs.MR, slot uint64) error {
	if _, err := mr.ReadAt(c.have, int64(slot)*int64(len(c.have))); err != nil {
		return err
	}
	if bytes.Equal(c.have, c.Want) {
		return nil
	}
	for i, b := range c.have {
		if b != c.Want[i] && !(b == 0 && !c.client) {
			return fmt.Errorf("the message of RECV %d differs at byte %d: 0x%02x instead of 0x%02x", slot,
				i, b, c.Want[i])
		}
	}
	return nil
}

// Clear overwrites a slot, so that stale bytes do not pass the next check.
func (c *slotCheck) Clear(mr verbs.MR, slot uint64) error {
	_, err := mr.WriteAt(c.Wipe, int64(slot)*int64(len(c.Wipe)))
	return err
}

// makeSlots makes the RECVs with a slot each: slot 0 of the region holds the message
// to send, and each RECV has one of the slots after it.
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
		p.recvs[i] = verbs.RecvWR{
			WRID: slot, SGList: []verbs.SGE{{Addr: r.MR.Addr() + slot*size, Length: uint32(p.size), LKey: r.MR.LKey()}},
		}
		if err := p.slots.Clear(p.mr, slot); err != nil {
			return err
		}
	}
	_, err := p.mr.WriteAt(p.slots.Want, 0)
	return err
}

// nextInSlot checks the message in a slot and posts its RECV again.
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
