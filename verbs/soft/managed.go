package soft

import (
	"context"
	"net/netip"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/transport"
)

// The parts of the devices that the connection manager uses; see [cm.Device].

var (
	_ verbs.CMProvider = (*Provider)(nil)
	_ cm.Device        = (*adapter)(nil)
	_ cm.Context       = sharedContext{}
	_ cm.QP            = (*transport.QP)(nil)
)

// CreateEventChannel opens a channel.
func (p *Provider) CreateEventChannel() (verbs.CMEventChannel, error) {
	return p.manager.CreateEventChannel()
}

// GetAddrInfo translates with Go's resolver, where librdmacm uses the C library's. There is no path resolver, so no
// result contains a path.
func (p *Provider) GetAddrInfo(ctx context.Context, node, service string,
	hints verbs.AddrInfoHints) ([]verbs.AddrInfo, error) {
	return cm.GetAddrInfo(ctx, node, service, hints)
}

// Addrs returns the addresses by GID index.
func (a *adapter) Addrs() []netip.Addr { return a.addrs }

// GUID returns node_guid.
func (a *adapter) GUID() verbs.GUID { return a.guid }

// MTU returns the largest MTU that the carrier takes.
func (a *adapter) MTU() verbs.MTU { return a.mtu }

// SourcePort returns a UDP source port.
func (a *adapter) SourcePort() uint16 { return a.transport.SourcePort(0) }

// SendMAD queues a management datagram if the adapter is open.
func (a *adapter) SendMAD(path *link.Path, data []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opens > 0 {
		a.eng.SendMAD(path, data)
	}
}

// RestNumber keeps a queue pair number from being reused before the given time.
func (a *adapter) RestNumber(qpn uint32, until time.Time) { a.transport.RestNumber(qpn, until) }

// FindQP returns a queue pair by number, nil if there is none.
func (a *adapter) FindQP(qpn uint32) cm.QP {
	if q := a.transport.FindQP(qpn); q != nil {
		return q
	}
	return nil
}

// Counters returns the counters that the connection manager updates.
func (a *adapter) Counters() *cm.Counters { return &a.counts.manager }

// Open opens the adapter for identifiers, with one identifier.
func (a *adapter) Open() (cm.Context, error) {
	if err := a.acquire(); err != nil {
		return nil, err
	}
	return sharedContext{newDevice(a, true)}, nil
}

// sharedContext is a context of the connection manager, shared by its identifiers.
type sharedContext struct{ *device }

// Close does nothing: the context belongs to the connection manager.
func (c sharedContext) Close() error { return nil }

// CreateQP creates a queue pair in a domain of the context.
func (c sharedContext) CreateQP(domain verbs.PD, spec verbs.QPSpec) (cm.QP, error) {
	q, err := domain.(*transport.PD).NewQP(spec)
	if err != nil {
		return nil, err
	}
	return q, nil
}
