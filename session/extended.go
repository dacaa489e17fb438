package session

import (
	"fmt"
	"strings"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// sendOpCaps is what a device with an operation says in device_cap_flags_ex: the
// first of them at least.
var sendOpCaps = map[verbs.WROpcode]verbs.DeviceCap{verbs.WRFlush: verbs.CapFlushGlobal, verbs.WRAtomicWrite: verbs.CapAtomicWrite}

// checkSendOps warns of operations that the device does not have.
func checkSendOps(c *core.Call, q *QP) {
	d := q.pd.dev
	for _, op := range []verbs.WROpcode{verbs.WRFlush, verbs.WRAtomicWrite} {
		if need := sendOpCaps[op]; q.spec.SendOps.Has(op) && d.caps&need == 0 {
			c.Warn("device_cap_flags_ex of %s lacks %s", d.Name, verbs.DeviceCaps.Name(need))
		}
	}
}

// createExCall is the call of ibv_create_qp_ex; init is what it has of struct
// ibv_qp_init_attr.
func (q *QP) createExCall(init *cStruct) string {
	init.set("comp_mask", "IBV_QP_INIT_ATTR_PD|IBV_QP_INIT_ATTR_SEND_OPS_FLAGS")
	init.set("pd", q.pd.Name)
	init.set("send_ops_flags", verbs.SendOpFlags.CName(q.spec.SendOps))
	return fmt.Sprintf("ibv_create_qp_ex(%s, %s)", q.pd.dev.Name, init.String())
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

// pollCall is what takes n completions.
func (q *CQ) pollCall(n int) string {
	if q.extended {
		return fmt.Sprintf("up to %d times ibv_start_poll(%s, &attr), ibv_wc_read_…, ibv_end_poll(%s)", n, q.Name, q.Name)
	}
	return fmt.Sprintf("ibv_poll_cq(%s, %d, wc)", q.Name, n)
}

// cRequest is a request as C: a struct ibv_send_wr, or the calls that build it.
func (q *QP) cRequest(wr *verbs.SendWR, ah *core.Node, w *MW, b *binding) string {
	if q.spec.SendOps.Has(wr.Opcode) {
		return cBuild(wr, ah, w, b)
	}
	return cSendWR(wr, ah, w, b)
}

// extendedCall is what posts requests that cBuild has written.
func extendedCall(qp string, requests []string) string {
	return fmt.Sprintf("qpx = ibv_qp_to_qp_ex(%s); ibv_wr_start(qpx); %s; ibv_wr_complete(qpx)", qp, strings.Join(requests, "; "))
}

// cBuild is the calls that build a request of ibv_wr_*.
func cBuild(wr *verbs.SendWR, ah *core.Node, w *MW, b *binding) string {
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
		calls = append(calls, fmt.Sprintf("ibv_wr_set_ud_addr(qpx, %s, %s, %s)", ah.Name, wr.RemoteQPN, cHex(wr.RemoteQKey)))
	}
	if row.Data {
		calls = append(calls, cBuilderData(wr))
	}
	return strings.Join(calls, "; ")
}

func cBuilderArg(name string, wr *verbs.SendWR, w *MW, b *binding) string {
	switch name {
	case "rkey":
		if w != nil {
			return cHex(b.rkey)
		}
		return cHex(wr.RKey)
	case "remote_addr":
		return cHex(wr.RemoteAddr)
	case "imm_data":
		return fmt.Sprintf("htonl(0x%x)", wr.ImmData)
	case "invalidate_rkey":
		return cHex(wr.InvalidateKey)
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
		return "&" + b.cInfo()
	}
	return "(void *)" + cHex(dataOf(wr).Addr) // the 8 bytes of an ATOMIC_WRITE
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
		return fmt.Sprintf("ibv_wr_set_inline_data(qpx, (void *)%s, %d)", cHex(e.Addr), e.Length)
	case len(wr.SGList) == 1:
		return fmt.Sprintf("ibv_wr_set_sge(qpx, %s, %s, %d)", cHex(e.LKey), cHex(e.Addr), e.Length)
	}
	var s cStruct
	cSGList(&s, wr.SGList)
	if inline {
		return fmt.Sprintf("ibv_wr_set_inline_data_list(qpx, %d, %s)", len(wr.SGList), s.String())
	}
	return fmt.Sprintf("ibv_wr_set_sge_list(qpx, %d, %s)", len(wr.SGList), s.String())
}

// checkPlacement holds a FLUSH or an ATOMIC_WRITE against what it can be.
func checkPlacement(c *core.Call, wr *verbs.SendWR) {
	t := wr.Opcode.Traits()
	if t.Flush && wr.Flush.Type == 0 {
		c.Warn("type 0 flushes nothing: give GLOBAL or PERSISTENT")
	}
	if t.Copied && wr.RemoteAddr%verbs.AtomicLen != 0 {
		c.Warn("remote_addr 0x%x is no multiple of %d", wr.RemoteAddr, verbs.AtomicLen)
	}
	if n := totalLength(wr.SGList); t.Copied && n != verbs.AtomicLen {
		c.Warn("an ATOMIC_WRITE writes %d bytes, the SGEs have %d", verbs.AtomicLen, n)
	}
}

// remoteLength is the bytes of the peer's that a request touches; ok is false where
// those are not counted.
func remoteLength(wr *verbs.SendWR) (n uint64, ok bool) {
	if wr.Opcode.Traits().Flush {
		return uint64(wr.Flush.Length), wr.Flush.Level != verbs.FlushMR
	}
	return totalLength(wr.SGList), true
}
