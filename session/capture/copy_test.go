package capture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net/netip"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"rdmatui/verbs/wire"
)

// copied reads all frames of a capture, and returns them with a capture of their copies.
// The frames keep no reference to the reader's memory.
func copied(t *testing.T, file []byte) (all []Frame, again []byte) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := NewWriter(&out)
	for {
		var f Frame
		if err := r.Next(&f); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteFrame(&f); err != nil {
			t.Fatal(err)
		}
		f.Data = bytes.Clone(f.Data)
		f.Raw.bytes, f.Wire.Payload = bytes.Clone(f.Raw.bytes), bytes.Clone(f.Wire.Payload)
		all = append(all, f)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return all, out.Bytes()
}

// linkHeaders are the packets of every link type, with tags, and in RoCE v1.
func linkHeaders(t *testing.T) map[layers.LinkType][][]byte {
	mac := []byte("\x02aaaaa\x02bbbbb")
	return map[layers.LinkType][][]byte{
		layers.LinkTypeEthernet: {
			join(mac, []byte{8, 0}, four(t)), join(mac, []byte{0x86, 0xdd}, six(t)),
			join(mac, []byte{0x81, 0, 0x60, 5, 8, 0}, four(t)),
			join(mac, []byte{0x88, 0xa8, 0, 1, 0x81, 0, 0, 7, 8, 0}, four(t)), join(mac, []byte{0x89, 0x15}, grh(t)),
			join(mac, []byte{8, 0}, four(t), make([]byte, 6)), // with padding
		},
		layers.LinkTypeRaw:  {four(t), six(t)},
		197:                 {local(t, false), local(t, true)},
		layers.LinkTypeNull: {join([]byte{2, 0, 0, 0}, four(t))},
		layers.LinkTypeLinuxSLL: {join([]byte{0, 4}, make([]byte, 12), []byte{8, 0}, four(t)),
			join([]byte{0, 0}, make([]byte, 12), []byte{0x86, 0xdd}, six(t))},
		layers.LinkTypeLinuxSLL2: {join([]byte{8, 0}, make([]byte, 8), []byte{4}, make([]byte, 9), four(t))},
	}
}

// TestCopies: a copied packet reads as the original, whatever carried it, whole or cut.
func TestCopies(t *testing.T) {
	for of, packets := range linkHeaders(t) {
		for _, packet := range packets {
			for _, n := range []int{len(packet), len(packet) - 8} {
				want, again := copied(t, record(t, of, packet, n))
				got, _ := copied(t, again)
				if len(want) != 1 || !reflect.DeepEqual(got, want) {
					t.Errorf("%v, %d bytes:\n%+v\nwant\n%+v", of, n, got, want)
				}
			}
		}
	}
}

// TestCopiesOfRxe copies packets that the Linux kernel sent.
func TestCopiesOfRxe(t *testing.T) {
	file, err := os.Open("../../verbs/wire/testdata/rxe.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var capture bytes.Buffer
	w := pcapgo.NewWriterNanos(&capture)
	if err := w.WriteFileHeader(1<<16, layers.LinkTypeRaw); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		b, err := hex.DecodeString(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		n++
		if err := w.WritePacket(gopacket.CaptureInfo{Timestamp: begin, CaptureLength: len(b), Length: len(b)},
			b); err != nil {
			t.Fatal(err)
		}
	}
	want, again := copied(t, capture.Bytes())
	got, _ := copied(t, again)
	if len(want) != n || n == 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d packets, want %d of %d", len(got), len(want), n)
	}
	for _, f := range got {
		if f.ICRC != Right {
			t.Errorf("%v: ICRC %d", &f.Wire, f.ICRC)
		}
	}
}

// TestCopiesOfDevices: direction, device and losses of a session's capture survive, and
// so does a copy of a copy, byte for byte.
func TestCopiesOfDevices(t *testing.T) {
	var file bytes.Buffer
	w := NewWriter(&file)
	for i, device := range []string{"soft0", "soft1", "soft0"} {
		p := seal(t, device, i%2 == 0, here, there, uint16(i), hello)
		p.Missed = uint64(i)
		if err := w.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	interfaces := 0
	for _, b := range blocks(t, file.Bytes()) {
		if b.kind == blockInterface {
			interfaces++
		}
	}
	if interfaces != 2 {
		t.Errorf("%d interfaces", interfaces)
	}
	if _, again := copied(t, file.Bytes()); !bytes.Equal(again, file.Bytes()) {
		t.Errorf("% x\nwant\n% x", again, file.Bytes())
	}
}

// TestCopiesOfSegments: packets of a segmented datagram are copied as packets of their
// own, with right checksums.
func TestCopiesOfSegments(t *testing.T) {
	lengths := []int{256, 256, 256, 5}
	mac := make([]byte, 12)
	here6, there6 := netip.MustParseAddrPort("[fd00::1]:50000"), netip.MustParseAddrPort("[fd00::2]:4791")
	six := enclosed(here6, there6, 0, bodies(t, wire.Path{Src: here6, Dst: there6}, 0, payloads(lengths...)...))
	for _, packet := range [][]byte{
		join(mac, []byte{0x81, 0, 0, 9, 8, 0}, uncut(t, 0xfffe, lengths...)),
		join(mac, []byte{0x81, 0, 0, 9, 0x86, 0xdd}, six),
	} {
		v4 := packet[16] == 8
		want, again := copied(t, record(t, layers.LinkTypeEthernet, packet, len(packet)))
		got, _ := copied(t, again)
		if len(got) != len(lengths) || len(want) != len(lengths) {
			t.Fatalf("%d and %d packets", len(got), len(want))
		}
		for i, f := range got {
			if w := want[i]; f.ICRC != Right || f.ID != w.ID || (f.ID != 0) != (v4 && i != 2) || f.VLAN != 9 ||
				!bytes.Equal(f.Data, w.Data) || f.Seq != uint64(i+1) || f.Raw.part {
				t.Errorf("%+v\nwant %+v", f, w)
			}
			ip, udp := f.Raw.bytes[f.Raw.ip:f.Raw.bth-udpLen], f.Raw.bytes[f.Raw.bth-udpLen:]
			if whole := len(ip) + len(udp); v4 && int(binary.BigEndian.Uint16(ip[2:])) != whole || !v4 &&
				int(binary.BigEndian.Uint16(ip[4:])) != len(udp) ||
				int(binary.BigEndian.Uint16(udp[4:])) != len(udp) || f.Raw.n != len(f.Raw.bytes) {
				t.Errorf("packet %d: wrong lengths: % x", i, f.Raw.bytes[:f.Raw.bth])
			}
			if v4 && fold(addWords(0, ip)) != 0 || fold(addWords(pseudoSum(ip, v4, len(udp)), udp)) != 0 {
				t.Errorf("packet %d: wrong checksums: % x", i, f.Raw.bytes[:f.Raw.bth])
			}
		}
	}
}
