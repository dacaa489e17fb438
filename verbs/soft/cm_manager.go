package soft

import (
	"net/netip"
	"sync"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// manager is the connection manager of a provider's adapters: what on a host is one for all its devices. Its lock is taken before any
// other and never by an engine, which tells it what has arrived by the inbox.
type manager struct {
	provider *Provider
	inbox    inbox

	mu       sync.Mutex
	contexts map[*adapter]*cmContext
	ports    portTable
	byLocal  map[uint32]*conn    // by our communication ID
	byRemote map[remoteID]*conn  // by the peer's
	byQP     map[remoteQP]*conn  // by the peer's queue pair
	bySIDR   map[sidrAsker]*conn // requests of datagram services
	pending  []*conn             // requests that were not answered, the oldest first
	resting  int                 // connections in time-wait
	agent    uint64              // the upper half of transaction IDs
}

// A peer's communication IDs and queue pairs are told apart by its address and its GUID: the GUID alone can be guessed, and whoever bears
// it could take numbers that the peer is about to use. Datagrams have no GUID.
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

func (m *manager) init(p *Provider) {
	m.provider = p
	m.inbox.read = m.readAll
	m.contexts = map[*adapter]*cmContext{}
	m.ports = portTable{}
	m.byLocal = map[uint32]*conn{}
	m.byRemote = map[remoteID]*conn{}
	m.byQP = map[remoteQP]*conn{}
	m.bySIDR = map[sidrAsker]*conn{}
	m.agent = uint64(p.random.Uint32()) << 32
}

// cmContext is an opening of a device that identifiers share. It ends with the last of them and of what was made on it.
type cmContext struct{ *device }

// Close does nothing: the context is the connection manager's.
func (c *cmContext) Close() error { return nil }

// context returns the shared context of an adapter, for one more identifier.
func (m *manager) context(a *adapter) (*cmContext, error) {
	if c := m.contexts[a]; c != nil && c.Retain() {
		return c, nil
	}
	if err := a.acquire(); err != nil {
		return nil, err
	}
	c := &cmContext{newDevice(a, true)}
	m.contexts[a] = c
	return c, nil
}

// commID returns a communication ID that is free. 0 is none.
func (m *manager) commID() uint32 {
	for {
		n := m.provider.random.Uint32()
		if n != 0 && m.byLocal[n] == nil {
			return n
		}
	}
}

// send passes a message to an adapter's engine.
func (m *manager) send(a *adapter, path *link.Path, transaction uint64, body wire.CMBody) {
	msg := wire.NewCM(transaction, body)
	a.postMAD(mad{path: path, data: msg.Append(make([]byte, 0, wire.MADLen))})
}

// readAll handles what engines have told.
func (m *manager) readAll(items []arrival) {
	defer m.provider.opts.Crashed.Catch()
	for i := range items {
		m.read(&items[i])
	}
}

func (m *manager) read(item *arrival) {
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
		err = m.receive(&incoming{adapter: item.adapter, from: item.path, tid: msg.Header.TransactionID}, msg.Body)
	}
	if err != nil {
		item.adapter.counts.madsDropped.Add(1)
	}
}
