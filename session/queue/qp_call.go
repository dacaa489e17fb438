package queue

import (
	"rdmatui/session/ccall"
	"rdmatui/verbs"
)

// CreateCall returns the call of ibv_create_qp, or of rdma_create_qp on an
// identifier.
func (q *QP) CreateCall() string {
	if q.ID != nil {
		return ccall.CreateManagedQP(q.ID.Object().Name, q.PD.Name, q.initValues()).Short()
	}
	return ccall.CreateQP(q.PD.Device.Name, q.PD.Name, q.initValues()).Short()
}

// initValues returns a source with the attributes it was created with.
func (q *QP) initValues() ccall.Source {
	size := &q.Spec.Cap
	values := map[string]ccall.Node{
		"send_cq": ccall.Text(q.SendCQ.Name), "recv_cq": ccall.Text(q.RecvCQ.Name),
		"cap.max_send_wr": ccall.Dec(size.MaxSendWR), "cap.max_recv_wr": ccall.Dec(size.MaxRecvWR),
		"cap.max_send_sge": ccall.Dec(size.MaxSendSGE), "cap.max_recv_sge": ccall.Dec(size.MaxRecvSGE),
		"qp_type": ccall.Text(verbs.QPTypes.CName(q.Spec.QPType)),
	}
	if q.SRQ != nil {
		values["srq"] = ccall.Text(q.SRQ.Name)
	}
	if size.MaxInlineData > 0 {
		values["cap.max_inline_data"] = ccall.Dec(size.MaxInlineData)
	}
	if q.Spec.SQSigAll {
		values["sq_sig_all"] = ccall.Text("1")
	}
	if q.Spec.SendOps != 0 {
		values["send_ops_flags"] = ccall.Flags(verbs.SendOpFlags.CName(q.Spec.SendOps))
	}
	return ccall.Table(values)
}
