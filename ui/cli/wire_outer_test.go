package cli

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/timeline"
	"rdmatui/verbs/verbstest/capturetest"
	"rdmatui/verbs/wire"
)

// sendFrame is an Ethernet frame with a SEND of five bytes.
func sendFrame(t *testing.T) []byte {
	t.Helper()
	var file bytes.Buffer
	src, dst := netip.MustParseAddrPort("10.0.0.1:50000"), netip.MustParseAddrPort("10.0.0.2:4791")
	icrc, err := wire.NewICRC(wire.Path{Src: src, Dst: dst, DF: true})
	if err != nil {
		t.Fatal(err)
	}
	send := wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: 0x22, PSN: 7}, Payload: []byte("hello")}
	w := capture.NewWriter(&file)
	w.Write(&timeline.Packet{At: time.Unix(1_700_000_000, 0), Src: src, Dst: dst,
		Data: icrc.Append(0, send.Append(nil))})
	packet := capturetest.Packets(file.Bytes())[0]
	return append([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0}, packet.Bytes...)
}

// inPcap returns a capture of frames.
func inPcap(frames ...[]byte) []byte {
	var list []capturetest.Packet
	for _, b := range frames {
		list = append(list, capturetest.Packet{At: time.Unix(1_700_000_000, 0), Bytes: b})
	}
	return capturetest.File(1, list...)
}

// encapsulated returns a frame in an encapsulation.
func encapsulated(t *testing.T, name string, frame []byte) []byte {
	t.Helper()
	for _, e := range capturetest.Encapsulations {
		if e.Name == name {
			return e.Wrap(frame)
		}
	}
	t.Fatalf("no encapsulation is named %s", name)
	return nil
}

// TestWireOuter prints a packet in a mirrored tunnel, with its outer headers.
func TestWireOuter(t *testing.T) {
	file := inPcap(encapsulated(t, "mirrored VXLAN", sendFrame(t)))
	const outer = "ERSPAN II session 33 192.0.2.1 -> 192.0.2.2 / VXLAN vni 5001 192.0.2.1:50001 -> 192.0.2.2:4789"
	want := "1  0.000000000  10.0.0.1 -> 10.0.0.2  RC_SEND_ONLY qp 0x000022 psn 0x000007 len 5  in " + outer +
		"  [tunnel]\n"
	for _, filter := range []string{"", "tunnel", "outer~vxlan", "outer_id==5001",
		"outer_id==33 and outer_ip==192.0.2.2", "not outer_ip==10.0.0.0/8"} {
		status, out, errs := runWire(t, file, "--print", "--filter", filter, "-")
		if status != Done || errs != "" || out != want {
			t.Errorf("%q: exit status %d, %q\n%s\nwant\n%s", filter, status, errs, out, want)
		}
	}
	_, out, _ := runWire(t, file, "--json", "-")
	var got struct{ Outer []map[string]any }
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	macs := map[string]any{"src_mac": "02:00:00:00:00:0a", "dst_mac": "02:00:00:00:00:0b"}
	wantJSON := []map[string]any{
		{"kind": "ERSPAN II", "session": 33., "src": "192.0.2.1", "dst": "192.0.2.2"},
		{"kind": "VXLAN", "vni": 5001., "src": "192.0.2.1:50001", "dst": "192.0.2.2:4789"},
	}
	for _, l := range wantJSON {
		l["src_mac"], l["dst_mac"] = macs["src_mac"], macs["dst_mac"]
	}
	if !reflect.DeepEqual(got.Outer, wantJSON) {
		t.Errorf("%v, want %v", got.Outer, wantJSON)
	}
}

// TestWireSkipped: packets that are not looked at are counted with the reason.
func TestWireSkipped(t *testing.T) {
	frame := sendFrame(t)
	esp, fragment := bytes.Clone(encapsulated(t, "EtherIP", frame)), bytes.Clone(frame)
	esp[14+9], fragment[14+7] = 50, 9
	file := inPcap(frame, encapsulated(t, "GENEVE", frame), esp, fragment)
	const notes = "1 packet skipped: IP fragment, 1 packet skipped: encrypted by ESP or MACsec"
	_, out, errs := runWire(t, file, "--summary", "-")
	if first, _, _ := strings.Cut(out, "\n"); errs != "" || !strings.HasSuffix(first, notes) ||
		!strings.Contains(first, "4 packets captured, 2 of them RoCE, 1 packet encapsulated") {
		t.Errorf("%q, %q", first, errs)
	}
	for _, flag := range []string{"--print", "--requests"} {
		_, _, errs := runWire(t, file, flag, "-")
		want := ""
		for _, note := range strings.Split(notes, ", ") {
			want += "rdmatui: standard input: " + note + "\n"
		}
		if errs != want {
			t.Errorf("%s: %q, want %q", flag, errs, want)
		}
	}
}
