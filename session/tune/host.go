package tune

import (
	"fmt"
	"runtime"

	"rdmatui/verbs"
)

// Place says where the experiments ran.
type Place struct {
	Device    string `json:"device"`
	Provider  string `json:"provider"`
	Port      uint8  `json:"port_num"`
	ActiveMTU int    `json:"active_mtu"`
	CPUs      int    `json:"cpus"`
}

// host is what the experiments depend on.
type host struct {
	Place
	mtu   verbs.MTU
	attr  verbs.DeviceAttr
	ex    *verbs.DeviceAttrEx
	nodes nodes
	reads int // READs that a queue pair may have outstanding
}

// readHost reads the host from the session's device.
func (r *Run) readHost() (host, error) {
	r.s.Mu.RLock()
	defer r.s.Mu.RUnlock()
	num := r.dev.UsualPort().PortNum
	port := r.dev.Port(num)
	h := host{mtu: port.ActiveMTU, attr: r.dev.Attr, ex: r.dev.Ex}
	h.Place = Place{Device: r.dev.Info.Name, Provider: r.dev.Info.Provider, Port: num, ActiveMTU: h.mtu.Bytes(),
		CPUs: runtime.NumCPU()}
	h.nodes = readNodes("/sys", r.dev.Info.IBDevPath)
	h.reads = int(max(min(h.attr.MaxQPInitRDAtom, h.attr.MaxQPRDAtom, 16), 1))
	if port.State != verbs.PortActive {
		return h, fmt.Errorf("port %d of %s is %s", num, r.dev.Name, port.State)
	}
	return h, nil
}

// names returns the pairs of names in braces and values for texts.
func (h *host) names() []string {
	return []string{"{mtu}", h.mtu.String(), "{reads}", fmt.Sprint(h.reads), "{node}", fmt.Sprint(h.nodes.own), "{far}",
		fmt.Sprint(h.nodes.far())}
}
