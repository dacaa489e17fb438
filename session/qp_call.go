package session

import (
	"fmt"

	"rdmatui/session/ccall"
	"rdmatui/verbs"
)

// createCall is the call of ibv_create_qp, or of rdma_create_qp on an identifier.
func (q *QP) createCall() string {
	var s, limits ccall.Struct
	spec := &q.spec
	s.Set("send_cq", q.sendCQ.Name)
	s.Set("recv_cq", q.recvCQ.Name)
	if q.srq != nil {
		s.Set("srq", q.srq.Name)
	}
	limits.Set("max_send_wr", fmt.Sprint(spec.Cap.MaxSendWR))
	limits.Set("max_recv_wr", fmt.Sprint(spec.Cap.MaxRecvWR))
	limits.Set("max_send_sge", fmt.Sprint(spec.Cap.MaxSendSGE))
	limits.Set("max_recv_sge", fmt.Sprint(spec.Cap.MaxRecvSGE))
	if spec.Cap.MaxInlineData > 0 {
		limits.Set("max_inline_data", fmt.Sprint(spec.Cap.MaxInlineData))
	}
	s.Set("cap", limits.String())
	s.Set("qp_type", verbs.QPTypes.CName(spec.QPType))
	if spec.SQSigAll {
		s.Set("sq_sig_all", "1")
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
func (q *QP) createExCall(init *ccall.Struct) string {
	init.Set("comp_mask", "IBV_QP_INIT_ATTR_PD|IBV_QP_INIT_ATTR_SEND_OPS_FLAGS")
	init.Set("pd", q.pd.Name)
	init.Set("send_ops_flags", verbs.SendOpFlags.CName(q.spec.SendOps))
	return fmt.Sprintf("ibv_create_qp_ex(%s, %s)", q.pd.Device.Name, init.String())
}
