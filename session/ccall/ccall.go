// Package ccall writes C calls and the initialisers of their structs. A call is a
// tree that is made once, whatever its values are: those of the moment and the
// user's names for objects, or the expressions of a program. It has two texts: a
// short one for the screen, that can be compared with a program or a man page, and a
// long one that compiles. It is text alone: objects never come here, and nothing is
// called.
package ccall

import (
	"fmt"
	"strings"

	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// Struct collects the designated initialisers of a C struct.
type Struct struct{ parts []string }

// Set adds a field.
func (s *Struct) Set(field, value string) {
	s.parts = append(s.parts, "."+field+" = "+value)
}

func (s *Struct) String() string { return "{" + strings.Join(s.parts, ", ") + "}" }

// Bool is a truth value.
func Bool(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// Hex is a number in hexadecimal.
func Hex[T verbs.Integer](v T) string { return fmt.Sprintf("0x%x", v) }

// ModifyQP is the call of ibv_modify_qp.
func ModifyQP(qp string, a *verbs.QPAttr) string {
	var s Struct
	for i := range fields.QP {
		if f := &fields.QP[i]; a.Mask&f.Bit != 0 && !impliedZero(f, a) {
			s.Set(f.CName, cFieldValue(f, a))
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
	"dgid":            func(a *verbs.QPAttr) string { return quoted(a.AH.GRH.DGID) },
	"alt_dgid":        func(a *verbs.QPAttr) string { return quoted(a.AltAH.GRH.DGID) },
}

func cFieldValue(f *fields.QPField, a *verbs.QPAttr) string {
	if text := cFieldValues[f.Name]; text != nil {
		return text(a)
	}
	return f.Format(a)
}

// quoted writes a GID as text in quotes: as an initialiser of 16 bytes it could
// not be read.
func quoted(g verbs.GID) string { return `"` + g.String() + `"` }

// CreateAH is the call of ibv_create_ah.
func CreateAH(pd string, a *verbs.AHAttr) string {
	var s Struct
	if a.IsGlobal {
		var grh Struct
		grh.Set("dgid", quoted(a.GRH.DGID))
		grh.Set("sgid_index", fmt.Sprint(a.GRH.SGIDIndex))
		grh.Set("hop_limit", fmt.Sprint(a.GRH.HopLimit))
		if a.GRH.TrafficClass != 0 {
			grh.Set("traffic_class", fmt.Sprint(a.GRH.TrafficClass))
		}
		if a.GRH.FlowLabel != 0 {
			grh.Set("flow_label", fmt.Sprint(a.GRH.FlowLabel))
		}
		s.Set("grh", grh.String())
	}
	s.Set("dlid", fmt.Sprint(a.DLID))
	s.Set("sl", fmt.Sprint(a.SL))
	s.Set("is_global", Bool(a.IsGlobal))
	s.Set("port_num", fmt.Sprint(a.PortNum))
	return fmt.Sprintf("ibv_create_ah(%s, %s)", pd, s.String())
}

// SGList sets the fields of a list of memory.
func SGList(s *Struct, list []verbs.SGE) {
	if len(list) == 0 {
		s.Set("num_sge", "0")
		return
	}
	elements := make([]string, len(list))
	for i, e := range list {
		var c Struct
		c.Set("addr", Hex(e.Addr))
		c.Set("length", fmt.Sprint(e.Length))
		c.Set("lkey", Hex(e.LKey))
		elements[i] = c.String()
	}
	s.Set("sg_list", "{"+strings.Join(elements, ", ")+"}")
	s.Set("num_sge", fmt.Sprint(len(list)))
}

// PostRecv is the call of ibv_post_recv on a queue pair, or of
// ibv_post_srq_recv on a shared receive queue.
func PostRecv(verb, queue string, wr *verbs.RecvWR) string {
	return fmt.Sprintf("%s(%s, %s, &bad_wr)", verb, queue, RecvWR(wr))
}

// RecvWR is a struct ibv_recv_wr.
func RecvWR(wr *verbs.RecvWR) string {
	var s Struct
	s.Set("wr_id", fmt.Sprint(wr.WRID))
	SGList(&s, wr.SGList)
	return s.String()
}

// CreateSRQ is the call of ibv_create_srq.
func CreateSRQ(pd string, spec *verbs.SRQSpec) string {
	var s, attr Struct
	attr.Set("max_wr", fmt.Sprint(spec.MaxWR))
	attr.Set("max_sge", fmt.Sprint(spec.MaxSGE))
	s.Set("attr", attr.String())
	return fmt.Sprintf("ibv_create_srq(%s, %s)", pd, s.String())
}

// ModifySRQ is the call of ibv_modify_srq.
func ModifySRQ(srq string, a *verbs.SRQAttr) string {
	var s Struct
	var mask []string
	if a.Mask&verbs.SRQMaxWR != 0 {
		s.Set("max_wr", fmt.Sprint(a.MaxWR))
		mask = append(mask, "IBV_SRQ_MAX_WR")
	}
	if a.Mask&verbs.SRQLimit != 0 {
		s.Set("srq_limit", fmt.Sprint(a.Limit))
		mask = append(mask, "IBV_SRQ_LIMIT")
	}
	if len(mask) == 0 {
		mask = []string{"0"}
	}
	return fmt.Sprintf("ibv_modify_srq(%s, %s, %s)", srq, s.String(), strings.Join(mask, " | "))
}

// Mcast is the call of ibv_attach_mcast or ibv_detach_mcast.
func Mcast(verb, qp string, gid verbs.GID, lid uint16) string {
	return fmt.Sprintf("%s(%s, %s, %d)", verb, qp, quoted(gid), lid)
}

// CreateCQ is the call of ibv_create_cq, or of ibv_create_cq_ex.
func CreateCQ(device, channel string, spec *verbs.CQSpec) string {
	if spec.WCFlags == 0 {
		return fmt.Sprintf("ibv_create_cq(%s, %d, NULL, %s, %d)", device, spec.CQE, channel, spec.CompVector)
	}
	var s Struct
	s.Set("cqe", fmt.Sprint(spec.CQE))
	s.Set("channel", channel)
	s.Set("comp_vector", fmt.Sprint(spec.CompVector))
	flags := "IBV_WC_STANDARD_FLAGS"
	if more := spec.WCFlags &^ verbs.CQStandard; more != 0 {
		flags += "|" + verbs.CQWCFlagNames.CName(more)
	}
	s.Set("wc_flags", flags)
	return fmt.Sprintf("ibv_create_cq_ex(%s, %s)", device, s.String())
}
