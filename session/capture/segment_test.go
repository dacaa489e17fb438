package capture

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/netip"
	"slices"
	"testing"

	"github.com/gopacket/gopacket/layers"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// bodies returns packets with these payloads, one behind the other.
func bodies(t testing.TB, path wire.Path, id uint16, payloads ...[]byte) (all []byte) {
	t.Helper()
	icrc, err := wire.NewICRC(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, payload := range payloads {
		p := wire.Packet{
			BTH: wire.BTH{Opcode: wire.RCSendMiddle, PKey: 0xffff, DestQP: 17, PSN: wire.PSN(i)}, Payload: payload,
		}
		all = append(all, icrc.Append(id+uint16(i), p.Append(nil))...)
	}
	return all
}

// payloads returns payloads of these lengths.
func payloads(lengths ...int) (all [][]byte) {
	for i, n := range lengths {
		all = append(all, bytes.Repeat([]byte{byte(i)}, n))
	}
	return all
}

// uncut returns a datagram that holds packets with these payload lengths, as a sender
// hands them over at once.
func uncut(t testing.TB, id uint16, lengths ...int) []byte {
	return enclosed(here, there, id, bodies(t, wire.Path{Src: here, Dst: there, DF: true}, id, payloads(lengths...)...))
}

// enclosed puts IP and UDP headers around a body; nobody has calculated the checksum of UDP.
func enclosed(src, dst netip.AddrPort, id uint16, body []byte) (b []byte) {
	if src.Addr().Is4() {
		b = appendIPv4(nil, src.Addr(), dst.Addr(), verbs.IPHeader{HopLimit: 64}, id, len(body))
	} else {
		b = appendIPv6(nil, src.Addr(), dst.Addr(), verbs.IPHeader{HopLimit: 64}, len(body))
	}
	b = binary.BigEndian.AppendUint16(b, src.Port())
	b = binary.BigEndian.AppendUint16(b, dst.Port())
	b = binary.BigEndian.AppendUint16(b, uint16(udpLen+len(body)))
	return append(append(b, 0xab, 0xcd), body...)
}

// TestSegments: one datagram that the interface was to cut is told as the packets that
// arrive.
func TestSegments(t *testing.T) {
	for name, lengths := range map[string][]int{
		"one": {1024}, "two": {256, 256}, "two empty ones": {0, 0}, "the last is shorter": {1024, 1024, 1024, 5},
		"short ones": {4, 4, 4, 1}, "empty ones": {0, 0, 0}, "many": make([]int, 300),
	} {
		t.Run(name, func(t *testing.T) {
			packet := uncut(t, 0xfffe, lengths...)
			r, err := NewReader(bytes.NewReader(record(t, layers.LinkTypeRaw, packet, len(packet))))
			if err != nil {
				t.Fatal(err)
			}
			var f Frame
			for i, n := range lengths {
				if err := r.Next(&f); err != nil || f.ICRC != Right || f.Err != nil || f.Wire.BTH.PSN != wire.PSN(i) ||
					len(f.Wire.Payload) != n || f.Seq != 1 || f.Cut() {
					t.Fatalf("packet %d: %v, ICRC %d, %v", i, err, f.ICRC, &f.Wire)
				}
			}
			if err := r.Next(&f); err != io.EOF || r.Totals != totals(len(lengths)) {
				t.Errorf("%v, %+v", err, r.Totals)
			}
		})
	}
}

// totals are those of a capture of one datagram with n packets.
func totals(n int) Totals {
	t := Totals{Packets: uint64(n), RoCE: uint64(n)}
	if n > 1 {
		t.Segmented = 1
	}
	return t
}

// TestDamagedSegments: a datagram whose first packet is damaged stays one, with a wrong
// ICRC; a later damaged one is told by itself.
func TestDamagedSegments(t *testing.T) {
	const head = ipv4Len + udpLen
	for at, want := range map[int][]Verdict{head + wire.BTHLen: {Wrong},
		head + 272 + wire.BTHLen: {Right, Wrong, Right}} {
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

// TestSegmentSearch: how a datagram is taken apart whose packets hold what looks like the
// beginning of another.
func TestSegmentSearch(t *testing.T) {
	path := wire.Path{Src: here, Dst: there, DF: true}
	fake := func(n int) []byte { return bytes.Repeat([]byte{byte(wire.RCSendOnly), 0, 0xff, 0xff}, n/4) }
	unknown := bytes.Repeat([]byte{0xff, 0, 0xff, 0xff}, 256)
	const most = 4 * maxSegmentTries // bytes of a payload with one beginning less than are tried
	for name, tt := range map[string]struct {
		body []byte
		want []Verdict
	}{
		"as many beginnings as are tried": {bodies(t, path, 7, fake(most), nil), []Verdict{Right, Right}},
		"one more":                        {bodies(t, path, 7, fake(most+4), nil), []Verdict{Wrong}},
		"opcodes that nobody knows":       {bodies(t, path, 7, unknown, nil), []Verdict{Right, Right}},
		"too short for a second packet":   {append(bodies(t, path, 7, fake(64)), fake(12)...), []Verdict{Wrong}},
		"one byte is left over": {append(bodies(t, path, 7, fake(64), fake(64)), 1),
			[]Verdict{Right, Right, Unchecked}},
	} {
		packet := enclosed(here, there, 7, tt.body)
		r, err := NewReader(bytes.NewReader(record(t, layers.LinkTypeRaw, packet, len(packet))))
		if err != nil {
			t.Fatal(err)
		}
		var got []Verdict
		var f Frame
		for r.Next(&f) == nil {
			got = append(got, f.ICRC)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// TestNoSegmentsOfV1: RoCE v1 has no datagrams that an interface could cut.
func TestNoSegmentsOfV1(t *testing.T) {
	src, dst := netip.MustParseAddrPort("[fe80::1]:0"), netip.MustParseAddrPort("[fe80::2]:0")
	body := bodies(t, wire.Path{Src: src, Dst: dst, GRH: true}, 0, payloads(64, 64)...)
	from, to := src.Addr().As16(), dst.Addr().As16()
	for n, want := range map[int]Verdict{len(body) / 2: Right, len(body): Wrong} {
		head := binary.BigEndian.AppendUint16([]byte{0x60, 0, 0, 0}, uint16(n))
		packet := join(make([]byte, 12), []byte{0x89, 0x15}, head, []byte{nextBTH, 64}, from[:], to[:], body[:n])
		r, err := NewReader(bytes.NewReader(record(t, layers.LinkTypeEthernet, packet, len(packet))))
		if err != nil {
			t.Fatal(err)
		}
		var f Frame
		if err := r.Next(&f); err != nil || f.ICRC != want || f.Len != n || r.Next(&f) != io.EOF {
			t.Errorf("%d bytes: %v, ICRC %d, want %d", n, err, f.ICRC, want)
		}
	}
}
