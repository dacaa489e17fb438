package transport

import (
	"context"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
)

// compChannel delivers the completion events of its queues.
type compChannel struct {
	dev          *Device
	eng          *Engine
	events       object.EventQueue[*CQ]
	object.Users // guarded by dev.mu
}

var _ verbs.CompChannel = (*compChannel)(nil)

// maxCQEvents is the maximum number of events waiting on a channel. A queue adds one event each time that it was armed.
const maxCQEvents = 1 << 16

// CreateCompChannel creates a completion channel.
func (d *Device) CreateCompChannel() (verbs.CompChannel, error) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if err := d.Alive(); err != nil {
		return nil, d.fail("ibv_create_comp_channel", err)
	}
	if err := d.adapter.Quota.Memory.Take(object.ObjectBytes); err != nil {
		return nil, d.fail("ibv_create_comp_channel", err)
	}
	c := &compChannel{dev: d, eng: d.eng}
	c.events.Init(maxCQEvents)
	d.Add(c, "completion channel")
	return c, nil
}

// GetCQEvent waits for an event of any of the channel's queues.
func (c *compChannel) GetCQEvent(ctx context.Context) (verbs.CQ, error) {
	q, err := c.take(ctx)
	if err == verbs.ErrClosed {
		err = verbs.NewOpError("ibv_get_cq_event", "", err)
	}
	if err != nil {
		return nil, err
	}
	return q, nil
}

// take processes the device's packets in the caller's goroutine as long as they arrive in quick succession.
func (c *compChannel) take(ctx context.Context) (q *CQ, err error) {
	found := func() (ok bool) {
		q, ok = c.events.Poll()
		return ok
	}
	if found() || c.eng.busyPoll(ctx, &c.events.Sleeper, found) {
		return q, nil
	}
	return c.events.Get(ctx)
}

// Close closes the channel. It fails while completion queues use it.
func (c *compChannel) Close() error {
	c.dev.Mu.Lock()
	defer c.dev.Mu.Unlock()
	if c.Closed {
		return nil
	}
	if err := c.Busy("completion channel"); err != nil {
		return verbs.NewOpError("ibv_destroy_comp_channel", "", err)
	}
	c.Closed = true
	c.events.Close()
	c.dev.Remove(c)
	c.dev.adapter.Quota.Memory.Give(object.ObjectBytes)
	return nil
}
