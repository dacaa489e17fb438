package native

import (
	"fmt"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// protectionDomain is a struct ibv_pd.
type protectionDomain struct{ object }

// AllocPD implements verbs.Device.
func (d *device) AllocPD() (verbs.PD, error) {
	if err := d.use(); err != nil {
		return nil, failure.Of("ibv_alloc_pd", d.info.Name, err)
	}
	defer d.done()
	ptr, err := d.lib.allocPD.Call(d.ctx)
	if err != nil {
		return nil, failure.Of("ibv_alloc_pd", d.info.Name, err)
	}
	p := &protectionDomain{}
	d.add(&p.object, p, ptr, fmt.Sprintf("PD %d", dl.View[abi.PD](ptr).Handle))
	return p, nil
}

// Close implements verbs.PD.
func (p *protectionDomain) Close() error {
	defer p.dev.closing()()
	return p.destroy("ibv_dealloc_pd", p.dev.lib.deallocPD)
}
