package native

import (
	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
)

// readCompletion converts. One word of C's struct holds two fields; the flags
// tell which. The rest is copied as it stands, defined or not.
func readCompletion(to *verbs.WC, w *abi.WC) {
	to.WRID = w.WRID
	to.Status = verbs.WCStatus(w.Status)
	to.Opcode = verbs.WCOpcode(w.Opcode)
	to.VendorErr = w.VendorErr
	to.ByteLen = w.ByteLen
	to.ImmData, to.InvalidatedRKey = 0, 0
	to.QPNum = verbs.QPN(w.QPNum)
	to.SrcQP = verbs.QPN(w.SrcQP)
	to.WCFlags = verbs.WCFlags(w.WCFlags)
	to.PKeyIndex = w.PKeyIndex
	to.SLID = w.SLID
	to.SL = w.SL
	to.DLIDPathBits = w.DLIDPathBits
	to.Stamps = 0
	if to.WCFlags&(verbs.WCWithImm|verbs.WCWithInv) == 0 {
		return
	}
	if to.WCFlags&verbs.WCWithImm != 0 {
		to.ImmData = w.Imm()
	}
	if to.WCFlags&verbs.WCWithInv != 0 {
		to.InvalidatedRKey = w.InvalidatedRKey()
	}
}
