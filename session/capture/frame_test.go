package capture

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/gopacket/gopacket/layers"

	"rdmatui/verbs"
)

// changed returns a copy of a packet with the bytes at an offset replaced.
func changed(packet []byte, at int, by ...byte) []byte {
	b := bytes.Clone(packet)
	copy(b[at:], by)
	return b
}

// extended puts extension headers, each of 8 bytes and 8 more for each count, between the IPv6 header and UDP.
func extended(t *testing.T, kinds []byte, more ...byte) []byte {
	packet := six(t)
	b := bytes.Clone(packet[:ipv6Len])
	last := 6
	for i, kind := range kinds {
		b[last] = kind
		last = len(b)
		b = append(b, protocolUDP, more[i])
		b = append(b, bytes.Repeat([]byte{0xee}, 6+8*int(more[i]))...)
	}
	return append(b, packet[ipv6Len:]...)
}

// TestFrameHeaders reads the fields of IP headers, with options and extensions, whose ICRC is left unchecked.
func TestFrameHeaders(t *testing.T) {
	roce := len(four(t)) - ipv4Len - udpLen
	f4 := Frame{Len: roce, ID: 0x1234, DF: true}
	f4.Src, f4.Dst, f4.IP = netip.MustParseAddrPort("10.0.0.1:50000"), netip.MustParseAddrPort("10.0.0.2:4791"),
		verbs.IPHeader{HopLimit: 64}
	f6 := Frame{Len: roce}
	f6.Src, f6.Dst, f6.IP = netip.MustParseAddrPort("[fd00::1]:50000"), netip.MustParseAddrPort("[fd00::2]:4791"),
		verbs.IPHeader{HopLimit: 64}
	f1 := Frame{Len: len(grh(t)) - 40, V1: true}
	f1.Src, f1.Dst, f1.IP = netip.MustParseAddrPort("[fe80::1]:0"), netip.MustParseAddrPort("[fe80::2]:0"),
		verbs.IPHeader{HopLimit: 64, TrafficClass: 5}
	with := func(f Frame, change func(*Frame)) Frame { change(&f); return f }
	withOptions := func(f *Frame) { f.options = true }
	many := bytes.Repeat([]byte{0}, maxExtensions+1)
	for _, tt := range []struct {
		name   string
		of     link
		packet []byte
		want   Frame // its zero value: not a RoCE packet
	}{
		{"IPv4", rawIP, four(t), f4},
		{"IPv4, marked", rawIP, changed(four(t), 1, 0xb9), with(f4, func(f *Frame) { f.IP.TrafficClass = 0xb9 })},
		{"IPv4, may be fragmented", rawIP, changed(four(t), 6, 0), with(f4, func(f *Frame) { f.DF = false })},
		{"IPv4, one hop", rawIP, changed(four(t), 8, 1), with(f4, func(f *Frame) { f.IP.HopLimit = 1 })},
		{"IPv4 with options", rawIP, join([]byte{0x46}, four(t)[1:ipv4Len], make([]byte, 4), four(t)[ipv4Len:]),
			with(f4, withOptions)},
		{"IPv4 with most options", rawIP, join([]byte{0x4f}, four(t)[1:ipv4Len], make([]byte, 40), four(t)[ipv4Len:]),
			with(f4, withOptions)},
		{"IPv4 header too short", rawIP, changed(four(t), 0, 0x44), Frame{}},
		{"IPv4 options cut", rawIP, changed(four(t), 0, 0x46)[:ipv4Len+3], Frame{}},
		{"IPv6", rawIP, six(t), f6},
		{"IPv6, marked", rawIP, changed(six(t), 0, 0x6b, 0x9f, 0xed, 0xcb), with(f6, func(f *Frame) {
			f.IP.TrafficClass, f.IP.FlowLabel = 0xb9, 0xfedcb
		})},
		{"IPv6, one hop", rawIP, changed(six(t), 7, 1), with(f6, func(f *Frame) { f.IP.HopLimit = 1 })},
		{"hop-by-hop options", rawIP, extended(t, []byte{0}, 0), with(f6, withOptions)},
		{"a long routing header", rawIP, extended(t, []byte{43}, 2), with(f6, withOptions)},
		{"three extensions", rawIP, extended(t, []byte{0, 43, 60}, 1, 0, 3), with(f6, withOptions)},
		{"as many extensions as are read", rawIP, extended(t, many[1:], many[1:]...), with(f6, withOptions)},
		{"one more", rawIP, extended(t, many, many...), Frame{}},
		{"an unknown extension", rawIP, extended(t, []byte{44}, 0), Frame{}},
		{"an extension without its end", rawIP, extended(t, []byte{0}, 1)[:ipv6Len+15], Frame{}},
		{"an extension alone", rawIP, extended(t, []byte{0}, 1)[:ipv6Len+16], Frame{}},
		{"an extension without its length", rawIP, extended(t, []byte{0}, 0)[:ipv6Len+1], Frame{}},
		{"IPv6 cut", rawIP, six(t)[:ipv6Len-1], Frame{}},
		{"IPv6 of another version", func(*Frame, []byte) (uint16, []byte, error) { return etherIPv6, four(t), nil },
			six(t), Frame{}},
		{"IPv4 of another version", func(*Frame, []byte) (uint16, []byte, error) { return etherIPv4, six(t), nil },
			four(t), Frame{}},
		{"UDP cut", rawIP, six(t)[:ipv6Len+udpLen-1], Frame{}},
		{"UDP alone", rawIP, changed(six(t), ipv6Len+4, 0, udpLen)[:ipv6Len+udpLen], with(f6, func(f *Frame) {
			f.Len = 0
		})},
		{"RoCE v1", func(_ *Frame, b []byte) (uint16, []byte, error) { return etherRoCEv1, b, nil }, grh(t), f1},
		{"a long extension before UDP alone", rawIP, changed(extended(t, []byte{0}, 9), ipv6Len+80+4, 0,
			udpLen)[:ipv6Len+80+udpLen], with(f6, func(f *Frame) { f.options, f.Len = true, 0 })},
		{"RoCE v1 alone", func(_ *Frame, b []byte) (uint16, []byte, error) { return etherRoCEv1, b, nil },
			changed(grh(t), 4, 0, 0)[:40], with(f1, func(f *Frame) { f.Len = 0 })},
		{"RoCE v1 cut", func(_ *Frame, b []byte) (uint16, []byte, error) { return etherRoCEv1, b, nil },
			grh(t)[:39], Frame{}},
		{"RoCE v1 of another version", func(_ *Frame, b []byte) (uint16, []byte, error) { return etherRoCEv1, b, nil },
			changed(grh(t), 0, 0x40), Frame{}},
		{"RoCE v1, not a BTH", func(_ *Frame, b []byte) (uint16, []byte, error) { return etherRoCEv1, b, nil },
			changed(grh(t), 6, 17), Frame{}},
	} {
		var got Frame
		err := new(walk).decode(&got, tt.of, tt.packet, len(tt.packet))
		if (err == nil) != tt.want.Dst.IsValid() {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if err != nil {
			continue
		}
		if len(got.Data) != tt.want.Len || !bytes.HasSuffix(tt.packet, got.Data) {
			t.Errorf("%s: %d bytes", tt.name, len(got.Data))
		}
		got.Data = nil
		if got.Src != tt.want.Src || got.Dst != tt.want.Dst || got.IP != tt.want.IP || got.Len != tt.want.Len ||
			got.ID != tt.want.ID ||
			got.DF != tt.want.DF || got.V1 != tt.want.V1 || got.options != tt.want.options {
			t.Errorf("%s:\ngot  %+v\nwant %+v", tt.name, got, tt.want)
		}
	}
}

// TestOptionsAreNotChecked: the check of the ICRC does not know IP options.
func TestOptionsAreNotChecked(t *testing.T) {
	for of, packet := range map[layers.LinkType][]byte{layers.LinkTypeRaw: extended(t, []byte{0}, 0),
		layers.LinkTypeIPv6: extended(t, []byte{60}, 1)} {
		r, err := NewReader(bytes.NewReader(record(t, of, packet, len(packet))))
		if err != nil {
			t.Fatal(err)
		}
		var f Frame
		if err := r.Next(&f); err != nil || f.ICRC != Unchecked || string(f.Wire.Payload) != "hello" {
			t.Errorf("%v, %+v", err, f)
		}
	}
}

// TestShortLinks: a packet shorter than its link header is not a RoCE packet.
func TestShortLinks(t *testing.T) {
	for name, tt := range map[string]struct {
		of   link
		head int // bytes
	}{"Ethernet": {ethernet, 14}, "loopback": {loopback, 4}, "cooked": {cooked, 16}, "cooked v2": {cooked2, 20}} {
		for n := range tt.head {
			if _, _, err := tt.of(new(Frame), make([]byte, n)); err != errOther {
				t.Errorf("%s, %d bytes: %v", name, n, err)
			}
		}
	}
	for name, tt := range map[string]struct {
		of   link
		head []byte
	}{"Ethernet": {ethernet, join(make([]byte, 12), []byte{8, 0})}, "cooked": {cooked,
		join(make([]byte, 14), []byte{8, 0})}, "cooked v2": {cooked2, join([]byte{8, 0}, make([]byte, 18))}} {
		if proto, rest, err := tt.of(new(Frame), tt.head); proto != 0x0800 || len(rest) != 0 || err != nil {
			t.Errorf("%s alone: %#x, % x, %v", name, proto, rest, err)
		}
	}
	tag := []byte{0x81, 0}
	head := join(make([]byte, 12), tag, bytes.Repeat([]byte{0, 1, 0x81, 0}, maxTags-1), []byte{0, 9, 8, 0})
	var f Frame
	if proto, rest, err := ethernet(&f, join(head, []byte("rest"))); proto != 0x0800 || string(rest) != "rest" ||
		err != nil || f.VLAN != 9 {
		t.Errorf("%#x, %q, %v, VLAN %d", proto, rest, err, f.VLAN)
	}
	if proto, rest, err := ethernet(&f, head); proto != 0x0800 || len(rest) != 0 || err != nil {
		t.Errorf("tags alone: %#x, % x, %v", proto, rest, err)
	}
	if _, _, err := ethernet(&f, head[:len(head)-1]); err != errOther {
		t.Errorf("a tag without its end: %v", err)
	}
	if proto, _, err := ethernet(&f, join(make([]byte, 12), tag, bytes.Repeat([]byte{0, 1, 0x81, 0}, maxTags),
		[]byte{8, 0})); proto != 0x8100 || err != nil {
		t.Errorf("too many tags: %#x, %v", proto, err)
	}
}
