package traffic

import (
	"bytes"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// store is a region of bytes, which cannot be read or written if err is set.
type store struct {
	verbs.MR
	b   []byte
	err error
}

func (m *store) Addr() uint64       { return 0x1000 }
func (m *store) LKey() uint32       { return 5 }
func (m *store) Spec() verbs.MRSpec { return verbs.MRSpec{Length: uint64(len(m.b))} }

func (m *store) ReadAt(p []byte, off int64) (int, error)  { return copy(p, m.b[off:]), m.err }
func (m *store) WriteAt(p []byte, off int64) (int, error) { return copy(m.b[off:], p), m.err }

// TestPayloadCheck: a message must be the one that is due, at its place in the region. A wrong byte is named; a server
// also takes the constant fill of a stock client, a client does not.
func TestPayloadCheck(t *testing.T) {
	const n, size, at = 4, 2 * StockPage, 40
	sent := &store{b: make([]byte, at+size)}
	for _, client := range []bool{false, true} {
		c := newPayloadCheck(n, size, at, client)
		for i := range n {
			if err := c.stamp(sent, i); err != nil || !bytes.Equal(sent.b[:at], make([]byte, at)) {
				t.Fatalf("%v, % x", err, sent.b[:at])
			}
			for due := range n {
				err := c.Check(sent, due)
				if (err == nil) != (due == i) || err != nil && !strings.HasPrefix(err.Error(), "message ") {
					t.Errorf("client %v: message %d as number %d: %v", client, i, due, err)
				}
			}
			if zero := sent.b[at] == 0 && sent.b[at+StockPage] == 0; zero != (i == n-1) {
				t.Errorf("message %d begins with %d and %d", i, sent.b[at], sent.b[at+StockPage])
			}
		}
		for place, want := range map[int]string{0: "message 3 differs at byte 0: 0xff instead of 0x00",
			7: "message 3 differs at byte 7: 0xff instead of 0x07", size - 1: "message 3 differs at byte 8191: 0xff"} {
			bad := &store{b: bytes.Clone(sent.b)}
			bad.b[at+place] = 0xff
			if err := c.Check(bad, n-1); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("byte %d: %v, want %q", place, err, want)
			}
		}
		stock := &store{b: bytes.Repeat([]byte{stockFilling}, at+size)}
		if err := c.Check(stock, 0); (err == nil) == client {
			t.Errorf("client %v: the stock fill: %v", client, err)
		}
		sent.err = syscall.EFAULT
		if err := errors.Join(c.Check(sent, n-1), c.stamp(sent, 0)); strings.Count(err.Error(), "bad address") != 2 {
			t.Errorf("a region that is gone: %v", err)
		}
		sent.err = nil
	}
}

// TestSlotCheck: each slot of the region has the same message, and a slot that was cleared has none of its bytes. A
// server also takes zeros in it.
func TestSlotCheck(t *testing.T) {
	const size = 300
	for _, client := range []bool{false, true} {
		c, mem := NewSlotCheck(size, client), &store{b: make([]byte, 4*size)}
		copy(mem.b[2*size:], c.Want)
		if err := c.Check(mem, 2); err != nil {
			t.Error(err)
		}
		for place, tt := range map[int]struct {
			value byte
			want  string // "": it is taken
		}{
			0: {1, "the message of RECV 2 differs at byte 0: 0x01 instead of 0x00"},
			9: {0, map[bool]string{true: "the message of RECV 2 differs at byte 9: 0x00 instead of 0x09"}[client]},
			size - 1: {0xff,
				"the message of RECV 2 differs at byte 299: 0xff instead of 0x30"}, // 299 mod 251
		} {
			mem.b[2*size+place] = tt.value
			if err := c.Check(mem, 2); (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
				t.Errorf("client %v, byte %d: %v, want %q", client, place, err, tt.want)
			}
			copy(mem.b[2*size:], c.Want)
		}
		if err := c.Clear(mem, 2); err != nil || bytes.Equal(mem.b[2*size:3*size], c.Want) ||
			!bytes.Equal(mem.b[3*size:], make([]byte, size)) || !bytes.Equal(mem.b[:2*size], make([]byte, 2*size)) {
			t.Errorf("client %v: %v, or not slot 2 alone was cleared", client, err)
		}
		for i, b := range mem.b[2*size : 3*size] {
			if b == c.Want[i] || b == 0 {
				t.Errorf("byte %d of a cleared slot is %#x", i, b)
			}
		}
		mem.err = syscall.EFAULT
		if err := c.Check(mem, 2); !errors.Is(err, syscall.EFAULT) {
			t.Error(err)
		}
	}
}

// TestMakeSlots: there are as many RECVs as the queue takes and the region has room for behind the message to send,
// each with a cleared slot of its own.
func TestMakeSlots(t *testing.T) {
	for _, tt := range []struct {
		most  uint32
		slots int // of the region
		want  int
	}{{8, 9, 8}, {8, 5, 4}, {3, 9, 3}, {1000, 2000, PingDepth}} {
		mem := &store{b: make([]byte, 16*tt.slots+7)}
		p := &pinger{s: &core.Session{}, size: 16, mr: mem, srq: &queue.SRQ{Node: &core.Node{Name: "srq"}}}
		p.srq.Attr.MaxWR = tt.most
		if err := p.makeSlots(&region.MR{MR: mem}); err != nil || len(p.recvs) != tt.want || p.slots.next != tt.want {
			t.Fatalf("%+v: %v, %d RECVs", tt, err, len(p.recvs))
		}
		for i, wr := range p.recvs {
			at := 16 * (i + 1)
			if wr.WRID != uint64(i+1) || wr.SGList[0] != (verbs.SGE{Addr: 0x1000 + uint64(at), Length: 16, LKey: 5}) ||
				p.slots.index[i] != i || !bytes.Equal(mem.b[at:at+16], p.slots.Wipe) {
				t.Errorf("%+v: RECV %d is %+v, of % x", tt, i, wr, mem.b[at:at+16])
			}
		}
		if !bytes.Equal(mem.b[:16], p.slots.Want) {
			t.Errorf("%+v: slot 0 has % x", tt, mem.b[:16])
		}
	}
}

// TestPingpongResult: both directions count for the rate, round trips for the latency, as in the stock programs.
func TestPingpongResult(t *testing.T) {
	r := PingpongResult{Size: 4096, Iters: 1000, Elapsed: time.Second, Seconds: 1, MbitPerSec: 65.536,
		UsecPerIter: 1000}
	want := "8192000 bytes in 1.00 seconds = 65.54 Mbit/sec; 1000 iters in 1.00 seconds = 1000.00 usec/iter"
	if got := r.String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
