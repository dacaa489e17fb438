package queue

import (
	"fmt"

	"rdmatui/session/ccall"
	"rdmatui/verbs"
)

// CreateCall is the call of ibv_create_qp, or of rdma_create_qp on an identifier.
func (q *QP) CreateCall() string {
	var s, limits ccall.Struct
	spec := &q.Spec
	s.Set("send_cq", q.SendCQ.Name)
	s.Set("recv_cq", q.RecvCQ.Name)
	if q.SRQ != nil {
		s.Set("srq", q.SRQ.Name)
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
	if q.ID != nil {
		return fmt.Sprintf("rdma_create_qp(%s, %s, %s)", q.ID.Object().Name, q.PD.Name, s.String())
	}
	if spec.SendOps != 0 {
		return q.createExCall(&s)
	}
	return fmt.Sprintf("ibv_create_qp(%s, %s)", q.PD.Name, s.String())
}

// createExCall is the call of ibv_create_qp_ex; init is what it has of struct
// ibv_qp_init_attr.
func (q *QP) createExCall(init *ccall.Struct) string {
	init.Set("comp_mask", "IBV_QP_INIT_ATTR_PD|IBV_QP_INIT_ATTR_SEND_OPS_FLAGS")
	init.Set("pd", q.PD.Name)
	init.Set("send_ops_flags", verbs.SendOpFlags.CName(q.Spec.SendOps))
	return fmt.Sprintf("ibv_create_qp_ex(%s, %s)", q.PD.Device.Name, init.String())
}
