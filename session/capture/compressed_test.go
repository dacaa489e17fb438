package capture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/gopacket/gopacket/layers"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// squeeze compresses a file.
func squeeze(t testing.TB, file []byte, open func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := open(&out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(file); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// putCRC writes the checksum at the end of a header of xz.
func putCRC(b []byte) { binary.LittleEndian.PutUint32(b[len(b)-4:], crc32.ChecksumIEEE(b[:len(b)-4])) }

func zst(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }

// xzOf returns a writer of xz with a check, and blocks of a size.
func xzOf(check byte, block int64) func(io.Writer) (io.WriteCloser, error) {
	return func(w io.Writer) (io.WriteCloser, error) {
		return xz.WriterConfig{CheckSum: check, BlockSize: block}.NewWriter(w)
	}
}

// TestCompressed reads captures in each format of compression.
func TestCompressed(t *testing.T) {
	packet := join(make([]byte, 12), []byte{8, 0}, four(t))
	file := record(t, layers.LinkTypeEthernet, packet, len(packet))
	const fileHeader, packets = 24, 1000
	for range packets - 1 {
		file = append(file, record(t, layers.LinkTypeEthernet, packet, len(packet))[fileHeader:]...)
	}
	half := len(file) / 2
	for name, b := range map[string][]byte{
		"zstd":             squeeze(t, file, zst),
		"zstd, two frames": join(squeeze(t, file[:half], zst), squeeze(t, file[half:], zst)),
		"xz":               squeeze(t, file, xzOf(xz.CRC64, 1<<20)),
		"xz, small blocks": squeeze(t, file, xzOf(xz.CRC32, 1001)),
		"xz, SHA-256":      squeeze(t, file, xzOf(xz.SHA256, 7777)),
		"xz, two streams": join(squeeze(t, file[:half], xzOf(xz.CRC64, 1<<20)), make([]byte, 8),
			squeeze(t, file[half:], xzOf(xz.None, 5000))),
	} {
		r, err := NewReader(bytes.NewReader(b))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var f Frame
		for err = r.Next(&f); err == nil; err = r.Next(&f) {
		}
		if err != io.EOF || r.RoCE != packets {
			t.Errorf("%s: %v, %+v", name, err, r.Totals)
		}
		if r, err = NewReader(bytes.NewReader(b[:len(b)-20])); err == nil {
			for err = r.Next(&f); err == nil; err = r.Next(&f) {
			}
		}
		if err == io.EOF && r.RoCE != packets {
			t.Errorf("%s, cut: %v, %+v", name, err, r.Totals)
		}
	}
}

// TestCompressedByPrograms reads what the programs write.
func TestCompressedByPrograms(t *testing.T) {
	packet := join(make([]byte, 12), []byte{8, 0}, four(t))
	for _, command := range [][]string{{"gzip", "-c"}, {"zstd", "-c"}, {"xz", "-c"}, {"xz", "-9e"}, {"bzip2", "-c"},
		{"xz", "--check=none"}} {
		path, err := exec.LookPath(command[0])
		if err != nil {
			continue
		}
		run := exec.CommandContext(t.Context(), path, command[1:]...)
		run.Stdin = bytes.NewReader(record(t, layers.LinkTypeEthernet, packet, len(packet)))
		b, err := run.Output()
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(bytes.NewReader(b))
		if err == nil {
			err = r.Next(new(Frame))
		}
		if err != nil {
			t.Errorf("%q: %v", command, err)
		}
	}
}

// TestWindow: what needs too much memory is refused before it is allocated.
func TestWindow(t *testing.T) {
	b := squeeze(t, make([]byte, 100), xzOf(xz.CRC32, 1<<20))
	const header, window = 12, 4 // of the block, from its length on
	b[header+window] = 40        // 4 GiB
	// the checksum of the block's header is over all before it
	n := (int(b[header]) + 1) * 4
	putCRC(b[header:][:n])
	if _, err := NewReader(bytes.NewReader(b)); err == nil || !strings.Contains(err.Error(), "more than 64 MiB") {
		t.Errorf("xz: %v", err)
	}
	long := squeeze(t, make([]byte, 1<<20), func(w io.Writer) (io.WriteCloser, error) {
		return zstd.NewWriter(w, zstd.WithWindowSize(512<<20), zstd.WithSingleSegment(false))
	})
	if _, err := NewReader(bytes.NewReader(long)); err == nil || !strings.Contains(err.Error(), "more than 64 MiB") {
		t.Errorf("zstd: %v", err)
	}
}

// TestStrangers: a file of another format is refused with what to do.
func TestStrangers(t *testing.T) {
	for magic, want := range map[string]string{
		"snoop\x00\x00\x00\x00\x00\x00\x02": "editcap", "GMBU1234": "editcap", "\x04\x22\x4d\x18abcd": "lz4 -dc",
		"PK\x03\x04abcd": "unzip", "somethingelse": "not a pcap or pcapng file",
	} {
		if _, err := NewReader(strings.NewReader(magic)); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", magic, err)
		}
	}
}

// TestPcapForms reads each version and byte order of pcap, with both units of time, and the modified format.
func TestPcapForms(t *testing.T) {
	packet := join(make([]byte, 12), []byte{8, 0}, four(t))
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, magic := range []uint32{0xa1b2c3d4, 0xa1b23c4d, 0xa1b2cd34} {
			for _, version := range [][2]uint16{{2, 0}, {2, 1}, {2, 2}, {2, 3}, {2, 4}, {543, 0}} {
				b := order.AppendUint32(nil, magic)
				b = order.AppendUint16(order.AppendUint16(b, version[0]), version[1])
				b = order.AppendUint32(order.AppendUint32(append(b, make([]byte, 8)...), 1<<16), 1)
				kept, sent := uint32(len(packet)-2), uint32(len(packet))
				if version[1] < 3 {
					kept, sent = sent, kept
				}
				b = order.AppendUint32(order.AppendUint32(b, 1_700_000_000), 7)
				b = order.AppendUint32(order.AppendUint32(b, kept), sent)
				if magic == 0xa1b2cd34 {
					b = append(b, make([]byte, 8)...)
				}
				r, err := NewReader(bytes.NewReader(append(b, packet[:len(packet)-2]...)))
				if err != nil {
					t.Errorf("%#x, version %d: %v", magic, version, err)
					continue
				}
				var f Frame
				nanos := map[uint32]int{0xa1b23c4d: 7}[magic]
				if nanos == 0 {
					nanos = 7000
				}
				if err := r.Next(&f); err != nil || !f.Cut() || f.Len != len(f.Data)+2 || f.Wire.BTH.PSN != 9 ||
					f.At.Unix() != 1_700_000_000 || f.At.Nanosecond() != nanos || r.Next(&f) != io.EOF {
					t.Errorf("%#x, version %d: %v, %+v", magic, version, err, f)
				}
			}
		}
	}
}
