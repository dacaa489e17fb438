package native

import (
	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
)

// workCompletion converts. One word of C's struct holds two fields; the flags
// tell which. The rest is copied as it stands, defined or not.
func workCompletion(w *abi.WC) verbs.WC {
	wc := verbs.WC{
		WRID:         w.WRID,
		Status:       verbs.WCStatus(w.Status),
		Opcode:       verbs.WCOpcode(w.Opcode),
		VendorErr:    w.VendorErr,
		ByteLen:      w.ByteLen,
		QPNum:        verbs.QPN(w.QPNum),
		SrcQP:        verbs.QPN(w.SrcQP),
		WCFlags:      verbs.WCFlags(w.WCFlags),
		PKeyIndex:    w.PKeyIndex,
		SLID:         w.SLID,
		SL:           w.SL,
		DLIDPathBits: w.DLIDPathBits,
	}
	if wc.WCFlags&verbs.WCWithImm != 0 {
		wc.ImmData = w.Imm()
	}
	if wc.WCFlags&verbs.WCWithInv != 0 {
		wc.InvalidatedRKey = w.InvalidatedRKey()
	}
	return wc
}
