package cm

import (
	"cmp"
	"slices"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
)

// The functions in this file expose the manager's state: to the provider, which reports what is held, and to tests.

// Tables is the number of entries in each of the manager's tables.
type Tables struct {
	Connections, PeersByID, PeersByQP, SIDR, Ports int
	Pending                                        int // unanswered requests
	Resting                                        int // connections in time-wait
}

// Tables returns the size of each table.
func (m *Manager) Tables() Tables {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Tables{len(m.byLocal), len(m.byRemote), len(m.byQP), len(m.bySIDR), len(m.ports), len(m.pending), m.resting}
}

// AddResting adds n, which may be negative, to the count of connections in time-wait, so that a test can fill the
// table.
func (m *Manager) AddResting(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.resting += n
}

// Connection is a snapshot of a connection.
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

// Connection returns the identifier's connection; ok is false if there is none.
func (id *ID) Connection() (c Connection, ok bool) {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	if id.conn == nil {
		return c, false
	}
	return id.conn.inspect(), true
}

// Late returns how long packets of the connection may still be in transit.
func (c *Connection) Late() time.Duration { return lateAfter(c.Timeout) }

// Waiting returns how many of a listener's requests were not taken from the channel yet.
func (id *ID) Waiting() int {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.waiting
}

// Undelivered takes the oldest event, if there is one, without telling the manager: a request in it still counts as
// waiting.
func (c *Channel) Undelivered() (verbs.CMEvent, bool) { return c.events.Poll() }
