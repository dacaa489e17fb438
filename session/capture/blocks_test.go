package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"rdmatui/session/timeline"
)

// byteOrder is either order of bytes.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

var byteOrders = []byteOrder{binary.LittleEndian, binary.BigEndian}

// words are fields of 32 bits as a writer in an order of bytes puts them.
func words(o byteOrder, all ...uint32) (b []byte) {
	for _, v := range all {
		b = o.AppendUint32(b, v)
	}
	return b
}

// halves are two fields of 16 bits.
func halves(o byteOrder, one, two uint16) []byte {
	return o.AppendUint16(o.AppendUint16(nil, one), two)
}

// padded adds zeros up to the next word.
func padded(b []byte) []byte { return append(bytes.Clone(b), make([]byte, (4-len(b)%4)%4)...) }

// ngOption is an option of a block.
func ngOption(o byteOrder, code uint16, value []byte) []byte {
	return join(halves(o, code, uint16(len(value))), padded(value))
}

// ngBlock is a block.
func ngBlock(o byteOrder, kind uint32, parts ...[]byte) []byte {
	body := join(parts...)
	n := uint32(len(body) + 12)
	return join(words(o, kind, n), body, words(o, n))
}

// ngSection is the header of a section.
func ngSection(o byteOrder, major, minor uint16, options ...[]byte) []byte {
	return ngBlock(o, blockSection, words(o, 0x1a2b3c4d), halves(o, major, minor), words(o, 1<<32-1, 1<<32-1),
		join(options...))
}

// ngOn describes an interface.
func ngOn(o byteOrder, of layers.LinkType, snap uint32, options ...[]byte) []byte {
	return ngBlock(o, blockInterface, halves(o, uint16(of), 0), words(o, snap), join(options...))
}

// ngPacket is a packet of an interface at a time, sent with n bytes.
func ngPacket(o byteOrder, id uint32, units uint64, packet []byte, n int, options ...[]byte) []byte {
	return ngBlock(o, blockPacket, words(o, id, uint32(units>>32), uint32(units), uint32(len(packet)), uint32(n)),
		padded(packet), join(options...))
}

// ngTold is what a reader tells of a packet.
type ngTold struct {
	device   string
	at       time.Time
	way      Way
	missed   uint64
	comments []string
	cut      int // bytes that the capture lacks
}

// told reads all packets of a file.
func told(t *testing.T, file []byte) (all []ngTold) {
	t.Helper()
	r := open(t, file)
	for {
		var f Frame
		if err := r.Next(&f); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, ngTold{f.Device, f.At, f.Way, f.Missed, f.Comments, f.Len - len(f.Data)})
	}
}

// TestBlocks reads files of either byte order, with all kinds of blocks that hold packets.
func TestBlocks(t *testing.T) {
	packet := four(t)
	sent := len(packet)
	at := func(s, ns int64) time.Time { return time.Unix(s, ns).UTC() }
	for _, o := range byteOrders {
		end := ngOption(o, optEnd, nil)
		name := ngOption(o, 2, []byte("mlx5_0"))
		unit := func(v byte) []byte { return ngOption(o, 9, []byte{v}) }
		raw := func(options ...[]byte) []byte { return ngOn(o, layers.LinkTypeRaw, 0, options...) }
		for of, tt := range map[string]struct {
			blocks []byte
			want   []ngTold
		}{
			"no options, microseconds": {
				join(raw(), ngPacket(o, 0, 3_000_001, packet, sent)),
				[]ngTold{{at: at(3, 1000)}},
			},
			"all options": {
				join(raw(name, end), ngPacket(o, 0, 0, packet, sent, ngOption(o, 1, []byte("one")),
					ngOption(o, 2, words(o, 0xfffffffe)), ngOption(o, 4, o.AppendUint64(nil, 1<<40)),
					ngOption(o, 1, nil), end, []byte("more"))),
				[]ngTold{{"mlx5_0", at(0, 0), Out, 1 << 40, []string{"one", ""}, 0}},
			},
			"inbound, and both ways": {
				join(raw(), ngPacket(o, 0, 0, packet, sent, ngOption(o, 2, words(o, 1))),
					ngPacket(o, 0, 0, packet, sent, ngOption(o, 2, words(o, 3)))),
				[]ngTold{{at: at(0, 0), way: In}, {at: at(0, 0)}},
			},
			"short and overlong options": {
				join(raw(ngOption(o, 14, make([]byte, 4)), unit(9), end), ngPacket(o, 0, 1, packet, sent,
					ngOption(o, 2, []byte{2}), ngOption(o, 4, make([]byte, 7)), halves(o, 1, 5), []byte("text"))),
				[]ngTold{{at: at(0, 1)}},
			},
			"units": {
				join(raw(unit(9)), raw(unit(0x80|10)), raw(unit(0)), raw(unit(19)), raw(unit(0x80|63)),
					ngPacket(o, 0, 1_700_000_000_123_456_789, packet, sent), ngPacket(o, 1, 5<<10|256, packet, sent),
					ngPacket(o, 2, 1_700_000_000, packet, sent),
					ngPacket(o, 3, 12_345_678_901_999_999_999, packet, sent), ngPacket(o, 4, 3<<62, packet, sent)),
				[]ngTold{{at: at(1_700_000_000, 123_456_789)}, {at: at(5, 250_000_000)}, {at: at(1_700_000_000, 0)},
					{at: at(1, 234_567_890)}, {at: at(1, 500_000_000)}},
			},
			"offset": {
				join(raw(ngOption(o, 14, o.AppendUint64(nil, 100))),
					raw(ngOption(o, 14, o.AppendUint64(nil, ^uint64(0)))),
					ngPacket(o, 0, 2_000_000, packet, sent), ngPacket(o, 1, 2_000_000, packet, sent)),
				[]ngTold{{at: at(102, 0)}, {at: at(1, 0)}},
			},
			"simple, whole and cut": {
				join(ngOn(o, layers.LinkTypeRaw, 41, name), ngBlock(o, 3, words(o, uint32(sent)), padded(packet[:41])),
					ngSection(o, 1, 0), raw(), ngBlock(o, 3, words(o, uint32(sent)), padded(packet))),
				[]ngTold{{device: "mlx5_0", cut: sent - 41}, {}},
			},
			"obsolete": {
				join(raw(), raw(name), ngBlock(o, 2, halves(o, 1, 7), words(o, 0, 1, uint32(sent), uint32(sent)),
					padded(packet), ngOption(o, 2, words(o, 1)), end)),
				[]ngTold{{"mlx5_0", at(0, 1000), In, 0, nil, 0}},
			},
			"length without the padding": {
				join(raw(), words(o, blockPacket, uint32(sent+1+32), 0, 0, 0, uint32(sent+1), uint32(sent+1)),
					padded(join(packet, []byte{9})), words(o, uint32(sent+1+32)), ngPacket(o, 0, 0, packet, sent)),
				[]ngTold{{at: at(0, 0)}, {at: at(0, 0)}},
			},
			"other blocks": {
				join(ngBlock(o, 0x0bad), raw(), ngBlock(o, 4, []byte("name")), ngBlock(o, 10, make([]byte, 1<<20)),
					ngBlock(o, 5, words(o, 0, 0, 0)), ngPacket(o, 0, 0, packet, sent)),
				[]ngTold{{at: at(0, 0)}},
			},
			"an interface of another kind": {
				join(ngOn(o, layers.LinkTypeFDDI, 0), raw(name), ngPacket(o, 0, 0, packet, sent),
					ngPacket(o, 1, 0, packet, sent)),
				[]ngTold{{device: "mlx5_0", at: at(0, 0)}},
			},
			"a section of an unknown version": {
				join(ngSection(o, 2, 0), ngBlock(o, blockInterface), ngPacket(o, 9, 0, packet, sent),
					ngSection(o, 1, 2), raw(name), ngPacket(o, 0, 0, packet, sent)),
				[]ngTold{{device: "mlx5_0", at: at(0, 0)}},
			},
		} {
			if got := told(t, join(ngSection(o, 1, 0), tt.blocks)); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%s, %v:\n%+v\nwant\n%+v", of, o, got, tt.want)
			}
		}
	}
}

// TestMixedByteOrders: each section has its own order of bytes, and its own interfaces.
func TestMixedByteOrders(t *testing.T) {
	var file []byte
	var want []string
	for i, o := range []byteOrder{binary.BigEndian, binary.LittleEndian, binary.BigEndian} {
		name := string(rune('a' + i))
		file = join(file, ngSection(o, 1, 0), ngOn(o, layers.LinkTypeRaw, 0, ngOption(o, 2, []byte(name))),
			ngPacket(o, 0, 0, four(t), len(four(t))))
		want = append(want, name)
	}
	var got []string
	for _, p := range told(t, file) {
		got = append(got, p.device)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDamagedBlocks: a file that is damaged has an error that says what is wrong, and takes no memory for what it does
// not hold.
func TestDamagedBlocks(t *testing.T) {
	packet := four(t)
	for _, o := range byteOrders {
		begin := join(ngSection(o, 1, 0), ngOn(o, layers.LinkTypeRaw, 0))
		whole := join(begin, ngPacket(o, 0, 0, packet, len(packet)))
		for _, tt := range []struct {
			name, want string
			file       []byte
		}{
			{"no byte order", "a section without byte order", join(words(o, blockSection, 28, 1, 2, 3, 4, 28))},
			{"short section", "a block is shorter", ngBlock(o, blockSection, words(o, 0x1a2b3c4d))},
			{"no known section", "capture header: the input ends too early", ngSection(o, 2, 0)},
			{"short interface", "a block is shorter", join(begin, ngBlock(o, blockInterface, words(o, 1)))},
			{"decimal unit", "unknown unit, 0x14", join(begin, ngOn(o, 1, 0, ngOption(o, 9, []byte{20})))},
			{"binary unit", "unknown unit, 0xc0", join(begin, ngOn(o, 1, 0, ngOption(o, 9, []byte{0xc0})))},
			{"unknown interface", "interface 1 is not described", join(begin, ngPacket(o, 1, 0, packet, 60))},
			{"no interface", "interface 0 is not described",
				join(begin, ngSection(o, 1, 0), ngBlock(o, 3, words(o, 0)))},
			{"short packet", "a block is shorter", join(begin, ngBlock(o, blockPacket, words(o, 0, 0, 0, 0)))},
			{"short simple packet", "a block is shorter", join(begin, ngBlock(o, 3))},
			{"more bytes than the block", "a block is shorter",
				join(begin, ngBlock(o, blockPacket, words(o, 0, 0, 0, 5, 5, 0)))},
			{"no length", "a block of 11 bytes", join(begin, words(o, blockPacket, 11, 11))},
			{"huge", "a block of 4294967292 bytes", join(begin, words(o, blockPacket, 1<<32-4, 0))},
			{"another one cut", "the input ends too early", join(begin, words(o, 0x0bad, 1<<32-4, 0))},
			{"cut", "packet 1: the input ends too early", whole[:len(whole)-1]},
			{"block header cut", "packet 1: the input ends too early", whole[:len(begin)+5]},
		} {
			r, err := NewReader(bytes.NewReader(tt.file))
			if err == nil {
				err = r.Next(new(Frame))
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s, %v: %v, want %q", tt.name, o, err, tt.want)
			}
		}
	}
}

// endless repeats bytes after a beginning.
type endless struct{ begin, again, rest []byte }

func (e *endless) Read(p []byte) (int, error) {
	if len(e.begin) > 0 {
		e.rest, e.begin = e.begin, nil
	}
	if len(e.rest) == 0 {
		e.rest = e.again
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// TestBoundedMemory: a capture that compresses well, or never ends, cannot take more memory than the reader allows.
func TestBoundedMemory(t *testing.T) {
	o := binary.LittleEndian
	begin := ngSection(o, 1, 0)
	for name, tt := range map[string]struct {
		in   io.Reader
		want string
	}{
		"interfaces": {&endless{begin: begin, again: ngOn(o, 1, 0)}, "interfaces; the capture is damaged"},
		"names": {&endless{begin: begin, again: ngOn(o, 1, 0, ngOption(o, 2, make([]byte, 60000)))},
			"interfaces; the capture is damaged"},
		"a block": {&endless{begin: join(begin, ngOn(o, 1, 0), words(o, blockPacket, 1<<31, 0)), again: begin},
			"a block of 2147483648 bytes"},
		"a record": {&endless{begin: join(record(t, layers.LinkTypeRaw, nil, 0),
			words(o, 0, 0, 1<<20, 1<<20)), again: begin}, "a packet of 1048576 bytes"},
	} {
		r, err := NewReader(tt.in)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Next(new(Frame)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// TestRecords reads pcap files of either byte order, of every unit of time and of old versions.
func TestRecords(t *testing.T) {
	packet := four(t)
	n := uint32(len(packet))
	for _, o := range byteOrders {
		for _, tt := range []struct {
			magic      uint32
			minor      uint16
			kept, sent uint32
			of         uint32
			want       time.Duration
			err        string
		}{
			{0xa1b2c3d4, 4, n, n, 101, 5 * time.Microsecond, ""},
			{0xa1b23c4d, 4, n, n, 101, 5, ""},
			{0xa1b2c3d4, 4, n, n + 8, 101, 5 * time.Microsecond, ""},
			{0xa1b2c3d4, 4, n, n, 0x14000065, 5 * time.Microsecond, ""}, // with a frame check sequence
			{0xa1b2c3d4, 3, n, n + 8, 101, 5 * time.Microsecond, ""},
			{0xa1b2c3d4, 2, n + 8, n, 101, 5 * time.Microsecond, ""}, // the lengths are swapped
			{0xa1b2c3d4, 4, 1<<18 + 1, 1<<18 + 1, 101, 0, "a packet of 262145 bytes"},
		} {
			file := join(words(o, tt.magic), halves(o, 2, tt.minor),
				words(o, 0, 0, 0, tt.of, 7, 5, tt.kept, tt.sent), packet)
			r := open(t, file)
			var f Frame
			err := r.Next(&f)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%v, %+v: %v", o, tt, err)
				}
				continue
			}
			if err != nil || !f.At.Equal(time.Unix(7, int64(tt.want))) || f.Raw.n != int(max(tt.kept, tt.sent)) ||
				!bytes.Equal(f.Raw.bytes, packet) || r.Next(&f) != io.EOF {
				t.Errorf("%v, %+v: %v, %+v", o, tt, err, f)
			}
		}
		if _, err := NewReader(bytes.NewReader(join(words(o, 0xa1b2c3d4), halves(o, 1, 4), make([]byte, 16)))); err ==
			nil || !strings.Contains(err.Error(), "version 1.4 of pcap is not supported") {
			t.Errorf("%v: %v", o, err)
		}
	}
}

// TestWritesAsTheLibrary: a file is the same as if the library had written it.
func TestWritesAsTheLibrary(t *testing.T) {
	var got, want bytes.Buffer
	w := NewWriter(&got)
	w.Comment = "from the lab"
	devices := []string{"soft0", "a"}
	about := "RDMA device; IP and UDP headers as covered by the ICRC"
	file, err := pcapgo.NewNgWriterInterface(&want, pcapgo.NgInterface{Name: devices[0], LinkType: layers.LinkTypeRaw,
		Description: about}, pcapgo.NgWriterOptions{
		SectionInfo: pcapgo.NgSectionInfo{Application: "rdmatui", Comment: w.Comment}})
	if err != nil {
		t.Fatal(err)
	}
	var seen [2]uint64
	for i := range 8 {
		p := &timeline.Packet{At: begin.Add(time.Duration(i) * time.Hour), Device: devices[i/4], Outgoing: i%2 == 0,
			Src: here, Dst: there, Data: make([]byte, i), Missed: uint64(i % 3), Cropped: i / 5}
		comments := []string{"one", "", "three"}[:i%4]
		if err := w.Write(p, comments...); err != nil {
			t.Fatal(err)
		}
		if i == 4 {
			if _, err := file.AddInterface(pcapgo.NgInterface{Name: devices[1], LinkType: layers.LinkTypeRaw,
				Description: about}); err != nil {
				t.Fatal(err)
			}
		}
		options := pcapgo.NgPacketOptions{Comments: comments,
			Flags: &pcapgo.NgEpbFlags{Direction: pcapgo.NgEpbFlagDirectionInbound}}
		if p.Outgoing {
			options.Flags.Direction = pcapgo.NgEpbFlagDirectionOutbound
		}
		if p.Missed > 0 {
			options.DropCount = &p.Missed
		}
		seen[i/4] += p.Missed
		b := appendDatagram(nil, p)
		info := gopacket.CaptureInfo{Timestamp: p.At, CaptureLength: len(b), Length: len(b) + p.Cropped,
			InterfaceIndex: i / 4}
		if err := file.WritePacketWithOptions(info, b, options); err != nil {
			t.Fatal(err)
		}
	}
	for id, missed := range seen {
		if err := file.WriteInterfaceStats(id, pcapgo.NgInterfaceStatistics{
			PacketsReceived: 4 + missed, PacketsDropped: missed}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), file.Flush()); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("%v\n% x\nwant\n% x", err, got.Bytes(), want.Bytes())
	}
}
