package capture

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/gopacket/gopacket/layers"

	"rdmatui/verbs/wire"
)

// bare is the packet of [hello] as it stands on an InfiniBand link, with a GRH or without.
func bare(t testing.TB, global bool) []byte {
	body := append(hello.Append(nil), 1, 2, 3, 4)
	next, words := byte(wire.NextBTH), (wire.LRHLen+len(body))/4
	if global {
		body = grh(t)
		next, words = wire.NextGRH, (wire.LRHLen+len(body))/4
	}
	head := []byte{0x20, 0x30 | next, 0, 7, byte(words >> 8), byte(words), 1, 2}
	return join(head, body, []byte{0xaa, 0xbb}) // and the VCRC
}

// local is the same in an ERF record.
func local(t testing.TB, global bool) []byte {
	b := bare(t, global)
	fraction := (uint64(begin.Nanosecond()/1000)<<32 + 1e6 - 1) / 1e6 // of a record in microseconds
	at := binary.LittleEndian.AppendUint64(nil, uint64(begin.Unix())<<32|fraction)
	head := join(at, []byte{21, 4}, binary.BigEndian.AppendUint16(nil, uint16(16+len(b))), []byte{0, 0},
		binary.BigEndian.AppendUint16(nil, uint16(len(b))))
	return join(head, b)
}

// TestInfiniBand reads packets of an InfiniBand link, in ERF records and alone.
func TestInfiniBand(t *testing.T) {
	for name, tt := range map[string]struct {
		of       layers.LinkType
		packet   []byte
		src, dst string
	}{
		"ERF, local":         {197, local(t, false), "LID 258", "LID 7"},
		"ERF, global":        {197, local(t, true), "fe80::1", "fe80::2"},
		"InfiniBand, local":  {247, bare(t, false), "LID 258", "LID 7"},
		"InfiniBand, global": {247, bare(t, true), "fe80::1", "fe80::2"},
	} {
		r, err := NewReader(bytes.NewReader(record(t, tt.of, tt.packet, len(tt.packet))))
		if err != nil {
			t.Fatal(err)
		}
		var f Frame
		if err := r.Next(&f); err != nil || f.Err != nil || !f.IB || f.Cut() || string(f.Wire.Payload) != "hello" ||
			f.Wire.BTH.PSN != 9 || wire.AddrText(f.Src.Addr()) != tt.src || wire.AddrText(f.Dst.Addr()) != tt.dst ||
			f.ICRC != Unchecked || r.InfiniBand != 1 || r.RoCE != 1 {
			t.Errorf("%s: %v, %+v", name, err, f)
		}
		if f.LRH.SLID != 258 || f.LRH.DLID != 7 || f.LRH.SL != 3 || f.LRH.VL != 2 {
			t.Errorf("%s: %+v", name, f.LRH)
		}
	}
}
