package verbs

import "slices"

// WROpcode is the operation that a send work request asks for; ibv_post_send(3).
type WROpcode uint32

// Work request opcodes; the values are those of enum ibv_wr_opcode.
const (
	WRRDMAWrite         WROpcode = 0
	WRRDMAWriteWithImm  WROpcode = 1
	WRSend              WROpcode = 2
	WRSendWithImm       WROpcode = 3
	WRRDMARead          WROpcode = 4
	WRAtomicCmpAndSwp   WROpcode = 5
	WRAtomicFetchAndAdd WROpcode = 6
	WRLocalInv          WROpcode = 7
	WRBindMW            WROpcode = 8
	WRSendWithInv       WROpcode = 9
	WRTSO               WROpcode = 10
	WRDriver1           WROpcode = 11
	WRFlush             WROpcode = 14
	WRAtomicWrite       WROpcode = 15
)

// WROpcodes names the work request opcodes.
var WROpcodes = Enum[WROpcode]{"opcode", "IBV_WR_", wrNames()}

func wrNames() map[WROpcode]string {
	names := map[WROpcode]string{}
	for op := range wrOpcodes {
		if name := wrOpcodes[op].Name; name != "" {
			names[WROpcode(op)] = name
		}
	}
	return names
}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (o WROpcode) String() string { return WROpcodes.Name(o) }

// MarshalText is String, for JSON.
func (o WROpcode) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// WROpcodeTraits is a row of the table of opcodes: what each part of the program must know of one.
type WROpcodeTraits struct {
	Name       string    // in C, without IBV_WR_
	Builder    string    // function that begins such a request after ibv_wr_start; ibv_wr_post(3). "": not posted here
	SendOp     SendOps   // bit of enum ibv_qp_create_send_ops_flags; 0: ibv_wr_* does not post it
	Completion WCOpcode  // opcode of its completion
	BTH        uint8     // opcode of its packet on a reliable connection, if it is one packet; IBA 9.2.1. 0: sends none
	Only       []QPType  // types of queue pairs that have it; nil: all. IBA 10.7.2.2
	Caps       DeviceCap // flags of which the device must have one; 0: none
	Right      Access    // needed from the region or window and the queue pair; FLUSH: see [FlushType.Access]
	Remote     bool      // remote_addr and rkey
	Imm        bool      // imm_data
	Invalid    bool      // invalidate_rkey
	Atomic     bool      // compare_add
	Swap       bool      // swap
	Receives   bool      // the SGE list receives data (READ, atomics) rather than sending it
	Copied     bool      // the SGE list is 8 bytes, copied when the request is posted
	Flush      bool      // length, type and level; no SGE list
	NeedRecv   bool      // consumes a RECV of the peer
	Bind       bool      // mw, its new rkey and the range; no SGE list
}

var (
	reliable  = []QPType{RC}
	connected = []QPType{RC, UC}
)

const type2Windows = CapMemWindowType2A | CapMemWindowType2B

// wrOpcodes is the table of opcodes. Rows with only a name belong to operations that rdmatui does not post.
var wrOpcodes = [...]WROpcodeTraits{
	WRSend: {Name: "SEND", SendOp: 1 << 2, Builder: "ibv_wr_send", Completion: WCSend, BTH: 0x04, NeedRecv: true},
	WRSendWithImm: {Name: "SEND_WITH_IMM", SendOp: 1 << 3, Builder: "ibv_wr_send_imm", Completion: WCSend, BTH: 0x05,
		NeedRecv: true, Imm: true},
	WRSendWithInv: {Name: "SEND_WITH_INV", SendOp: 1 << 9, Builder: "ibv_wr_send_inv", Completion: WCSend, BTH: 0x17,
		Only: reliable, NeedRecv: true, Invalid: true},
	WRRDMAWrite: {Name: "RDMA_WRITE", SendOp: 1 << 0, Builder: "ibv_wr_rdma_write",
		Completion: WCRDMAWrite, BTH: 0x0a, Only: connected, Right: RemoteWrite, Remote: true},
	WRRDMAWriteWithImm: {Name: "RDMA_WRITE_WITH_IMM", SendOp: 1 << 1, Builder: "ibv_wr_rdma_write_imm",
		Completion: WCRDMAWrite, BTH: 0x0b,
		Only: connected, Right: RemoteWrite, Remote: true, Imm: true, NeedRecv: true},
	WRRDMARead: {Name: "RDMA_READ", SendOp: 1 << 4, Builder: "ibv_wr_rdma_read", Completion: WCRDMARead, BTH: 0x0c,
		Only: reliable, Right: RemoteRead, Remote: true, Receives: true},
	WRAtomicCmpAndSwp: {Name: "ATOMIC_CMP_AND_SWP", SendOp: 1 << 5, Builder: "ibv_wr_atomic_cmp_swp",
		Completion: WCCompSwap, BTH: 0x13,
		Only: reliable, Right: RemoteAtomic, Remote: true, Atomic: true, Swap: true, Receives: true},
	WRAtomicFetchAndAdd: {Name: "ATOMIC_FETCH_AND_ADD", SendOp: 1 << 6, Builder: "ibv_wr_atomic_fetch_add",
		Completion: WCFetchAdd, BTH: 0x14,
		Only: reliable, Right: RemoteAtomic, Remote: true, Atomic: true, Receives: true},
	WRLocalInv: {Name: "LOCAL_INV", SendOp: 1 << 7, Builder: "ibv_wr_local_inv", Completion: WCLocalInv,
		Only: connected, Caps: type2Windows | CapMemMgtExtensions, Invalid: true},
	WRBindMW: {Name: "BIND_MW", SendOp: 1 << 8, Builder: "ibv_wr_bind_mw", Completion: WCBindMW,
		Only: connected, Caps: type2Windows, Bind: true},
	WRTSO:     {Name: "TSO", SendOp: 1 << 10},
	WRDriver1: {Name: "DRIVER1"},
	WRFlush: {Name: "FLUSH", SendOp: 1 << 11, Builder: "ibv_wr_flush", Completion: WCFlush, BTH: 0x1c,
		Only: reliable, Caps: CapFlushGlobal, Remote: true, Flush: true},
	WRAtomicWrite: {Name: "ATOMIC_WRITE", SendOp: 1 << 12, Builder: "ibv_wr_atomic_write",
		Completion: WCAtomicWrite, BTH: 0x1d,
		Only: reliable, Caps: CapAtomicWrite, Right: RemoteWrite, Remote: true, Copied: true},
}

// Traits returns the opcode's row, which must not be changed; an empty row for an unknown opcode.
func (o WROpcode) Traits() *WROpcodeTraits {
	if int(o) < len(wrOpcodes) {
		return &wrOpcodes[o]
	}
	return &unknownOpcode
}

var unknownOpcode WROpcodeTraits

// Posted reports whether rdmatui can post the operation.
func (t *WROpcodeTraits) Posted() bool { return t.Builder != "" }

// On reports whether queue pairs of a type have the operation.
func (t *WROpcodeTraits) On(qp QPType) bool { return t.Only == nil || slices.Contains(t.Only, qp) }

// HasList reports whether the request has a list of SGEs.
func (t *WROpcodeTraits) HasList() bool { return !t.Local() && !t.Flush }

// Local reports whether the device executes the operation itself and sends nothing.
func (t *WROpcodeTraits) Local() bool { return t.Bind || t.Invalid && !t.NeedRecv }

// Placement reports whether the operation is one of IBA annex A19, Memory Placement Extensions. Each is one packet,
// answered by a READ response of no bytes. struct ibv_send_wr has no fields for them: only ibv_wr_* posts them.
func (t *WROpcodeTraits) Placement() bool { return t.Flush || t.Copied }

// SendFlags modify a send work request; ibv_post_send(3).
type SendFlags uint32

// Send flags; the values are those of enum ibv_send_flags.
const (
	SendFence     SendFlags = 1 << 0 // wait for earlier READs and atomics of this QP
	SendSignaled  SendFlags = 1 << 1 // create a work completion on success
	SendSolicited SendFlags = 1 << 2 // raise the peer's solicited event
	SendInline    SendFlags = 1 << 3 // copy the data at post time; the lkey is ignored
	SendIPCsum    SendFlags = 1 << 4
)

// SendFlagNames names the send flags.
var SendFlagNames = Flags[SendFlags]{"send", "IBV_SEND_", map[int]string{
	0: "FENCE", 1: "SIGNALED", 2: "SOLICITED", 3: "INLINE", 4: "IP_CSUM",
}}

// String returns the names of the set flags joined by "|", without the C
// prefix; "0" if none is set. Bits without a name appear in hexadecimal.
func (f SendFlags) String() string { return SendFlagNames.Name(f) }

// MarshalText is String, for JSON.
func (f SendFlags) MarshalText() ([]byte, error) { return []byte(f.String()), nil }
