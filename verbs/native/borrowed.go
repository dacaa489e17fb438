package native

import (
	"rdmatui/verbs"
	"rdmatui/verbs/native/cm"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/eventfile"
	"rdmatui/verbs/native/internal/failure"
)

// Borrow implements cm.Host.
func (l *library) Borrow(ctx uintptr, letGo func()) cm.Device {
	dev := dl.View[abi.Context](ctx).Device
	d := newDevice(l, ctx, deviceInfo(dl.View[abi.Device](dev), uint64(l.getDeviceGUID.Call(dev))))
	d.borrowed = letGo
	d.async, d.asyncErr = eventfile.Open(d.context().AsyncFD, "async events of "+d.info.Name)
	return d
}

// HasDevice implements cm.Host.
func (l *library) HasDevice() bool {
	list, err := l.devices()
	if err != nil {
		return false
	}
	defer list.free()
	return len(list.devices) > 0
}

// Abandon implements cm.Device.
func (d *device) Abandon() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.Users()) > 0 {
		return false
	}
	d.ctx = 0
	return true
}

// EndWaits implements cm.Device.
func (d *device) EndWaits() {
	if d.async != nil {
		d.async.Close()
	}
}

// CreateQPBy implements cm.Device.
func (d *device) CreateQPBy(call cm.QPCall, pd verbs.PD, spec verbs.QPSpec) (cm.QP, error) {
	if err := d.use(); err != nil {
		return nil, failure.Of(call.Op, call.Object, err)
	}
	defer d.done()
	domain, err := d.pdPointer(pd)
	if err != nil {
		return nil, failure.Of(call.Op, call.Object, err)
	}
	q, raw, err := d.prepareQP(call.Op, spec)
	if err != nil {
		return nil, err
	}
	ptr, err := call.Create(domain, raw)
	if err != nil {
		return nil, failure.Of(call.Op, call.Object, err)
	}
	q.closeBy = call.Close
	q.open(d, ptr, raw, domain)
	return q, nil
}

// pdPointer returns the C object, 0 if there is no domain.
func (d *device) pdPointer(pd verbs.PD) (uintptr, error) {
	if pd == nil {
		return 0, nil
	}
	p, ok := pd.(*protectionDomain)
	if !ok {
		return 0, verbs.ErrForeignObject
	}
	return p.ptr, p.check(d)
}

// Name implements cm.QP.
func (q *queuePair) Name() string { return q.name }

// Closed implements cm.QP.
func (q *queuePair) Closed() bool { return q.closed() }
