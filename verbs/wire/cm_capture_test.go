package wire

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// TestCapturedCM compares the summaries of the kernel's messages, and builds each again byte for byte.
func TestCapturedCM(t *testing.T) {
	text, err := os.ReadFile("testdata/cm.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		b, err := hex.DecodeString(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		m, err := ParseCM(b)
		if err != nil {
			t.Fatal(err)
		}
		if again := m.Append(nil); !bytes.Equal(again, b) {
			t.Errorf("%s\n got % x\nwant % x", m.String(), again, b)
		}
		got = append(got, m.String())
		if req, is := m.Body.(*CMReq); is {
			checkCapturedREQ(t, req)
		}
	}
	if len(got) != len(capturedCM) {
		t.Fatalf("%d messages, want %d", len(got), len(capturedCM))
	}
	for i, want := range capturedCM {
		if got[i] != want {
			t.Errorf("message %d\n got %s\nwant %s", i, got[i], want)
		}
	}
}

// checkCapturedREQ checks the fields that the summary does not show.
func checkCapturedREQ(t *testing.T, m *CMReq) {
	var ip CMIP
	if err := ip.Decode(m.PrivateData[:]); err != nil || ip.Src.Addr().String() != "10.9.0.1" ||
		ip.Dst.String() != "10.9.0.2" {
		t.Errorf("%s, %v", &ip, err)
	}
	want := CMPath{
		LocalLID: LIDPermissive, RemoteLID: LIDPermissive, LocalGID: ip.Src.Addr().As16(), RemoteGID: ip.Dst.As16(),
		FlowLabel: m.Primary.FlowLabel, HopLimit: 64, LocalACKTimeout: 19,
	}
	if m.Primary != want || m.Alternate != (CMPath{}) {
		t.Errorf("primary %+v\nwant    %+v\nalternate %+v", m.Primary, want, m.Alternate)
	}
	if m.PKey != 0xffff || m.TransportType != CMTransportRC || m.MaxCMRetries != 15 ||
		m.RemoteCMResponseTimeout != 20 || m.LocalCMResponseTimeout != 20 {
		t.Errorf("%+v", m)
	}
}

var capturedCM = []string{
	"CM REQ local_id 0x24ee94c6 service 0x0000000001061d2f qp 0x000019 psn 0xd38b58 responder_resources 1 initiator_depth 1 retry 5 rnr_retry 0 mtu 1024 tid 0x00000002c694ee24",
	"CM MRA local_id 0x26ee94c6 remote_id 0xe5354544 of REQ service_timeout 24 tid 0xed6e8fd7e5354544",
	"CM REP local_id 0x2aee94c6 remote_id 0xe508ccf3 qp 0x000011 psn 0x39f57d responder_resources 2 initiator_depth 3 rnr_retry 7 tid 0xc5ccce91e508ccf3",
	"CM RTU local_id 0x3aee94c6 remote_id 0x7ec02eef tid 0x00000002c694ee3a",
	"CM DREQ local_id 0x2aee94c6 remote_id 0xe508ccf3 remote_qp 0x1a85d3 tid 0x00000002c694ee2a",
	"CM DREP local_id 0x39ee94c6 remote_id 0xc536a8e0 tid 0xd442aed9c536a8e0",
	"CM REJ local_id 0x00000000 remote_id 0x4b952014 of REQ reason 8 tid 0xed6e8fd74b952014",
	"CM SIDR_REQ request 0x38ee94c6 service 0x0000000001111c06 tid 0x00000002c694ee38",
	"CM SIDR_REP request 0x7ae401ba status 0 qp 0x000017 qkey 0x01234567 tid 0xc5ccce917ae401ba",
	"CM REJ local_id 0x3bee94c6 remote_id 0x00000000 of other reason 4 tid 0x00000002c694ee3b",
}
