package abi

import (
	"encoding/binary"
	"unsafe"
)

// SGE mirrors struct ibv_sge: one piece of registered memory.
type SGE struct {
	Addr   uint64 `c:"addr"`
	Length uint32 `c:"length"`
	LKey   uint32 `c:"lkey"`
}

// RecvWR mirrors struct ibv_recv_wr: a receive work request. Next points to the next in
// a chain, SGList to NumSGE entries.
type RecvWR struct {
	WRID   uint64  `c:"wr_id"`
	Next   uintptr `c:"next"`
	SGList uintptr `c:"sg_list"`
	NumSGE int32   `c:"num_sge"`
}

// SendWR mirrors struct ibv_send_wr: a send work request. Its three unions are arrays
// that the Set methods fill.
type SendWR struct {
	WRID      uint64  `c:"wr_id"`
	Next      uintptr `c:"next"`
	SGList    uintptr `c:"sg_list"`
	NumSGE    int32   `c:"num_sge"`
	Opcode    uint32  `c:"opcode"`
	SendFlags uint32  `c:"send_flags"`
	// Imm is imm_data in network byte order, or invalidate_rkey in host order.
	Imm [4]byte `c:"imm_data,invalidate_rkey"`
	// WR holds one of [SendRDMA], [SendAtomic] and [SendUD].
	WR [4]uint64 `c:"wr"`
	// XRCRemoteSRQN is qp_type.xrc.remote_srqn, used on XRC QPs only.
	XRCRemoteSRQN uint32 `c:"qp_type"`
	// Tail holds [SendBindMW] or tso.
	Tail [6]uint64 `c:"bind_mw"`
}

// MWBindInfo mirrors struct ibv_mw_bind_info: the range that a memory window is bound
// to. MR is a struct ibv_mr pointer.
type MWBindInfo struct {
	MR          uintptr `c:"mr"`
	Addr        uint64  `c:"addr"`
	Length      uint64  `c:"length"`
	AccessFlags uint32  `c:"mw_access_flags"`
}

// MWBind mirrors struct ibv_mw_bind: the argument of ibv_bind_mw.
type MWBind struct {
	WRID      uint64     `c:"wr_id"`
	SendFlags uint32     `c:"send_flags"`
	BindInfo  MWBindInfo `c:"bind_info"`
}

// SendBindMW is the member bind_mw of [SendWR]; MW is a struct ibv_mw pointer.
type SendBindMW struct {
	MW       uintptr    `c:"mw"`
	RKey     uint32     `c:"rkey"`
	BindInfo MWBindInfo `c:"bind_info"`
}

// SendRDMA is the member wr.rdma of [SendWR].
type SendRDMA struct {
	RemoteAddr uint64 `c:"remote_addr"`
	RKey       uint32 `c:"rkey"`
}

// SendAtomic is the member wr.atomic of [SendWR].
type SendAtomic struct {
	RemoteAddr uint64 `c:"remote_addr"`
	CompareAdd uint64 `c:"compare_add"`
	Swap       uint64 `c:"swap"`
	RKey       uint32 `c:"rkey"`
}

// SendUD is the member wr.ud of [SendWR]; AH is a struct ibv_ah pointer.
type SendUD struct {
	AH         uintptr `c:"ah"`
	RemoteQPN  uint32  `c:"remote_qpn"`
	RemoteQKey uint32  `c:"remote_qkey"`
}

// SetImm stores immediate data, given in host order.
func (w *SendWR) SetImm(v uint32) { binary.BigEndian.PutUint32(w.Imm[:], v) }

// SetInvalidateRKey stores the rkey that SEND_WITH_INV or LOCAL_INV invalidates.
func (w *SendWR) SetInvalidateRKey(v uint32) { binary.NativeEndian.PutUint32(w.Imm[:], v) }

// SetRDMA fills the arguments of RDMA WRITE and READ.
func (w *SendWR) SetRDMA(v SendRDMA) {
	w.WR = [4]uint64{}
	*(*SendRDMA)(unsafe.Pointer(&w.WR)) = v
}

// SetAtomic fills the arguments of COMPARE AND SWAP and FETCH AND ADD.
func (w *SendWR) SetAtomic(v SendAtomic) {
	w.WR = [4]uint64{}
	*(*SendAtomic)(unsafe.Pointer(&w.WR)) = v
}

// SetBindMW fills the arguments of BIND_MW. Drivers refuse it with immediate data.
func (w *SendWR) SetBindMW(v SendBindMW) {
	w.Imm = [4]byte{}
	*(*SendBindMW)(unsafe.Pointer(&w.Tail)) = v
}

// UD returns the address of a datagram.
func (w *SendWR) UD() SendUD { return *(*SendUD)(unsafe.Pointer(&w.WR)) }

// SetUD fills the address of a datagram.
func (w *SendWR) SetUD(v SendUD) {
	w.WR = [4]uint64{}
	*(*SendUD)(unsafe.Pointer(&w.WR)) = v
}
