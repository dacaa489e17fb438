package soft

import (
	"slices"
	"syscall"

	"rdmatui/verbs"
)

// The functions in this file read and influence a device by its name, whether it is open or not.

var (
	_ verbs.HWCounterReader = (*Provider)(nil)
	_ verbs.FaultInjector   = (*Provider)(nil)
	_ verbs.PacketRecorder  = (*Provider)(nil)
	_ verbs.ServeTeller     = (*Provider)(nil)
	_ verbs.PacketTapper    = (*Provider)(nil)
)

// HWCounters returns the counters of a device since it was created, open or not.
func (p *Provider) HWCounters(device string) ([]verbs.HWCounter, error) {
	a := p.adapter(device)
	if a == nil {
		return nil, verbs.NewOpError("read counters", device, syscall.ENODEV)
	}
	l := a.linkCounters()
	all := make([]verbs.HWCounter, len(hwCounters))
	for i, c := range hwCounters {
		all[i] = verbs.HWCounter{Name: c.name, Help: c.help, Value: c.read(&a.counts, &l)}
	}
	return all, nil
}

// SetFaults replaces the faults of packets that a device sends. They persist while it is closed, and may be set before
// it is opened.
func (p *Provider) SetFaults(device string, f verbs.Faults) error {
	a := p.adapter(device)
	if a == nil {
		return verbs.NewOpError("set faults", device, syscall.ENODEV)
	}
	if err := f.Check(); err != nil {
		return verbs.NewOpError("set faults", device, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.faults.Store(&f)
	if a.faulty != nil {
		a.faulty.SetFaults(f)
	}
	return nil
}

// Faults returns the faults of a device.
func (p *Provider) Faults(device string) (verbs.Faults, error) {
	a := p.adapter(device)
	if a == nil {
		return verbs.Faults{}, verbs.NewOpError("read faults", device, syscall.ENODEV)
	}
	return a.readFaults(), nil
}

// TapPackets shows the packets of a device. The tap stays when the device is closed and opened again, and may be set
// before it is.
func (p *Provider) TapPackets(device string, tap func(verbs.Packet)) error {
	a := p.adapter(device)
	if a == nil {
		return verbs.NewOpError("tap packets", device, syscall.ENODEV)
	}
	a.useHeaders(a.tap.set(tap))
	return nil
}

// RecordedPackets returns the heads of the newest packets since the device was opened.
func (p *Provider) RecordedPackets(device string) ([]verbs.PacketHead, error) {
	a := p.adapter(device)
	if a == nil {
		return nil, verbs.NewOpError("read packets", device, syscall.ENODEV)
	}
	return a.recorder.list(), nil
}

// Served implements [verbs.ServeTeller].
func (p *Provider) Served(at verbs.GID, num verbs.QPN) ([]verbs.ServedRequest, bool) {
	for _, a := range p.devices() {
		if !slices.ContainsFunc(a.gids, func(e verbs.GIDEntry) bool { return e.GID == at }) {
			continue
		}
		if q := a.transport.FindQP(uint32(num)); q != nil {
			return q.Served()
		}
	}
	return nil, false
}
