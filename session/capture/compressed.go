package capture

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxWindow is the most memory that a compressed capture may need to look back, in bytes: as much as xz -9 uses.
const maxWindow = 64 << 20

// compressions are the formats that are decompressed while a capture is read, by what a file begins with.
var compressions = []struct {
	magic string
	open  func(*bufio.Reader) (io.Reader, error)
}{
	{"\x1f\x8b", func(in *bufio.Reader) (io.Reader, error) { return gzip.NewReader(in) }},
	{"\x28\xb5\x2f\xfd", openZstd},
	{"\xfd7zXZ\x00", func(in *bufio.Reader) (io.Reader, error) { return newXZ(in) }},
	{"BZh", func(in *bufio.Reader) (io.Reader, error) { return bzip2.NewReader(in), nil }},
}

// magicLen is how many bytes tell the format of a file.
const magicLen = 8

// strangers are the formats of captures that are known but not read, with what to do.
var strangers = []struct{ magic, what string }{
	{"snoop\x00\x00\x00", "a Solaris snoop capture; convert it first: editcap -F pcap FILE FILE.pcap"},
	{"GMBU", "a Network Monitor capture; convert it first: editcap -F pcap FILE FILE.pcap"},
	{"RTSS", "a Network Monitor capture; convert it first: editcap -F pcap FILE FILE.pcap"},
	{"\x04\x22\x4d\x18", "compressed by lz4; decompress it first: lz4 -dc FILE | rdmatui wire -"},
	{"PK\x03\x04", "a zip archive; unpack it first: unzip -p FILE | rdmatui wire -"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first: 7z x -so FILE | rdmatui wire -"},
}

// plain returns a reader of the capture itself.
func plain(in *bufio.Reader) (*bufio.Reader, error) {
	head, _ := in.Peek(magicLen) // the caller finds out that a capture is shorter
	for _, c := range compressions {
		if !bytes.HasPrefix(head, []byte(c.magic)) {
			continue
		}
		out, err := c.open(in)
		if err != nil {
			return nil, err
		}
		return bufio.NewReaderSize(&decompressed{out}, 1<<16), nil
	}
	return in, nil
}

// decompressed gives the errors of a decompressor words of its own.
type decompressed struct{ io.Reader }

// Read implements io.Reader.
func (d *decompressed) Read(b []byte) (int, error) {
	n, err := d.Reader.Read(b)
	switch {
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		err = errWindow
	case errors.Is(err, zstd.ErrCRCMismatch):
		err = errors.New("the compressed data is damaged: wrong checksum")
	}
	return n, err
}

var errWindow = fmt.Errorf("decompressing needs more than %d MiB; decompress the capture first, and pipe it to "+
	"rdmatui wire -", maxWindow>>20)

func openZstd(in *bufio.Reader) (io.Reader, error) {
	return zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(1<<62))
}

// strange says what a file is that is no capture, or none that is read.
func strange(head []byte) error {
	for _, s := range strangers {
		if bytes.HasPrefix(head, []byte(s.magic)) {
			return errors.New(s.what)
		}
	}
	return errNoCapture
}
