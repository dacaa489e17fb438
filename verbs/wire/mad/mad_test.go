package mad

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"os"
	"reflect"
	"strings"
	"testing"

	"rdmatui/verbs/wire"
)

// captured are messages that the Linux kernel sent.
func captured(t *testing.T) (all [][]byte) {
	text, err := os.ReadFile("../testdata/cm.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		b, err := hex.DecodeString(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

// TestCaptured: each message ends with its private data, and each request tells the addresses.
func TestCaptured(t *testing.T) {
	requests := 0
	for _, b := range captured(t) {
		m, err := Parse(b)
		if err != nil || m.CM == nil || !bytes.HasSuffix(b, m.Private) || len(m.Private) == 0 {
			t.Fatalf("%v: %v", &m, err)
		}
		cm := wire.CMMessage{Header: m.MADHeader, Body: m.CM}
		if !strings.HasPrefix(m.String(), cm.String()) {
			t.Errorf("%s, want %s", &m, &cm)
		}
		if _, is := serviceID(m.CM); is != m.HasIP {
			t.Errorf("%s: addresses %v", &m, m.HasIP)
		}
		if m.HasIP {
			requests++
			if m.IP.Src.Addr().String() != "10.9.0.1" || m.IP.Dst.String() != "10.9.0.2" || m.Port == 0 ||
				!strings.Contains(m.String(), " ip 10.9.0.1:") {
				t.Errorf("%s", &m)
			}
		}
	}
	if requests == 0 {
		t.Error("no request")
	}
}

// TestPrivateData: the first and the last byte of each message's private data are where the codec puts them.
func TestPrivateData(t *testing.T) {
	for _, body := range []wire.CMBody{
		new(wire.CMReq), new(wire.CMMra), new(wire.CMRej), new(wire.CMRep), new(wire.CMRtu), new(wire.CMDreq),
		new(wire.CMDrep), new(wire.CMSidrReq), new(wire.CMSidrRep),
	} {
		data := reflect.ValueOf(body).Elem().FieldByName("PrivateData")
		data.Index(0).SetUint(0xa1)
		data.Index(data.Len() - 1).SetUint(0xa2)
		sent := wire.NewCM(7, body)
		m, err := Parse(sent.Append(nil))
		if err != nil || !bytes.Equal(m.Private, data.Bytes()) || !bytes.Equal(m.User(), m.Private) || m.HasIP {
			t.Errorf("%s: %v, % x", body.Attribute(), err, m.Private)
		}
	}
}

// TestUserEnds: only the zeros at the end are padding.
func TestUserEnds(t *testing.T) {
	for private, want := range map[string]string{
		"": "", "\x00": "", "\x00\x00": "", "\x01": "\x01", "\x01\x01": "\x01\x01", "\x00\x01\x00\x00": "\x00\x01",
		"ab\x00\x00": "ab",
	} {
		m := Message{Private: []byte(private)}
		if got := string(m.User()); got != want {
			t.Errorf("%q: %q, want %q", private, got, want)
		}
	}
}

// TestUser: the addressing header and the padding do not count as a user's data.
func TestUser(t *testing.T) {
	ip := wire.CMIP{Src: netip.MustParseAddrPort("10.0.0.1:40000"), Dst: netip.MustParseAddr("10.0.0.2")}
	for service, want := range map[uint64]string{
		0x01061d2f: " ip 10.0.0.1:40000 to 10.0.0.2 port 7471 private_data 0x6869", 1 << 32: " private_data 0x0040"} {
		req := &wire.CMReq{ServiceID: service}
		copy(req.PrivateData[:], append(ip.Append(nil), "hi"...))
		sent := wire.NewCM(7, req)
		m, err := Parse(sent.Append(nil))
		if err != nil || !strings.Contains(m.String(), want) || m.HasIP != strings.Contains(want, " ip ") {
			t.Errorf("service %#x: %s, %v\nwant %s", service, &m, err, want)
		}
	}
}

func TestNames(t *testing.T) {
	for want, h := range map[string]wire.MADHeader{
		"MAD SubnAdm GetResp(PathRecord) tid 0x0000000000000007 status no records": {
			MgmtClass: 3, Method: 0x81, Attribute: 0x35, Status: 3 << 8},
		"MAD SubnMgtDirected Get(PortInfo) tid 0x0000000000000007 status ok": {
			MgmtClass: 0x81, Method: 1, Attribute: 0x15, Status: 1 << 15},
		"MAD PerfMgt Set(PortCounters) tid 0x0000000000000007 status busy, redirect, method not supported": {
			MgmtClass: 4, Method: 2, Attribute: 0x12, Status: 1 | 2 | 2<<2},
		"MAD 0x30 0x4f(0x1234) tid 0x0000000000000007 status 0x04, class status 0x09": {
			MgmtClass: 0x30, Method: 0x4f, Attribute: 0x1234, Status: 4<<2 | 9<<8},
		"MAD CommMgt Send(REQ) tid 0x0000000000000007 status busy, redirect": {
			MgmtClass: 7, Method: 3, Attribute: wire.CMAttrREQ, Status: 3},
		"MAD CommMgt Send(LAP) tid 0x0000000000000007 status ok": {
			MgmtClass: 7, Method: 3, Attribute: wire.CMAttrLAP},
		"MAD CommMgt Send(APR) tid 0x0000000000000007 status ok": {
			MgmtClass: 7, Method: 3, Attribute: wire.CMAttrAPR},
		"MAD CommMgt Send(0x001b) tid 0x0000000000000007 status ok": {
			MgmtClass: 7, Method: 3, Attribute: wire.CMAttrAPR + 1},
		"MAD CommMgt GetResp(ClassPortInfo) tid 0x0000000000000007 status attribute not supported by the method": {
			MgmtClass: 7, Method: 0x81, Attribute: 1, Status: 3 << 2},
		"MAD DevMgt Get(ClassPortInfo) tid 0x0000000000000007 status bad class or version": {
			MgmtClass: 6, Method: 1, Attribute: 1, Status: 1 << 2},
	} {
		h.TransactionID = 7
		m, err := Parse(append(h.Append(nil), make([]byte, wire.MADLen-wire.MADHeaderLen)...))
		if err != nil || m.String() != want || m.CM != nil || m.Private != nil {
			t.Errorf("%q, %v\nwant %q", m.String(), err, want)
		}
		kind, _, _ := strings.Cut(strings.TrimPrefix(want, "MAD "), " tid ")
		if h.MgmtClass == wire.MADClassCM { // the method, mostly Send, says nothing about a connection
			_, kind, _ = strings.Cut(kind, "(")
			kind = "CM " + strings.TrimSuffix(kind, ")")
		}
		if m.Name() != kind {
			t.Errorf("%s has the name %q, want %q", want, m.Name(), kind)
		}
	}
	if _, err := Parse(make([]byte, wire.MADLen-1)); err == nil {
		t.Error("a short datagram was accepted")
	}
}

// TestIn: a datagram of which the capture has cut the end is not told.
func TestIn(t *testing.T) {
	sent := wire.NewCM(7, &wire.CMRtu{LocalCommID: 1, RemoteCommID: 2})
	for _, c := range []struct {
		op   wire.Opcode
		qp   uint32
		cut  int
		want bool
	}{
		{wire.UDSendOnly, 1, 0, true}, {wire.UDSendOnly, 1, wire.ICRCLen, true},
		{wire.UDSendOnly, 1, wire.ICRCLen + 1, false}, {wire.UDSendOnly, 1, 200, false},
		{wire.UDSendOnly, 17, 0, false}, {wire.RCSendOnly, 1, 0, false},
	} {
		h := wire.Packet{
			BTH: wire.BTH{Opcode: c.op, DestQP: c.qp}, DETH: wire.DETH{SrcQP: 1}, Payload: sent.Append(nil),
		}
		b := append(h.Append(nil), 0, 0, 0, 0)
		p, err := wire.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		if m := In(&p, len(b)-c.cut); (m != nil) != c.want || c.want && m.Name() != "CM RTU" {
			t.Errorf("%v to %d, %d bytes cut: %v", c.op, c.qp, c.cut, m)
		}
	}
	h := wire.Packet{
		BTH: wire.BTH{Opcode: wire.UDSendOnly, DestQP: 1}, Headers: wire.HasDETH, Payload: make([]byte, wire.MADLen-1),
	}
	if m := In(&h, 1000); m != nil {
		t.Errorf("%v in too short a packet", m)
	}
}
