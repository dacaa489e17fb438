package native

import (
	"context"
	"fmt"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/eventfile"
	"rdmatui/verbs/native/internal/failure"
)

// compChannel is a struct ibv_comp_channel.
type compChannel struct {
	object
	events *eventfile.File
	out    [2]uintptr // for takeEvent: the queue and its context; used by one waiter at a time
}

// CreateCompChannel implements verbs.Device.
func (d *device) CreateCompChannel() (verbs.CompChannel, error) {
	const op = "ibv_create_comp_channel"
	if err := d.use(); err != nil {
		return nil, failure.Of(op, d.info.Name, err)
	}
	defer d.done()
	ptr, err := d.lib.createCompChannel.Call(d.ctx)
	if err != nil {
		return nil, failure.Of(op, d.info.Name, err)
	}
	fd := dl.View[abi.CompChannel](ptr).FD
	name := fmt.Sprintf("completion channel %d", fd)
	events, err := eventfile.Open(fd, name)
	if err != nil {
		_ = d.lib.destroyCompChannel.Call(ptr) // report the earlier error
		return nil, failure.Of(op, d.info.Name, err)
	}
	c := &compChannel{events: events}
	d.add(&c.object, c, ptr, name)
	return c, nil
}

// GetCQEvent implements verbs.CompChannel.
func (c *compChannel) GetCQEvent(ctx context.Context) (verbs.CQ, error) {
	var cq *completionQueue
	err := c.events.Wait(ctx, func() (err error) {
		cq, err = c.takeEvent()
		return err
	})
	if err != nil {
		return nil, failure.OfWait("ibv_get_cq_event", c.name, err)
	}
	return cq, nil
}

// takeEvent reads one event and counts it for its queue, before the queue can
// be closed.
func (c *compChannel) takeEvent() (*completionQueue, error) {
	if err := c.use(); err != nil {
		return nil, err
	}
	defer c.done()
	_, err := c.dev.lib.getCQEvent.Call(c.ptr, uintptr(unsafe.Pointer(&c.out[0])), uintptr(unsafe.Pointer(&c.out[1])))
	if err != nil {
		return nil, err
	}
	cq, ok := c.dev.live.find(uint64(c.out[0])).(*completionQueue)
	if !ok {
		return nil, fmt.Errorf("event for unknown completion queue 0x%x", c.out[0])
	}
	cq.unacked.Add(1)
	return cq, nil
}

// Close implements verbs.CompChannel.
func (c *compChannel) Close() error {
	if err := c.destroyChannel(); err != nil {
		return err
	}
	c.events.Close() // without the lock: it waits for waiters, which may need the lock
	return nil
}

func (c *compChannel) destroyChannel() error {
	defer c.dev.closing()()
	return c.destroy("ibv_destroy_comp_channel", c.dev.lib.destroyCompChannel)
}
