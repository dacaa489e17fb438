package bench

import (
	"bytes"
	"strings"
	"testing"

	"rdmatui/verbs"
)

var someDest = Dest{
	LID: 0x12, OutReads: 16, QPN: 0x11, PSN: 0x3b822f, RKey: 0x261, VAddr: 0x56253ff77000,
	GID: verbs.GID{10: 0xff, 11: 0xff, 12: 10, 13: 9, 15: 1},
}

// TestLine checks the lines of perftest 4.5 and 25.01, as read from a connection.
func TestLine(t *testing.T) {
	noGID := someDest
	noGID.GID = verbs.GID{}
	for _, tt := range []struct {
		dest Dest
		gid  bool
		want string
	}{
		{someDest, true, "0012:0010:000011:3b822f:00000261:000056253ff77000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:09:00:01:00000000:\x00"},
		{noGID, false, "0012:0010:000011:3b822f:00000261:000056253ff77000:00000000\x00"},
	} {
		got := tt.dest.Line(tt.gid)
		if string(got) != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
		if back, err := ParseLine(got); err != nil || back != tt.dest {
			t.Errorf("%+v, %v, want %+v", back, err, tt.dest)
		}
	}
}

func TestParseLineRefuses(t *testing.T) {
	good := string(someDest.Line(true))
	for name, tt := range map[string]struct{ line, want string }{
		"short":  {good[1:], "59 or 108 bytes, not 107"},
		"no NUL": {good[:107] + "x", "instead of an address line"},
		"text":   {strings.Repeat("x", 107) + "\x00", "instead of an address line"},
		"QPN of 25 bits": {strings.Replace(good, "000011:3b822f", "1000011:3b822", 1),
			`"1000011" in column 3, which is not a number of 24 bits`},
		"PSN of 25 bits": {strings.Replace(good, "000011:3b822f", "00011:13b822f", 1),
			`"13b822f" in column 4, which is not a number of 24 bits`},
		"sign":            {strings.Replace(good, "0012:", "-012:", 1), `"-012" in column 1`},
		"control in line": {strings.Replace(good, "0012:", "\x1b[2J:", 1), `"\x1b[2J" in column 1`},
	} {
		if _, err := ParseLine([]byte(tt.line)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func TestStruct(t *testing.T) {
	b := someDest.Struct()
	want := []byte{
		// and 4 bytes of padding
		0, 0, 0, 0x12, 0, 0, 0, 16, 0, 0, 0, 0x11, 0, 0x3b, 0x82, 0x2f, 0, 0, 2, 0x61, 0, 0, 0, 0,
		0, 0, 0x56, 0x25, 0x3f, 0xf7, 0x70, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 9, 0, 1, 0,
		0, 0, 0, 0, 0, 0, 0,
	}
	if !bytes.Equal(b, want) {
		t.Errorf("% x, want\n% x", b, want)
	}
	if back, err := ParseStruct(b); err != nil || back != someDest {
		t.Errorf("%+v, %v", back, err)
	}
	b[atPSN] = 1
	if _, err := ParseStruct(b); err == nil {
		t.Error("a PSN of 25 bits is taken")
	}
}

func TestDestCheck(t *testing.T) {
	for _, tt := range []struct {
		vaddr, size uint64
		ok          bool
	}{{0x1000, 1 << 20, true}, {^uint64(0), 2, false}, {1 << 63, 1 << 63, false}, {1 << 63, 1<<63 - 1, true}} {
		d := Dest{VAddr: tt.vaddr}
		if err := d.Check(tt.size); (err == nil) != tt.ok {
			t.Errorf("%#x, %#x: %v", tt.vaddr, tt.size, err)
		}
	}
}

// FuzzDest: whatever a peer sends is refused, or is encoded again to an address that
// reads the same.
func FuzzDest(f *testing.F) {
	f.Add(someDest.Line(true))
	f.Add(someDest.Line(false))
	f.Add(someDest.Struct())
	f.Fuzz(func(t *testing.T, b []byte) {
		if d, err := ParseLine(b); err == nil && d.OutReads <= 0xffff {
			if back, err := ParseLine(d.Line(len(b) == LineLenGID)); err != nil || back != d {
				t.Errorf("%+v, %v, want %+v", back, err, d)
			}
		}
		if d, err := ParseStruct(b); err == nil {
			if back, err := ParseStruct(d.Struct()); err != nil || back != d {
				t.Errorf("%+v, %v, want %+v", back, err, d)
			}
		}
	})
}
