package wire

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// FuzzPacket parses any bytes. A packet that parses must survive being built and parsed again, and its summary must be
// printable.
func FuzzPacket(f *testing.F) {
	for _, c := range opcodeCases {
		p := samplePacket(c.opcode, 5)
		f.Add(append(p.Append(nil), 1, 2, 3, 4)) // each opcode with payload and pad
		p.Payload = nil
		f.Add(append(p.Append(nil), 1, 2, 3, 4)) // and without both
	}
	ack := samplePacket(RCAcknowledge, 0)
	for _, s := range []Syndrome{RNRNAK(0), NAK(NAKRemoteAccess), NAK(31), 0x40, 0xff} {
		ack.AETH.Syndrome = s
		f.Add(append(ack.Append(nil), 1, 2, 3, 4)) // each branch of the syndrome, including reserved ones
	}
	f.Add(bytes.Repeat([]byte{0xa4}, 40))               // opcode that is not in the table
	f.Add([]byte{4, 0x30, 0, 0, 0, 0, 0, 0, 0, 0, 0})   // ends inside the BTH
	f.Add(make([]byte, BTHLen+ICRCLen-1))               // ends inside the ICRC
	f.Add(append([]byte{4, 0x30}, make([]byte, 14)...)) // pad without payload
	f.Fuzz(func(t *testing.T, b []byte) {
		p := samplePacket(RCSendOnly, 1) // leftovers that Decode must clear
		err := p.Decode(b)
		for _, r := range p.String() {
			if r < ' ' || r > '~' {
				t.Fatalf("summary %q", p.String())
			}
		}
		if err != nil {
			if p.Payload != nil {
				t.Fatalf("%v, with payload % x", err, p.Payload)
			}
			return
		}
		checkRebuilt(t, b, &p)
	})
}

// checkRebuilt builds p again and compares it with b, the bytes that it was parsed from, and with itself.
func checkRebuilt(t *testing.T, b []byte, p *Packet) {
	t.Helper()
	again := p.Append(nil)
	if len(again) != len(b)-ICRCLen {
		t.Fatalf("%d bytes came back as %d", len(b)-ICRCLen, len(again))
	}
	from := BTHLen + p.Headers.Len()
	if to := from + len(p.Payload); !bytes.Equal(again[from:to], b[from:to]) {
		t.Fatalf("payload % x, want % x", again[from:to], b[from:to])
	}
	q, err := Parse(append(again, b[len(b)-ICRCLen:]...))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*p, q) {
		t.Fatalf("\n got %+v\nwant %+v", q, *p)
	}
}

// FuzzHeaders decodes any bytes as each of the headers. A decoded header must encode to bytes that decode to the same.
func FuzzHeaders(f *testing.F) {
	for _, c := range headerCases {
		f.Add(c.want.Append(nil)) // each header with all its fields
	}
	f.Add([]byte{})                           // too short for any
	f.Add(bytes.Repeat([]byte{0xff}, BTHLen)) // reserved bits set
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, c := range headerCases {
			typ := reflect.TypeOf(c.want).Elem()
			first, second := reflect.New(typ).Interface().(header), reflect.New(typ).Interface().(header)
			if first.Decode(b) != nil {
				continue
			}
			if err := second.Decode(first.Append(nil)); err != nil || !reflect.DeepEqual(first, second) {
				t.Fatalf("%s: %+v, then %+v, %v", c.name, first, second, err)
			}
		}
	})
}

// FuzzSyndrome names any syndrome and rebuilds it from its parts.
func FuzzSyndrome(f *testing.F) {
	f.Add(uint8(ACKUnlimited))           // ACK without credits
	f.Add(uint8(ACKWithCredits(12)))     // ACK with credits
	f.Add(uint8(RNRNAK(14)))             // RNR NAK
	f.Add(uint8(NAK(NAKInvalidRequest))) // NAK
	f.Add(uint8(0x5f))                   // reserved
	f.Fuzz(func(t *testing.T, v uint8) {
		s := Syndrome(v)
		want := s
		switch s.Kind() {
		case SyndromeACK:
			if n, limited := s.Credits(); limited {
				want = ACKWithCredits(n)
			} else {
				want = ACKUnlimited
			}
		case SyndromeRNR:
			want = RNRNAK(s.RNRTimer())
		case SyndromeNAK:
			want = NAK(s.NAKCode())
		default:
			if !strings.HasPrefix(s.String(), "unknown(") {
				t.Fatalf("reserved %#02x is called %q", v, s)
			}
		}
		if s != want {
			t.Fatalf("%#02x rebuilt as %#02x", v, uint8(want))
		}
	})
}

// FuzzICRC compares our CRC with the plain one, and verifies sealed packets.
func FuzzICRC(f *testing.F) {
	p := samplePacket(RCSendOnly, 5)
	f.Add(p.Append(nil), uint16(0), true)        // IPv4, identification 0, as an unconnected socket sends it
	f.Add(p.Append(nil), uint16(35421), true)    // IPv4, an identification with both bytes set
	f.Add(p.Append(nil), uint16(1), false)       // IPv6 has no identification
	f.Add(make([]byte, BTHLen), uint16(9), true) // the shortest packet
	f.Add([]byte{1, 2, 3}, uint16(0), false)     // too short for a packet
	f.Fuzz(func(t *testing.T, b []byte, id uint16, v4 bool) {
		path := path6
		if v4 {
			path = path4
		}
		c := icrcOf(t, path)
		if c.Verify(id, b) && len(b) < BTHLen+ICRCLen {
			t.Fatalf("%d bytes verified", len(b))
		}
		c.RecoverID(0, b)
		if len(b) < BTHLen || len(b) > MaxLen-ICRCLen {
			return
		}
		if got, want := c.Sum(id, b), plainICRC(path, id, b); got != want {
			t.Fatalf("%#08x, want %#08x", got, want)
		}
		sealed := c.Append(id, bytes.Clone(b))
		if !c.Verify(id, sealed) {
			t.Fatal("sealed packet refused")
		}
		if got, ok := c.RecoverID(0, sealed); ok != v4 || (ok && got != id) {
			t.Fatalf("recovered %d, %v, want %d, %v", got, ok, id, v4)
		}
	})
}
