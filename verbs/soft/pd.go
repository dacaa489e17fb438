package soft

import (
	"fmt"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/mem"
)

// pd is a protection domain.
type pd struct {
	dev        *device
	mem.Domain // its users are guarded by dev.Mu
}

var _ verbs.PD = (*pd)(nil)

// AllocPD makes a protection domain.
func (d *device) AllocPD() (verbs.PD, error) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if err := d.Alive(); err != nil {
		return nil, d.fail("ibv_alloc_pd", err)
	}
	if err := d.adapter.quota.Take(&d.adapter.quota.PD, maxPD, 0); err != nil {
		return nil, d.fail("ibv_alloc_pd", err)
	}
	p := &pd{dev: d}
	p.Domain.Init(&d.Context, &d.adapter.regions)
	d.Add(p, "PD")
	return p, nil
}

// Close fails while regions, queue pairs, shared receive queues or address handles are in the domain.
func (p *pd) Close() error {
	p.dev.Mu.Lock()
	defer p.dev.Mu.Unlock()
	if p.Closed {
		return nil
	}
	if err := p.Busy("PD"); err != nil {
		return verbs.NewOpError("ibv_dealloc_pd", "", err)
	}
	p.Closed = true
	p.dev.Remove(p)
	p.dev.adapter.quota.Give(&p.dev.adapter.quota.PD, 0)
	return nil
}

// ah is an address handle.
type ah struct {
	pd     *pd
	attr   verbs.AHAttr
	path   *link.Path
	closed bool // guarded by pd.dev.mu
}

var _ verbs.AH = (*ah)(nil)

// CreateAH makes an address handle for datagrams, to one port or to a multicast group.
func (p *pd) CreateAH(attr verbs.AHAttr) (verbs.AH, error) {
	h, err := p.createAH(attr)
	if err != nil {
		return nil, verbs.NewOpError("ibv_create_ah", "", err)
	}
	return h, nil
}

func (p *pd) createAH(attr verbs.AHAttr) (*ah, error) {
	path, err := p.dev.adapter.pathTo(&attr)
	if err != nil {
		return nil, err
	}
	p.dev.Mu.Lock()
	defer p.dev.Mu.Unlock()
	if err := p.Live(); err != nil {
		return nil, err
	}
	if err := p.dev.adapter.quota.Take(&p.dev.adapter.quota.AH, maxAH, 0); err != nil {
		return nil, err
	}
	h := &ah{pd: p, attr: attr, path: path}
	p.Add(h, fmt.Sprintf("AH to %s", attr.GRH.DGID))
	return h, nil
}

// Attr returns the address vector that the handle was made from.
func (h *ah) Attr() verbs.AHAttr { return h.attr }

// Close frees the handle.
func (h *ah) Close() error {
	dev := h.pd.dev
	dev.Mu.Lock()
	defer dev.Mu.Unlock()
	if !h.closed {
		h.closed = true
		h.pd.Remove(h)
		dev.adapter.quota.Give(&dev.adapter.quota.AH, 0)
	}
	return nil
}
