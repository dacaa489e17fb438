package cm

import (
	"context"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
)

// Channel is an event channel of the connection manager.
type Channel struct {
	manager      *Manager
	events       object.EventQueue[verbs.CMEvent]
	object.Users // its identifiers; guarded by manager.mu
}

var _ verbs.CMEventChannel = (*Channel)(nil)

// maxEvents is the maximum number of untaken events. An identifier produces only a few, and the number of waiting
// requests is limited separately.
const maxEvents = 1 << 16

// CreateEventChannel opens a channel.
func (m *Manager) CreateEventChannel() (verbs.CMEventChannel, error) {
	if err := m.Memory.Take(object.ObjectBytes); err != nil {
		return nil, verbs.NewOpError("rdma_create_event_channel", "", err)
	}
	c := &Channel{manager: m}
	c.events.Init(maxEvents)
	return c, nil
}

// CreateID creates an identifier on the channel.
func (c *Channel) CreateID(space verbs.CMPortSpace) (verbs.CMID, error) {
	m := c.manager
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.Closed {
		return nil, verbs.NewOpError("rdma_create_id", "", verbs.ErrClosed)
	}
	id, err := m.newID(c, space)
	if err != nil {
		return nil, verbs.NewOpError("rdma_create_id", "", err)
	}
	return id, nil
}

// GetEvent waits for the next event.
func (c *Channel) GetEvent(ctx context.Context) (verbs.CMEvent, error) {
	for {
		ev, err := c.events.Get(ctx)
		if err == verbs.ErrClosed {
			err = verbs.NewOpError("rdma_get_cm_event", "", err)
		}
		if err != nil || ev.Type != verbs.CMConnectRequest || c.manager.take(ev.ID.(*ID)) {
			return ev, err
		}
	}
}

// take passes a request to the program. It returns false if the request has expired since its event was taken from the
// queue.
func (m *Manager) take(id *ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	id.taken()
	return id.state != idClosed
}

// taken ends the time that a request waits for the program.
func (id *ID) taken() {
	if id.listener != nil {
		id.listener.waiting--
		id.listener = nil
	}
}

// Close closes the channel. It fails while identifiers are on it.
func (c *Channel) Close() error {
	c.manager.mu.Lock()
	defer c.manager.mu.Unlock()
	if c.Closed {
		return nil
	}
	if err := c.Busy("event channel"); err != nil {
		return verbs.NewOpError("rdma_destroy_event_channel", "", err)
	}
	c.Closed = true
	c.events.Close()
	c.manager.Memory.Give(object.ObjectBytes)
	return nil
}

// withdraw removes an identifier's events from the queue and returns them; manager.mu is held.
func (c *Channel) withdraw(id *ID) (taken []verbs.CMEvent) {
	c.events.Drop(func(ev verbs.CMEvent) bool {
		mine := ev.ID == verbs.CMID(id) || ev.ListenID == verbs.CMID(id)
		if mine {
			taken = append(taken, ev)
		}
		return mine
	})
	return taken
}
