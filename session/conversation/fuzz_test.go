package conversation

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/verbs/wire"
)

const (
	stepLen  = 8    // bytes of a fuzzed input that make a packet
	maxSteps = 1024 // packets of an input
)

// step makes a packet from a few bytes, so that most packets belong to few conversations:
// a byte of flags and sizes, the opcode, the queue pair, the PSN, the syndrome, the
// length of the payload and the bytes that the RETH names.
func step(b []byte, n int, at time.Time) *capture.Frame {
	f := &capture.Frame{}
	src, dst := alice, bob
	if b[0]&1 != 0 {
		src, dst = bob, alice
	}
	f.Seq, f.At = uint64(n), at
	f.Src, f.Dst = netip.AddrPortFrom(src, 50000), netip.AddrPortFrom(dst, 4791)
	f.ID = uint16(b[0] >> 1 & 3)
	f.Way = capture.Way(b[0] >> 3 & 3)
	f.IP.TrafficClass = b[0] >> 5 & 3
	syndrome := wire.Syndrome(b[4])
	p := wire.Packet{
		BTH: wire.BTH{Opcode: wire.Opcode(b[1]), DestQP: uint32(b[2] & 3),
			PSN: wire.PSN(b[3]) << (b[2] >> 4 & 15) & wire.PSNMask},
		DETH: wire.DETH{SrcQP: uint32(b[2] >> 2 & 3)}, RETH: wire.RETH{DMALen: uint32(b[5]) << (b[6] & 15)},
		AETH:    wire.AETH{Syndrome: syndrome},
		Payload: make([]byte, int(b[6])<<(b[0]>>7*3)),
	}
	f.Data = append(p.Append(nil), 0, 0, 0, 0)
	f.Len = len(f.Data)
	f.Decode()
	if b[7]&1 != 0 {
		f.ICRC = capture.Wrong
	}
	if b[7]&2 != 0 { // cut
		f.Data = f.Data[:min(int(b[7]>>2), len(f.Data))]
		f.DecodeCut(nil)
	}
	return f
}

// FuzzTable joins packets that contradict each other: each is counted once, each request ends once, and what is
// printed of both is sound.
func FuzzTable(f *testing.F) {
	write := []byte{0, byte(wire.RCWriteOnly), 2, 5, 0, 64, 64, 0}
	ack := []byte{1, byte(wire.RCAcknowledge), 1, 5, 31, 0, 0, 0}
	f.Add(bytes.Join([][]byte{write, ack, write, ack}, nil))
	f.Add(bytes.Join([][]byte{{0, byte(wire.RCWriteFirst), 2, 5, 0, 255, 200, 0},
		{0, byte(wire.RCWriteLast), 2, 7, 0, 0, 64, 0},
		{1, byte(wire.RCAcknowledge), 1, 6, byte(wire.NAK(wire.NAKPSNSequence)), 0, 0, 0},
		{0, byte(wire.RCWriteMiddle), 2, 6, 0, 0, 64, 0}, ack}, nil))
	f.Add(bytes.Join([][]byte{{0, byte(wire.RCReadRequest), 2, 5, 0, 255, 2, 0},
		{1, byte(wire.RCReadResponseFirst), 1, 5, 31, 0, 255, 0},
		{1, byte(wire.RCReadResponseLast), 1, 6, 31, 0, 9, 0},
		{1, byte(wire.RCAcknowledge), 1, 6, byte(wire.RNRNAK(3)), 0, 0, 0}}, nil))
	f.Add([]byte{0, byte(wire.UDSendOnly), 9, 0, 0, 0, 20, 0, 1, byte(wire.CNP), 1, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		b = b[:min(len(b), maxSteps*stepLen)]
		table, ended := New(), map[*Request]bool{}
		table.Told = func(c *Conversation, at int, r *Request) {
			if ended[r] || c.Sides[at] == nil {
				t.Fatalf("%+v ends again, or at no side", r)
			}
			ended[r] = true
		}
		packets, datagrams, at := uint64(0), 0, begin
		for n := 1; len(b) >= stepLen; n, b = n+1, b[stepLen:] {
			at = at.Add(time.Duration(int8(b[7])) * time.Millisecond) // clocks may go back
			frame := step(b, n, at)
			if info, _ := frame.Wire.BTH.Opcode.Info(); info.Transport == wire.UD {
				datagrams++ // each is a request that nobody is told of
			}
			m, talk := table.Add(frame)
			if r := table.Touched; r != nil {
				_, _ = r.Asked(), r.Fate()
			}
			if talk != nil && !m.Has(Second) {
				packets++
			}
		}
		table.End()
		table.End()
		checkSums(t, table, packets, len(ended)+datagrams)
	})
}

// checkSums compares the totals of the conversations with what was added and told.
func checkSums(t *testing.T, table *Table, packets uint64, ended int) {
	t.Helper()
	told := uint64(0)
	for _, c := range table.List {
		packets -= c.Packets
		if c.Whole() != c || c.Sides[0] == nil && c.Sides[1] == nil {
			t.Fatalf("%+v is no whole conversation", c)
		}
		for _, s := range c.Sides {
			if s == nil {
				continue
			}
			if int64(s.Missing) < 0 || len(s.open) > 0 {
				t.Fatalf("%+v has open requests or negative numbers", s)
			}
			for op := range s.Kinds {
				k := &s.Kinds[op]
				if k.Acknowledged+k.Refused+k.Open > k.Requests || uint64(len(k.Latencies)) > k.Acknowledged {
					t.Fatalf("%s: %+v", wire.Operation(op), k)
				}
				told += k.Requests
			}
		}
	}
	if packets != 0 || told > uint64(ended) {
		t.Fatalf("%d packets and %d of %d requests do not belong to the conversations", packets, int(told)-ended, told)
	}
}
