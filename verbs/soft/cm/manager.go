package cm

import (
	"net/netip"
	"sync"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// Manager is the connection manager of a provider; all its devices share it. Its lock is taken before any other and
// never by an engine, which passes arrivals through the inbox.
type Manager struct {
	Config
	inbox inbox

	mu       sync.Mutex
	contexts map[Device]Context
	ports    portTable
	byLocal  map[uint32]*conn    // by our communication ID
	byRemote map[remoteID]*conn  // by the peer's
	byQP     map[remoteQP]*conn  // by the peer's queue pair
	bySIDR   map[sidrAsker]*conn // requests of datagram services
	pending  []*conn             // unanswered requests, oldest first
	resting  int                 // connections in time-wait
	agent    uint64              // the upper half of transaction IDs
}

// incoming is the origin of a message.
type incoming struct {
	device Device
	from   *link.Path // from the peer to the device
	tid    uint64
}

// A peer's communication IDs and queue pairs are keyed by its address and its GUID: the GUID alone can be guessed, and
// a stranger who uses it could occupy numbers that the peer is about to use. Datagrams have no GUID.
type (
	remoteID struct {
		from   netip.Addr
		guid   verbs.GUID
		commID uint32
	}
	remoteQP struct {
		from netip.Addr
		guid verbs.GUID
		num  uint32
	}
	sidrAsker struct {
		from    netip.Addr
		request uint32
	}
)

// Init initializes a manager.
func (m *Manager) Init(c Config) {
	m.Config = c
	m.inbox.read = m.readAll
	m.contexts = map[Device]Context{}
	m.ports = portTable{}
	m.byLocal = map[uint32]*conn{}
	m.byRemote = map[remoteID]*conn{}
	m.byQP = map[remoteQP]*conn{}
	m.bySIDR = map[sidrAsker]*conn{}
	m.agent = uint64(m.Random.Uint32()) << 32
}

// context returns the shared context of a device, with one more identifier.
func (m *Manager) context(a Device) (Context, error) {
	if c := m.contexts[a]; c != nil && c.Retain() {
		return c, nil
	}
	c, err := a.Open()
	if err != nil {
		return nil, err
	}
	m.contexts[a] = c
	return c, nil
}

// commID returns an unused communication ID; never 0, which means none.
func (m *Manager) commID() uint32 {
	for {
		n := m.Random.Uint32()
		if n != 0 && m.byLocal[n] == nil {
			return n
		}
	}
}

// send sends a message through a device.
func (m *Manager) send(a Device, path *link.Path, transaction uint64, body wire.CMBody) {
	msg := wire.NewCM(transaction, body)
	a.SendMAD(path, msg.Append(make([]byte, 0, wire.MADLen)))
}

// Arrived queues a management datagram that a device has received. It never waits for the manager's lock, and returns
// false if the inbox is full.
func (m *Manager) Arrived(a Device, from *link.Path, mad []byte) bool {
	return m.inbox.put(arrival{device: a, path: from, mad: [wire.MADLen]byte(mad)})
}

// readAll processes arrivals from engines.
func (m *Manager) readAll(items []arrival) {
	defer m.Crashed.Catch()
	for i := range items {
		m.read(&items[i])
	}
}

func (m *Manager) read(item *arrival) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if item.heard != nil {
		if c := item.heard.conn; c != nil {
			c.establish()
		}
		return
	}
	msg, err := wire.ParseCM(item.mad[:])
	if err == nil {
		err = m.receive(&incoming{device: item.device, from: item.path, tid: msg.Header.TransactionID}, msg.Body)
	}
	if err != nil {
		item.device.Counters().MADsDropped.Add(1)
	}
}
