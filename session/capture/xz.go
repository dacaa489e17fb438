package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

// xzReader reads the container of xz (its file format, version 1.0.4), of which the library has no bound for memory:
//
//	stream  magic number (48), flags (16), CRC-32 of the flags (32); blocks; index; footer (96)
//	block   length in words less 1 (8), flags (8), filters, CRC-32 (32); LZMA2 data, up to a multiple of 4; check
//
// The checks of the data are skipped: the capture in it tells if it is damaged.
type xzReader struct {
	in    counted
	check int // bytes behind each block
	data  io.Reader
	begin int64 // of the block's data
}

// counted counts the bytes that are read.
type counted struct {
	*bufio.Reader
	n int64
}

// Read implements io.Reader.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

// ReadByte implements io.ByteReader: LZMA2 then reads not a byte too many.
func (c *counted) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

const (
	xzMagic     = "\xfd7zXZ\x00"
	xzHeadLen   = 12
	xzFooterLen = 12
	xzLZMA2     = 0x21
	xzSizes     = 0xc0 // block flags: the compressed and the uncompressed size are given
	xzFilters   = 0x3f // block flags: further filters, and reserved bits
)

// xzChecks are the lengths of the checks, by their type divided by 3, rounded up.
var xzChecks = [...]int{0, 4, 8, 16, 32, 64}

var (
	errXZ       = errors.New("the compressed data is damaged")
	errXZFilter = errors.New("xz with filters other than LZMA2 is not supported; decompress the capture first, and pipe " +
		"it to rdmatui wire -")
)

func newXZ(in *bufio.Reader) (*xzReader, error) {
	r := &xzReader{in: counted{Reader: in}}
	return r, r.stream()
}

// stream reads the header of a stream.
func (r *xzReader) stream() error {
	var b [xzHeadLen]byte
	if _, err := io.ReadFull(&r.in, b[:]); err != nil {
		return early(err)
	}
	kind := b[7]
	if string(b[:6]) != xzMagic || crc32.ChecksumIEEE(b[6:8]) != binary.LittleEndian.Uint32(b[8:]) || b[6] != 0 ||
		kind > 15 {
		return errXZ
	}
	r.check = xzChecks[(kind+2)/3]
	return nil
}

// Read implements io.Reader.
func (r *xzReader) Read(p []byte) (int, error) {
	for {
		if r.data == nil {
			if err := r.block(); err != nil {
				return 0, err
			}
		}
		n, err := r.data.Read(p)
		if errors.Is(err, io.EOF) {
			r.data = nil
			err = r.skip(int(-(r.in.n-r.begin)&3) + r.check)
		}
		if n > 0 || err != nil {
			return n, early(err)
		}
	}
}

func (r *xzReader) skip(n int) error {
	n, err := r.in.Discard(n)
	r.in.n += int64(n)
	return early(err)
}

// block reads the header of the next block. It fails with io.EOF after the last one.
func (r *xzReader) block() error {
	for {
		size, err := r.in.ReadByte()
		if err != nil {
			return early(err)
		}
		if size != 0 {
			return r.head(size)
		}
		if err := r.index(); err != nil {
			return err
		}
	}
}

// head reads the header of a block behind its length.
func (r *xzReader) head(size byte) error {
	b := make([]byte, (int(size)+1)*4)
	b[0] = size
	if _, err := io.ReadFull(&r.in, b[1:]); err != nil {
		return early(err)
	}
	end := len(b) - 4
	if crc32.ChecksumIEEE(b[:end]) != binary.LittleEndian.Uint32(b[end:]) {
		return errXZ
	}
	flags, rest := b[1], b[2:end]
	if flags&xzFilters != 0 {
		return errXZFilter
	}
	for bit := byte(0x40); bit != 0; bit <<= 1 {
		if flags&xzSizes&bit != 0 {
			_, n := binary.Uvarint(rest)
			if n <= 0 {
				return errXZ
			}
			rest = rest[n:]
		}
	}
	if len(rest) < 3 || rest[0] != xzLZMA2 || rest[1] != 1 {
		return errXZFilter
	}
	window, err := lzma.DecodeDictCap(rest[2])
	switch {
	case err != nil:
		return errXZ
	case window > maxWindow:
		return errWindow
	}
	r.begin = r.in.n
	r.data, err = lzma.Reader2Config{DictCap: int(max(window, lzma.MinDictCap))}.NewReader2(&r.in)
	return err
}

// index skips the index, whose first byte was read, and the footer, and the padding up to another stream. It fails with
// io.EOF if there is none.
func (r *xzReader) index() error {
	begin := r.in.n - 1
	records, err := binary.ReadUvarint(&r.in)
	for ; err == nil && records > 0; records-- {
		for range 2 {
			if err == nil {
				_, err = binary.ReadUvarint(&r.in)
			}
		}
	}
	const crcLen = 4
	if err == nil {
		err = r.skip(int(-(r.in.n-begin)&3) + crcLen + xzFooterLen)
	}
	if err != nil {
		return early(err)
	}
	for {
		b, err := r.in.Peek(4)
		switch {
		case len(b) == 0 && errors.Is(err, io.EOF):
			return io.EOF
		case err != nil:
			return early(err)
		case binary.BigEndian.Uint32(b) != 0:
			return r.stream()
		}
		if err := r.skip(4); err != nil {
			return err
		}
	}
}
