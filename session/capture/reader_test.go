package capture

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/ulikunitz/xz"

	"rdmatui/session/timeline"
	"rdmatui/verbs/wire"
)

var hello = wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: 17, PSN: 9}, Payload: []byte("hello")}

// datagram returns a sealed packet from its IP header on.
func datagram(t testing.TB, src, dst string) []byte {
	p := seal(t, "", true, netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst), 0x1234, hello)
	return appendDatagram(nil, p)
}

func four(t testing.TB) []byte { return datagram(t, "10.0.0.1:50000", "10.0.0.2:4791") }
func six(t testing.TB) []byte  { return datagram(t, "[fd00::1]:50000", "[fd00::2]:4791") }

// grh returns the packet as RoCE v1, whose ICRC covers the GRH like an IPv6 header.
func grh(testing.TB) []byte {
	body := hello.Append(nil)
	head := func(first uint32, hops byte) []byte {
		b := binary.BigEndian.AppendUint32(nil, first)
		b = binary.BigEndian.AppendUint16(b, uint16(len(body)+wire.ICRCLen))
		src, dst := netip.MustParseAddr("fe80::1").As16(), netip.MustParseAddr("fe80::2").As16()
		return join(b, []byte{nextBTH, hops}, src[:], dst[:])
	}
	ones := []byte{255, 255, 255, 255, 255, 255, 255, 255}
	covered := join(ones, head(6<<28|1<<28-1, 255), body[:4], ones[:1], body[5:])
	return binary.LittleEndian.AppendUint32(join(head(6<<28|5<<20, 64), body), crc32.ChecksumIEEE(covered))
}

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// record returns a pcap file with one packet of a link type, of which the first n
// bytes were captured.
func record(t testing.TB, of layers.LinkType, packet []byte, n int) []byte {
	t.Helper()
	var file bytes.Buffer
	w := pcapgo.NewWriter(&file)
	if err := w.WriteFileHeader(1<<16, of); err != nil {
		t.Fatal(err)
	}
	if err := w.WritePacket(gopacket.CaptureInfo{Timestamp: begin, CaptureLength: n, Length: len(packet)},
		packet[:n]); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestLinks reads a packet under each link type.
func TestLinks(t *testing.T) {
	mac := make([]byte, 12)
	for _, c := range []struct {
		name string
		of   layers.LinkType
		head []byte
		body []byte
		want Frame // Way, VLAN, V1 and ICRC
	}{
		{"Ethernet, IPv4", layers.LinkTypeEthernet, join(mac, []byte{8, 0}), four(t), Frame{ICRC: Right}},
		{"Ethernet, IPv6", layers.LinkTypeEthernet, join(mac, []byte{0x86, 0xdd}), six(t), Frame{ICRC: Right}},
		{"VLAN", layers.LinkTypeEthernet, join(mac, []byte{0x81, 0, 0x60, 5, 8, 0}), four(t),
			Frame{ICRC: Right, VLAN: 5}},
		{"two tags", layers.LinkTypeEthernet, join(mac, []byte{0x88, 0xa8, 0, 1, 0x81, 0, 0, 7, 8, 0}), four(t),
			Frame{ICRC: Right, VLAN: 7}},
		{"RoCE v1", layers.LinkTypeEthernet, join(mac, []byte{0x89, 0x15}), grh(t), Frame{V1: true, ICRC: Right}},
		{"RoCE v1, damaged", layers.LinkTypeEthernet, join(mac, []byte{0x89, 0x15}), changed(grh(t), 45, 1),
			Frame{V1: true, ICRC: Wrong}},
		{"raw IPv4", layers.LinkTypeRaw, nil, four(t), Frame{ICRC: Right}},
		{"raw IPv6", layers.LinkTypeRaw, nil, six(t), Frame{ICRC: Right}},
		{"loopback", layers.LinkTypeNull, []byte{2, 0, 0, 0}, four(t), Frame{ICRC: Right}},
		{"cooked, from us", layers.LinkTypeLinuxSLL, join([]byte{0, 4}, make([]byte, 12), []byte{8, 0}), four(t),
			Frame{ICRC: Right, Way: Out}},
		{"cooked, to us", layers.LinkTypeLinuxSLL, join([]byte{0, 0}, make([]byte, 12), []byte{0x86, 0xdd}), six(t),
			Frame{ICRC: Right, Way: In}},
		{"cooked v2", layers.LinkTypeLinuxSLL2, join([]byte{8, 0}, make([]byte, 8), []byte{4}, make([]byte, 9)),
			four(t), Frame{ICRC: Right, Way: Out}},
	} {
		t.Run(c.name, func(t *testing.T) {
			packet := join(c.head, c.body)
			r, err := NewReader(bytes.NewReader(record(t, c.of, packet, len(packet))))
			if err != nil {
				t.Fatal(err)
			}
			var f Frame
			if err := r.Next(&f); err != nil || f.Err != nil {
				t.Fatalf("%v, %v", err, f.Err)
			}
			if string(f.Wire.Payload) != "hello" || f.Wire.BTH.PSN != 9 || f.Way != c.want.Way ||
				f.VLAN != c.want.VLAN || f.V1 != c.want.V1 || f.ICRC != c.want.ICRC || f.Cut() {
				t.Errorf("%+v", f)
			}
			if err := r.Next(&f); err != io.EOF || r.Totals != (Totals{Packets: 1, RoCE: 1}) {
				t.Errorf("%v, %+v", err, r.Totals)
			}
		})
	}
}

// TestCutPackets reads every beginning of a packet: what is there is told, the rest is
// not made up.
func TestCutPackets(t *testing.T) {
	packet := four(t)
	const head = ipv4Len + udpLen
	for n := range len(packet) {
		r, err := NewReader(bytes.NewReader(record(t, layers.LinkTypeRaw, packet, n)))
		if err != nil {
			t.Fatal(err)
		}
		var f Frame
		err = r.Next(&f)
		switch {
		case n < head:
			if err != io.EOF || r.RoCE != 0 {
				t.Errorf("%d bytes: %v, %+v", n, err, r.Totals)
			}
		case err != nil || !f.Cut() || f.ICRC != Unchecked || r.Cut != 1 || len(f.Data) != n-head ||
			f.Len != len(packet)-head:
			t.Errorf("%d bytes: %v, %+v", n, err, f)
		case (f.Err == nil) != (n >= head+wire.BTHLen):
			t.Errorf("%d bytes: %v", n, f.Err)
		case f.Err == nil && (f.Wire.BTH.PSN != 9 || len(f.Wire.Payload) != 5):
			t.Errorf("%d bytes: %v", n, &f.Wire)
		}
	}
}

// TestOtherPackets: what is not RoCE is counted and passed over.
func TestOtherPackets(t *testing.T) {
	change := func(at int, v byte) []byte { b := four(t); b[at] = v; return b }
	for name, packet := range map[string][]byte{
		"TCP": change(9, 6), "fragment": change(6, 0x20), "later fragment": change(7, 1),
		"other port": change(23, 0), "version 5": change(0, 0x55),
		"header longer than the packet": change(0, 0x4f)[:24], "UDP length 3": change(25, 3)[:30],
		"nothing": {}, "ARP": {8, 6},
	} {
		r, err := NewReader(bytes.NewReader(record(t, layers.LinkTypeRaw, packet, len(packet))))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Next(new(Frame)); err != io.EOF || r.Packets != 1 || r.RoCE != 0 {
			t.Errorf("%s: %v, %+v", name, err, r.Totals)
		}
	}
}

// TestWrongICRC: a changed byte, or a rewritten address, is found.
func TestWrongICRC(t *testing.T) {
	for at, want := range map[int]Verdict{8: Right /* time to live */, 12: Wrong, /* source */
		ipv4Len + udpLen + 13: Wrong} {
		packet := four(t)
		packet[at]++
		r, err := NewReader(bytes.NewReader(record(t, layers.LinkTypeRaw, packet, len(packet))))
		if err != nil {
			t.Fatal(err)
		}
		var f Frame
		if err := r.Next(&f); err != nil || f.ICRC != want {
			t.Errorf("byte %d: %v, ICRC %d, want %d", at, err, f.ICRC, want)
		}
	}
}

// TestReadsWhatItWrites: interfaces, directions, losses and times survive.
func TestReadsWhatItWrites(t *testing.T) {
	var file bytes.Buffer
	w := NewWriter(&file)
	one := seal(t, "soft0", true, here, there, 1, hello)
	two := seal(t, "soft1", false, there, here, 2, hello)
	two.Missed = 7
	for _, p := range []*timeline.Packet{one, two} {
		if err := w.Write(p, "from "+p.Device, "it"); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(file.Bytes())
	z.Close()
	for name, b := range map[string][]byte{"plain": file.Bytes(), "gzip": packed.Bytes()} {
		r, err := NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []*timeline.Packet{one, two} {
			var f Frame
			if err := r.Next(&f); err != nil || f.Device != want.Device || f.Outgoing != want.Outgoing ||
				f.Missed != want.Missed ||
				!f.At.Equal(want.At) || f.Src != want.Src || f.Dst != want.Dst || f.Seq != uint64(i+1) ||
				f.ICRC != Right || !bytes.Equal(f.Data, want.Data) ||
				!slices.Equal(f.Comments, []string{"from " + want.Device, "it"}) {
				t.Errorf("%s: %v %+v\nwant %+v", name, err, f, want)
			}
		}
		if r.Dropped != 7 {
			t.Errorf("%s: %d dropped", name, r.Dropped)
		}
	}
}

// TestDamagedCaptures: each has one error that says what is wrong.
func TestDamagedCaptures(t *testing.T) {
	packet := four(t)
	var section bytes.Buffer
	if err := NewWriter(&section).Close(); err != nil {
		t.Fatal(err)
	}
	good := record(t, layers.LinkTypeRaw, packet, len(packet))
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "no data; "},
		{"short", []byte{1}, "not a pcap or pcapng file"},
		{"text", []byte("hello, world"), "not a pcap or pcapng file"},
		{"header cut", good[:10], "capture header: the input ends too early"},
		{"section cut", section.Bytes()[:20], "capture header: the input ends too early"},
		{"packet header cut", good[:30], "packet 1: the input ends too early"},
		{"packet cut", good[:len(good)-1], "packet 1: the input ends too early"},
		{"unknown link type", record(t, layers.LinkTypeFDDI, packet, len(packet)), "link type 10 is not supported"},
		{"gzip cut", []byte{0x1f, 0x8b, 8, 0, 0, 0}, "capture header: the input ends too early"},
	} {
		r, err := NewReader(bytes.NewReader(c.file))
		if err == nil {
			err = r.Next(new(Frame))
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// FuzzReader reads hostile captures: it must end, without a panic.
func FuzzReader(f *testing.F) {
	packet := join(make([]byte, 12), []byte{8, 0}, four(f))
	f.Add(record(f, layers.LinkTypeEthernet, packet, len(packet)))
	var file bytes.Buffer
	w := NewWriter(&file)
	w.Write(seal(f, "soft0", true, here, there, 1, hello))
	w.Close()
	f.Add(file.Bytes())
	f.Add(squeeze(f, file.Bytes(), zst))
	f.Add(squeeze(f, file.Bytes(), xzOf(xz.CRC64, 64)))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := NewReader(bytes.NewReader(b))
		if err != nil {
			return
		}
		var frame Frame
		for range len(b) + 1 {
			if err := r.Next(&frame); err != nil {
				return
			}
			if frame.Len < len(frame.Data) {
				t.Fatalf("%d bytes of %d", len(frame.Data), frame.Len)
			}
		}
		t.Fatal("more packets than bytes")
	})
}
