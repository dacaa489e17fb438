package capture

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"testing"

	"github.com/gopacket/gopacket/layers"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// uncut returns a datagram that holds packets with these payload lengths, as a sender
// hands them over at once.
func uncut(t testing.TB, id uint16, lengths ...int) []byte {
	t.Helper()
	icrc, err := wire.NewICRC(wire.Path{Src: here, Dst: there, DF: true})
	if err != nil {
		t.Fatal(err)
	}
	var body []byte
	for i, n := range lengths {
		p := wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendMiddle, PKey: 0xffff, DestQP: 17, PSN: wire.PSN(i)}, Payload: bytes.Repeat([]byte{byte(i)}, n)}
		body = append(body, icrc.Append(id+uint16(i), p.Append(nil))...)
	}
	b := appendIPv4(nil, here.Addr(), there.Addr(), verbs.IPHeader{HopLimit: 64}, id, len(body))
	b = binary.BigEndian.AppendUint16(b, here.Port())
	b = binary.BigEndian.AppendUint16(b, there.Port())
	b = binary.BigEndian.AppendUint16(b, uint16(udpLen+len(body)))
	return append(append(b, 0, 0), body...)
}

// TestSegments: one datagram that the interface was to cut is told as the packets that
// arrive.
func TestSegments(t *testing.T) {
	for name, lengths := range map[string][]int{
		"one": {1024}, "two": {256, 256}, "the last is shorter": {1024, 1024, 1024, 5}, "short ones": {4, 4, 4, 1}, "empty ones": {0, 0, 0}, "many": make([]int, 300),
	} {
		t.Run(name, func(t *testing.T) {
			packet := uncut(t, 0xfffe, lengths...)
			r, err := NewReader(bytes.NewReader(record(t, layers.LinkTypeRaw, packet, len(packet))))
			if err != nil {
				t.Fatal(err)
			}
			var f Frame
			for i, n := range lengths {
				if err := r.Next(&f); err != nil || f.ICRC != Right || f.Err != nil || f.Wire.BTH.PSN != wire.PSN(i) || len(f.Wire.Payload) != n || f.Seq != 1 || f.Cut() {
					t.Fatalf("packet %d: %v, ICRC %d, %v", i, err, f.ICRC, &f.Wire)
				}
			}
			if err := r.Next(&f); err != io.EOF || r.Totals != (Totals{Packets: 1, RoCE: uint64(len(lengths))}) {
				t.Errorf("%v, %+v", err, r.Totals)
			}
		})
	}
}

// TestDamagedSegments: a datagram whose first packet is damaged stays one, with a wrong
// ICRC; a later damaged one is told by itself.
func TestDamagedSegments(t *testing.T) {
	const head = ipv4Len + udpLen
	for at, want := range map[int][]Verdict{head + wire.BTHLen: {Wrong}, head + 272 + wire.BTHLen: {Right, Wrong, Right}} {
		packet := uncut(t, 7, 256, 256, 256)
		packet[at]++
		r, err := NewReader(bytes.NewReader(record(t, layers.LinkTypeRaw, packet, len(packet))))
		if err != nil {
			t.Fatal(err)
		}
		var got []Verdict
		var f Frame
		for r.Next(&f) == nil {
			got = append(got, f.ICRC)
		}
		if !slices.Equal(got, want) {
			t.Errorf("byte %d damaged: %v, want %v", at, got, want)
		}
	}
}
