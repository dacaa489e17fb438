package wire

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
)

var (
	path4 = Path{
		Src: netip.MustParseAddrPort("10.9.0.1:49152"), Dst: netip.MustParseAddrPort("10.9.0.2:4791"), DF: true,
	}
	path6 = Path{Src: netip.MustParseAddrPort("[fd00::1]:49152"), Dst: netip.MustParseAddrPort("[fd00::2]:4791")}
	// The GIDs of RoCE v1 may map IPv4 addresses; they are covered as they are.
	path1 = Path{
		Src: netip.MustParseAddrPort("[fe80::1]:0"), Dst: netip.MustParseAddrPort("[::ffff:10.9.0.2]:0"), GRH: true,
	}
)

// plainICRC computes the CRC as the specification describes it: all bytes in one buffer, the variable ones set to ones.
func plainICRC(path Path, id uint16, b []byte) uint32 {
	src, dst := path.Src.Addr(), path.Dst.Addr()
	udp := uint16(8 + len(b) + 4)
	p := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	if path.GRH {
		p = append(p, 0x6f, 0xff, 0xff, 0xff)
		p = binary.BigEndian.AppendUint16(p, udp-8)
		p = append(p, 0x1b, 0xff)
		p = append(append(p, src.AsSlice()...), dst.AsSlice()...)
		p = append(p, b...)
		p[len(p)-len(b)+4] = 0xff
		return crc32.ChecksumIEEE(p)
	}
	if src.Is4() {
		p = append(p, 0x45, 0xff)
		p = binary.BigEndian.AppendUint16(p, udp+20)
		p = binary.BigEndian.AppendUint16(p, id)
		if path.DF {
			p = append(p, 0x40, 0x00)
		} else {
			p = append(p, 0x00, 0x00)
		}
		p = append(p, 0xff, 17, 0xff, 0xff)
	} else {
		p = append(p, 0x6f, 0xff, 0xff, 0xff)
		p = binary.BigEndian.AppendUint16(p, udp)
		p = append(p, 17, 0xff)
	}
	p = append(append(p, src.AsSlice()...), dst.AsSlice()...)
	p = binary.BigEndian.AppendUint16(p, path.Src.Port())
	p = binary.BigEndian.AppendUint16(p, path.Dst.Port())
	p = binary.BigEndian.AppendUint16(p, udp)
	p = append(p, 0xff, 0xff)
	p = append(p, b...)
	p[len(p)-len(b)+4] = 0xff
	return crc32.ChecksumIEEE(p)
}

// randomBytes returns n bytes from r.
func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// TestICRCAgainstPlain compares the tables with the plain computation, for many lengths and identifications, both
// families and RoCE v1.
func TestICRCAgainstPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noDF := path4
	noDF.DF = false
	for _, path := range []Path{path4, noDF, path6, path1} {
		c := icrcOf(t, path)
		for range 300 {
			b := randomBytes(r, BTHLen+r.IntN(MaxLen-BTHLen-ICRCLen+1))
			before := slices.Clone(b)
			id := uint16(r.Uint32())
			if got, want := c.Sum(id, b), plainICRC(path, id, b); got != want {
				t.Fatalf("%v, %d bytes, id %d: %#08x, want %#08x", path, len(b), id, got, want)
			}
			if !slices.Equal(b, before) {
				t.Fatal("the packet was written to")
			}
		}
	}
}

// TestICRCVerify flips each bit of a packet: all flips must be noticed, except in the masked byte of the BTH.
func TestICRCVerify(t *testing.T) {
	p := samplePacket(RCSendOnly, 21)
	for _, path := range []Path{path4, path6} {
		c := icrcOf(t, path)
		b := c.Append(42, p.Append(nil))
		if !c.Verify(42, b) {
			t.Fatalf("%v: refused", path)
		}
		for i := range 8 * len(b) {
			b[i/8] ^= 1 << (i % 8)
			if got, want := c.Verify(42, b), i/8 == 4; got != want {
				t.Errorf("%v: bit %d of byte %d flipped: %v, want %v", path, i%8, i/8, got, want)
			}
			b[i/8] ^= 1 << (i % 8)
		}
	}
}

// TestICRCPath changes one part of the path at a time: each change must change the CRC.
func TestICRCPath(t *testing.T) {
	p := samplePacket(RCSendOnly, 8)
	b := icrcOf(t, path4).Append(1, p.Append(nil))
	cases := []struct {
		name string
		path Path
		id   uint16
		want bool
	}{
		{"the same", path4, 1, true},
		{"IPv4 mapped", Path{Src: mapped(path4.Src), Dst: mapped(path4.Dst), DF: true}, 1, true},
		{"another id", path4, 2, false},
		{"no DF", Path{Src: path4.Src, Dst: path4.Dst}, 1, false},
		{"another source", Path{Src: netip.MustParseAddrPort("10.9.0.3:49152"), Dst: path4.Dst, DF: true}, 1, false},
		{"another destination", Path{Src: path4.Src, Dst: netip.MustParseAddrPort("10.9.0.3:4791"), DF: true}, 1,
			false},
		{"another source port", Path{Src: netip.MustParseAddrPort("10.9.0.1:49153"), Dst: path4.Dst, DF: true}, 1,
			false},
		{"another destination port", Path{Src: path4.Src, Dst: netip.MustParseAddrPort("10.9.0.2:4792"), DF: true}, 1,
			false},
	}
	for _, c := range cases {
		if got := icrcOf(t, c.path).Verify(c.id, b); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func mapped(ap netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom16(ap.Addr().As16()), ap.Port())
}

func TestICRCBadPath(t *testing.T) {
	for _, path := range []Path{
		{}, {Src: path4.Src}, {Dst: path4.Dst}, {Src: path4.Src, Dst: path6.Dst}, {Src: path6.Src, Dst: path4.Dst},
		{Src: path4.Src, Dst: path4.Dst, GRH: true},
	} {
		if _, err := NewICRC(path); !errors.Is(err, ErrPath) {
			t.Errorf("%v: %v, want ErrPath", path, err)
		}
	}
}

// TestICRCBounds checks lengths that no packet has.
func TestICRCBounds(t *testing.T) {
	for _, path := range []Path{path4, path6} {
		c := icrcOf(t, path)
		for _, n := range []int{0, 1, 4, BTHLen, BTHLen + ICRCLen - 1, MaxLen + 1, 1 << 17} {
			b := make([]byte, n)
			if c.Verify(0, b) {
				t.Errorf("%v: %d zero bytes verified", path, n)
			}
			if _, ok := c.RecoverID(0, b); ok {
				t.Errorf("%v: %d zero bytes have an identification", path, n)
			}
		}
		for n := bthMasked + 1; n < BTHLen; n++ {
			short := c.Append(9, make([]byte, n))
			if _, ok := c.RecoverID(9, short); ok || c.Verify(9, short) {
				t.Errorf("%v: %d bytes that end with their CRC were accepted", path, len(short))
			}
		}
		if !c.Verify(9, c.Append(9, make([]byte, BTHLen))) {
			t.Errorf("%v: the shortest packet was refused", path)
		}
		longest := c.Append(9, make([]byte, MaxLen-ICRCLen))
		if !c.Verify(9, longest) {
			t.Errorf("%v: the longest packet was refused", path)
		}
	}
}

func TestRecoverID(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	c := icrcOf(t, path4)
	for range 2000 {
		b := randomBytes(r, BTHLen+r.IntN(MaxLen-BTHLen-ICRCLen+1))
		want := uint16(r.Uint32())
		if got, ok := c.RecoverID(0, c.Append(want, b)); !ok || got != want {
			t.Fatalf("%d bytes: id %d, %v, want %d", len(b), got, ok, want)
		}
	}
}

// TestRecoverIDBitError flips each bit of the CRC of packets whose identification was recovered: none of these 1600
// passes.
func TestRecoverIDBitError(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	c := icrcOf(t, path4)
	for range 50 {
		b := c.Append(9, randomBytes(r, BTHLen+r.IntN(200)))
		for bit := range 8 * ICRCLen {
			flipped := slices.Clone(b)
			flipped[len(b)-ICRCLen+bit/8] ^= 1 << (bit % 8)
			if id, ok := c.RecoverID(9, flipped); ok {
				t.Errorf("%d bytes, bit %d of the CRC: identification %d", len(b), bit, id)
			}
		}
	}
}

// TestRecoverIDNoise counts how many random CRCs pass: one in 2^16, because recovery leaves 16 bits less to check.
func TestRecoverIDNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	c := icrcOf(t, path4)
	b := randomBytes(r, 64)
	passed := 0
	const tries = 1 << 21
	for range tries {
		binary.LittleEndian.PutUint32(b[len(b)-ICRCLen:], r.Uint32())
		if _, ok := c.RecoverID(0, b); ok {
			passed++
		}
	}
	if want := tries >> 16; passed < want/2 || passed > want*2 {
		t.Errorf("%d of %d passed, about %d expected", passed, tries, want)
	}
}

// TestICRCReuse checks that the value of a path keeps no state between packets.
func TestICRCReuse(t *testing.T) {
	c := icrcOf(t, path4)
	a, b := samplePacket(RCSendOnly, 8), samplePacket(RCWriteOnly, 100)
	first := c.Sum(1, a.Append(nil))
	c.Sum(2, b.Append(nil))
	if again := c.Sum(1, a.Append(nil)); again != first {
		t.Errorf("%#08x, then %#08x", first, again)
	}
}
