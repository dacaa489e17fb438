package cm

import (
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// Manager is a provider that has a connection manager.
type Manager struct {
	Provider string
	Device   string // one of its devices, by which a command line can name it
}

// Managers lists the providers with a device and a connection manager, in the
// order in which a command that names no device takes the first. It asks the
// providers for their devices, which takes time.
func Managers(s *core.Session) []Manager {
	var list []Manager
	for _, p := range s.Opts.Providers {
		if _, ok := p.(verbs.CMProvider); !ok {
			continue
		}
		if infos, _ := p.Devices(); len(infos) > 0 { // one that cannot be listed has none
			list = append(list, Manager{p.Name(), infos[0].Name})
		}
	}
	return list
}
