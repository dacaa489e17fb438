package device

import (
	"slices"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// Managed is the node of a device that the manager opened, nil where none
// was made yet. Session.mu is held.
func Managed(s *core.Session, dev verbs.Device) *Device {
	for _, n := range s.Graph.Nodes {
		if d, ok := n.Body.(*Device); ok && d.Dev == dev {
			return d
		}
	}
	return nil
}

// Adopt makes a device that the manager opened one of the session's:
// rxe0-cm, beside rxe0 where the user opened that, too.
func Adopt(s *core.Session, dev verbs.Device, p verbs.Provider) (*Device, error) {
	d := &Device{Dev: dev, Info: dev.Info(), Managed: true}
	d.injector, _ = p.(verbs.FaultInjector)
	if err := readDevice(s, d); err != nil {
		return nil, err
	}
	d.stop = func() {} // until it is started, below
	s.Mu.Lock()
	d.Node = &core.Node{Name: s.Graph.FreeName(d.Info.Name + "-cm"), Kind: command.KindDevice, Body: d}
	s.Graph.Add(d.Node)
	s.Mu.Unlock()
	startAsync(s, d)
	s.Changed()
	return d, nil
}

// Unused forgets a device of the manager that nothing uses any more: the manager gives
// it back then, and opens it anew.
func (d *Device) Unused(s *core.Session) {
	if !d.Managed {
		return
	}
	s.Mu.Lock()
	idle := !slices.ContainsFunc(s.Graph.Nodes, func(m *core.Node) bool { return slices.Contains(m.Uses, d.Node) || core.BoundTo(m, d.Node) })
	if idle {
		s.Graph.Remove(d.Node)
	}
	s.Mu.Unlock()
	if idle {
		d.StopAsync()
	}
}
