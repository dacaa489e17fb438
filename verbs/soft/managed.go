package soft

import (
	"context"
	"net/netip"
	"syscall"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// What the connection manager uses of the devices; see [cm.Device].

var (
	_ verbs.CMProvider = (*Provider)(nil)
	_ cm.Device        = (*adapter)(nil)
	_ cm.Context       = sharedContext{}
	_ cm.QP            = (*qp)(nil)
)

// CreateEventChannel opens a channel.
func (p *Provider) CreateEventChannel() (verbs.CMEventChannel, error) {
	return p.manager.CreateEventChannel()
}

// GetAddrInfo translates by Go's resolver what librdmacm asks the C library's for. There is no resolver of paths, so no result has any.
func (p *Provider) GetAddrInfo(ctx context.Context, node, service string, hints verbs.AddrInfoHints) ([]verbs.AddrInfo, error) {
	return cm.GetAddrInfo(ctx, node, service, hints)
}

// managedDevices lists the devices for the manager.
func (p *Provider) managedDevices() []cm.Device {
	adapters := p.devices()
	list := make([]cm.Device, len(adapters))
	for i, a := range adapters {
		list[i] = a
	}
	return list
}

// Addrs returns the addresses by GID index.
func (a *adapter) Addrs() []netip.Addr { return a.addrs }

// GUID returns node_guid.
func (a *adapter) GUID() verbs.GUID { return a.guid }

// MTU returns the largest MTU that the carrier takes.
func (a *adapter) MTU() verbs.MTU { return a.mtu }

// SourcePort returns a UDP source port.
func (a *adapter) SourcePort() uint16 { return a.sourcePort(0) }

// SendMAD has a management datagram sent if the adapter is open.
func (a *adapter) SendMAD(path *link.Path, data []byte) { a.postMAD(mad{path: path, data: data}) }

// RestNumber keeps a queue pair's number from being given to another one before a time.
func (a *adapter) RestNumber(qpn uint32, until time.Time) { a.qps.rest(qpn, until) }

// FindQP returns a queue pair by its number, nil where there is none.
func (a *adapter) FindQP(qpn uint32) cm.QP {
	if q := a.qps.find(qpn); q != nil {
		return q
	}
	return nil
}

// Counters returns what the connection manager counts.
func (a *adapter) Counters() *cm.Counters { return &a.counts.Counters }

// Open opens the adapter for identifiers, with one of them.
func (a *adapter) Open() (cm.Context, error) {
	if err := a.acquire(); err != nil {
		return nil, err
	}
	return sharedContext{newDevice(a, true)}, nil
}

// sharedContext is a context of the connection manager's, shared by its identifiers.
type sharedContext struct{ *device }

// Close does nothing: the context is the connection manager's.
func (c sharedContext) Close() error { return nil }

// CheckPD refuses a domain that is not of this context.
func (c sharedContext) CheckPD(domain verbs.PD) error {
	p, ours := domain.(*pd)
	if !ours {
		return verbs.ErrForeignObject
	}
	if p.dev != c.device {
		return syscall.EINVAL
	}
	return nil
}

// CreateQP makes a queue pair in a domain of the context's.
func (c sharedContext) CreateQP(domain verbs.PD, spec verbs.QPSpec) (cm.QP, error) {
	q, err := domain.(*pd).createQP(spec)
	if err != nil {
		return nil, err
	}
	return q, nil
}

// SetOwner has an identifier of the connection manager's told when the queue pair is closed, and when its first packet comes.
func (q *qp) SetOwner(owner object.Owner) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.owner = owner
}

// SharesRecvs reports whether the RECVs come from a shared queue.
func (q *qp) SharesRecvs() bool { return q.rq.shared != nil }

// Probe asks the peer's queue pair for a sign of life: an empty SEND with the PSN before the oldest that is not acknowledged. The responder
// takes it for a copy of one that it has had, changes nothing and acknowledges it; IBA 9.7.5.1.2. It returns false where this queue pair
// cannot have a peer.
func (q *qp) Probe() bool {
	q.mu.Lock()
	alive := !q.closed && q.typ == verbs.RC && (q.state == verbs.QPRTS || q.state == verbs.QPSQD)
	path := q.path
	h := q.bth()
	h.Opcode, h.PSN, h.AckReq = wire.RCSendOnly, q.comp.una.Add(-1), true
	q.known = nil // the next packet of the peer's sets it
	q.mu.Unlock()
	if alive {
		q.dev.adapter.postMAD(mad{path: path, probe: &h})
	}
	return alive
}

// Answers reports whether a packet of the peer's has come since the probe.
func (q *qp) Answers() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.known != nil
}
