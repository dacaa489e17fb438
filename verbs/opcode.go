package verbs

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
var WROpcodes = Enum[WROpcode]{"opcode", "IBV_WR_", map[WROpcode]string{
	WRRDMAWrite: "RDMA_WRITE", WRRDMAWriteWithImm: "RDMA_WRITE_WITH_IMM", WRSend: "SEND",
	WRSendWithImm: "SEND_WITH_IMM", WRRDMARead: "RDMA_READ", WRAtomicCmpAndSwp: "ATOMIC_CMP_AND_SWP",
	WRAtomicFetchAndAdd: "ATOMIC_FETCH_AND_ADD", WRLocalInv: "LOCAL_INV", WRBindMW: "BIND_MW",
	WRSendWithInv: "SEND_WITH_INV", WRTSO: "TSO", WRDriver1: "DRIVER1", WRFlush: "FLUSH",
	WRAtomicWrite: "ATOMIC_WRITE",
}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (o WROpcode) String() string { return WROpcodes.Name(o) }

// MarshalText is String, for JSON.
func (o WROpcode) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// WROpcodeTraits describes which fields of a send work request an opcode uses.
type WROpcodeTraits struct {
	Remote   bool // remote_addr and rkey
	Imm      bool // imm_data
	Invalid  bool // invalidate_rkey
	Atomic   bool // compare_add and swap
	Receives bool // the SGE list receives data (READ, atomics) rather than sending it
	Copied   bool // the SGE list is 8 bytes, copied when the request is posted
	Flush    bool // length, type and level; no SGE list
	NeedRecv bool // consumes a RECV of the peer
	Bind     bool // mw, its new rkey and the range; no SGE list
}

var wrOpcodeTraits = map[WROpcode]WROpcodeTraits{
	WRSend:              {NeedRecv: true},
	WRSendWithImm:       {NeedRecv: true, Imm: true},
	WRSendWithInv:       {NeedRecv: true, Invalid: true},
	WRRDMAWrite:         {Remote: true},
	WRRDMAWriteWithImm:  {Remote: true, Imm: true, NeedRecv: true},
	WRRDMARead:          {Remote: true, Receives: true},
	WRAtomicCmpAndSwp:   {Remote: true, Atomic: true, Receives: true},
	WRAtomicFetchAndAdd: {Remote: true, Atomic: true, Receives: true},
	WRLocalInv:          {Invalid: true},
	WRBindMW:            {Bind: true},
	WRFlush:             {Remote: true, Flush: true},
	WRAtomicWrite:       {Remote: true, Copied: true},
}

// Traits returns the fields that the opcode uses; the zero value for an unknown opcode.
func (o WROpcode) Traits() WROpcodeTraits { return wrOpcodeTraits[o] }

// HasList reports whether the request has a list of SGEs.
func (t WROpcodeTraits) HasList() bool { return !t.Bind && !t.Flush && (!t.Invalid || t.NeedRecv) }

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
