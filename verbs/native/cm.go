package native

import (
	"context"

	"rdmatui/verbs"
	"rdmatui/verbs/native/cm"
)

var _ verbs.CMProvider = (*Provider)(nil)

// manager loads librdmacm at the first call, as library loads libibverbs.
func (p *Provider) manager() (*cm.Manager, error) {
	lib, err := p.library() // first, because it preloads the drivers
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cm == nil {
		m, err := cm.Load(lib, &discovery, p.cmNames...)
		if err != nil {
			return nil, err
		}
		p.cm = m
	}
	return p.cm, nil
}

// CreateEventChannel implements verbs.CMProvider. The error matches
// verbs.ErrUnsupported if the library is missing, the host has no RDMA device, or the
// kernel has no connection manager.
func (p *Provider) CreateEventChannel() (verbs.CMEventChannel, error) {
	m, err := p.manager()
	if err != nil {
		return nil, err
	}
	return m.CreateEventChannel()
}

// GetAddrInfo implements verbs.CMProvider.
func (p *Provider) GetAddrInfo(ctx context.Context, node, service string,
	hints verbs.AddrInfoHints) ([]verbs.AddrInfo, error) {
	m, err := p.manager()
	if err != nil {
		return nil, err
	}
	return m.GetAddrInfo(ctx, node, service, hints)
}
