package device

import (
	"slices"

	"rdmatui/session/command"
	"rdmatui/session/core"
)

// InterfaceOf returns the network interface of an open device of the host, "" if none is
// known.
func InterfaceOf(s *core.Session, name string) string {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, each := range s.Graph.Names(command.KindDevice) {
		if d, ok := s.Graph.ByName[each].Body.(*Device); ok && d.Info.Name == name {
			return d.netdev()
		}
	}
	return ""
}

// WithInterface lists the open devices that have a network interface.
func WithInterface(s *core.Session) (names []string) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, each := range s.Graph.Names(command.KindDevice) {
		if d, ok := s.Graph.ByName[each].Body.(*Device); ok && d.netdev() != "" && !slices.Contains(names, d.Info.Name) {
			names = append(names, d.Info.Name)
		}
	}
	return names
}

// netdev returns the network interface of the first GID that has one in this network
// namespace.
func (d *Device) netdev() string {
	for _, e := range d.GIDs.Rows {
		if e.Netdev != "" && d.GIDs.Network.Here(e) {
			return e.Netdev
		}
	}
	return ""
}
