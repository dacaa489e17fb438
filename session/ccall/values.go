package ccall

import (
	"fmt"
	"strings"

	"rdmatui/session/command"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// The sources in this file hold current values, for the screen.

// GID formats a GID as quoted text: an initialiser of 16 bytes would be unreadable.
func GID(g verbs.GID) string { return `"` + g.String() + `"` }

// QPAttr returns a source with the attributes that are set.
func QPAttr(a *verbs.QPAttr) Source {
	return func(member string) Node {
		f := qpFields[member]
		if f == nil || a.Mask&f.Bit == 0 || impliedZero(f, a) {
			return nil
		}
		if text := cFieldValues[f.Name]; text != nil {
			return Text(text(a))
		}
		return Text(f.Format(a))
	}
}

var qpFields = func() map[string]*fields.QPField {
	all := map[string]*fields.QPField{}
	for i := range fields.QP {
		all[fields.QP[i].CName] = &fields.QP[i]
	}
	return all
}()

// impliedZero reports whether an initialiser can be left out: C zeroes unnamed
// members of an address vector, and most of them are seldom used.
func impliedZero(f *fields.QPField, a *verbs.QPAttr) bool {
	if f.Bit != verbs.AttrAV && f.Bit != verbs.AttrAltPath {
		return false
	}
	switch f.Name {
	case "dgid", "sgid_index", "ah_port_num", "is_global":
		return !a.AH.IsGlobal && f.Name != "ah_port_num" && f.Name != "is_global"
	}
	return f.Format(a) == f.Format(&verbs.QPAttr{})
}

// cFieldValues formats the fields whose C text differs from their own text.
var cFieldValues = map[string]func(a *verbs.QPAttr) string{
	"qp_state":        func(a *verbs.QPAttr) string { return verbs.QPStates.CName(a.QPState) },
	"cur_qp_state":    func(a *verbs.QPAttr) string { return verbs.QPStates.CName(a.CurQPState) },
	"path_mtu":        func(a *verbs.QPAttr) string { return a.PathMTU.CName() },
	"qp_access_flags": func(a *verbs.QPAttr) string { return verbs.AccessFlags.CName(a.QPAccessFlags) },
	"path_mig_state":  func(a *verbs.QPAttr) string { return verbs.MigStates.CName(a.PathMigState) },
	"dgid":            func(a *verbs.QPAttr) string { return GID(a.AH.GRH.DGID) },
	"alt_dgid":        func(a *verbs.QPAttr) string { return GID(a.AltAH.GRH.DGID) },
}

// AHAttr returns a source with an address vector, without seldom-used members that
// are zero.
func AHAttr(a *verbs.AHAttr) Source {
	return func(member string) Node {
		switch member {
		case "dlid":
			return Dec(a.DLID)
		case "sl":
			return Dec(a.SL)
		case "is_global":
			return Text(Bool(a.IsGlobal))
		case "port_num":
			return Dec(a.PortNum)
		}
		if !a.IsGlobal {
			return nil
		}
		switch g := &a.GRH; member {
		case "grh.dgid":
			return Text(GID(g.DGID))
		case "grh.sgid_index":
			return Dec(g.SGIDIndex)
		case "grh.hop_limit":
			return Dec(g.HopLimit)
		case "grh.traffic_class":
			return unlessZero(g.TrafficClass)
		case "grh.flow_label":
			return unlessZero(g.FlowLabel)
		}
		return nil
	}
}

func unlessZero[T verbs.Integer](v T) Node {
	if v == 0 {
		return nil
	}
	return Dec(v)
}

// AddrInfoHints returns a source with the hints for a resolver; src is the source
// address, nil if there is none.
func AddrInfoHints(h *verbs.AddrInfoHints, src Node) Source {
	values := map[string]Node{}
	if src != nil {
		values["ai_src_addr"] = src
	}
	if h.Flags != 0 {
		values["ai_flags"] = Flags(verbs.AddrInfoFlagNames.CName(h.Flags))
	}
	if h.Family != 0 {
		values["ai_family"] = Text(verbs.AddrFamilies.CName(h.Family))
	}
	if h.QPType != 0 {
		values["ai_qp_type"] = Text(verbs.QPTypes.CName(h.QPType))
	}
	if h.PortSpace != 0 {
		values["ai_port_space"] = Text(verbs.CMPortSpaces.CName(h.PortSpace))
	}
	return Table(values)
}

// Table returns a source that looks members up in a map.
func Table(values map[string]Node) Source {
	return func(member string) Node { return values[member] }
}

// Pieces converts an SGE list.
func Pieces(list []verbs.SGE) List {
	pieces := make(List, len(list))
	for i, e := range list {
		pieces[i] = SGE(Hex(e.Addr), fmt.Sprint(e.Length), Hex(e.LKey))
	}
	return pieces
}

// requestForms are the forms of a request's numbers that are not written in decimal.
var requestForms = map[string]string{
	"imm_data": "htonl(0x%x)", "invalidate_rkey": "0x%x", "remote_addr": "0x%x", "rkey": "0x%x", "remote_qkey": "0x%x",
}

// Request returns a source with a request of a line, by argument of post_send. Its pieces of memory are known apart,
// and what a window is bound to; bind is nil for other requests. An extended request is inline by another function.
func Request(c command.Command, pieces List, bind Source, extended bool) Source {
	return func(member string) Node {
		switch {
		case member == "sg_list" && len(pieces) > 0:
			return pieces
		case member == "num_sge":
			return Dec(len(pieces))
		case member == "send_flags" && extended:
			return Flags(verbs.SendFlagNames.CName(c.SendFlags(member) &^ verbs.SendInline))
		case bind != nil && bind(member) != nil:
			return bind(member)
		case strings.HasPrefix(member, "remote_q") && !c.Has("ah"),
			member == "swap" && !c.Opcode("opcode").Traits().Swap:
			return nil
		case member == "remote_qpn":
			return Text(verbs.QPN(c.Uint(member)).String())
		case requestForms[member] != "":
			return Format(requestForms[member], c.Uint(member))
		}
		if v := valueOf(c, member); v != nil || c.Spec.Arg(member) == nil || c.Spec.Arg(member).Type != command.Uint {
			return v
		}
		return Dec(0)
	}
}

// ReceiveWR returns a source with a receive request.
func ReceiveWR(wr *verbs.RecvWR) Source {
	values := map[string]Node{"wr_id": Dec(wr.WRID), "num_sge": Dec(len(wr.SGList))}
	if len(wr.SGList) > 0 {
		values["sg_list"] = Pieces(wr.SGList)
	}
	return Table(values)
}
