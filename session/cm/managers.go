package cm

import (
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// Manager is a provider that has a connection manager.
type Manager struct {
	Provider string
	Device   string // one of its devices, for use in command lines
}

// Managers lists the providers that have a device and a connection manager, in the
// order in which a command without a device tries them. It lists the providers'
// devices, which takes time.
func Managers(s *core.Session) []Manager {
	var list []Manager
	for _, p := range s.Opts.Providers {
		if _, ok := p.(verbs.CMProvider); !ok {
			continue
		}
		if infos, _ := p.Devices(); len(infos) > 0 { // a provider that cannot list its devices has none
			list = append(list, Manager{p.Name(), infos[0].Name})
		}
	}
	return list
}
