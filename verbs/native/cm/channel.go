package cm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/eventfile"
	"rdmatui/verbs/native/internal/failure"
)

// Channel is a struct rdma_event_channel.
type Channel struct {
	cm     *Manager
	serial uint64
	name   string
	events *eventfile.File

	// mu is held while an event is taken, which in C accesses the event's objects, and
	// while any of these is destroyed. So a destroy, which in C waits for events that were
	// taken and not acknowledged, never finds one.
	mu  sync.Mutex
	ptr uintptr         // the C object; 0 once closed
	ids map[uintptr]*ID // on the channel, by C pointer

	seekers atomic.Int32 // identifiers whose events may make C look for devices
}

// CreateEventChannel implements verbs.CMProvider.
func (m *Manager) CreateEventChannel() (verbs.CMEventChannel, error) {
	ptr, err := m.lib.createEventChannel.Call()
	if err != nil {
		return nil, managerError("rdma_create_event_channel", err)
	}
	c := &Channel{cm: m, serial: m.channels.Add(1), ptr: ptr, ids: map[uintptr]*ID{}}
	c.name = fmt.Sprintf("event channel %d", c.serial)
	if c.events, err = eventfile.Open(dl.View[abi.EventChannel](ptr).FD, c.name); err != nil {
		m.lib.destroyEventChannel.Call(ptr)
		return nil, failure.Of("rdma_create_event_channel", "", err)
	}
	return c, nil
}

// CreateID implements verbs.CMEventChannel.
func (c *Channel) CreateID(ps verbs.CMPortSpace) (verbs.CMID, error) {
	const op = "rdma_create_id"
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ptr == 0 {
		return nil, failure.Of(op, c.name, verbs.ErrClosed)
	}
	out := new(uintptr)
	if _, err := c.cm.lib.createID.Call(c.ptr, uintptr(unsafe.Pointer(out)), 0, uintptr(ps)); err != nil {
		return nil, failure.Of(op, c.name, err)
	}
	return c.adopt(*out), nil
}

// adopt creates the Go object of a new C identifier. The caller holds mu.
func (c *Channel) adopt(ptr uintptr) *ID {
	id := &ID{cm: c.cm, ps: verbs.CMPortSpace(dl.View[abi.CMID](ptr).PS), ptr: ptr, ch: c}
	id.name = fmt.Sprintf("rdma_cm_id %d", c.cm.ids.Add(1))
	c.ids[ptr] = id
	id.seek(true)
	return id
}

// GetEvent implements verbs.CMEventChannel.
func (c *Channel) GetEvent(ctx context.Context) (verbs.CMEvent, error) {
	var event verbs.CMEvent
	err := c.events.Wait(ctx, func() (err error) {
		event, err = c.takeEvent()
		return err
	})
	return event, failure.OfWait("rdma_get_cm_event", c.name, err)
}

// takeEvent reads one event, copies and acknowledges it, all before any object that it
// names can be closed.
func (c *Channel) takeEvent() (verbs.CMEvent, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ptr == 0 {
		return verbs.CMEvent{}, verbs.ErrClosed
	}
	get := &c.cm.lib.getCMEvent
	if c.seekers.Load() > 0 {
		get = &c.cm.lib.seekCMEvent
	}
	out := new(uintptr)
	_, errno, err := get.CallErrno(c.ptr, uintptr(unsafe.Pointer(out)))
	if err != nil {
		return verbs.CMEvent{}, err
	}
	event := c.event(dl.View[abi.CMEvent](*out), errno)
	_, _ = c.cm.lib.ackCMEvent.Call(*out) // fails only for NULL
	return event, nil
}

// Close implements verbs.CMEventChannel.
func (c *Channel) Close() error {
	if err := c.destroy(); err != nil {
		return err
	}
	c.events.Close() // without the lock: it waits for waiters, which may need the lock
	return nil
}

// destroy returns an error while identifiers are alive: C would free memory that they
// point to.
func (c *Channel) destroy() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ptr == 0 {
		return nil
	}
	if len(c.ids) > 0 {
		busy := &verbs.BusyError{Object: c.name}
		for _, id := range c.ids {
			busy.UsedBy = append(busy.UsedBy, id.name)
		}
		slices.SortFunc(busy.UsedBy, cmp.Compare[string])
		return failure.Of("rdma_destroy_event_channel", c.name, busy)
	}
	c.cm.lib.destroyEventChannel.Call(c.ptr)
	c.ptr = 0
	return nil
}
