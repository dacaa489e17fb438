package verbs

import (
	"encoding/json"
	"fmt"
)

// WCStatus is the outcome of a work request; ibv_poll_cq(3), IBA 11.6.2.
type WCStatus uint32

// Completion statuses; the values are those of enum ibv_wc_status.
const (
	WCSuccess          WCStatus = 0
	WCLocLenErr        WCStatus = 1
	WCLocQPOpErr       WCStatus = 2
	WCLocEECOpErr      WCStatus = 3
	WCLocProtErr       WCStatus = 4
	WCWRFlushErr       WCStatus = 5
	WCMWBindErr        WCStatus = 6
	WCBadRespErr       WCStatus = 7
	WCLocAccessErr     WCStatus = 8
	WCRemInvReqErr     WCStatus = 9
	WCRemAccessErr     WCStatus = 10
	WCRemOpErr         WCStatus = 11
	WCRetryExcErr      WCStatus = 12
	WCRNRRetryExcErr   WCStatus = 13
	WCLocRDDViolErr    WCStatus = 14
	WCRemInvRDReqErr   WCStatus = 15
	WCRemAbortErr      WCStatus = 16
	WCInvEECNErr       WCStatus = 17
	WCInvEECStateErr   WCStatus = 18
	WCFatalErr         WCStatus = 19
	WCRespTimeoutErr   WCStatus = 20
	WCGeneralErr       WCStatus = 21
	WCTMErr            WCStatus = 22
	WCTMRndvIncomplete WCStatus = 23
)

// WCStatuses names the completion statuses.
var WCStatuses = Enum[WCStatus]{"status", "IBV_WC_", map[WCStatus]string{
	WCSuccess: "SUCCESS", WCLocLenErr: "LOC_LEN_ERR", WCLocQPOpErr: "LOC_QP_OP_ERR",
	WCLocEECOpErr: "LOC_EEC_OP_ERR", WCLocProtErr: "LOC_PROT_ERR", WCWRFlushErr: "WR_FLUSH_ERR",
	WCMWBindErr: "MW_BIND_ERR", WCBadRespErr: "BAD_RESP_ERR", WCLocAccessErr: "LOC_ACCESS_ERR",
	WCRemInvReqErr: "REM_INV_REQ_ERR", WCRemAccessErr: "REM_ACCESS_ERR", WCRemOpErr: "REM_OP_ERR",
	WCRetryExcErr: "RETRY_EXC_ERR", WCRNRRetryExcErr: "RNR_RETRY_EXC_ERR",
	WCLocRDDViolErr: "LOC_RDD_VIOL_ERR", WCRemInvRDReqErr: "REM_INV_RD_REQ_ERR",
	WCRemAbortErr: "REM_ABORT_ERR", WCInvEECNErr: "INV_EECN_ERR",
	WCInvEECStateErr: "INV_EEC_STATE_ERR", WCFatalErr: "FATAL_ERR",
	WCRespTimeoutErr: "RESP_TIMEOUT_ERR", WCGeneralErr: "GENERAL_ERR", WCTMErr: "TM_ERR",
	WCTMRndvIncomplete: "TM_RNDV_INCOMPLETE",
}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (s WCStatus) String() string { return WCStatuses.Name(s) }

// MarshalText is String, for JSON.
func (s WCStatus) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// WCOpcode is the operation that a work completion reports.
type WCOpcode uint32

// Completion opcodes; the values are those of enum ibv_wc_opcode.
const (
	WCSend            WCOpcode = 0
	WCRDMAWrite       WCOpcode = 1
	WCRDMARead        WCOpcode = 2
	WCCompSwap        WCOpcode = 3
	WCFetchAdd        WCOpcode = 4
	WCBindMW          WCOpcode = 5
	WCLocalInv        WCOpcode = 6
	WCTSO             WCOpcode = 7
	WCFlush           WCOpcode = 8
	WCAtomicWrite     WCOpcode = 9
	WCRecv            WCOpcode = 128
	WCRecvRDMAWithImm WCOpcode = 129
	WCTMAdd           WCOpcode = 130
	WCTMDel           WCOpcode = 131
	WCTMSync          WCOpcode = 132
	WCTMRecv          WCOpcode = 133
	WCTMNoTag         WCOpcode = 134
	WCDriver1         WCOpcode = 135
	WCDriver2         WCOpcode = 136
	WCDriver3         WCOpcode = 137
)

// WCOpcodes names the completion opcodes.
var WCOpcodes = Enum[WCOpcode]{"wc_opcode", "IBV_WC_", map[WCOpcode]string{
	WCSend: "SEND", WCRDMAWrite: "RDMA_WRITE", WCRDMARead: "RDMA_READ", WCCompSwap: "COMP_SWAP",
	WCFetchAdd: "FETCH_ADD", WCBindMW: "BIND_MW", WCLocalInv: "LOCAL_INV", WCTSO: "TSO",
	WCFlush: "FLUSH", WCAtomicWrite: "ATOMIC_WRITE", WCRecv: "RECV",
	WCRecvRDMAWithImm: "RECV_RDMA_WITH_IMM", WCTMAdd: "TM_ADD", WCTMDel: "TM_DEL",
	WCTMSync: "TM_SYNC", WCTMRecv: "TM_RECV", WCTMNoTag: "TM_NO_TAG", WCDriver1: "DRIVER1",
	WCDriver2: "DRIVER2", WCDriver3: "DRIVER3",
}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (o WCOpcode) String() string { return WCOpcodes.Name(o) }

// MarshalText is String, for JSON.
func (o WCOpcode) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// IsRecv reports whether the completion belongs to a receive queue.
func (o WCOpcode) IsRecv() bool { return o&WCRecv != 0 }

// Receives reports whether the completion belongs to a send request whose SGE list received data.
func (o WCOpcode) Receives() bool {
	for i := range wrOpcodes {
		if t := &wrOpcodes[i]; t.Receives && t.Completion == o {
			return true
		}
	}
	return false
}

// WCFlags are the flags of a completion: which optional fields are valid.
type WCFlags uint32

// Completion flags; the values are those of enum ibv_wc_flags.
const (
	WCGRH         WCFlags = 1 << 0 // a 40-byte GRH precedes the data (UD)
	WCWithImm     WCFlags = 1 << 1 // imm_data is valid
	WCIPCsumOK    WCFlags = 1 << 2
	WCWithInv     WCFlags = 1 << 3 // invalidated_rkey is valid
	WCTMSyncReq   WCFlags = 1 << 4
	WCTMMatch     WCFlags = 1 << 5
	WCTMDataValid WCFlags = 1 << 6
)

// WCFlagNames names the completion flags.
var WCFlagNames = Flags[WCFlags]{"wc", "IBV_WC_", map[int]string{
	0: "GRH", 1: "WITH_IMM", 2: "IP_CSUM_OK", 3: "WITH_INV", 4: "TM_SYNC_REQ", 5: "TM_MATCH", 6: "TM_DATA_VALID",
}}

// String returns the names of the set flags joined by "|", without the C
// prefix; "0" if none is set. Bits without a name appear in hexadecimal.
func (f WCFlags) String() string { return WCFlagNames.Name(f) }

// MarshalText is String, for JSON.
func (f WCFlags) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// WC is one work completion; struct ibv_wc. Unless Status is WCSuccess, only WRID,
// Status, VendorErr and QPNum are defined; see [WCFields].
type WC struct {
	WRID            uint64
	Status          WCStatus
	Opcode          WCOpcode
	VendorErr       uint32
	ByteLen         uint32 // RECV, READ and atomics only
	ImmData         uint32 // in host order; valid with WCWithImm
	InvalidatedRKey uint32 // valid with WCWithInv
	QPNum           QPN
	SrcQP           QPN // UD only
	WCFlags         WCFlags
	PKeyIndex       uint16
	SLID            uint16
	SL              uint8
	DLIDPathBits    uint8

	Stamps                CQWCFlags // which of the two fields below are valid
	CompletionTS          uint64    // ticks of hca_core_clock
	CompletionWallclockNS uint64    // ns since 1970
}

// Failed reports whether the request failed.
func (wc *WC) Failed() bool { return wc.Status != WCSuccess }

// WCField describes one field of a work completion.
type WCField struct {
	Name    string              // C field name
	Value   func(wc *WC) any    // the value for JSON: numbers as numbers, enums by name
	Format  func(wc *WC) string // the value as text
	Defined func(wc *WC) bool   // whether the value is defined in this completion
}

// MarshalJSON encodes the fields that are defined in this completion, under their C
// names.
func (wc WC) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i := range WCFields {
		f := &WCFields[i]
		if !f.Defined(&wc) {
			continue
		}
		v, err := json.Marshal(f.Value(&wc))
		if err != nil {
			return nil, err
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, "%q:%s", f.Name, v)
	}
	return append(b, '}'), nil
}

func always(*WC) bool       { return true }
func onSuccess(wc *WC) bool { return !wc.Failed() }
func onRecv(wc *WC) bool    { return !wc.Failed() && wc.Opcode.IsRecv() }

func withLength(wc *WC) bool {
	return onRecv(wc) || !wc.Failed() && wc.Opcode.Receives()
}

func withFlag(f WCFlags) func(*WC) bool {
	return func(wc *WC) bool { return !wc.Failed() && wc.WCFlags&f != 0 }
}

func stamped(f CQWCFlags) func(*WC) bool {
	return func(wc *WC) bool { return !wc.Failed() && wc.Stamps&f != 0 }
}

func withGRH(wc *WC) bool { return onRecv(wc) && wc.WCFlags&WCGRH != 0 }

// WCFields lists every field of a work completion in the order of struct ibv_wc,
// followed by the fields of an extended queue, each with the rule for when it is
// defined: in a failed completion only wr_id, status, vendor_err and qp_num are;
// ibv_poll_cq(3).
var WCFields = []WCField{
	{"wr_id", func(wc *WC) any { return wc.WRID }, func(wc *WC) string { return fmt.Sprint(wc.WRID) }, always},
	{"status", func(wc *WC) any { return wc.Status }, func(wc *WC) string { return wc.Status.String() }, always},
	{"opcode", func(wc *WC) any { return wc.Opcode }, func(wc *WC) string { return wc.Opcode.String() }, onSuccess},
	{"vendor_err", func(wc *WC) any { return wc.VendorErr },
		func(wc *WC) string { return fmt.Sprintf("0x%x", wc.VendorErr) }, func(wc *WC) bool { return wc.Failed() }},
	{"byte_len", func(wc *WC) any { return wc.ByteLen }, func(wc *WC) string { return fmt.Sprint(wc.ByteLen) },
		withLength},
	{"imm_data", func(wc *WC) any { return wc.ImmData },
		func(wc *WC) string { return fmt.Sprintf("0x%08x", wc.ImmData) }, withFlag(WCWithImm)},
	{"invalidated_rkey", func(wc *WC) any { return wc.InvalidatedRKey },
		func(wc *WC) string { return fmt.Sprintf("0x%08x", wc.InvalidatedRKey) }, withFlag(WCWithInv)},
	{"qp_num", func(wc *WC) any { return wc.QPNum }, func(wc *WC) string { return wc.QPNum.String() }, always},
	{"src_qp", func(wc *WC) any { return wc.SrcQP }, func(wc *WC) string { return wc.SrcQP.String() }, withGRH},
	{"wc_flags", func(wc *WC) any { return wc.WCFlags }, func(wc *WC) string { return wc.WCFlags.String() }, onSuccess},
	{"pkey_index", func(wc *WC) any { return wc.PKeyIndex }, func(wc *WC) string { return fmt.Sprint(wc.PKeyIndex) },
		withGRH},
	{"slid", func(wc *WC) any { return wc.SLID }, func(wc *WC) string { return fmt.Sprint(wc.SLID) }, withGRH},
	{"sl", func(wc *WC) any { return wc.SL }, func(wc *WC) string { return fmt.Sprint(wc.SL) }, withGRH},
	{"dlid_path_bits", func(wc *WC) any { return wc.DLIDPathBits },
		func(wc *WC) string { return fmt.Sprint(wc.DLIDPathBits) }, withGRH},
	{"completion_ts", func(wc *WC) any { return wc.CompletionTS },
		func(wc *WC) string { return fmt.Sprint(wc.CompletionTS) }, stamped(CQWithTimestamp)},
	{"completion_wallclock_ns", func(wc *WC) any { return wc.CompletionWallclockNS },
		func(wc *WC) string { return fmt.Sprint(wc.CompletionWallclockNS) }, stamped(CQWithWallclock)},
}
