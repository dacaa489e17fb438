package post

import (
	"fmt"
	"strings"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// postSendCall is the call of ibv_post_send, or those of ibv_wr_*; ah is of
// datagrams, w and b are of a BIND_MW.
func postSendCall(q *queue.QP, wr *verbs.SendWR, ah *core.Node, w *region.MW, b *region.Binding) string {
	text := cRequest(q, wr, ah, w, b)
	if q.Spec.SendOps.Has(wr.Opcode) {
		return extendedCall(q.Name, []string{text})
	}
	return fmt.Sprintf("ibv_post_send(%s, %s, &bad_wr)", q.Name, text)
}

// cSendWR is a struct ibv_send_wr.
func cSendWR(wr *verbs.SendWR, ah *core.Node, w *region.MW, b *region.Binding) string {
	var s ccall.Struct
	t := wr.Opcode.Traits()
	s.Set("wr_id", fmt.Sprint(wr.WRID))
	ccall.SGList(&s, wr.SGList)
	s.Set("opcode", verbs.WROpcodes.CName(wr.Opcode))
	s.Set("send_flags", verbs.SendFlagNames.CName(wr.SendFlags))
	if t.Imm {
		s.Set("imm_data", fmt.Sprintf("htonl(0x%x)", wr.ImmData))
	}
	if t.Invalid {
		s.Set("invalidate_rkey", ccall.Hex(wr.InvalidateKey))
	}
	switch {
	case t.Atomic:
		s.Set("wr.atomic.remote_addr", ccall.Hex(wr.RemoteAddr))
		s.Set("wr.atomic.rkey", ccall.Hex(wr.RKey))
		s.Set("wr.atomic.compare_add", fmt.Sprint(wr.CompareAdd))
		s.Set("wr.atomic.swap", fmt.Sprint(wr.Swap))
	case t.Remote:
		s.Set("wr.rdma.remote_addr", ccall.Hex(wr.RemoteAddr))
		s.Set("wr.rdma.rkey", ccall.Hex(wr.RKey))
	}
	if w != nil {
		s.Set("bind_mw.mw", w.Name)
		s.Set("bind_mw.rkey", ccall.Hex(b.RKey))
		s.Set("bind_mw.bind_info", b.CInfo())
	}
	if ah != nil {
		s.Set("wr.ud.ah", ah.Name)
		s.Set("wr.ud.remote_qpn", wr.RemoteQPN.String())
		s.Set("wr.ud.remote_qkey", ccall.Hex(wr.RemoteQKey))
	}
	return s.String()
}

// cRequest is a request as C: a struct ibv_send_wr, or the calls that build it.
func cRequest(q *queue.QP, wr *verbs.SendWR, ah *core.Node, w *region.MW, b *region.Binding) string {
	if q.Spec.SendOps.Has(wr.Opcode) {
		return cBuild(wr, ah, w, b)
	}
	return cSendWR(wr, ah, w, b)
}

// extendedCall is what posts requests that cBuild has written.
func extendedCall(qp string, requests []string) string {
	return fmt.Sprintf("qpx = ibv_qp_to_qp_ex(%s); ibv_wr_start(qpx); %s; ibv_wr_complete(qpx)", qp, strings.Join(requests, "; "))
}

// cBuild is the calls that build a request of ibv_wr_*.
func cBuild(wr *verbs.SendWR, ah *core.Node, w *region.MW, b *region.Binding) string {
	row := command.WRBuilders[wr.Opcode]
	args := []string{"qpx"}
	for _, name := range row.Args {
		args = append(args, cBuilderArg(name, wr, w, b))
	}
	calls := []string{
		fmt.Sprintf("qpx->wr_id = %d", wr.WRID),
		"qpx->wr_flags = " + verbs.SendFlagNames.CName(wr.SendFlags&^verbs.SendInline),
		row.Func + "(" + strings.Join(args, ", ") + ")",
	}
	if ah != nil {
		calls = append(calls, fmt.Sprintf("ibv_wr_set_ud_addr(qpx, %s, %s, %s)", ah.Name, wr.RemoteQPN, ccall.Hex(wr.RemoteQKey)))
	}
	if row.Data {
		calls = append(calls, cBuilderData(wr))
	}
	return strings.Join(calls, "; ")
}

func cBuilderArg(name string, wr *verbs.SendWR, w *region.MW, b *region.Binding) string {
	switch name {
	case "rkey":
		if w != nil {
			return ccall.Hex(b.RKey)
		}
		return ccall.Hex(wr.RKey)
	case "remote_addr":
		return ccall.Hex(wr.RemoteAddr)
	case "imm_data":
		return fmt.Sprintf("htonl(0x%x)", wr.ImmData)
	case "invalidate_rkey":
		return ccall.Hex(wr.InvalidateKey)
	case "compare_add":
		return fmt.Sprint(wr.CompareAdd)
	case "swap":
		return fmt.Sprint(wr.Swap)
	case "length":
		return fmt.Sprint(wr.Flush.Length)
	case "type":
		return verbs.FlushTypes.CName(wr.Flush.Type)
	case "level":
		return verbs.FlushLevels.CName(wr.Flush.Level)
	case "mw":
		return w.Name
	case "mr":
		return "&" + b.CInfo()
	}
	return "(void *)" + ccall.Hex(dataOf(wr).Addr) // the 8 bytes of an ATOMIC_WRITE
}

// dataOf is the first piece of a request's memory.
func dataOf(wr *verbs.SendWR) (e verbs.SGE) {
	if len(wr.SGList) > 0 {
		e = wr.SGList[0]
	}
	return e
}

// cBuilderData is the call that names a request's memory.
func cBuilderData(wr *verbs.SendWR) string {
	e := dataOf(wr)
	inline := wr.SendFlags&verbs.SendInline != 0
	switch {
	case len(wr.SGList) == 1 && inline:
		return fmt.Sprintf("ibv_wr_set_inline_data(qpx, (void *)%s, %d)", ccall.Hex(e.Addr), e.Length)
	case len(wr.SGList) == 1:
		return fmt.Sprintf("ibv_wr_set_sge(qpx, %s, %s, %d)", ccall.Hex(e.LKey), ccall.Hex(e.Addr), e.Length)
	}
	var s ccall.Struct
	ccall.SGList(&s, wr.SGList)
	if inline {
		return fmt.Sprintf("ibv_wr_set_inline_data_list(qpx, %d, %s)", len(wr.SGList), s.String())
	}
	return fmt.Sprintf("ibv_wr_set_sge_list(qpx, %d, %s)", len(wr.SGList), s.String())
}
