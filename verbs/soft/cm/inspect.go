package cm

import (
	"cmp"
	"slices"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
)

// What follows lets others look inside: the provider, to tell what is held, and tests.

// Tables is how many entries each of the manager's tables has.
type Tables struct {
	Connections, PeersByID, PeersByQP, SIDR, Ports int
	Pending                                        int // requests that nobody has answered
	Resting                                        int // connections in time-wait
}

// Tables counts what the manager keeps.
func (m *Manager) Tables() Tables {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Tables{len(m.byLocal), len(m.byRemote), len(m.byQP), len(m.bySIDR), len(m.ports), len(m.pending), m.resting}
}

// AddResting counts n connections more as in time-wait, or fewer, so that a test can fill the table.
func (m *Manager) AddResting(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.resting += n
}

// Connection is what the manager knows of a connection.
type Connection struct {
	State               State
	ID                  verbs.CMID // nil: closed
	Device              Device
	Path                *link.Path // to the peer's manager
	LocalID, RemoteID   uint32
	LocalQPN, RemoteQPN uint32
	RemoteGUID          verbs.GUID
	Timeout             uint8 // of the queue pair
}

// Connections lists the connections by communication ID.
func (m *Manager) Connections() []Connection {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]Connection, 0, len(m.byLocal))
	for _, c := range m.byLocal {
		list = append(list, c.inspect())
	}
	slices.SortFunc(list, func(a, b Connection) int { return cmp.Compare(a.LocalID, b.LocalID) })
	return list
}

func (c *conn) inspect() Connection {
	info := Connection{
		State: c.state, Device: c.device, Path: c.path, LocalID: c.localID, RemoteID: c.remoteID,
		LocalQPN: c.localQPN, RemoteQPN: c.remoteQPN, RemoteGUID: c.remoteGUID, Timeout: c.timeout,
	}
	if c.id != nil {
		info.ID = c.id
	}
	return info
}

// Connection returns the identifier's connection; ok is false where it has none.
func (id *ID) Connection() (c Connection, ok bool) {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	if id.conn == nil {
		return c, false
	}
	return id.conn.inspect(), true
}

// Late is how long what was sent on the connection may still be on its way.
func (c *Connection) Late() time.Duration { return lateAfter(c.Timeout) }

// Waiting is how many requests to a listener nobody has taken from the channel.
func (id *ID) Waiting() int {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.waiting
}

// Undelivered takes the oldest event, if there is one, and leaves the manager believing that nobody has: a request in it still waits.
func (c *Channel) Undelivered() (verbs.CMEvent, bool) { return c.events.Poll() }
