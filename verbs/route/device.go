package route

import (
	"fmt"
	"net/netip"
	"slices"

	"rdmatui/verbs"
)

// Candidate is a device to choose from.
type Candidate struct {
	Name  string
	Ports []verbs.PortState // from port 1 on
	GIDs  []verbs.GIDEntry  // of all ports; nil if unknown
}

// ChosenDevice is a device, and the reason for choosing it.
type ChosenDevice struct {
	Name string
	Why  string // "the route to 10.8.0.2 leaves from 10.8.0.1"
}

// Device picks the default device: the one through which the routing table sends
// packets to the peer, else the first with an ACTIVE port, else the first. The invalid
// address means any peer; an address of this host selects the device that has it. A
// loopback address selects nothing: the ends of any device can connect over it. all
// contains at least one device.
func (n Network) Device(all []Candidate, peer netip.Addr) ChosenDevice {
	if len(all) == 1 {
		return ChosenDevice{all[0].Name, "the only device"}
	}
	if peer.IsLoopback() {
		peer = netip.Addr{}
	}
	for _, d := range all {
		if rows := n.routed(d.GIDs, peer); len(rows) > 0 {
			return ChosenDevice{d.Name, rows[0].Why}
		}
	}
	for i, d := range all {
		switch {
		case !slices.Contains(d.Ports, verbs.PortActive):
		case i == 0:
			return ChosenDevice{d.Name, fmt.Sprintf("the first of %d devices, with an ACTIVE port", len(all))}
		default:
			return ChosenDevice{d.Name, "the first device with an ACTIVE port; " + all[0].Name + " has none"}
		}
	}
	return ChosenDevice{all[0].Name, fmt.Sprintf("none of %d devices has an ACTIVE port", len(all))}
}
