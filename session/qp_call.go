package session

import (
	"fmt"

	"rdmatui/verbs"
)

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
		return fmt.Sprintf("rdma_create_qp(%s, %s, %s)", q.id.Object().Name, q.pd.Name, s.String())
	}
	if spec.SendOps != 0 {
		return q.createExCall(&s)
	}
	return fmt.Sprintf("ibv_create_qp(%s, %s)", q.pd.Name, s.String())
}

// createExCall is the call of ibv_create_qp_ex; init is what it has of struct
// ibv_qp_init_attr.
func (q *QP) createExCall(init *cStruct) string {
	init.set("comp_mask", "IBV_QP_INIT_ATTR_PD|IBV_QP_INIT_ATTR_SEND_OPS_FLAGS")
	init.set("pd", q.pd.Name)
	init.set("send_ops_flags", verbs.SendOpFlags.CName(q.spec.SendOps))
	return fmt.Sprintf("ibv_create_qp_ex(%s, %s)", q.pd.dev.Name, init.String())
}
