package transport

import (
	"fmt"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/mem"
)

// PD is a protection domain.
type PD struct {
	dev        *Device
	mem.Domain // its users are guarded by dev.Mu
}

var _ verbs.PD = (*PD)(nil)

// AllocPD allocates a protection domain.
func (d *Device) AllocPD() (verbs.PD, error) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if err := d.Alive(); err != nil {
		return nil, d.fail("ibv_alloc_pd", err)
	}
	if err := d.adapter.Quota.Take(&d.adapter.Quota.PD, MaxPD, 0); err != nil {
		return nil, d.fail("ibv_alloc_pd", err)
	}
	p := &PD{dev: d}
	p.Domain.Init(&d.Context, &d.adapter.Regions)
	d.Add(p, "PD")
	return p, nil
}

// Close deallocates the domain. It fails while it contains regions, queue pairs, shared receive queues or address
// handles.
func (p *PD) Close() error {
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
	p.dev.adapter.Quota.Give(&p.dev.adapter.Quota.PD, 0)
	return nil
}

// CheckPD returns an error if the domain does not belong to this context.
func (d *Device) CheckPD(domain verbs.PD) error {
	p, ours := domain.(*PD)
	if !ours {
		return verbs.ErrForeignObject
	}
	if p.dev != d {
		return syscall.EINVAL
	}
	return nil
}

// ah is an address handle.
type ah struct {
	pd     *PD
	attr   verbs.AHAttr
	path   *link.Path
	closed bool // guarded by pd.dev.mu
}

var _ verbs.AH = (*ah)(nil)

// CreateAH creates an address handle for datagrams, to one port or to a multicast group.
func (p *PD) CreateAH(attr verbs.AHAttr) (verbs.AH, error) {
	h, err := p.createAH(attr)
	if err != nil {
		return nil, verbs.NewOpError("ibv_create_ah", "", err)
	}
	return h, nil
}

func (p *PD) createAH(attr verbs.AHAttr) (*ah, error) {
	path, err := p.dev.adapter.pathTo(&attr)
	if err != nil {
		return nil, err
	}
	p.dev.Mu.Lock()
	defer p.dev.Mu.Unlock()
	if err := p.Live(); err != nil {
		return nil, err
	}
	if err := p.dev.adapter.Quota.Take(&p.dev.adapter.Quota.AH, MaxAH, 0); err != nil {
		return nil, err
	}
	h := &ah{pd: p, attr: attr, path: path}
	p.Add(h, fmt.Sprintf("AH to %s", attr.GRH.DGID))
	return h, nil
}

// Attr returns the address vector that the handle was created with.
func (h *ah) Attr() verbs.AHAttr { return h.attr }

// Close destroys the handle.
func (h *ah) Close() error {
	dev := h.pd.dev
	dev.Mu.Lock()
	defer dev.Mu.Unlock()
	if !h.closed {
		h.closed = true
		h.pd.Remove(h)
		dev.adapter.Quota.Give(&dev.adapter.Quota.AH, 0)
	}
	return nil
}
