package session

import (
	"slices"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// managedDevice is the node of a device that the manager opened, nil where none
// was made yet. Session.mu is held.
func managedDevice(s *core.Session, dev verbs.Device) *device {
	for _, n := range s.Graph.Nodes {
		if d, ok := n.Body.(*device); ok && d.dev == dev {
			return d
		}
	}
	return nil
}

// adoptDevice makes a device that the manager opened one of the session's:
// rxe0-cm, beside rxe0 where the user opened that, too.
func adoptDevice(s *core.Session, dev verbs.Device, p verbs.Provider) (*device, error) {
	d := &device{dev: dev, info: dev.Info(), managed: true}
	d.injector, _ = p.(verbs.FaultInjector)
	if err := readDevice(s, d); err != nil {
		return nil, err
	}
	d.stop = func() {} // until it is started, below
	s.Mu.Lock()
	d.Node = &core.Node{Name: s.Graph.FreeName(d.info.Name + "-cm"), Kind: command.KindDevice, Body: d}
	s.Graph.Add(d.Node)
	s.Mu.Unlock()
	startAsync(s, d)
	s.Changed()
	return d, nil
}

// Unused forgets a device of the manager that nothing uses any more: the manager gives
// it back then, and opens it anew.
func (d *device) Unused(s *core.Session) {
	if !d.managed {
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
