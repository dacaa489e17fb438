package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"strings"
	"testing"
)

// cmField is one field of a message at its place in the specification: bits of the body, counted from its start.
type cmField struct {
	name  string
	at, n int // bits
	value func(CMBody) uint64
}

// num reads an integer or boolean field by its name.
func num(path string) func(CMBody) uint64 {
	return func(m CMBody) uint64 {
		v := reflect.ValueOf(m).Elem()
		for name := range strings.SplitSeq(path, ".") {
			v = v.FieldByName(name)
		}
		switch v.Kind() {
		case reflect.Bool:
			if v.Bool() {
				return 1
			}
			return 0
		case reflect.Array:
			return binary.BigEndian.Uint64(v.Slice(0, 8).Bytes())
		}
		return v.Uint()
	}
}

func cmFieldAt(name string, byteAt, bitAt, n int) cmField {
	return cmField{name, byteAt*8 + bitAt, n, num(name)}
}

// pathFields is a CMPath that begins at a byte.
func pathFields(name string, at int) []cmField {
	return []cmField{
		cmFieldAt(name+".LocalLID", at, 0, 16), cmFieldAt(name+".RemoteLID", at+2, 0, 16),
		cmFieldAt(name+".LocalGID", at+4, 0, 64), cmFieldAt(name+".RemoteGID", at+20, 0, 64),
		cmFieldAt(name+".FlowLabel", at+36, 0, 20), cmFieldAt(name+".PacketRate", at+39, 2, 6),
		cmFieldAt(name+".TrafficClass", at+40, 0, 8), cmFieldAt(name+".HopLimit", at+41, 0, 8),
		cmFieldAt(name+".SL", at+42, 0, 4), cmFieldAt(name+".SubnetLocal", at+42, 4, 1),
		cmFieldAt(name+".LocalACKTimeout", at+43, 0, 5),
	}
}

func commIDFields() []cmField {
	return []cmField{cmFieldAt("LocalCommID", 0, 0, 32), cmFieldAt("RemoteCommID", 4, 0, 32)}
}

func join(lists ...[]cmField) (all []cmField) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// cmLayouts has the place of every field, from the tables of chapter 12.
var cmLayouts = map[CMAttribute][]cmField{
	CMAttrREQ: join([]cmField{
		cmFieldAt("LocalCommID", 0, 0, 32), cmFieldAt("ServiceID", 8, 0, 64), cmFieldAt("LocalCAGUID", 16, 0, 64),
		cmFieldAt("LocalQKey", 28, 0, 32), cmFieldAt("LocalQPN", 32, 0, 24), cmFieldAt("ResponderResources", 35, 0, 8),
		cmFieldAt("LocalEECN", 36, 0, 24), cmFieldAt("InitiatorDepth", 39, 0, 8), cmFieldAt("RemoteEECN", 40, 0, 24),
		cmFieldAt("RemoteCMResponseTimeout", 43, 0, 5), cmFieldAt("TransportType", 43, 5, 2),
		cmFieldAt("FlowControl", 43, 7, 1),
		cmFieldAt("StartingPSN", 44, 0, 24), cmFieldAt("LocalCMResponseTimeout", 47, 0, 5),
		cmFieldAt("RetryCount", 47, 5, 3),
		cmFieldAt("PKey", 48, 0, 16), cmFieldAt("PathMTU", 50, 0, 4), cmFieldAt("RDCExists", 50, 4, 1),
		cmFieldAt("RNRRetryCount", 50, 5, 3), cmFieldAt("MaxCMRetries", 51, 0, 4), cmFieldAt("SRQ", 51, 4, 1),
		cmFieldAt("ExtendedTransportType", 51, 5, 3), cmFieldAt("PrivateData", 140, 0, 64),
	}, pathFields("Primary", 52), pathFields("Alternate", 96)),
	CMAttrMRA: join(commIDFields(), []cmField{
		cmFieldAt("Message", 8, 0, 2), cmFieldAt("ServiceTimeout", 9, 0, 5), cmFieldAt("PrivateData", 10, 0, 64),
	}),
	CMAttrREJ: join(commIDFields(), []cmField{
		cmFieldAt("Message", 8, 0, 2), cmFieldAt("InfoLen", 9, 0, 7), cmFieldAt("Reason", 10, 0, 16),
		cmFieldAt("Info", 12, 0, 64),
		cmFieldAt("PrivateData", 84, 0, 64),
	}),
	CMAttrREP: join(commIDFields(), []cmField{
		cmFieldAt("LocalQKey", 8, 0, 32), cmFieldAt("LocalQPN", 12, 0, 24), cmFieldAt("LocalEECN", 16, 0, 24),
		cmFieldAt("StartingPSN", 20, 0, 24), cmFieldAt("ResponderResources", 24, 0, 8),
		cmFieldAt("InitiatorDepth", 25, 0, 8),
		cmFieldAt("TargetACKDelay", 26, 0, 5), cmFieldAt("FailoverAccepted", 26, 5, 2),
		cmFieldAt("FlowControl", 26, 7, 1),
		cmFieldAt("RNRRetryCount", 27, 0, 3), cmFieldAt("SRQ", 27, 3, 1), cmFieldAt("LocalCAGUID", 28, 0, 64),
		cmFieldAt("PrivateData", 36, 0, 64),
	}),
	CMAttrRTU:  join(commIDFields(), []cmField{cmFieldAt("PrivateData", 8, 0, 64)}),
	CMAttrDREQ: join(commIDFields(), []cmField{cmFieldAt("RemoteQPN", 8, 0, 24), cmFieldAt("PrivateData", 12, 0, 64)}),
	CMAttrDREP: join(commIDFields(), []cmField{cmFieldAt("PrivateData", 8, 0, 64)}),
	CMAttrSIDRREQ: {
		cmFieldAt("RequestID", 0, 0, 32), cmFieldAt("PKey", 4, 0, 16), cmFieldAt("ServiceID", 8, 0, 64),
		cmFieldAt("PrivateData", 16, 0, 64),
	},
	CMAttrSIDRREP: {
		cmFieldAt("RequestID", 0, 0, 32), cmFieldAt("Status", 4, 0, 8), cmFieldAt("InfoLen", 5, 0, 8),
		cmFieldAt("QPN", 8, 0, 24),
		cmFieldAt("ServiceID", 12, 0, 64), cmFieldAt("QKey", 20, 0, 32), cmFieldAt("Info", 24, 0, 64),
		cmFieldAt("PrivateData", 96, 0, 64),
	},
}

// bitsOf reads n bits of p from bit at on.
func bitsOf(p []byte, at, n int) (v uint64) {
	for i := at; i < at+n; i++ {
		v = v<<1 | uint64(p[i/8]>>(7-i%8)&1)
	}
	return v
}

// TestCMLayout decodes random bytes: every field has the bits of its place, and is encoded at the same place.
func TestCMLayout(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for attr, fields := range cmLayouts {
		p := make([]byte, CMBodyLen)
		for i := range p {
			p[i] = byte(random.Uint32())
		}
		m := cmBodies[attr]()
		if err := m.Decode(p); err != nil {
			t.Fatal(err)
		}
		back := m.Append(nil)
		if len(back) != CMBodyLen || m.Attribute() != attr {
			t.Fatalf("%v came back as %v of %d bytes", attr, m.Attribute(), len(back))
		}
		for _, f := range fields {
			want := bitsOf(p, f.at, f.n)
			if got := f.value(m); got != want {
				t.Errorf("%v: %s is 0x%x, want 0x%x", attr, f.name, got, want)
			}
			if got := bitsOf(back, f.at, f.n); got != want {
				t.Errorf("%v: %s came back as 0x%x, want 0x%x", attr, f.name, got, want)
			}
		}
	}
}

// TestCMFieldsAlone: a field's value depends only on its own bits.
func TestCMFieldsAlone(t *testing.T) {
	for attr, fields := range cmLayouts {
		for _, f := range fields {
			p := bytes.Repeat([]byte{0xff}, CMBodyLen)
			for bit := f.at; bit < f.at+f.n; bit++ {
				p[bit/8] &^= 0x80 >> (bit % 8)
			}
			m := cmBodies[attr]()
			if err := m.Decode(p); err != nil {
				t.Fatal(err)
			}
			if got := f.value(m); got != 0 {
				t.Errorf("%v: %s is 0x%x, without a bit of its own", attr, f.name, got)
			}
		}
	}
}

// TestCMReserved encodes only the fields: the number of bits that stay zero is that of the reserved ones.
func TestCMReserved(t *testing.T) {
	reserved := map[CMAttribute]int{ // bits, from the tables of chapter 12
		CMAttrREQ: 32 + 32 + 2*(6+3+3), CMAttrMRA: 6 + 3, CMAttrREJ: 6 + 1, CMAttrREP: 8 + 8 + 8 + 4, CMAttrRTU: 0,
		CMAttrDREQ: 8, CMAttrDREP: 0, CMAttrSIDRREQ: 16, CMAttrSIDRREP: 16 + 8,
	}
	for attr, want := range reserved {
		m := cmBodies[attr]()
		if err := m.Decode(bytes.Repeat([]byte{0xff}, CMBodyLen)); err != nil {
			t.Fatal(err)
		}
		zero := 0
		for _, b := range m.Append(nil) {
			for i := range 8 {
				zero += int(^b >> i & 1)
			}
		}
		if zero != want {
			t.Errorf("%v: %d reserved bits, want %d", attr, zero, want)
		}
	}
}

// TestCMOverflow encodes values too large for their fields: the neighbours stay as they are.
func TestCMOverflow(t *testing.T) {
	for _, m := range []CMBody{
		&CMReq{TransportType: 4, RetryCount: 8, RNRRetryCount: 0xf8, ExtendedTransportType: 8,
			Primary: CMPath{PacketRate: 0xc0, FlowLabel: 1 << 20}},
		&CMReq{LocalQPN: 1 << 24, StartingPSN: 1 << 24, LocalCMResponseTimeout: 32, PathMTU: 16, MaxCMRetries: 16},
		&CMRep{LocalQPN: 1 << 24, FailoverAccepted: 4, TargetACKDelay: 32, RNRRetryCount: 8},
		&CMMra{Message: 4, ServiceTimeout: 32}, &CMRej{Message: 4, InfoLen: 128}, &CMDreq{RemoteQPN: 1 << 24},
		&CMSidrRep{QPN: 1 << 24},
	} {
		if got := m.Append(nil); !bytes.Equal(got, make([]byte, CMBodyLen)) {
			t.Errorf("%T: % x", m, got[:64])
		}
	}
}

func TestParseCM(t *testing.T) {
	good := NewCM(0x1122334455667788, &CMRtu{LocalCommID: 1, RemoteCommID: 2})
	b := good.Append(nil)
	if want := "0107020300000000112233445566778800140000000000000000000100000002"; len(b) != 256 ||
		hexOf(b[:32]) != want {
		t.Errorf("encoded %x", b[:32])
	}
	m, err := ParseCM(b)
	if err != nil || !reflect.DeepEqual(m, good) {
		t.Errorf("decoded %+v, %v", m, err)
	}
	for name, c := range map[string]struct {
		at   int
		to   byte
		want error
	}{
		"base version": {0, 2, ErrClass}, "class": {1, 4, ErrClass},
		"class version": {2, 1, ErrClass}, "method": {3, 1, ErrClass},
		"LAP": {17, 0x19, ErrAttribute}, "no message": {16, 1, ErrAttribute},
	} {
		bad := bytes.Clone(b)
		bad[c.at] = c.to
		if m, err := ParseCM(bad); !errors.Is(err, c.want) || m.Body != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for n := range b {
		if _, err := ParseCM(b[:n:n]); !errors.Is(err, ErrTruncated) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

func hexOf(b []byte) string {
	const digits = "0123456789abcdef"
	var s strings.Builder
	for _, c := range b {
		s.WriteByte(digits[c>>4])
		s.WriteByte(digits[c&15])
	}
	return s.String()
}

func TestCMIP(t *testing.T) {
	for _, c := range []struct {
		bytes string
		want  CMIP
	}{
		{"00401c06" + strings.Repeat("00", 12) + "0a090001" + strings.Repeat("00", 12) + "0a090002",
			CMIP{netip.MustParseAddrPort("10.9.0.1:7174"), netip.MustParseAddr("10.9.0.2")}},
		{"0060ffff" + "fd000000000000000000000000000001" + "fd000000000000000000000000000002",
			CMIP{netip.MustParseAddrPort("[fd00::1]:65535"), netip.MustParseAddr("fd00::2")}},
	} {
		b := c.want.Append(nil)
		if hexOf(b) != c.bytes {
			t.Errorf("%s is %x, want %s", &c.want, b, c.bytes)
		}
		var h CMIP
		if err := h.Decode(b); err != nil || h != c.want {
			t.Errorf("decoded %s, %v; want %s", &h, err, &c.want)
		}
		for at, to := range map[int]byte{0: 1, 1: 0x50} {
			bad := bytes.Clone(b)
			bad[at] = to
			if err := h.Decode(bad); !errors.Is(err, ErrCMIP) || h != (CMIP{}) {
				t.Errorf("byte %d is 0x%02x: %v, %s", at, to, err, &h)
			}
		}
		for n := range b {
			if err := h.Decode(b[:n:n]); !errors.Is(err, ErrTruncated) {
				t.Fatalf("%d bytes: %v", n, err)
			}
		}
	}
}

// FuzzCM decodes any bytes. What decodes must survive being built and decoded again, and its summary must be printable.
func FuzzCM(f *testing.F) {
	for attr, empty := range cmBodies {
		m := NewCM(uint64(attr), empty())
		f.Add(m.Append(nil))                                                            // each message, empty
		f.Add(append(m.Append(nil)[:MADHeaderLen], bytes.Repeat([]byte{0xff}, 232)...)) // and all ones
	}
	f.Add([]byte{1, 7, 2, 3})   // ends inside the header
	f.Add(make([]byte, MADLen)) // another class
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ParseCM(b)
		for _, r := range m.String() {
			if r < ' ' || r > '~' {
				t.Fatalf("summary %q", m.String())
			}
		}
		if err != nil {
			return
		}
		again, err := ParseCM(m.Append(nil))
		if err != nil || !reflect.DeepEqual(m, again) {
			t.Fatalf("%+v\ncame back as %+v, %v", m, again, err)
		}
	})
}

// FuzzCMIP does the same with the header of the private data.
func FuzzCMIP(f *testing.F) {
	h := CMIP{netip.MustParseAddrPort("10.9.0.1:7174"), netip.MustParseAddr("10.9.0.2")}
	f.Add(h.Append(nil))                                // IPv4
	f.Add(append([]byte{0, 0x60}, make([]byte, 34)...)) // IPv6
	f.Add([]byte{0, 0x40})                              // too short
	f.Fuzz(func(t *testing.T, b []byte) {
		var h, again CMIP
		if h.Decode(b) != nil {
			return
		}
		if err := again.Decode(h.Append(nil)); err != nil || h != again {
			t.Fatalf("%s came back as %s, %v", &h, &again, err)
		}
	})
}

// TestCMBodiesAreWhole decodes every message from too few bytes: each returns an error, and none reads beyond the end.
func TestCMBodiesAreWhole(t *testing.T) {
	for _, m := range []CMBody{&CMReq{}, &CMRep{}, &CMRtu{}, &CMRej{}, &CMMra{}, &CMDreq{}, &CMDrep{},
		&CMSidrReq{}, &CMSidrRep{}} {
		whole := m.Append(nil)
		if err := m.Decode(whole); err != nil || len(whole) != CMBodyLen {
			t.Errorf("%s of %d bytes: %v", m.Attribute(), len(whole), err)
		}
		for n := range whole {
			var short *truncatedError
			if err := m.Decode(whole[:n:n]); !errors.As(err, &short) {
				t.Errorf("%s of %d bytes: %v", m.Attribute(), n, err)
			}
		}
	}
}
