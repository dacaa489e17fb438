package abi

import "encoding/binary"

// WC mirrors struct ibv_wc: a work completion. When Status is not SUCCESS, only
// WRID, Status, QPNum and VendorErr are defined (ibv_poll_cq(3)).
type WC struct {
	WRID      uint64 `c:"wr_id"`
	Status    uint32 `c:"status"`
	Opcode    uint32 `c:"opcode"`
	VendorErr uint32 `c:"vendor_err"`
	ByteLen   uint32 `c:"byte_len"`
	// ImmData is imm_data in network byte order with IBV_WC_WITH_IMM, or
	// invalidated_rkey in host order with IBV_WC_WITH_INV.
	ImmData      [4]byte `c:"imm_data,invalidated_rkey"`
	QPNum        uint32  `c:"qp_num"`
	SrcQP        uint32  `c:"src_qp"`
	WCFlags      uint32  `c:"wc_flags"`
	PKeyIndex    uint16  `c:"pkey_index"`
	SLID         uint16  `c:"slid"`
	SL           uint8   `c:"sl"`
	DLIDPathBits uint8   `c:"dlid_path_bits"`
}

// Imm returns the immediate data in host order; valid if WCFlags has
// IBV_WC_WITH_IMM.
func (w *WC) Imm() uint32 { return binary.BigEndian.Uint32(w.ImmData[:]) }

// InvalidatedRKey returns the rkey that the peer invalidated; valid if WCFlags
// has IBV_WC_WITH_INV.
func (w *WC) InvalidatedRKey() uint32 { return binary.NativeEndian.Uint32(w.ImmData[:]) }
