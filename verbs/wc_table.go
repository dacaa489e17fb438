package verbs

import "fmt"

func always(*WC) bool       { return true }
func onSuccess(wc *WC) bool { return !wc.Failed() }
func onRecv(wc *WC) bool    { return !wc.Failed() && wc.Opcode.IsRecv() }

func withLength(wc *WC) bool {
	return onRecv(wc) || !wc.Failed() && (wc.Opcode == WCRDMARead || wc.Opcode == WCCompSwap || wc.Opcode == WCFetchAdd)
}

func withFlag(f WCFlags) func(*WC) bool {
	return func(wc *WC) bool { return !wc.Failed() && wc.WCFlags&f != 0 }
}

func stamped(f CQWCFlags) func(*WC) bool {
	return func(wc *WC) bool { return !wc.Failed() && wc.Stamps&f != 0 }
}

func withGRH(wc *WC) bool { return onRecv(wc) && wc.WCFlags&WCGRH != 0 }

// WCFields lists every field of a work completion in the order of struct
// ibv_wc, and those of an extended queue behind them, with the rule of when it is defined: of a failed completion only
// wr_id, status, vendor_err and qp_num are; ibv_poll_cq(3).
var WCFields = []WCField{
	{"wr_id", func(wc *WC) any { return wc.WRID }, func(wc *WC) string { return fmt.Sprint(wc.WRID) }, always},
	{"status", func(wc *WC) any { return wc.Status }, func(wc *WC) string { return wc.Status.String() }, always},
	{"opcode", func(wc *WC) any { return wc.Opcode }, func(wc *WC) string { return wc.Opcode.String() }, onSuccess},
	{"vendor_err", func(wc *WC) any { return wc.VendorErr }, func(wc *WC) string { return fmt.Sprintf("0x%x", wc.VendorErr) }, func(wc *WC) bool { return wc.Failed() }},
	{"byte_len", func(wc *WC) any { return wc.ByteLen }, func(wc *WC) string { return fmt.Sprint(wc.ByteLen) }, withLength},
	{"imm_data", func(wc *WC) any { return wc.ImmData }, func(wc *WC) string { return fmt.Sprintf("0x%08x", wc.ImmData) }, withFlag(WCWithImm)},
	{"invalidated_rkey", func(wc *WC) any { return wc.InvalidatedRKey }, func(wc *WC) string { return fmt.Sprintf("0x%08x", wc.InvalidatedRKey) }, withFlag(WCWithInv)},
	{"qp_num", func(wc *WC) any { return wc.QPNum }, func(wc *WC) string { return wc.QPNum.String() }, always},
	{"src_qp", func(wc *WC) any { return wc.SrcQP }, func(wc *WC) string { return wc.SrcQP.String() }, withGRH},
	{"wc_flags", func(wc *WC) any { return wc.WCFlags }, func(wc *WC) string { return wc.WCFlags.String() }, onSuccess},
	{"pkey_index", func(wc *WC) any { return wc.PKeyIndex }, func(wc *WC) string { return fmt.Sprint(wc.PKeyIndex) }, withGRH},
	{"slid", func(wc *WC) any { return wc.SLID }, func(wc *WC) string { return fmt.Sprint(wc.SLID) }, withGRH},
	{"sl", func(wc *WC) any { return wc.SL }, func(wc *WC) string { return fmt.Sprint(wc.SL) }, withGRH},
	{"dlid_path_bits", func(wc *WC) any { return wc.DLIDPathBits }, func(wc *WC) string { return fmt.Sprint(wc.DLIDPathBits) }, withGRH},
	{"completion_ts", func(wc *WC) any { return wc.CompletionTS }, func(wc *WC) string { return fmt.Sprint(wc.CompletionTS) }, stamped(CQWithTimestamp)},
	{"completion_wallclock_ns", func(wc *WC) any { return wc.CompletionWallclockNS }, func(wc *WC) string { return fmt.Sprint(wc.CompletionWallclockNS) }, stamped(CQWithWallclock)},
}
