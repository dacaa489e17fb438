package session

import (
	"fmt"
	"strings"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// The functions of this file write the C call that a command stands for, with
// the objects by the user's names, so that it can be compared with a program or
// a man page.

// cStruct collects the designated initialisers of a C struct.
type cStruct struct{ parts []string }

func (s *cStruct) set(field, value string) {
	s.parts = append(s.parts, "."+field+" = "+value)
}

func (s *cStruct) String() string { return "{" + strings.Join(s.parts, ", ") + "}" }

func cBool(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

func cHex[T verbs.Integer](v T) string { return fmt.Sprintf("0x%x", v) }

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

// regMRCall is the call of ibv_reg_mr, with the calls that map the memory where it is
// not fresh; or that of ibv_reg_dm_mr.
func regMRCall(pd *core.Node, dm *DM, spec *verbs.MRSpec) string {
	length := fmt.Sprint(spec.Length)
	if dm != nil {
		offset := spec.Backing.Offset
		if spec.Length == 0 {
			length = fmt.Sprint(dm.dm.Spec().Length - min(offset, dm.dm.Spec().Length))
		}
		return fmt.Sprintf("ibv_reg_dm_mr(%s, %s, %d, %s, %s)", pd.Name, dm.Name, offset, length, verbs.AccessFlags.CName(spec.Access))
	}
	if spec.Length == 0 {
		length = "st_size"
		if spec.Backing.Offset > 0 {
			length = fmt.Sprintf("st_size - %d", spec.Backing.Offset)
		}
	}
	if b := &spec.Backing; b.Kind == verbs.DMABuf {
		fd, create := cDescriptor(b)
		return create + fmt.Sprintf("ibv_reg_dmabuf_mr(%s, %d, %s, (uintptr_t)%s, %s, %s)", pd.Name, b.Offset, length, cMemory(b, length), fd, verbs.AccessFlags.CName(spec.Access))
	}
	return fmt.Sprintf("ibv_reg_mr(%s, %s, %s, %s)", pd.Name, cMemory(&spec.Backing, length), length, verbs.AccessFlags.CName(spec.Access))
}

// cDescriptor is the descriptor of a dma-buf, and the call that makes it.
func cDescriptor(b *verbs.Backing) (fd, create string) {
	if b.FD == verbs.NewDMABuf {
		return "fd", `fd = ioctl(open("/dev/udmabuf", O_RDWR), UDMABUF_CREATE, &create); `
	}
	return fmt.Sprint(b.FD), ""
}

func cMemory(b *verbs.Backing, length string) string {
	flags, fd := "MAP_SHARED", ""
	switch b.Kind {
	case verbs.FileMapping:
		fd = fmt.Sprintf("open(%q, O_RDWR)", b.Path)
	case verbs.SharedMemory:
		fd = fmt.Sprintf("shm_open(%q, O_RDWR | O_CREAT, 0600)", b.Path)
	case verbs.DMABuf:
		fd, _ = cDescriptor(b)
	case verbs.HugePages:
		flags, fd = "MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB", "-1"
	default:
		return "buf"
	}
	return fmt.Sprintf("mmap(NULL, %s, PROT_READ | PROT_WRITE, %s, %s, %d)", length, flags, fd, b.Offset)
}

// cGID writes a GID as text in quotes: as an initialiser of 16 bytes it could
// not be read.
func cGID(g verbs.GID) string { return `"` + g.String() + `"` }

// createCall is the call of ibv_create_qp, or of rdma_create_qp on an identifier.
func (q *QP) createCall() string {
	var s, limits cStruct
	spec := &q.spec
	s.set("send_cq", q.sendCQ.Name)
	s.set("recv_cq", q.recvCQ.Name)
	if q.srq != nil {
		s.set("srq", q.srq.Name)
	}
	limits.set("max_send_wr", fmt.Sprint(spec.Cap.MaxSendWR))
	limits.set("max_recv_wr", fmt.Sprint(spec.Cap.MaxRecvWR))
	limits.set("max_send_sge", fmt.Sprint(spec.Cap.MaxSendSGE))
	limits.set("max_recv_sge", fmt.Sprint(spec.Cap.MaxRecvSGE))
	if spec.Cap.MaxInlineData > 0 {
		limits.set("max_inline_data", fmt.Sprint(spec.Cap.MaxInlineData))
	}
	s.set("cap", limits.String())
	s.set("qp_type", verbs.QPTypes.CName(spec.QPType))
	if spec.SQSigAll {
		s.set("sq_sig_all", "1")
	}
	if q.id != nil {
		return fmt.Sprintf("rdma_create_qp(%s, %s, %s)", q.id.Name, q.pd.Name, s.String())
	}
	if spec.SendOps != 0 {
		return q.createExCall(&s)
	}
	return fmt.Sprintf("ibv_create_qp(%s, %s)", q.pd.Name, s.String())
}

func createAHCall(pd *core.Node, a *verbs.AHAttr) string {
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
	return fmt.Sprintf("ibv_create_ah(%s, %s)", pd.Name, s.String())
}

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

// postSendCall is the call of ibv_post_send, or those of ibv_wr_*; ah is of
// datagrams, w and b are of a BIND_MW.
func postSendCall(q *QP, wr *verbs.SendWR, ah *core.Node, w *MW, b *binding) string {
	text := q.cRequest(wr, ah, w, b)
	if q.spec.SendOps.Has(wr.Opcode) {
		return extendedCall(q.Name, []string{text})
	}
	return fmt.Sprintf("ibv_post_send(%s, %s, &bad_wr)", q.Name, text)
}

// cSendWR is a struct ibv_send_wr.
func cSendWR(wr *verbs.SendWR, ah *core.Node, w *MW, b *binding) string {
	var s cStruct
	t := wr.Opcode.Traits()
	s.set("wr_id", fmt.Sprint(wr.WRID))
	cSGList(&s, wr.SGList)
	s.set("opcode", verbs.WROpcodes.CName(wr.Opcode))
	s.set("send_flags", verbs.SendFlagNames.CName(wr.SendFlags))
	if t.Imm {
		s.set("imm_data", fmt.Sprintf("htonl(0x%x)", wr.ImmData))
	}
	if t.Invalid {
		s.set("invalidate_rkey", cHex(wr.InvalidateKey))
	}
	switch {
	case t.Atomic:
		s.set("wr.atomic.remote_addr", cHex(wr.RemoteAddr))
		s.set("wr.atomic.rkey", cHex(wr.RKey))
		s.set("wr.atomic.compare_add", fmt.Sprint(wr.CompareAdd))
		s.set("wr.atomic.swap", fmt.Sprint(wr.Swap))
	case t.Remote:
		s.set("wr.rdma.remote_addr", cHex(wr.RemoteAddr))
		s.set("wr.rdma.rkey", cHex(wr.RKey))
	}
	if w != nil {
		s.set("bind_mw.mw", w.Name)
		s.set("bind_mw.rkey", cHex(b.rkey))
		s.set("bind_mw.bind_info", b.cInfo())
	}
	if ah != nil {
		s.set("wr.ud.ah", ah.Name)
		s.set("wr.ud.remote_qpn", wr.RemoteQPN.String())
		s.set("wr.ud.remote_qkey", cHex(wr.RemoteQKey))
	}
	return s.String()
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

func createSRQCall(pd *core.Node, spec *verbs.SRQSpec) string {
	var s, attr cStruct
	attr.set("max_wr", fmt.Sprint(spec.MaxWR))
	attr.set("max_sge", fmt.Sprint(spec.MaxSGE))
	s.set("attr", attr.String())
	return fmt.Sprintf("ibv_create_srq(%s, %s)", pd.Name, s.String())
}

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

func mcastCall(verb, qp string, g mcastGroup) string {
	return fmt.Sprintf("%s(%s, %s, %d)", verb, qp, cGID(g.gid), g.lid)
}
