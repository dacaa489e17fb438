package bringup

import (
	"cmp"
	"fmt"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// prefill holds what the values of a plan are derived from.
type prefill struct {
	q       *queue.QP
	peer    *core.Node // nil if unknown
	peerGID verbs.GID
	port    uint8
	portWhy string
}

func (p *prefill) readPeerGID() {
	text, _, _ := p.fromPeer("gid")
	p.peerGID, _ = verbs.ParseGID(text) // the text of our own objects is valid; without a peer it is empty
}

// isGlobal reports whether the path has a GRH. A remote peer reached by LID sends
// zeros as its GID; a queue pair of this session always has a GID.
func (p *prefill) isGlobal() bool {
	if p.q.PD.Device.NeedsGRH(p.port) {
		return true
	}
	if other, ours := p.peerQP(); ours && !p.q.NamesGID() && !other.NamesGID() {
		own, err := p.q.OwnGID()
		return err == nil && own.GID.SubnetPrefix() != p.peerGID.SubnetPrefix()
	}
	return p.peerGID.InterfaceID() != 0
}

// pathNeeds reports whether a path requires a field of the address vector.
func (p *prefill) pathNeeds(field string) bool {
	switch field {
	case "dgid", "sgid_index", "is_global":
		return p.isGlobal()
	case "dlid":
		return p.q.PD.Device.Port(p.port).LinkLayer == verbs.LinkInfiniBand
	case "ah_port_num":
		return true
	}
	return false
}

func (p *prefill) fromPeer(field string) (value, source, ref string) {
	if p.peer == nil {
		return "", "", ""
	}
	text, err := p.peer.Field(field)
	if err != nil {
		return "", "", ""
	}
	return text, "from " + p.peer.Name, p.peer.Name + "." + field
}

// prefills maps each field that bring-up needs to a function that returns its value,
// the value's source, and a reference to read it again.
var prefills = map[string]func(p *prefill) (value, source, ref string){
	"port_num":        func(p *prefill) (string, string, string) { return fmt.Sprint(p.port), p.portWhy, "" },
	"pkey_index":      byDefault("pkey_index"),
	"qp_access_flags": byDefault("qp_access_flags"),
	"qkey":            byDefault("qkey"),
	"path_mtu":        prefillMTU,
	"dest_qp_num":     func(p *prefill) (string, string, string) { return p.fromPeer("qp_num") },
	"rq_psn":          func(p *prefill) (string, string, string) { return p.fromPeer("psn") },
	"sq_psn": func(p *prefill) (string, string, string) {
		return p.q.PSN.String(), "random, chosen at create_qp", p.q.Name + ".psn"
	},
	"max_dest_rd_atomic": func(p *prefill) (string, string, string) {
		return atMost("max_dest_rd_atomic", p.q.PD.Device.Attr.MaxQPRDAtom)
	},
	"max_rd_atomic": func(p *prefill) (string, string, string) {
		return atMost("max_rd_atomic", p.q.PD.Device.Attr.MaxQPInitRDAtom)
	},
	"min_rnr_timer": byDefault("min_rnr_timer"),
	"timeout":       byDefault("timeout"),
	"retry_cnt":     byDefault("retry_cnt"),
	"rnr_retry":     byDefault("rnr_retry"),
	"is_global":     onGlobalPath(func(p *prefill) (string, string, string) { return "1", "the path has a GRH", "" }),
	"dgid":          onGlobalPath(func(p *prefill) (string, string, string) { return p.fromPeer("gid") }),
	"sgid_index":    onGlobalPath(prefillSGIDIndex),
	"hop_limit": onGlobalPath(func(p *prefill) (string, string, string) {
		return queue.HopLimit(p.peerGID), "default", ""
	}),
	"ah_port_num": func(p *prefill) (string, string, string) { return fmt.Sprint(p.port), "port_num", "" },
	"dlid": func(p *prefill) (string, string, string) {
		if !p.pathNeeds("dlid") {
			return "", "", ""
		}
		return p.fromPeer("lid")
	},
}

// defaultOf returns the default of connect_qps, the only place where bring-up's
// default values are defined.
func defaultOf(field string) string {
	if a := command.ConnectQPs.Arg(field); a != nil {
		return a.Default
	}
	return ""
}

func byDefault(field string) func(*prefill) (string, string, string) {
	return func(*prefill) (string, string, string) { return defaultOf(field), "default", "" }
}

func onGlobalPath(f func(*prefill) (string, string, string)) func(*prefill) (string, string, string) {
	return func(p *prefill) (string, string, string) {
		if !p.isGlobal() {
			return "", "", ""
		}
		return f(p)
	}
}

// atMost returns the default, or the device's limit if that is lower.
func atMost(field string, limit int32) (string, string, string) {
	value := defaultOf(field)
	if limit == 0 {
		value = "0"
	}
	return value, fmt.Sprintf("device max %d", limit), ""
}

// prefillMTU returns 1024 bytes, the usual choice, or the MTU of a port of the path if
// that is lower. A port that could not be read does not count.
func prefillMTU(p *prefill) (string, string, string) {
	active := p.q.PD.Device.Port(p.port).ActiveMTU
	if other, ok := p.peerQP(); ok {
		far := other.PD.Device.Port(other.Port()).ActiveMTU
		active = min(cmp.Or(active, far), cmp.Or(far, active))
	}
	if active == 0 {
		return verbs.MTU1024.String(), fmt.Sprintf("usual; port %d was not read", p.port), ""
	}
	return min(active, verbs.MTU1024).String(), fmt.Sprintf("port max %s", active), ""
}

func (p *prefill) peerQP() (*queue.QP, bool) {
	if p.peer == nil {
		return nil, false
	}
	q, ok := p.peer.Body.(*queue.QP)
	return q, ok
}

func prefillSGIDIndex(p *prefill) (string, string, string) {
	e, err := p.q.SourceGID(p.port, p.peerGID)
	if err != nil {
		return "", "", ""
	}
	return fmt.Sprint(e.Index), fmt.Sprintf("%s %s: %s", e.GID, e.Type, e.Why), ""
}
