package connections

import (
	"slices"
	"strings"

	"rdmatui/devices"
	"rdmatui/session/cm"
	"rdmatui/ui/screen"
	"rdmatui/verbs"
)

// hostMsg carries the providers with a connection manager, and the addresses at which
// peers reach this host's devices.
type hostMsg struct {
	managers  []cm.Manager
	addresses []string
}

// addressesMost bounds the number of addresses shown.
const addressesMost = 6

// addresses returns the addresses of the devices' RoCE GIDs, each with its device. On
// InfiniBand a GID is not an address.
func addresses(inv screen.Inventory) (list []string) {
	for _, sum := range inv.List() {
		d, err := inv.Detail(sum.Name)
		if err != nil {
			continue // the Devices screen says why
		}
		for i := range d.Ports {
			for _, a := range addressesOf(&d.Ports[i]) {
				if list = append(list, a+" ("+sum.Name+")"); len(list) == addressesMost {
					return list
				}
			}
		}
	}
	return list
}

func addressesOf(p *devices.Port) (list []string) {
	for _, g := range p.GIDs {
		if g.Type != verbs.GIDTypeRoCEv2 || p.LinkLayer != verbs.LinkEthernet {
			continue
		}
		a := g.GID.Addr().Unmap()
		if text := a.String(); !a.IsLinkLocalUnicast() && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// reachedAt formats the addresses in one line.
func (s *start) reachedAt() string { return strings.Join(s.addresses, ", ") }
