package devices

import "net/netip"

// Route is how packets to an address leave this host.
type Route struct {
	Source   netip.Addr `json:"source"`              // the source address that the kernel chooses
	Netdev   string     `json:"netdev"`              // the interface
	Gateway  netip.Addr `json:"gateway,omitzero"`    // the next hop; invalid: the destination itself
	Local    bool       `json:"local,omitempty"`     // the address is one of this host
	MTU      int        `json:"mtu,omitempty"`       // of the route, in bytes; 0: that of the interface
	Errno    string     `json:"errno,omitempty"`     // why there is no route: "ENETUNREACH"
	HopMAC   string     `json:"hop_mac,omitempty"`   // link-layer address of the next hop; "" if unknown
	HopState string     `json:"hop_state,omitempty"` // state of its neighbour entry: "reachable", "failed"; "" if none
}
