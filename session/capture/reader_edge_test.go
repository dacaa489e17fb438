package capture

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"rdmatui/session/timeline"
	"rdmatui/verbs/wire"
)

// listed is a packet of a pcapng file.
type listed struct {
	on     int // interface
	at     time.Duration
	bytes  []byte
	lost   uint64
	remark string
}

// list writes a pcapng file with an interface of each link type.
func list(t *testing.T, links []layers.LinkType, packets ...listed) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := pcapgo.NewNgWriterInterface(&file, pcapgo.NgInterface{LinkType: links[0]}, pcapgo.NgWriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links[1:] {
		if _, err := w.AddInterface(pcapgo.NgInterface{LinkType: l}); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range packets {
		var about pcapgo.NgPacketOptions
		if p.lost > 0 {
			about.DropCount = &p.lost
		}
		if p.remark != "" {
			about.Comments = []string{p.remark}
		}
		info := gopacket.CaptureInfo{
			Timestamp: begin.Add(p.at), CaptureLength: len(p.bytes), Length: len(p.bytes), InterfaceIndex: p.on,
		}
		if err := w.WritePacketWithOptions(info, p.bytes, about); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func open(t *testing.T, file []byte) *Reader {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTimes: times count from the first packet of a capture, of any kind.
func TestTimes(t *testing.T) {
	raw := []layers.LinkType{layers.LinkTypeRaw}
	for first, want := range map[*byte][]time.Duration{nil: {0, 2 * time.Second, 5 * time.Second},
		new(byte): {2 * time.Second, 5 * time.Second}} {
		packet := four(t)
		if first != nil {
			packet = []byte{1, 2, 3}
		}
		r := open(t, list(t, raw, listed{bytes: packet}, listed{at: 2 * time.Second, bytes: four(t)},
			listed{at: 5 * time.Second, bytes: four(t)}))
		var got []time.Duration
		var f Frame
		for r.Next(&f) == nil {
			got = append(got, f.T)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// TestOtherInterfaces: packets of interfaces of an unknown kind are passed over.
func TestOtherInterfaces(t *testing.T) {
	r := open(t, list(t, []layers.LinkType{layers.LinkTypeRaw, layers.LinkTypeFDDI}, listed{on: 1, bytes: four(t)},
		listed{bytes: four(t)}))
	var f Frame
	if err := r.Next(&f); err != nil || f.Seq != 2 || r.Next(&f) != io.EOF ||
		r.Totals != (Totals{Packets: 2, RoCE: 1, Skipped: [skips]uint64{SkipLink: 1}}) {
		t.Errorf("%v, %+v", err, r.Totals)
	}
}

// TestRemarks: comments and losses belong to the first packet of a datagram that is taken apart.
func TestRemarks(t *testing.T) {
	r := open(t, list(t, []layers.LinkType{layers.LinkTypeRaw},
		listed{bytes: uncut(t, 1, 64, 64), lost: 5, remark: "look"}, listed{bytes: four(t)}))
	var got []uint64
	var f Frame
	for r.Next(&f) == nil {
		if (len(f.Comments) == 1 && f.Comments[0] == "look") != (len(got) == 0) {
			t.Errorf("packet %d: %q", len(got), f.Comments)
		}
		got = append(got, f.Missed)
	}
	if !slices.Equal(got, []uint64{5, 0, 0}) || r.Dropped != 5 {
		t.Errorf("%d missed, %d dropped", got, r.Dropped)
	}
}

// TestSections: the comment of the first section is told; a section of an unknown version is passed over.
func TestSections(t *testing.T) {
	var file bytes.Buffer
	w := NewWriter(&file)
	w.Comment = "from the lab"
	if err := w.Write(seal(t, "soft0", true, here, there, 1, hello)); err != nil {
		t.Fatal(err)
	}
	whole := file.Bytes()
	if r := open(t, whole); r.Comment() != "from the lab" {
		t.Errorf("comment %q", r.Comment())
	}
	future := bytes.Clone(whole)
	binary.LittleEndian.PutUint16(future[12:], 9)
	var f Frame
	if err := open(t, append(future, whole...)).Next(&f); err != nil || f.ICRC != Right {
		t.Errorf("%v, %+v", err, f)
	}
}

// TestCutHeaders: a packet of which the capture lacks a part of the headers has those that are whole, and its length;
// one of which it lacks the BTH has an error.
func TestCutHeaders(t *testing.T) {
	write := wire.Packet{
		BTH: wire.BTH{Opcode: wire.RCWriteOnly, DestQP: 17}, RETH: wire.RETH{DMALen: 5}, Payload: []byte("hello"),
	}
	packet := appendDatagram(nil, seal(t, "", true, here, there, 1, write))
	const bth, head = ipv4Len + udpLen + wire.BTHLen, ipv4Len + udpLen + wire.BTHLen + 16
	for n := ipv4Len + udpLen; n < len(packet); n++ {
		var f Frame
		if err := open(t, record(t, layers.LinkTypeRaw, packet, n)).Next(&f); err != nil ||
			(f.Err == nil) != (n >= bth) {
			t.Errorf("%d bytes of %d: %v, %v", n, len(packet), err, f.Err)
		}
		if f.Err != nil {
			continue
		}
		if f.Wire.Headers.Has(wire.HasRETH) != (n >= head) || len(f.Wire.Payload) != 5 || f.Wire.ICRC != 0 ||
			n < head && f.Wire.RETH != (wire.RETH{}) || n >= head && f.Wire.RETH.DMALen != 5 {
			t.Errorf("%d bytes of %d: %+v", n, len(packet), &f.Wire)
		}
	}
}

// TestShortPackets: what is too short for an ICRC has none that could be right.
func TestShortPackets(t *testing.T) {
	for n, want := range map[int]Verdict{0: Unchecked, wire.BTHLen - 1: Unchecked, wire.BTHLen: Wrong,
		wire.BTHLen + 1: Wrong} {
		packet := enclosed(here, there, 1, make([]byte, n))
		var f Frame
		if err := open(t, record(t, layers.LinkTypeRaw, packet, len(packet))).Next(&f); err != nil ||
			f.ICRC != want || f.Err == nil {
			t.Errorf("%d bytes: %v, ICRC %d, want %d, %v", n, err, f.ICRC, want, f.Err)
		}
	}
}

// TestUnreadable: why a capture cannot be read is told without what the reader cannot know.
func TestUnreadable(t *testing.T) {
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte("hello, world"))
	z.Close()
	for name, tt := range map[string]struct {
		in   io.Reader
		want string
	}{
		"directory": {dir, "is a directory"},
		"a disk error": {io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(errFull)),
			"capture header: " + errFull.Error()},
		"packed text":      {&packed, errNoCapture.Error()},
		"packed and short": {bytes.NewReader([]byte{0x1f, 0x8b, 8, 0}), "capture header: the input ends too early"},
	} {
		if _, err := NewReader(tt.in); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

// TestPathsAreBounded: the checks that are kept are few, whatever addresses a capture holds.
func TestPathsAreBounded(t *testing.T) {
	r := &Reader{checks: map[wire.Path]wire.ICRC{}}
	for i, want := range map[int]int{maxPaths - 1: maxPaths, maxPaths: 1} {
		clear(r.checks)
		for port := range i {
			r.icrc(&Frame{Packet: fromPort(uint16(port))})
		}
		if r.icrc(&Frame{Packet: fromPort(0xffff)}); len(r.checks) != want {
			t.Errorf("%d paths: %d checks, want %d", i+1, len(r.checks), want)
		}
	}
}

// device is a network interface that loses three packets each time it is asked.
type device struct{ asked, stopped, closed int }

func (d *device) lost() uint64   { d.asked++; return 3 }
func (d *device) stop()          { d.stopped++ }
func (d *device) caughtUp() bool { return d.stopped > 0 }
func (d *device) Close() error   { d.closed++; return errFull }

// TestLossesOfInterfaces: the kernel is asked for losses at the first packet, then from time to time, and at the end.
func TestLossesOfInterfaces(t *testing.T) {
	var packets []listed
	for range lossPeriod + 2 {
		packets = append(packets, listed{bytes: four(t)})
	}
	r := open(t, list(t, []layers.LinkType{layers.LinkTypeRaw}, packets...))
	if r.Stop(); r.Close() != nil {
		t.Error("the reader of a file has something to release")
	}
	d := &device{}
	r.live = d
	var f Frame
	for i := range packets {
		want := uint64(0)
		if i%lossPeriod == 0 {
			want = 3
		}
		if err := r.Next(&f); err != nil || f.Missed != want {
			t.Errorf("packet %d: %d missed (%v)", i, f.Missed, err)
		}
	}
	r.Stop()
	if err := r.Close(); !errors.Is(err, errFull) || r.Dropped != 9 || *d != (device{3, 1, 1}) {
		t.Errorf("%v, %d dropped, %+v", err, r.Dropped, d)
	}
}

// fromPort is a packet from a port.
func fromPort(port uint16) (p timeline.Packet) {
	p.Src, p.Dst = netip.AddrPortFrom(here.Addr(), port), there
	return p
}
