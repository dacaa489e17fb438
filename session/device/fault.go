package device

import (
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// Fault sets or shows the faults injected into a device's packets.
func Fault(c *core.Call) error {
	name, injector, err := faultyDevice(c)
	if err != nil {
		return err
	}
	if want, given := faultsOf(c.Cmd); given {
		if err := c.Time(func() error { return injector.SetFaults(name, want) }); err != nil {
			return err
		}
	}
	now, err := injector.Faults(name)
	if err != nil {
		return err
	}
	c.Done.Result = "faults in packets that " + name + " sends: " + now.String()
	return nil
}

// faultsOf parses the faults of the command; given is false if it neither names faults nor turns them off.
func faultsOf(c command.Command) (f verbs.Faults, given bool) {
	given = c.Has("off") || c.Has("seed")
	for _, share := range verbs.FaultShares {
		*share.Of(&f) = c.Share(share.Name)
		given = given || c.Has(share.Name)
	}
	for _, span := range verbs.FaultSpans {
		*span.Of(&f) = c.Duration(span.Name)
		given = given || c.Has(span.Name)
	}
	f.Seed = c.Uint("seed")
	return f, given
}

// faultyDevice returns the device that the command names, otherwise the only open one, or the only one that exists.
func faultyDevice(c *core.Call) (string, verbs.FaultInjector, error) {
	name := c.Cmd.String("device")
	if name == "" {
		names := faultable(c.S)
		if len(names) != 1 {
			return "", nil, &core.ChoiceError{Kinds: []command.ObjectKind{command.KindAvailable}, Names: names}
		}
		name = names[0]
		c.Choose("device", name)
	}
	p, err := ProviderOf(c.S, name)
	if err != nil {
		return "", nil, err
	}
	injector, ok := p.(verbs.FaultInjector)
	if !ok {
		return "", nil, &verbs.UnsupportedError{Feature: "fault on " + name,
			Requires: "a software device; for host devices use tc netem on their network interface"}
	}
	return name, injector, nil
}

// faultable lists the open devices that support faults; if none is open, all that could be opened.
func faultable(s *core.Session) (names []string) {
	var open []string
	for _, p := range s.Opts.Providers {
		if _, ok := p.(verbs.FaultInjector); !ok {
			continue
		}
		infos, _ := p.Devices() // what cannot be listed cannot be meant
		for _, info := range infos {
			names = append(names, info.Name)
			if s.Taken(info.Name) {
				open = append(open, info.Name)
			}
		}
	}
	if len(open) > 0 {
		return open
	}
	return names
}

// faults reads the faults of an open device from its provider.
func (d *Device) faults() verbs.Faults {
	if d.injector == nil {
		return verbs.Faults{}
	}
	f, err := d.injector.Faults(d.Info.Name)
	if err != nil {
		return verbs.Faults{}
	}
	return f
}
