package native

import (
	"fmt"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
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
		return nil, fail(op, p.name, err)
	}
	defer p.done()
	raw := new(abi.AHAttr)
	*raw = rawAHAttr(&attr)
	ptr, err := p.dev.lib.createAH.Call(p.ptr, uintptr(unsafe.Pointer(raw)))
	if err != nil {
		return nil, fail(op, p.name, err)
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

func rawAHAttr(a *verbs.AHAttr) abi.AHAttr {
	return abi.AHAttr{
		GRH: abi.GlobalRoute{
			DGID:         abi.GID{Raw: a.GRH.DGID},
			FlowLabel:    a.GRH.FlowLabel,
			SGIDIndex:    a.GRH.SGIDIndex,
			HopLimit:     a.GRH.HopLimit,
			TrafficClass: a.GRH.TrafficClass,
		},
		DLID:        a.DLID,
		SL:          a.SL,
		SrcPathBits: a.SrcPathBits,
		StaticRate:  a.StaticRate,
		IsGlobal:    flag(a.IsGlobal),
		PortNum:     a.PortNum,
	}
}

func ahAttr(a *abi.AHAttr) verbs.AHAttr {
	return verbs.AHAttr{
		GRH: verbs.GlobalRoute{
			DGID:         verbs.GID(a.GRH.DGID.Raw),
			FlowLabel:    a.GRH.FlowLabel,
			SGIDIndex:    a.GRH.SGIDIndex,
			HopLimit:     a.GRH.HopLimit,
			TrafficClass: a.GRH.TrafficClass,
		},
		DLID:        a.DLID,
		SL:          a.SL,
		SrcPathBits: a.SrcPathBits,
		StaticRate:  a.StaticRate,
		IsGlobal:    a.IsGlobal != 0,
		PortNum:     a.PortNum,
	}
}

// flag is a bool as C keeps it in a byte.
func flag(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
