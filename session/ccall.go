package session

import (
	"fmt"
	"strings"

	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// The functions of this file write the C call that a command stands for, with
// the objects by the user's names, so that it can be compared with a program or
// a man page.

// cStruct collects the designated initialisers of a C struct.
type cStruct struct{ parts []string }

// set adds a field.
func (s *cStruct) set(field, value string) {
	s.parts = append(s.parts, "."+field+" = "+value)
}

func (s *cStruct) String() string { return "{" + strings.Join(s.parts, ", ") + "}" }

// cBool is a truth value.
func cBool(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// cHex is a number in hexadecimal.
func cHex[T verbs.Integer](v T) string { return fmt.Sprintf("0x%x", v) }

// modifyCall is the call of ibv_modify_qp.
func modifyCall(qp string, a *verbs.QPAttr) string {
	var s cStruct
	for i := range fields.QP {
		if f := &fields.QP[i]; a.Mask&f.Bit != 0 && !impliedZero(f, a) {
			s.set(f.CName, cFieldValue(f, a))
		}
	}
	return fmt.Sprintf("ibv_modify_qp(%s, %s, %s)", qp, s.String(), verbs.AttrMasks.CName(a.Mask))
}

// impliedZero reports whether an initialiser can be left out: C zeroes what an
// address vector does not name, and most of one is seldom used.
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

// cFieldValues are the fields whose C text is not their own text.
var cFieldValues = map[string]func(a *verbs.QPAttr) string{
	"qp_state":        func(a *verbs.QPAttr) string { return verbs.QPStates.CName(a.QPState) },
	"cur_qp_state":    func(a *verbs.QPAttr) string { return verbs.QPStates.CName(a.CurQPState) },
	"path_mtu":        func(a *verbs.QPAttr) string { return a.PathMTU.CName() },
	"qp_access_flags": func(a *verbs.QPAttr) string { return verbs.AccessFlags.CName(a.QPAccessFlags) },
	"path_mig_state":  func(a *verbs.QPAttr) string { return verbs.MigStates.CName(a.PathMigState) },
	"dgid":            func(a *verbs.QPAttr) string { return cGID(a.AH.GRH.DGID) },
	"alt_dgid":        func(a *verbs.QPAttr) string { return cGID(a.AltAH.GRH.DGID) },
}

func cFieldValue(f *fields.QPField, a *verbs.QPAttr) string {
	if text := cFieldValues[f.Name]; text != nil {
		return text(a)
	}
	return f.Format(a)
}

// cGID writes a GID as text in quotes: as an initialiser of 16 bytes it could
// not be read.
func cGID(g verbs.GID) string { return `"` + g.String() + `"` }

// createAHCall is the call of ibv_create_ah.
func createAHCall(pd string, a *verbs.AHAttr) string {
	var s cStruct
	if a.IsGlobal {
		var grh cStruct
		grh.set("dgid", cGID(a.GRH.DGID))
		grh.set("sgid_index", fmt.Sprint(a.GRH.SGIDIndex))
		grh.set("hop_limit", fmt.Sprint(a.GRH.HopLimit))
		if a.GRH.TrafficClass != 0 {
			grh.set("traffic_class", fmt.Sprint(a.GRH.TrafficClass))
		}
		if a.GRH.FlowLabel != 0 {
			grh.set("flow_label", fmt.Sprint(a.GRH.FlowLabel))
		}
		s.set("grh", grh.String())
	}
	s.set("dlid", fmt.Sprint(a.DLID))
	s.set("sl", fmt.Sprint(a.SL))
	s.set("is_global", cBool(a.IsGlobal))
	s.set("port_num", fmt.Sprint(a.PortNum))
	return fmt.Sprintf("ibv_create_ah(%s, %s)", pd, s.String())
}

// cSGList sets the fields of a list of memory.
func cSGList(s *cStruct, list []verbs.SGE) {
	if len(list) == 0 {
		s.set("num_sge", "0")
		return
	}
	elements := make([]string, len(list))
	for i, e := range list {
		var c cStruct
		c.set("addr", cHex(e.Addr))
		c.set("length", fmt.Sprint(e.Length))
		c.set("lkey", cHex(e.LKey))
		elements[i] = c.String()
	}
	s.set("sg_list", "{"+strings.Join(elements, ", ")+"}")
	s.set("num_sge", fmt.Sprint(len(list)))
}

// postRecvCall is the call of ibv_post_recv on a queue pair, or of
// ibv_post_srq_recv on a shared receive queue.
func postRecvCall(verb, queue string, wr *verbs.RecvWR) string {
	return fmt.Sprintf("%s(%s, %s, &bad_wr)", verb, queue, cRecvWR(wr))
}

// cRecvWR is a struct ibv_recv_wr.
func cRecvWR(wr *verbs.RecvWR) string {
	var s cStruct
	s.set("wr_id", fmt.Sprint(wr.WRID))
	cSGList(&s, wr.SGList)
	return s.String()
}

// createSRQCall is the call of ibv_create_srq.
func createSRQCall(pd string, spec *verbs.SRQSpec) string {
	var s, attr cStruct
	attr.set("max_wr", fmt.Sprint(spec.MaxWR))
	attr.set("max_sge", fmt.Sprint(spec.MaxSGE))
	s.set("attr", attr.String())
	return fmt.Sprintf("ibv_create_srq(%s, %s)", pd, s.String())
}

// modifySRQCall is the call of ibv_modify_srq.
func modifySRQCall(srq string, a *verbs.SRQAttr) string {
	var s cStruct
	var mask []string
	if a.Mask&verbs.SRQMaxWR != 0 {
		s.set("max_wr", fmt.Sprint(a.MaxWR))
		mask = append(mask, "IBV_SRQ_MAX_WR")
	}
	if a.Mask&verbs.SRQLimit != 0 {
		s.set("srq_limit", fmt.Sprint(a.Limit))
		mask = append(mask, "IBV_SRQ_LIMIT")
	}
	if len(mask) == 0 {
		mask = []string{"0"}
	}
	return fmt.Sprintf("ibv_modify_srq(%s, %s, %s)", srq, s.String(), strings.Join(mask, " | "))
}

// mcastCall is the call of ibv_attach_mcast or ibv_detach_mcast.
func mcastCall(verb, qp string, gid verbs.GID, lid uint16) string {
	return fmt.Sprintf("%s(%s, %s, %d)", verb, qp, cGID(gid), lid)
}

// createCQCall is the call of ibv_create_cq, or of ibv_create_cq_ex.
func createCQCall(device, channel string, spec *verbs.CQSpec) string {
	if spec.WCFlags == 0 {
		return fmt.Sprintf("ibv_create_cq(%s, %d, NULL, %s, %d)", device, spec.CQE, channel, spec.CompVector)
	}
	var s cStruct
	s.set("cqe", fmt.Sprint(spec.CQE))
	s.set("channel", channel)
	s.set("comp_vector", fmt.Sprint(spec.CompVector))
	flags := "IBV_WC_STANDARD_FLAGS"
	if more := spec.WCFlags &^ verbs.CQStandard; more != 0 {
		flags += "|" + verbs.CQWCFlagNames.CName(more)
	}
	s.set("wc_flags", flags)
	return fmt.Sprintf("ibv_create_cq_ex(%s, %s)", device, s.String())
}
