package soft

import (
	"syscall"

	"rdmatui/verbs"
)

var _ verbs.FaultInjector = (*Provider)(nil)

// SetFaults replaces the faults of packets that a device sends. They persist while it is closed, and may be set before it is opened.
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

// readFaults takes no lock: drawing a screen calls it, and must not wait for a device that is being opened or closed.
func (a *adapter) readFaults() verbs.Faults {
	if f := a.faults.Load(); f != nil {
		return *f
	}
	return verbs.Faults{}
}
