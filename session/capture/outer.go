package capture

import (
	"fmt"
	"net/netip"
	"strings"
)

// Kind is how a packet is encapsulated.
type Kind uint8

// The kinds of encapsulation.
const (
	NoKind Kind = iota
	VXLAN
	VXLANGPE
	Geneve
	GRE
	NVGRE
	ERSPAN1
	ERSPAN2
	ERSPAN3
	Everflow
	MPLS
	IPIP
	SixInFour
	FourInSix
	SixInSix
	SRv6
	EtherIP
	GTPU
	PPPoE
	MACinMAC
	L2TP2
	L2TP3
	TZSP
	TRILL
	FabricPath
	NSH
	LISP
	GUE
	Teredo
	Jmirror
	HPERM
)

// kinds has for each kind its name, and the name of its identifier; "": it has none.
var kinds = [...]struct{ name, id string }{
	VXLAN: {"VXLAN", "vni"}, VXLANGPE: {"VXLAN-GPE", "vni"}, Geneve: {"GENEVE", "vni"}, GRE: {"GRE", "key"},
	NVGRE: {"NVGRE", "vsid"}, ERSPAN1: {"ERSPAN I", ""}, ERSPAN2: {"ERSPAN II", "session"},
	ERSPAN3: {"ERSPAN III", "session"}, Everflow: {"Everflow", ""}, MPLS: {"MPLS", "label"}, IPIP: {"IP-in-IP", ""},
	SixInFour: {"6in4", ""}, FourInSix: {"4in6", ""}, SixInSix: {"6in6", ""}, SRv6: {"SRv6", ""},
	EtherIP: {"EtherIP", ""}, GTPU: {"GTP-U", "teid"}, PPPoE: {"PPPoE", "session"}, MACinMAC: {"MAC-in-MAC", "isid"},
	L2TP2: {"L2TPv2", "session"}, L2TP3: {"L2TPv3", "session"}, TZSP: {"TZSP", ""}, TRILL: {"TRILL", ""},
	FabricPath: {"FabricPath", ""}, NSH: {"NSH", "spi"}, LISP: {"LISP", "instance"}, GUE: {"GUE", ""},
	Teredo: {"Teredo", ""}, Jmirror: {"Jmirror", "session"}, HPERM: {"HP ERM", ""},
}

// String returns the name of the encapsulation.
func (k Kind) String() string { return kinds[k].name }

// IDName returns what the encapsulation calls its identifier, "" if it has none.
func (k Kind) IDName() string { return kinds[k].id }

// Layer is one encapsulation with the headers in front of it.
type Layer struct {
	Kind     Kind
	HasID    bool
	VLAN     uint16         // identifier of the inner tag, 0 without one
	ID       uint32         // named by [Kind.IDName]
	MAC      MAC            // zero: there is no Ethernet header
	Src, Dst netip.AddrPort // zero: there is no IP header; port 0: no UDP
}

// maxLayers bounds how deep packets are encapsulated in each other.
const maxLayers = 8

// Outer is what a packet is encapsulated in. It does not change.
type Outer struct {
	layers [maxLayers]Layer
	n      int
}

// Layers returns the encapsulations, the outermost first; none for nil.
func (o *Outer) Layers() []Layer {
	if o == nil {
		return nil
	}
	return o.layers[:o.n]
}

// String describes the encapsulations, the outermost first.
func (o *Outer) String() string {
	var all []string
	for i := range o.Layers() {
		all = append(all, o.layers[i].String())
	}
	return strings.Join(all, " / ")
}

// String names the encapsulation with its identifier and its addresses: those of IP, else those of Ethernet.
func (l *Layer) String() string {
	text := l.Kind.String()
	if l.HasID {
		text += fmt.Sprintf(" %s %d", l.Kind.IDName(), l.ID)
	}
	switch {
	case l.Src.Addr().IsValid():
		text += " " + addrText(l.Src) + " -> " + addrText(l.Dst)
	case l.MAC != MAC{}:
		text += " " + macText(l.MAC.Src) + " -> " + macText(l.MAC.Dst)
	}
	if l.VLAN > 0 {
		text += fmt.Sprintf(" vlan %d", l.VLAN)
	}
	return text
}

// addrText returns an address, with its port if it has one.
func addrText(a netip.AddrPort) string {
	if a.Port() == 0 {
		return a.Addr().String()
	}
	return a.String()
}

// Addrs returns the outer addresses as text, "" for those that are missing.
func (l *Layer) Addrs() (src, dst, srcMAC, dstMAC string) {
	if l.Src.Addr().IsValid() {
		src, dst = addrText(l.Src), addrText(l.Dst)
	}
	if l.MAC != (MAC{}) {
		srcMAC, dstMAC = macText(l.MAC.Src), macText(l.MAC.Dst)
	}
	return src, dst, srcMAC, dstMAC
}
