package wire

// OpcodeInfo is one row of the opcode table.
type OpcodeInfo struct {
	// Name is the opcode's name; empty if the opcode is unknown.
	Name string
	// Transport, Operation and Position say what the packet is.
	Transport Transport
	Operation Operation
	Position  Position
	// Headers are the extended headers that follow the BTH.
	Headers Headers
	// Payload reports whether data may follow the headers.
	Payload bool
	// Response reports whether the packet goes from responder to requester.
	Response bool
}

// opcodes is the table of BTH opcodes (IBA vol 1, 9.2.1), indexed by opcode. Reliable datagram and XRC are not in it.
var opcodes = [256]OpcodeInfo{
	RCSendFirst:    {"RC_SEND_FIRST", RC, OpSend, First, 0, hasData, request},
	RCSendMiddle:   {"RC_SEND_MIDDLE", RC, OpSend, Middle, 0, hasData, request},
	RCSendLast:     {"RC_SEND_LAST", RC, OpSend, Last, 0, hasData, request},
	RCSendLastImm:  {"RC_SEND_LAST_WITH_IMMEDIATE", RC, OpSend, Last, HasImmDt, hasData, request},
	RCSendOnly:     {"RC_SEND_ONLY", RC, OpSend, Only, 0, hasData, request},
	RCSendOnlyImm:  {"RC_SEND_ONLY_WITH_IMMEDIATE", RC, OpSend, Only, HasImmDt, hasData, request},
	RCWriteFirst:   {"RC_RDMA_WRITE_FIRST", RC, OpWrite, First, HasRETH, hasData, request},
	RCWriteMiddle:  {"RC_RDMA_WRITE_MIDDLE", RC, OpWrite, Middle, 0, hasData, request},
	RCWriteLast:    {"RC_RDMA_WRITE_LAST", RC, OpWrite, Last, 0, hasData, request},
	RCWriteLastImm: {"RC_RDMA_WRITE_LAST_WITH_IMMEDIATE", RC, OpWrite, Last, HasImmDt, hasData, request},
	RCWriteOnly:    {"RC_RDMA_WRITE_ONLY", RC, OpWrite, Only, HasRETH, hasData, request},
	RCWriteOnlyImm: {"RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE", RC, OpWrite, Only, HasRETH | HasImmDt, hasData, request},

	RCReadRequest:        {"RC_RDMA_READ_REQUEST", RC, OpRead, Only, HasRETH, bare, request},
	RCReadResponseFirst:  {"RC_RDMA_READ_RESPONSE_FIRST", RC, OpReadResponse, First, HasAETH, hasData, response},
	RCReadResponseMiddle: {"RC_RDMA_READ_RESPONSE_MIDDLE", RC, OpReadResponse, Middle, 0, hasData, response},
	RCReadResponseLast:   {"RC_RDMA_READ_RESPONSE_LAST", RC, OpReadResponse, Last, HasAETH, hasData, response},
	RCReadResponseOnly:   {"RC_RDMA_READ_RESPONSE_ONLY", RC, OpReadResponse, Only, HasAETH, hasData, response},
	RCAcknowledge:        {"RC_ACKNOWLEDGE", RC, OpAcknowledge, Only, HasAETH, bare, response},
	RCAtomicAcknowledge: {"RC_ATOMIC_ACKNOWLEDGE", RC, OpAtomicAcknowledge, Only,
		HasAETH | HasAtomicAckETH, bare, response},
	RCCompareSwap:        {"RC_COMPARE_SWAP", RC, OpCompareSwap, Only, HasAtomicETH, bare, request},
	RCFetchAdd:           {"RC_FETCH_ADD", RC, OpFetchAdd, Only, HasAtomicETH, bare, request},
	RCSendLastInvalidate: {"RC_SEND_LAST_WITH_INVALIDATE", RC, OpSend, Last, HasIETH, hasData, request},
	RCSendOnlyInvalidate: {"RC_SEND_ONLY_WITH_INVALIDATE", RC, OpSend, Only, HasIETH, hasData, request},
	RCFlush:              {"RC_FLUSH", RC, OpFlush, Only, HasFETH | HasRETH, bare, request},
	RCAtomicWrite:        {"RC_ATOMIC_WRITE", RC, OpAtomicWrite, Only, HasRETH, hasData, request},

	UCSendFirst:    {"UC_SEND_FIRST", UC, OpSend, First, 0, hasData, request},
	UCSendMiddle:   {"UC_SEND_MIDDLE", UC, OpSend, Middle, 0, hasData, request},
	UCSendLast:     {"UC_SEND_LAST", UC, OpSend, Last, 0, hasData, request},
	UCSendLastImm:  {"UC_SEND_LAST_WITH_IMMEDIATE", UC, OpSend, Last, HasImmDt, hasData, request},
	UCSendOnly:     {"UC_SEND_ONLY", UC, OpSend, Only, 0, hasData, request},
	UCSendOnlyImm:  {"UC_SEND_ONLY_WITH_IMMEDIATE", UC, OpSend, Only, HasImmDt, hasData, request},
	UCWriteFirst:   {"UC_RDMA_WRITE_FIRST", UC, OpWrite, First, HasRETH, hasData, request},
	UCWriteMiddle:  {"UC_RDMA_WRITE_MIDDLE", UC, OpWrite, Middle, 0, hasData, request},
	UCWriteLast:    {"UC_RDMA_WRITE_LAST", UC, OpWrite, Last, 0, hasData, request},
	UCWriteLastImm: {"UC_RDMA_WRITE_LAST_WITH_IMMEDIATE", UC, OpWrite, Last, HasImmDt, hasData, request},
	UCWriteOnly:    {"UC_RDMA_WRITE_ONLY", UC, OpWrite, Only, HasRETH, hasData, request},
	UCWriteOnlyImm: {"UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE", UC, OpWrite, Only, HasRETH | HasImmDt, hasData, request},

	UDSendOnly:    {"UD_SEND_ONLY", UD, OpSend, Only, HasDETH, hasData, request},
	UDSendOnlyImm: {"UD_SEND_ONLY_WITH_IMMEDIATE", UD, OpSend, Only, HasDETH | HasImmDt, hasData, request},

	CNP: {"CNP", Notifications, OpCongestion, Only, 0, hasData, response},
}

// The values of the table's last two columns.
const (
	hasData, bare     = true, false
	response, request = true, false
)

// opcodeIndex finds an opcode by its properties. The last dimension is the extra at the end of a message: none,
// immediate, invalidate.
var opcodeIndex = func() (t [8][operations][places][extras]Opcode) {
	for i := range t {
		for j := range t[i] {
			for k := range t[i][j] {
				t[i][j][k] = [extras]Opcode{noOpcode, noOpcode, noOpcode}
			}
		}
	}
	for o, info := range opcodes {
		if info.Name != "" {
			t[info.Transport][info.Operation][info.Position][extra(info.Headers)] = Opcode(o)
		}
	}
	return t
}()

const (
	extras = 3
	// noOpcode fills the holes of opcodeIndex. It is the last of the manufacturers' opcodes and is never in the table.
	noOpcode Opcode = 0xff
)

// extra returns the index in opcodeIndex's last dimension.
func extra(h Headers) int {
	switch {
	case h.Has(HasImmDt):
		return 1
	case h.Has(HasIETH):
		return 2
	}
	return 0
}

// FindOpcode returns the opcode for an operation at a place in its message. Of with only HasImmDt and HasIETH count: at
// the end of a message they select immediate data or an invalidation, elsewhere they are ignored. ok is false if there
// is no such packet.
func FindOpcode(t Transport, op Operation, at Position, with Headers) (o Opcode, ok bool) {
	if int(t) >= len(opcodeIndex) || op >= operations || at >= places {
		return 0, false
	}
	e := 0
	if at&Ends != 0 {
		e = extra(with)
	}
	o = opcodeIndex[t][op][at][e]
	return o, o != noOpcode
}
