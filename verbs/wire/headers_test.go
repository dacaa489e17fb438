package wire

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

// header has the methods common to all headers.
type header interface {
	Decode([]byte) error
	Append([]byte) []byte
}

// headerCases has every header with different bytes in every field.
var headerCases = []struct {
	name  string
	bytes []byte
	want  header
}{
	{"BTH", []byte{
		0x0a,       // opcode: RC RDMA WRITE only
		0xf5,       // SE, M, pad 3, TVer 5
		0x81, 0x23, // P_Key
		0xc0,             // FECN, BECN
		0x12, 0x34, 0x56, // destination QP
		0x80,             // A
		0xab, 0xcd, 0xef, // PSN
	}, &BTH{
		Opcode: RCWriteOnly, Solicited: true, MigReq: true, Pad: 3, TVer: 5, PKey: 0x8123, FECN: true, BECN: true,
		DestQP: 0x123456, AckReq: true, PSN: 0xabcdef,
	}},
	{"BTH solicited alone", []byte{4, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, &BTH{Opcode: RCSendOnly, Solicited: true}},
	{"BTH migrated alone", []byte{4, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, &BTH{Opcode: RCSendOnly, MigReq: true}},
	{"BTH FECN alone", []byte{4, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0}, &BTH{Opcode: RCSendOnly, FECN: true}},
	{"BTH BECN alone", []byte{4, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0}, &BTH{Opcode: RCSendOnly, BECN: true}},
	{"DETH", []byte{
		0x80, 0x01, 0x00, 0x02, // Q_Key
		0,                // reserved
		0xfe, 0xdc, 0xba, // source QP
	}, &DETH{QKey: 0x80010002, SrcQP: 0xfedcba}},
	{"RETH", []byte{
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, // virtual address
		0x11, 0x12, 0x13, 0x14, // R_Key
		0x21, 0x22, 0x23, 0x24, // DMA length
	}, &RETH{VA: 0x0102030405060708, RKey: 0x11121314, DMALen: 0x21222324}},
	{"FETH", []byte{0, 0, 0, 0x12}, &FETH{Level: FlushRegion, Type: FlushPersistent}},
	{"AtomicETH", []byte{
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, // virtual address
		0x11, 0x12, 0x13, 0x14, // R_Key
		0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, // swap or add data
		0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, // compare data
	}, &AtomicETH{VA: 0x0102030405060708, RKey: 0x11121314, SwapAdd: 0x2122232425262728, Compare: 0x3132333435363738}},
	{"AETH", []byte{
		0x2c,             // syndrome: RNR NAK, timer 12
		0x12, 0x34, 0x56, // MSN
	}, &AETH{Syndrome: RNRNAK(12), MSN: 0x123456}},
	{"AtomicAckETH", []byte{
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, // original remote data
	}, &AtomicAckETH{Orig: 0x0102030405060708}},
	{"ImmDt", []byte{0xde, 0xad, 0xbe, 0xef}, &ImmDt{Data: 0xdeadbeef}},
	{"IETH", []byte{0x12, 0x34, 0x56, 0x78}, &IETH{RKey: 0x12345678}},
}

func TestHeaderBytes(t *testing.T) {
	for _, c := range headerCases {
		t.Run(c.name, func(t *testing.T) {
			got := reflect.New(reflect.TypeOf(c.want).Elem()).Interface().(header)
			if err := got.Decode(append(bytes.Clone(c.bytes), 0xee)); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("decoded %+v, want %+v", got, c.want)
			}
			if b := c.want.Append([]byte{0xaa}); !bytes.Equal(b[1:], c.bytes) || b[0] != 0xaa {
				t.Errorf("encoded % x, want aa % x", b, c.bytes)
			}
		})
	}
}

func TestHeaderTruncated(t *testing.T) {
	for _, c := range headerCases {
		for n := range c.bytes {
			got := reflect.New(reflect.TypeOf(c.want).Elem()).Interface().(header)
			if err := got.Decode(c.bytes[:n:n]); !errors.Is(err, ErrTruncated) {
				t.Errorf("%s of %d bytes: %v, want ErrTruncated", c.name, n, err)
			}
		}
	}
}

// TestHeaderStale decodes zeros into a header full of other values: no old value may survive.
func TestHeaderStale(t *testing.T) {
	for _, c := range headerCases {
		typ := reflect.TypeOf(c.want).Elem()
		got := reflect.New(typ).Interface().(header)
		if err := got.Decode(c.bytes); err != nil {
			t.Fatal(err)
		}
		if err := got.Decode(make([]byte, len(c.bytes))); err != nil {
			t.Fatal(err)
		}
		if !reflect.ValueOf(got).Elem().IsZero() {
			t.Errorf("%s keeps %+v", c.name, got)
		}
	}
}

// TestHeaderReserved sets all reserved bits, which must be neither read nor sent.
func TestHeaderReserved(t *testing.T) {
	cases := []struct {
		name     string
		reserved []byte
		got      header
	}{
		{"BTH", []byte{0, 0, 0, 0, 0x3f, 0, 0, 0, 0x7f, 0, 0, 0}, &BTH{}},
		{"DETH", []byte{0, 0, 0, 0, 0xff, 0, 0, 0}, &DETH{}},
		{"FETH", []byte{0xff, 0xff, 0xff, 0xc0}, &FETH{}},
	}
	for _, c := range cases {
		if err := c.got.Decode(c.reserved); err != nil {
			t.Fatal(err)
		}
		if b := c.got.Append(nil); !bytes.Equal(b, make([]byte, len(c.reserved))) {
			t.Errorf("%s: % x came back from reserved bits", c.name, b)
		}
	}
}

// TestHeaderOverflow encodes values too large for their fields: the neighbouring fields must not change.
func TestHeaderOverflow(t *testing.T) {
	cases := []struct {
		name string
		h    header
		want []byte
	}{
		{"BTH", &BTH{Pad: 0xfc, TVer: 0xf0, DestQP: 0xff000001, PSN: 0xff000002},
			[]byte{0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2}},
		{"DETH", &DETH{SrcQP: 0xff000003}, []byte{0, 0, 0, 0, 0, 0, 0, 3}},
		{"FETH", &FETH{Level: 0xfe, Type: 0xf5}, []byte{0, 0, 0, 0x25}},
		{"AETH", &AETH{MSN: 0xff000004}, []byte{0, 0, 0, 4}},
	}
	for _, c := range cases {
		if got := c.h.Append(nil); !bytes.Equal(got, c.want) {
			t.Errorf("%s: % x, want % x", c.name, got, c.want)
		}
	}
}
