package conversation

import (
	"bytes"
	"errors"
	"io"
	"net/netip"
	"os"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/timeline"
	"rdmatui/verbs/wire"
)

// frames makes n SENDs between changing addresses, shorter from chunk to chunk, each tenth with comments.
func frames(n int) []*capture.Frame {
	var all []*capture.Frame
	for i := range n {
		p := wire.Packet{
			BTH:     wire.BTH{Opcode: wire.RCSendOnly, DestQP: uint32(2 + i%3), PSN: wire.PSN(i / 3)},
			Payload: make([]byte, i%300/(1+i/chunkPackets)),
		}
		f := &capture.Frame{}
		f.Seq, f.At = uint64(i+1), begin.Add(time.Duration(i)*time.Microsecond)
		f.Src, f.Dst = netip.MustParseAddrPort("10.0.0.1:4791"),
			netip.MustParseAddrPort([]string{"10.0.0.2:4791", "10.0.0.3:4791"}[i%2])
		f.Data = append(p.Append(nil), 0, 0, 0, 0)
		f.Len = len(f.Data)
		if i%10 == 0 {
			f.Comments = []string{"one", "another"}[:1+i/10%2]
		}
		f.Decode()
		all = append(all, f)
	}
	return all
}

// takes is what a chunk takes, counted anew.
func (c *chunk) takes() int {
	n := cap(c.heads) + cap(c.records)*recordBytes + len(c.routes)*routeBytes + len(c.requests)*requestBytes
	for _, texts := range c.comments {
		for _, text := range texts {
			n += len(text) + commentBytes
		}
	}
	return n
}

// TestRoom: what the chunks take is known, and what many packets share is stored once.
func TestRoom(t *testing.T) {
	tr := NewTrace(1 << 40)
	tr.current = New()
	var r capture.Reader
	all := frames(3*chunkPackets + 10)
	for _, f := range all {
		tr.add(&r, f)
	}
	sum, commented := 0, 0
	for i, c := range tr.chunks {
		if c.bytes != c.takes() {
			t.Errorf("chunk %d takes %d bytes, but %d are counted", i, c.takes(), c.bytes)
		}
		if len(c.routes) != 2 || c.records[0].begin != 0 {
			t.Errorf("chunk %d has %d routes, its first packet is at %d", i, len(c.routes), c.records[0].begin)
		}
		if last := i == len(tr.chunks)-1; (c.byRoute == nil) == last || !last &&
			(cap(c.routes) != len(c.routes) || cap(c.requests) != len(c.requests)) {
			t.Errorf("chunk %d: %v, room for %d routes and %d requests", i, c.byRoute, cap(c.routes), cap(c.requests))
		}
		requests := map[*Request]bool{}
		for _, q := range c.requests {
			requests[q] = true
		}
		if len(requests) != len(c.requests) {
			t.Errorf("chunk %d: %d requests, %d of them different", i, len(c.requests), len(requests))
		}
		sum += c.bytes
		commented += len(c.comments)
	}
	if len(tr.chunks) != 4 || tr.bytes != sum || commented != (len(all)+9)/10 {
		t.Errorf("%d chunks of %d bytes, %d are counted; %d packets with comments", len(tr.chunks), sum,
			tr.bytes, commented)
	}
}

// TestSameRequest: packets of one request share it, and those of none have none.
func TestSameRequest(t *testing.T) {
	c := newChunk(0)
	a, b := &Request{}, &Request{}
	var got []uint16
	for _, q := range []*Request{a, b, a, nil, b} {
		got = append(got, c.requestOf(q))
	}
	if want := [5]uint16{1, 2, 1, 0, 2}; [5]uint16(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestSeal: room that is not needed is given back, if it is worth it.
func TestSeal(t *testing.T) {
	for _, x := range []struct{ len, cap, want int }{{800, 800, 800}, {800, 900, 900}, {800, 901, 800},
		{0, 0, 0}, {0, 1, 0}} {
		c := newChunk(x.cap)
		c.heads = c.heads[:x.len]
		was := c.bytes
		if grown := c.seal(); cap(c.heads) != x.want || grown != x.want-x.cap || c.bytes != was+grown {
			t.Errorf("%+v: room for %d bytes, grown by %d, now %d", x, cap(c.heads), grown, c.bytes)
		}
	}
}

// TestDrop: the oldest chunks go, but for the newest full one.
func TestDrop(t *testing.T) {
	of := func(chunks, spare int) *Trace { // so many full chunks, which take the limit and more
		tr := NewTrace(1 << 40)
		tr.current = New()
		var r capture.Reader
		all := frames(chunks*chunkPackets + 1)
		for _, f := range all[:chunks*chunkPackets] {
			tr.add(&r, f)
		}
		tr.bytes += tr.chunks[chunks-1].seal()
		tr.limit = tr.bytes - spare
		tr.add(&r, all[chunks*chunkPackets])
		return tr
	}
	for _, x := range []struct{ chunks, spare, dropped int }{{3, 0, 0}, {3, 1, 1}, {3, 1 << 40, 2}, {1, 1 << 40, 0}} {
		tr := of(x.chunks, x.spare)
		sum := 0
		for _, c := range tr.chunks {
			sum += c.bytes
		}
		if s := tr.State(); s.From != uint64(x.dropped*chunkPackets) ||
			len(tr.chunks) != x.chunks+1-x.dropped || tr.bytes != sum {
			t.Errorf("%+v: from packet %d, %d chunks of %d bytes, %d are counted", x, s.From, len(tr.chunks),
				sum, tr.bytes)
		}
		last := len(tr.chunks) - 1
		if got, want := cap(tr.chunks[last].heads), len(tr.chunks[last-1].heads)*17/16; got != want {
			t.Errorf("%+v: a new chunk has room for %d bytes, want %d", x, got, want)
		}
		var p Packet
		if tr.Packet(uint64(x.dropped*chunkPackets), &p); p.Seq != uint64(x.dropped*chunkPackets+1) {
			t.Errorf("%+v: the first packet is %d", x, p.Seq)
		}
	}
}

// capture1 is a capture of one packet.
func capture1(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	w := capture.NewWriter(&out)
	f := frames(1)[0]
	if err := w.Write(&timeline.Packet{At: f.At, Device: "eth0", Src: f.Src, Dst: f.Dst, Data: f.Data}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func source(t *testing.T, file io.Closer) Source {
	t.Helper()
	r, err := capture.NewReader(bytes.NewReader(capture1(t)))
	if err != nil {
		t.Fatal(err)
	}
	return Source{"f", r, file}
}

// TestTotals: the counts of all captures add up, while one is read and at its end.
func TestTotals(t *testing.T) {
	tr := NewTrace(1 << 40)
	for i := range uint64(2) {
		s := source(t, nil)
		s.Reader.Cut, s.Reader.Dropped = 5, 7
		if !tr.begin(&s) || tr.State().Name != "f" {
			t.Fatal("not begun")
		}
		var f capture.Frame
		if err := s.Reader.Next(&f); err != nil {
			t.Fatal(err)
		}
		tr.add(s.Reader, &f)
		if got, want := tr.State().Totals,
			(capture.Totals{Packets: i + 1, RoCE: i + 1, Cut: 5 * (i + 1), Dropped: 7 * (i + 1)}); got != want {
			t.Errorf("while capture %d is read: %+v, want %+v", i, got, want)
		}
		s.Reader.Packets += 10 // that are not RoCE
		tr.end(s.Reader)
		s.Reader.Packets -= 10
		if got := tr.State().Packets; got != i+11 {
			t.Errorf("after capture %d: %d packets", i, got)
		}
		tr.state.Packets -= 10
	}
}

// file is what a source closes.
type file struct {
	err    error
	closed int
}

func (f *file) Close() error { f.closed++; return f.err }

// TestClose: a file that cannot be closed is told, one that Stop has closed is not.
func TestClose(t *testing.T) {
	broken := errors.New("disk full")
	for _, x := range []struct{ err, want error }{{nil, nil}, {broken, broken}, {os.ErrClosed, nil}} {
		tr, f := NewTrace(1<<40), &file{err: x.err}
		tr.Read([]Source{source(t, f)})
		if s := tr.State(); !errors.Is(s.Err, x.want) || f.closed != 1 {
			t.Errorf("%v: %+v, closed %d times", x.err, s, f.closed)
		}
		tr.Stop()
		if f.closed != 1 {
			t.Error("closed again by Stop")
		}
	}
}

// TestStopWhile: Stop closes the file that is being read, if there is one.
func TestStopWhile(t *testing.T) {
	f := &file{}
	for _, s := range []Source{source(t, f), source(t, nil)} {
		tr := NewTrace(1 << 40)
		tr.begin(&s)
		tr.Stop()
		if !tr.end(s.Reader) || tr.begin(&s) {
			t.Error("goes on after Stop")
		}
	}
	if f.closed != 1 {
		t.Errorf("closed %d times", f.closed)
	}
}
