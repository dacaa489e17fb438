package wire

// Opcode is the first byte of a BTH: three bits of transport, five of operation (IBA vol 1, 9.2.1, table of BTH
// opcodes).
type Opcode uint8

// The opcodes of reliable connections. FLUSH and ATOMIC_WRITE are of annex A19, Memory Placement Extensions.
const (
	RCSendFirst          Opcode = 0x00
	RCSendMiddle         Opcode = 0x01
	RCSendLast           Opcode = 0x02
	RCSendLastImm        Opcode = 0x03
	RCSendOnly           Opcode = 0x04
	RCSendOnlyImm        Opcode = 0x05
	RCWriteFirst         Opcode = 0x06
	RCWriteMiddle        Opcode = 0x07
	RCWriteLast          Opcode = 0x08
	RCWriteLastImm       Opcode = 0x09
	RCWriteOnly          Opcode = 0x0a
	RCWriteOnlyImm       Opcode = 0x0b
	RCReadRequest        Opcode = 0x0c
	RCReadResponseFirst  Opcode = 0x0d
	RCReadResponseMiddle Opcode = 0x0e
	RCReadResponseLast   Opcode = 0x0f
	RCReadResponseOnly   Opcode = 0x10
	RCAcknowledge        Opcode = 0x11
	RCAtomicAcknowledge  Opcode = 0x12
	RCCompareSwap        Opcode = 0x13
	RCFetchAdd           Opcode = 0x14
	RCSendLastInvalidate Opcode = 0x16
	RCSendOnlyInvalidate Opcode = 0x17
	RCFlush              Opcode = 0x1c
	RCAtomicWrite        Opcode = 0x1d
)

// The opcodes of unreliable connections.
const (
	UCSendFirst    Opcode = 0x20
	UCSendMiddle   Opcode = 0x21
	UCSendLast     Opcode = 0x22
	UCSendLastImm  Opcode = 0x23
	UCSendOnly     Opcode = 0x24
	UCSendOnlyImm  Opcode = 0x25
	UCWriteFirst   Opcode = 0x26
	UCWriteMiddle  Opcode = 0x27
	UCWriteLast    Opcode = 0x28
	UCWriteLastImm Opcode = 0x29
	UCWriteOnly    Opcode = 0x2a
	UCWriteOnlyImm Opcode = 0x2b
)

// The opcodes of unreliable datagrams.
const (
	UDSendOnly    Opcode = 0x64
	UDSendOnlyImm Opcode = 0x65
)

// CNP is the congestion notification packet of RoCEv2 (annex A17): a BTH with BECN set and 16 reserved bytes.
const CNP Opcode = 0x81

// Transport is the high three bits of an opcode.
type Transport uint8

// The transports with opcodes in the table.
const (
	RC            Transport = 0 // reliable connection
	UC            Transport = 1 // unreliable connection
	UD            Transport = 3 // unreliable datagram
	Notifications Transport = 4 // congestion notification, no transport of its own
)

var transportNames = [...]string{RC: "RC", UC: "UC", UD: "UD", Notifications: "CNP"}

// String returns the transport's abbreviation.
func (t Transport) String() string {
	if int(t) < len(transportNames) && transportNames[t] != "" {
		return transportNames[t]
	}
	return string(appendUnknown(nil, uint8(t)))
}

// Operation is the effect of an opcode, whatever its transport and its place in the message.
type Operation uint8

// The operations.
const (
	OpSend Operation = iota
	OpWrite
	OpRead         // a READ request
	OpReadResponse // the data of a READ; without data, the answer to a FLUSH or an ATOMIC_WRITE
	OpAcknowledge
	OpAtomicAcknowledge
	OpCompareSwap
	OpFetchAdd
	OpFlush
	OpAtomicWrite
	OpCongestion
	operations
)

var operationNames = [operations]string{
	OpSend:              "SEND",
	OpWrite:             "RDMA_WRITE",
	OpRead:              "RDMA_READ_REQUEST",
	OpReadResponse:      "RDMA_READ_RESPONSE",
	OpAcknowledge:       "ACKNOWLEDGE",
	OpAtomicAcknowledge: "ATOMIC_ACKNOWLEDGE",
	OpCompareSwap:       "COMPARE_SWAP",
	OpFetchAdd:          "FETCH_ADD",
	OpFlush:             "FLUSH",
	OpAtomicWrite:       "ATOMIC_WRITE",
	OpCongestion:        "CNP",
}

// String returns the operation's name.
func (o Operation) String() string {
	if o < operations {
		return operationNames[o]
	}
	return string(appendUnknown(nil, uint8(o)))
}

// Position is a packet's place in its message. Its two bits are [Starts] and [Ends].
type Position uint8

// The positions.
const (
	Middle Position = 0
	First           = Starts
	Last            = Ends
	Only            = Starts | Ends

	Starts Position = 1 << 0 // the message begins with this packet
	Ends   Position = 1 << 1 // the message ends with this packet
	places          = 4
)

var positionNames = [places]string{Middle: "MIDDLE", First: "FIRST", Last: "LAST", Only: "ONLY"}

// String returns the position's name.
func (p Position) String() string {
	if p < places {
		return positionNames[p]
	}
	return string(appendUnknown(nil, uint8(p)))
}

// Headers is the set of extended headers after a BTH. On the wire they are in the order of the bits.
type Headers uint16

// The extended headers.
const (
	HasDETH Headers = 1 << iota
	HasFETH
	HasRETH
	HasAtomicETH
	HasAETH
	HasAtomicAckETH
	HasImmDt
	HasIETH
)

// Has reports whether all headers of want are in h.
func (h Headers) Has(want Headers) bool { return h&want == want }

// Len returns the length of all headers of h in bytes.
func (h Headers) Len() int {
	n := 0
	for i, length := range headerLens {
		if h>>i&1 != 0 {
			n += length
		}
	}
	return n
}

// headerLens is indexed by the bit number in [Headers].
var headerLens = [...]int{DETHLen, FETHLen, RETHLen, AtomicETHLen, AETHLen, AtomicAckETHLen, ImmDtLen, IETHLen}

// Info returns the opcode's row of the table; ok is false if there is none.
func (o Opcode) Info() (info OpcodeInfo, ok bool) { return opcodes[o], opcodes[o].Name != "" }

// String returns the opcode's name, such as RC_SEND_ONLY.
func (o Opcode) String() string { return string(o.appendText(nil)) }

func (o Opcode) appendText(dst []byte) []byte {
	if name := opcodes[o].Name; name != "" {
		return append(dst, name...)
	}
	return appendUnknown(dst, uint8(o))
}
