package device

import (
	"slices"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// Managed returns the node of a device that the manager opened, nil if there is none
// yet. Session.mu is held.
func Managed(s *core.Session, dev verbs.Device) *Device {
	for _, n := range s.Graph.Nodes {
		if d, ok := n.Body.(*Device); ok && d.Dev == dev {
			return d
		}
	}
	return nil
}

// Adopt adds a device that the manager opened to the session: as rxe0-cm, next to
// rxe0 if the user opened that too.
func Adopt(s *core.Session, dev verbs.Device, p verbs.Provider) (*Device, error) {
	d := &Device{Dev: dev, Info: dev.Info(), Managed: true}
	d.injector, _ = p.(verbs.FaultInjector)
	if err := readDevice(s, d); err != nil {
		return nil, err
	}
	d.stop = func() {} // until it is started below
	s.Mu.Lock()
	d.Node = &core.Node{Name: s.Graph.FreeName(d.Info.Name + "-cm"), Kind: command.KindDevice, Body: d}
	s.Graph.Add(d.Node)
	s.Mu.Unlock()
	startAsync(s, d)
	s.Changed()
	return d, nil
}

// Unused removes a device of the manager that nothing uses any more: the manager then
// closes it, and opens it again when needed.
func (d *Device) Unused(s *core.Session) {
	if !d.Managed {
		return
	}
	s.Mu.Lock()
	idle := !slices.ContainsFunc(s.Graph.Nodes, func(m *core.Node) bool {
		return slices.Contains(m.Uses, d.Node) || core.BoundTo(m, d.Node)
	})
	if idle {
		s.Graph.Remove(d.Node)
	}
	s.Mu.Unlock()
	if idle {
		d.StopAsync()
	}
}
