package wire

import (
	"strings"
	"testing"
)

// opcodeCases states the table in reverse: the number, the name, and the number of bytes before the payload.
var opcodeCases = []struct {
	opcode Opcode
	name   string
	before int
}{
	{0x00, "RC_SEND_FIRST", 12},
	{0x01, "RC_SEND_MIDDLE", 12},
	{0x02, "RC_SEND_LAST", 12},
	{0x03, "RC_SEND_LAST_WITH_IMMEDIATE", 16},
	{0x04, "RC_SEND_ONLY", 12},
	{0x05, "RC_SEND_ONLY_WITH_IMMEDIATE", 16},
	{0x06, "RC_RDMA_WRITE_FIRST", 28},
	{0x07, "RC_RDMA_WRITE_MIDDLE", 12},
	{0x08, "RC_RDMA_WRITE_LAST", 12},
	{0x09, "RC_RDMA_WRITE_LAST_WITH_IMMEDIATE", 16},
	{0x0a, "RC_RDMA_WRITE_ONLY", 28},
	{0x0b, "RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE", 32},
	{0x0c, "RC_RDMA_READ_REQUEST", 28},
	{0x0d, "RC_RDMA_READ_RESPONSE_FIRST", 16},
	{0x0e, "RC_RDMA_READ_RESPONSE_MIDDLE", 12},
	{0x0f, "RC_RDMA_READ_RESPONSE_LAST", 16},
	{0x10, "RC_RDMA_READ_RESPONSE_ONLY", 16},
	{0x11, "RC_ACKNOWLEDGE", 16},
	{0x12, "RC_ATOMIC_ACKNOWLEDGE", 24},
	{0x13, "RC_COMPARE_SWAP", 40},
	{0x14, "RC_FETCH_ADD", 40},
	{0x16, "RC_SEND_LAST_WITH_INVALIDATE", 16},
	{0x17, "RC_SEND_ONLY_WITH_INVALIDATE", 16},
	{0x1c, "RC_FLUSH", 32},
	{0x1d, "RC_ATOMIC_WRITE", 28},
	{0x20, "UC_SEND_FIRST", 12},
	{0x21, "UC_SEND_MIDDLE", 12},
	{0x22, "UC_SEND_LAST", 12},
	{0x23, "UC_SEND_LAST_WITH_IMMEDIATE", 16},
	{0x24, "UC_SEND_ONLY", 12},
	{0x25, "UC_SEND_ONLY_WITH_IMMEDIATE", 16},
	{0x26, "UC_RDMA_WRITE_FIRST", 28},
	{0x27, "UC_RDMA_WRITE_MIDDLE", 12},
	{0x28, "UC_RDMA_WRITE_LAST", 12},
	{0x29, "UC_RDMA_WRITE_LAST_WITH_IMMEDIATE", 16},
	{0x2a, "UC_RDMA_WRITE_ONLY", 28},
	{0x2b, "UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE", 32},
	{0x64, "UD_SEND_ONLY", 20},
	{0x65, "UD_SEND_ONLY_WITH_IMMEDIATE", 24},
	{0x81, "CNP", 12},
}

func TestOpcodeTable(t *testing.T) {
	known := map[Opcode]bool{}
	for _, c := range opcodeCases {
		known[c.opcode] = true
		info, ok := c.opcode.Info()
		if !ok {
			t.Errorf("%#02x %s is not in the table", uint8(c.opcode), c.name)
			continue
		}
		if got := c.opcode.String(); got != c.name || info.Name != c.name {
			t.Errorf("%#02x is %s, want %s", uint8(c.opcode), got, c.name)
		}
		if got := BTHLen + info.Headers.Len(); got != c.before {
			t.Errorf("%s: %d bytes before the payload, want %d", c.name, got, c.before)
		}
		if got := Transport(c.opcode >> 5); got != info.Transport ||
			!strings.HasPrefix(c.name, info.Transport.String()) {
			t.Errorf("%s: transport %v, its bits say %v", c.name, info.Transport, got)
		}
		if !strings.Contains(c.name, info.Operation.String()) {
			t.Errorf("%s: operation %v", c.name, info.Operation)
		}
		if strings.Contains(c.name, "_WITH_IMM") != info.Headers.Has(HasImmDt) ||
			strings.Contains(c.name, "_WITH_INV") != info.Headers.Has(HasIETH) {
			t.Errorf("%s: headers %b", c.name, info.Headers)
		}
		if response := strings.Contains(c.name, "RESPONSE") || strings.Contains(c.name, "ACKNOWLEDGE") ||
			c.name == "CNP"; response != info.Response {
			t.Errorf("%s: response %v", c.name, info.Response)
		}
	}
	for o := range 256 {
		if _, ok := Opcode(o).Info(); ok && !known[Opcode(o)] {
			t.Errorf("%v is in the table and not in the test", Opcode(o))
		}
	}
}

// TestOpcodePosition compares the position in the message with the opcode's name; an opcode without one is a whole
// message.
func TestOpcodePosition(t *testing.T) {
	for _, c := range opcodeCases {
		want := Only
		for _, p := range []Position{First, Middle, Last, Only} {
			if strings.Contains(c.name, "_"+p.String()) {
				want = p
			}
		}
		if info, _ := c.opcode.Info(); info.Position != want {
			t.Errorf("%s: %v, want %v", c.name, info.Position, want)
		}
	}
}

func TestOpcodePayload(t *testing.T) {
	bare := map[Opcode]bool{
		RCReadRequest: true, RCAcknowledge: true, RCAtomicAcknowledge: true, RCCompareSwap: true,
		RCFetchAdd: true, RCFlush: true,
	}
	for _, c := range opcodeCases {
		if info, _ := c.opcode.Info(); info.Payload == bare[c.opcode] {
			t.Errorf("%s: payload %v", c.name, info.Payload)
		}
	}
}

func TestFindOpcode(t *testing.T) {
	for _, c := range opcodeCases {
		info, _ := c.opcode.Info()
		got, ok := FindOpcode(info.Transport, info.Operation, info.Position, info.Headers)
		if !ok || got != c.opcode {
			t.Errorf("%s is found as %v, %v", c.name, got, ok)
		}
	}
	if got, ok := FindOpcode(RC, OpSend, First, HasImmDt); !ok || got != RCSendFirst {
		t.Errorf("the first packet of a SEND with immediate is %v, %v", got, ok)
	}
	none := []struct {
		t    Transport
		op   Operation
		at   Position
		with Headers
	}{
		{UD, OpWrite, Only, 0},
		{UC, OpRead, Only, 0},
		{UD, OpSend, First, 0},
		{UC, OpSend, Only, HasIETH},
		{RC, OpWrite, Only, HasIETH},
		{2, OpSend, Only, 0}, // reliable datagram
		{255, OpSend, Only, 0},
		{Transport(len(opcodeIndex)), OpSend, Only, 0},
		{RC, operations, Only, 0},
		{RC, OpSend, places, 0},
		{RC, 255, Only, 0},
		{RC, OpSend, 255, 0},
	}
	for _, c := range none {
		if got, ok := FindOpcode(c.t, c.op, c.at, c.with); ok {
			t.Errorf("%v %v %v %b is found as %v", c.t, c.op, c.at, c.with, got)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	for got, want := range map[string]string{
		Opcode(0x15).String():   "unknown(0x15)", // RESYNC of reliable datagram, reserved in RC
		Opcode(0xff).String():   "unknown(0xff)",
		Transport(2).String():   "unknown(0x02)",
		Transport(9).String():   "unknown(0x09)",
		Operation(200).String(): "unknown(0xc8)",
		Position(4).String():    "unknown(0x04)",
		NAKCode(5).String():     "unknown(0x05)",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
