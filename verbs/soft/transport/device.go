package transport

import (
	"syscall"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
)

// Device is one opening of an adapter, a verbs context, and the owner of its objects.
type Device struct {
	object.Context
	adapter *Adapter
	eng     *Engine
}

// Init opens the context; the engine is running. The user closes it or, with managed, the last of the connection manager's identifiers on
// it. end is called when it is closed.
func (d *Device) Init(a *Adapter, e *Engine, managed bool, end func()) {
	d.adapter, d.eng = a, e
	d.Context.Init(managed, end)
}

func (d *Device) fail(op string, err error) error { return verbs.NewOpError(op, d.adapter.Name, err) }

// AllocDM allocates device memory.
func (d *Device) AllocDM(spec verbs.DMSpec) (verbs.DM, error) {
	m, err := d.adapter.Regions.AllocDM(&d.Context, spec)
	if err != nil {
		return nil, d.fail("ibv_alloc_dm", err)
	}
	return m, nil
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

// QueryRTValuesEx reads the clock that completion_ts uses.
func (d *Device) QueryRTValuesEx() (values verbs.RTValues, err error) {
	if err := d.CheckOpen(); err != nil {
		return values, d.fail("ibv_query_rt_values_ex", err)
	}
	values.RawClock.NSec = int64(time.Since(d.eng.begun))
	return values, nil
}
