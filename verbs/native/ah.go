package native

import (
	"fmt"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// addressHandle is a struct ibv_ah.
type addressHandle struct {
	object
	attr verbs.AHAttr
}

// CreateAH implements verbs.PD.
func (p *protectionDomain) CreateAH(attr verbs.AHAttr) (verbs.AH, error) {
	const op = "ibv_create_ah"
	if err := p.use(); err != nil {
		return nil, failure.Of(op, p.name, err)
	}
	defer p.done()
	raw := new(abi.AHAttr)
	*raw = abi.RawAHAttr(&attr)
	ptr, err := p.dev.lib.createAH.Call(p.ptr, uintptr(unsafe.Pointer(raw)))
	if err != nil {
		return nil, failure.Of(op, p.name, err)
	}
	a := &addressHandle{attr: attr}
	p.dev.add(&a.object, a, ptr, fmt.Sprintf("AH %d", dl.View[abi.AH](ptr).Handle), p.ptr)
	return a, nil
}

// Attr implements verbs.AH.
func (a *addressHandle) Attr() verbs.AHAttr { return a.attr }

// Close implements verbs.AH.
func (a *addressHandle) Close() error {
	defer a.dev.closing()()
	return a.destroy("ibv_destroy_ah", a.dev.lib.destroyAH)
}
