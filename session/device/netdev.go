package device

import (
	"os"
	"path/filepath"
	"slices"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/verbs"
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

// SoftRoCE lists the open rxe devices, whose packets to other hosts all pass a network
// interface.
func SoftRoCE(s *core.Session) (names []string) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, each := range s.Graph.Names(command.KindDevice) {
		d, ok := s.Graph.ByName[each].Body.(*Device)
		if ok && isSoftRoCE(&d.Info) && d.netdev() != "" && !slices.Contains(names, d.Info.Name) {
			names = append(names, d.Info.Name)
		}
	}
	return names
}

// isSoftRoCE recognizes rxe by the attribute that names its network interface, which no
// other driver has.
func isSoftRoCE(info *verbs.DeviceInfo) bool {
	if info.IBDevPath == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(info.IBDevPath, "parent"))
	return err == nil
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
