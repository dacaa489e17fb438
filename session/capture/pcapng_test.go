package capture

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// Blocks of a pcapng file and their options (draft-ietf-opsawg-pcapng).
const (
	blockSection    = 0x0a0d0d0a
	blockInterface  = 1
	blockPacket     = 6
	blockStatistics = 5

	optEnd           = 0
	optIfName        = 2
	optIfDescription = 3
	optPacketFlags   = 2
	optPacketMissed  = 4
	optIfReceived    = 4
	optIfDropped     = 5

	inbound = 1 // of optPacketFlags
)

// seal makes a packet as a link sees it, for an IPv4 identification.
func seal(t testing.TB, device string, out bool, src, dst netip.AddrPort, id uint16, h wire.Packet) *timeline.Packet {
	t.Helper()
	icrc, err := wire.NewICRC(wire.Path{Src: src, Dst: dst, DF: true})
	if err != nil {
		t.Fatal(err)
	}
	p := &timeline.Packet{
		At: begin, Device: device, Outgoing: out, Src: src, Dst: dst, Data: icrc.Append(id, h.Append(nil)),
	}
	if p.Decode(); p.Err != nil {
		t.Fatal(p.Err)
	}
	return p
}

// block is one parsed block of a pcapng file.
type block struct {
	kind uint32
	body []byte
}

func blocks(t *testing.T, file []byte) (all []block) {
	t.Helper()
	for len(file) > 0 {
		n := int(binary.LittleEndian.Uint32(file[4:]))
		if n%4 != 0 || n > len(file) || binary.LittleEndian.Uint32(file[n-4:]) != uint32(n) {
			t.Fatalf("a block of %d bytes of %d", n, len(file))
		}
		all = append(all, block{binary.LittleEndian.Uint32(file), file[8 : n-4]})
		file = file[n:]
	}
	return all
}

// options reads the options of a block by their codes.
func options(b []byte) map[uint16][]byte {
	all := map[uint16][]byte{}
	for len(b) >= 4 {
		code, n := binary.LittleEndian.Uint16(b), int(binary.LittleEndian.Uint16(b[2:]))
		if code == optEnd {
			break
		}
		all[code] = b[4 : 4+n]
		b = b[4+(n+3)/4*4:]
	}
	return all
}

// TestSums: an odd last byte is the high byte of a word.
func TestSums(t *testing.T) {
	for text, want := range map[string]uint32{"": 1, "\x12": 0x1201, "\x12\x34": 0x1235, "\x12\x34\x56": 0x6835,
		"\xff\xff\xff\xff": 0x1ffff} {
		if got := addWords(1, []byte(text)); got != want {
			t.Errorf("%x: %#x, want %#x", text, got, want)
		}
	}
	for sum, want := range map[uint32]uint16{0: 0xffff, 0xffff: 0, 0x10000: 0xfffe, 0x1ffff: 0xfffe, 0xfffeffff: 1} {
		if got := fold(sum); got != want {
			t.Errorf("%#x: %#x, want %#x", sum, got, want)
		}
	}
}

// TestOddPackets: malformed packets are kept unchanged, and the blocks stay aligned.
func TestOddPackets(t *testing.T) {
	var file bytes.Buffer
	w := NewWriter(&file)
	for n := range 9 {
		if err := w.Write(&timeline.Packet{At: begin, Device: "soft0", Src: here, Dst: there,
			Data: bytes.Repeat([]byte{0xaa}, n)}); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for _, b := range blocks(t, file.Bytes()) {
		if b.kind != blockPacket {
			continue
		}
		size := int(binary.LittleEndian.Uint32(b.body[12:]))
		whole := b.body[20 : 20+size]
		if int(binary.LittleEndian.Uint32(b.body[16:])) != size ||
			!bytes.HasSuffix(whole, bytes.Repeat([]byte{0xaa}, n)) ||
			bytes.HasSuffix(whole, bytes.Repeat([]byte{0xaa}, n+1)) {
			t.Errorf("of %d bytes: % x", n, whole)
		}
		if flags := options(b.body[20+(size+3)/4*4:])[optPacketFlags]; len(flags) != 4 ||
			binary.LittleEndian.Uint32(flags) != inbound {
			t.Errorf("of %d bytes: flags % x", n, flags)
		}
		n++
	}
	if n != 9 {
		t.Errorf("%d packets", n)
	}
}

func TestFileHolds(t *testing.T) {
	var file bytes.Buffer
	w := NewWriter(&file)
	first := seal(t, "soft0", true, here, there, 0, wire.Packet{
		BTH: wire.BTH{Opcode: wire.RCSendOnly}, Payload: []byte("hello"),
	})
	second := seal(t, "soft1", false, here, there, 0x1234, wire.Packet{
		BTH: wire.BTH{Opcode: wire.RCSendOnly}, Payload: []byte("x"),
	})
	second.Missed = 7
	for _, p := range []*timeline.Packet{first, second} {
		if err := w.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var kinds []uint32
	all := blocks(t, file.Bytes())
	for _, b := range all {
		kinds = append(kinds, b.kind)
	}
	want := []uint32{blockSection, blockInterface, blockPacket, blockInterface, blockPacket,
		blockStatistics, blockStatistics}
	if len(all) != len(want) {
		t.Fatalf("blocks %x, want %x", kinds, want)
	}
	for i := range want {
		if kinds[i] != want[i] {
			t.Fatalf("blocks %x, want %x", kinds, want)
		}
	}
	if about := options(all[3].body[8:]); string(about[optIfName]) != "soft1" ||
		!strings.Contains(string(about[optIfDescription]), "as covered by the ICRC") {
		t.Errorf("interface %v", about)
	}
	if opts := options(
		all[2].body[20+(int(binary.LittleEndian.Uint32(all[2].body[12:]))+3)/4*4:]); opts[optPacketMissed] != nil {
		t.Errorf("nothing is missing before the first packet: %v", opts)
	}
	body := all[4].body
	stamp := uint64(binary.LittleEndian.Uint32(body[4:]))<<32 | uint64(binary.LittleEndian.Uint32(body[8:]))
	if binary.LittleEndian.Uint32(body) != 1 || !time.Unix(0, int64(stamp)).Equal(begin) {
		t.Errorf("interface %d at %v", binary.LittleEndian.Uint32(body), time.Unix(0, int64(stamp)))
	}
	n := int(binary.LittleEndian.Uint32(body[12:]))
	opts := options(body[20+(n+3)/4*4:])
	if opts[optPacketFlags][0] != inbound || binary.LittleEndian.Uint64(opts[optPacketMissed]) != 7 {
		t.Errorf("options %v", opts)
	}
	stats := options(all[6].body[12:])
	if binary.LittleEndian.Uint64(stats[optIfReceived]) != 8 || binary.LittleEndian.Uint64(stats[optIfDropped]) != 7 {
		t.Errorf("statistics %v", stats)
	}
	if id := binary.BigEndian.Uint16(body[20+4:]); id != 0x1234 {
		t.Errorf("identification 0x%04x, with which the ICRC is wrong", id)
	}
}

// TestDatagramSums checks the generated headers: the sum of what a checksum covers,
// including the checksum, is all ones.
func TestDatagramSums(t *testing.T) {
	six := netip.MustParseAddrPort("[fd00::1]:49152")
	for _, tt := range []struct {
		src, dst netip.AddrPort
		ip       int
	}{{here, there, 20}, {six, netip.MustParseAddrPort("[fd00::2]:4791"), 40}} {
		for n := range 9 {
			p := seal(t, "soft0", true, tt.src, tt.dst, 0, wire.Packet{
				BTH: wire.BTH{Opcode: wire.UDSendOnly}, Payload: make([]byte, n),
			})
			p.IP = verbs.IPHeader{TrafficClass: 184, HopLimit: uint8(n), FlowLabel: 0xfedcb}
			b := appendDatagram(nil, p)
			if h := b[:9]; tt.ip == 20 && (h[1] != 184 || h[8] != cmp.Or(uint8(n), 64)) ||
				tt.ip == 40 && (binary.BigEndian.Uint32(h) != 0x6b8fedcb || h[7] != cmp.Or(uint8(n), 64)) {
				t.Errorf("header %x of %+v", h, p.IP)
			}
			v4 := tt.ip == 20
			if len(b) != tt.ip+8+len(p.Data) || !bytes.Equal(b[tt.ip+8:], p.Data) {
				t.Fatalf("%x", b)
			}
			if v4 && fold(addWords(0, b[:tt.ip])) != 0 {
				t.Errorf("IPv4 header %x", b[:tt.ip])
			}
			if fold(addWords(pseudoSum(b[:tt.ip], v4, len(b)-tt.ip), b[tt.ip:])) != 0 {
				t.Errorf("UDP header %x", b[tt.ip:tt.ip+8])
			}
		}
	}
}

// TestDatagramBytes has datagrams that another program calculated.
func TestDatagramBytes(t *testing.T) {
	for _, tt := range []struct{ src, dst, want string }{
		{"127.0.0.1:4791", "127.0.0.2:4791", "45b800210000400040113c117f0000017f00000212b712b7000ddd0caaaaaaaaaa"},
		{"[fd00::1]:49152", "[fd00::2]:4791",
			"6b8fedcb000d1140fd000000000000000000000000000001fd000000000000000000000000000002c00012b7000d33c2aaaaaaaaaa"},
	} {
		p := &timeline.Packet{
			Src: netip.MustParseAddrPort(tt.src), Dst: netip.MustParseAddrPort(tt.dst),
			IP: verbs.IPHeader{TrafficClass: 0xb8, FlowLabel: 0xfedcb}, Data: bytes.Repeat([]byte{0xaa}, 5),
		}
		if got := hex.EncodeToString(appendDatagram(nil, p)); got != tt.want {
			t.Errorf("%s\nwant\n%s", got, tt.want)
		}
	}
}

// TestEmptyFile: a file without packets can be read.
func TestEmptyFile(t *testing.T) {
	var file bytes.Buffer
	if err := NewWriter(&file).Close(); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Next(new(Frame)); err != io.EOF {
		t.Error(err)
	}
}

// TestCropped: of a packet of which only the beginning is kept, the length is told, and no checksum.
func TestCropped(t *testing.T) {
	for _, cropped := range []int{1, 100} {
		p := seal(t, "soft0", true, here, there, 0x1234, hello)
		p.Cropped = cropped
		var file bytes.Buffer
		if err := NewWriter(&file).Write(p); err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(&file)
		if err != nil {
			t.Fatal(err)
		}
		var f Frame
		if err := r.Next(&f); err != nil || f.ID != 0 || f.Len != len(p.Data)+cropped ||
			f.Raw.n != len(f.Raw.bytes)+cropped || !bytes.Equal(f.Data, p.Data) {
			t.Errorf("%v: %+v", err, f)
		}
		if udp := f.Raw.bytes[f.Raw.bth-udpLen:]; udp[6] != 0 || udp[7] != 0 {
			t.Errorf("checksum % x", udp[6:8])
		}
	}
}

// TestUDPSum: a checksum of 0 is written as all ones, whatever stood there before.
func TestUDPSum(t *testing.T) {
	ip := appendIPv4(nil, here.Addr(), there.Addr(), verbs.IPHeader{}, 0, 2)
	udp := []byte{0, 1, 0, 2, 0, udpLen + 2, 0x55, 0x55, 0, 0}
	putUDPSum(ip, udp, true)
	sum := binary.BigEndian.Uint16(udp[6:])
	binary.BigEndian.PutUint16(udp[8:], sum) // what the rest lacks
	putUDPSum(ip, udp, true)
	if got := binary.BigEndian.Uint16(udp[6:]); sum == 0xffff || got != 0xffff {
		t.Errorf("%#x, then %#x", sum, got)
	}
}

// broken is a file on a full disk.
type broken struct{ writes int }

var errFull = errors.New("no space left")

func (f *broken) Write([]byte) (int, error) { f.writes++; return 0, errFull }

func TestErrorsStay(t *testing.T) {
	f := &broken{}
	w := NewWriter(f)
	p := seal(t, "soft0", true, here, there, 0, wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly}})
	other := seal(t, "soft1", true, here, there, 0, wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly}})
	if err := w.Write(p); !errors.Is(err, errFull) || !errors.Is(w.Write(other), errFull) ||
		!errors.Is(w.Close(), errFull) || f.writes != 1 {
		t.Errorf("%v after %d writes", err, f.writes)
	}
}
