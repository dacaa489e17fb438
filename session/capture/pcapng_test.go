package capture

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
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
	p := &timeline.Packet{At: begin, Device: device, Outgoing: out, Src: src, Dst: dst, Data: icrc.Append(id, h.Append(nil))}
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
	for text, want := range map[string]uint32{"": 1, "\x12": 0x1201, "\x12\x34": 0x1235, "\x12\x34\x56": 0x6835, "\xff\xff\xff\xff": 0x1ffff} {
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
		if err := w.Write(&timeline.Packet{At: begin, Device: "soft0", Src: here, Dst: there, Data: bytes.Repeat([]byte{0xaa}, n)}); err != nil {
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
		if int(binary.LittleEndian.Uint32(b.body[16:])) != size || !bytes.HasSuffix(whole, bytes.Repeat([]byte{0xaa}, n)) || bytes.HasSuffix(whole, bytes.Repeat([]byte{0xaa}, n+1)) {
			t.Errorf("of %d bytes: % x", n, whole)
		}
		if flags := options(b.body[20+(size+3)/4*4:])[optPacketFlags]; len(flags) != 4 || binary.LittleEndian.Uint32(flags) != inbound {
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
	first := seal(t, "soft0", true, here, there, 0, wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly}, Payload: []byte("hello")})
	second := seal(t, "soft1", false, here, there, 0x1234, wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly}, Payload: []byte("x")})
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
	want := []uint32{blockSection, blockInterface, blockPacket, blockInterface, blockPacket, blockStatistics, blockStatistics}
	if len(all) != len(want) {
		t.Fatalf("blocks %x, want %x", kinds, want)
	}
	for i := range want {
		if kinds[i] != want[i] {
			t.Fatalf("blocks %x, want %x", kinds, want)
		}
	}
	if about := options(all[3].body[8:]); string(about[optIfName]) != "soft1" || !strings.Contains(string(about[optIfDescription]), "as covered by the ICRC") {
		t.Errorf("interface %v", about)
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
	}{{here, there, ipv4Len}, {six, netip.MustParseAddrPort("[fd00::2]:4791"), ipv6Len}} {
		for n := range 9 {
			p := seal(t, "soft0", true, tt.src, tt.dst, 0, wire.Packet{BTH: wire.BTH{Opcode: wire.UDSendOnly}, Payload: make([]byte, n)})
			p.IP = verbs.IPHeader{TrafficClass: 184, HopLimit: uint8(n), FlowLabel: 0xfedcb}
			b := appendDatagram(nil, p)
			if h := b[:9]; tt.ip == ipv4Len && (h[1] != 184 || h[8] != cmp.Or(uint8(n), hopLimit)) ||
				tt.ip == ipv6Len && (binary.BigEndian.Uint32(h) != 0x6b8fedcb || h[7] != cmp.Or(uint8(n), hopLimit)) {
				t.Errorf("header %x of %+v", h, p.IP)
			}
			v4 := tt.ip == ipv4Len
			if len(b) != tt.ip+udpLen+len(p.Data) || !bytes.Equal(b[tt.ip+udpLen:], p.Data) {
				t.Fatalf("%x", b)
			}
			if v4 && fold(addWords(0, b[:tt.ip])) != 0 {
				t.Errorf("IPv4 header %x", b[:tt.ip])
			}
			if fold(addWords(pseudoSum(b[:tt.ip], v4, len(b)-tt.ip), b[tt.ip:])) != 0 {
				t.Errorf("UDP header %x", b[tt.ip:tt.ip+udpLen])
			}
		}
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
	if err := w.Write(p); !errors.Is(err, errFull) || !errors.Is(w.Close(), errFull) || f.writes != 1 {
		t.Errorf("%v after %d writes", err, f.writes)
	}
}
