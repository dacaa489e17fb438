package wire

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// samplePacket returns a packet with opcode o, n bytes of payload and a value in every header, even in those that o
// does not have.
func samplePacket(o Opcode, n int) Packet {
	return Packet{
		BTH:          BTH{Opcode: o, MigReq: true, PKey: 0xffff, DestQP: 0x000011, AckReq: true, PSN: 0xfffffe},
		DETH:         DETH{QKey: 0x11111111, SrcQP: 0x000012},
		FETH:         FETH{Level: FlushRegion, Type: FlushPersistent},
		RETH:         RETH{VA: 0x7f0000001000, RKey: 0x1234, DMALen: 4096},
		AtomicETH:    AtomicETH{VA: 0x7f0000002000, RKey: 0x5678, SwapAdd: 1, Compare: 2},
		AETH:         AETH{Syndrome: ACKUnlimited, MSN: 7},
		AtomicAckETH: AtomicAckETH{Orig: 3},
		ImmDt:        ImmDt{Data: 0xdeadbeef},
		IETH:         IETH{RKey: 0x9abc},
		Payload:      bytes.Repeat([]byte{0x5a}, n),
	}
}

// TestPacketBytes compares a whole packet with annotated bytes.
func TestPacketBytes(t *testing.T) {
	want := []byte{
		0x0b,       // RC RDMA WRITE only with immediate
		0x70,       // M, pad 3
		0xff, 0xff, // P_Key
		0x00, 0x00, 0x00, 0x11, // destination QP
		0x80, 0xff, 0xff, 0xfe, // A, PSN
		0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x10, 0x00, // RETH: virtual address
		0x00, 0x00, 0x12, 0x34, // R_Key
		0x00, 0x00, 0x10, 0x00, // DMA length
		0xde, 0xad, 0xbe, 0xef, // ImmDt
		0x5a, 0x5a, 0x5a, 0x5a, 0x5a, // payload
		0x00, 0x00, 0x00, // pad
	}
	p := samplePacket(RCWriteOnlyImm, 5)
	if got := p.Append(nil); !bytes.Equal(got, want) {
		t.Errorf("\n got % x\nwant % x", got, want)
	}
	got, err := Parse(append(want, 0x44, 0x33, 0x22, 0x11)) // ICRC, low byte first
	if err != nil {
		t.Fatal(err)
	}
	if got.ICRC != 0x11223344 || got.Headers != HasRETH|HasImmDt || got.BTH.Pad != 3 || string(got.Payload) != "ZZZZZ" {
		t.Errorf("parsed %+v", got)
	}
}

// TestPacketRoundTrip builds and parses every opcode with every length of pad.
func TestPacketRoundTrip(t *testing.T) {
	for _, c := range opcodeCases {
		for n := range 9 {
			p := samplePacket(c.opcode, n)
			b := p.Append(make([]byte, 0, MaxLen))
			if want := c.before + (n+3)/4*4; len(b) != want {
				t.Fatalf("%s with %d bytes of payload is %d bytes long, want %d", c.name, n, len(b), want)
			}
			got, err := Parse(append(b, 1, 2, 3, 4))
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if want := onlyHeadersOf(p); !reflect.DeepEqual(got, want) {
				t.Errorf("%s\n got %+v\nwant %+v", c.name, got, want)
			}
		}
	}
}

// onlyHeadersOf returns the part of p that is sent: only the headers of its opcode.
func onlyHeadersOf(p Packet) Packet {
	info, _ := p.BTH.Opcode.Info()
	want := Packet{BTH: p.BTH, Headers: info.Headers, Payload: p.Payload, ICRC: 0x04030201}
	want.BTH.Pad = uint8((4 - len(p.Payload)%4) % 4)
	from, to := reflect.ValueOf(&p).Elem(), reflect.ValueOf(&want).Elem()
	for i, name := range []string{"DETH", "FETH", "RETH", "AtomicETH", "AETH", "AtomicAckETH", "ImmDt", "IETH"} {
		if info.Headers>>i&1 != 0 {
			to.FieldByName(name).Set(from.FieldByName(name))
		}
	}
	return want
}

// TestPacketString checks the summary lines that the screen and a capture show.
func TestPacketString(t *testing.T) {
	for _, c := range []struct {
		opcode Opcode
		want   string
	}{
		{RCFlush, "RC_FLUSH qp 0x000011 psn 0xfffffe plt PERSISTENT sel MR va 0x00007f0000001000 rkey 0x00001234 dma_len 4096 ack_req"},
		{UDSendOnlyImm, "UD_SEND_ONLY_WITH_IMMEDIATE qp 0x000011 psn 0xfffffe qkey 0x11111111 src_qp 0x000012 imm 0xdeadbeef ack_req"},
		{RCWriteOnlyImm, "RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE qp 0x000011 psn 0xfffffe va 0x00007f0000001000 rkey 0x00001234 dma_len 4096 imm 0xdeadbeef ack_req"},
		{RCCompareSwap, "RC_COMPARE_SWAP qp 0x000011 psn 0xfffffe va 0x00007f0000002000 rkey 0x00005678 swap_add 0x0000000000000001 compare 0x0000000000000002 ack_req"},
		{RCAcknowledge, "RC_ACKNOWLEDGE qp 0x000011 psn 0xfffffe ACK msn 7 ack_req"},
		{RCAtomicAcknowledge,
			"RC_ATOMIC_ACKNOWLEDGE qp 0x000011 psn 0xfffffe ACK msn 7 orig 0x0000000000000003 ack_req"},
		{RCSendOnlyInvalidate, "RC_SEND_ONLY_WITH_INVALIDATE qp 0x000011 psn 0xfffffe inv_rkey 0x00009abc ack_req"},
	} {
		p := samplePacket(c.opcode, 0)
		info, _ := c.opcode.Info()
		p.Headers = info.Headers
		if got := p.String(); got != c.want {
			t.Errorf("\n got %s\nwant %s", got, c.want)
		}
	}
}

func TestPacketErrors(t *testing.T) {
	bth := func(opcode Opcode, pad byte) []byte {
		return []byte{byte(opcode), pad << 4, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0, 0, 1}
	}
	cases := []struct {
		name  string
		bytes []byte
		want  error
		text  string
	}{
		{"nothing", nil, ErrTruncated, "BTH needs 12"},
		{"BTH without ICRC", bth(RCSendOnly, 0), ErrTruncated, "ICRC needs 4"},
		{"ICRC cut short", append(bth(RCSendOnly, 0), 1, 2, 3), ErrTruncated, "ICRC needs 4"},
		{"opcode of XRC", append(bth(0xa4, 0), 1, 2, 3, 4), ErrOpcode, "opcode"},
		{"ICRC where the AETH should be", append(bth(RCAcknowledge, 0), 1, 2, 3, 4), ErrTruncated, "AETH needs 4"},
		{"RETH without the ImmDt after it", append(bth(RCWriteOnlyImm, 0), make([]byte, 20)...),
			ErrTruncated, "ImmDt needs 4"},
		{"pad without payload", append(bth(RCSendOnly, 1), 1, 2, 3, 4), ErrPad, "pad"},
		{"payload not filled up", append(bth(RCSendOnly, 0), 9, 1, 2, 3, 4), ErrPad, "pad"},
		{"pad after a part of a word", append(bth(RCSendOnly, 3), 9, 9, 9, 9, 9, 1, 2, 3, 4), ErrPad, "pad"},
	}
	for _, c := range cases {
		p := samplePacket(RCSendOnly, 8)
		err := p.Decode(c.bytes)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %v about %q", c.name, err, c.want, c.text)
		}
		if p.Payload != nil {
			t.Errorf("%s: payload % x survives", c.name, p.Payload)
		}
	}
}

// TestPayloadCannotReachICRC appends to a payload: the bytes after it must not be overwritten.
func TestPayloadCannotReachICRC(t *testing.T) {
	p := samplePacket(RCSendOnly, 8)
	b := append(p.Append(nil), 1, 2, 3, 4)
	got, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	_ = append(got.Payload, 0xff, 0xff)
	if !bytes.Equal(b[len(b)-ICRCLen:], []byte{1, 2, 3, 4}) {
		t.Errorf("ICRC overwritten: % x", b)
	}
}

// TestAppendHeaders writes the payload in place and must produce the same bytes as Append.
func TestAppendHeaders(t *testing.T) {
	for n := range 9 {
		p := samplePacket(UDSendOnlyImm, n)
		b := p.AppendHeaders(nil, n)
		for range n {
			b = append(b, 0x5a)
		}
		if b = AppendPad(b, n); !bytes.Equal(b, p.Append(nil)) {
			t.Errorf("%d bytes of payload: % x", n, b)
		}
	}
}

func TestSummary(t *testing.T) {
	p := samplePacket(UDSendOnlyImm, 3)
	p.BTH.FECN, p.BTH.BECN, p.BTH.Solicited = true, true, true
	got, err := Parse(append(p.Append(nil), 1, 2, 3, 4))
	if err != nil {
		t.Fatal(err)
	}
	want :=
		"UD_SEND_ONLY_WITH_IMMEDIATE qp 0x000011 psn 0xfffffe qkey 0x11111111 src_qp 0x000012 imm 0xdeadbeef len 3" +
			" ack_req solicited fecn becn"
	if got.String() != want {
		t.Errorf("\n got %s\nwant %s", &got, want)
	}
	unknown := Packet{BTH: BTH{Opcode: 0xa4, DestQP: 5}}
	if got, want := unknown.String(), "unknown(0xa4) qp 0x000005 psn 0x000000"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
