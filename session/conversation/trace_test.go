package conversation_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

var (
	alice = netip.MustParseAddrPort("10.0.0.1:4791")
	bob   = netip.MustParseAddrPort("10.0.0.2:4791")
	begin = time.Unix(1_700_000_000, 0)
)

// file writes packets of four conversations: WRITEs of two packets, repetitions, answers,
// datagrams and damaged bytes.
func file(t testing.TB, seed uint64, packets int) []byte {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	var out bytes.Buffer
	w := capture.NewWriter(&out)
	var psn [4]wire.PSN
	there, back := seal(t, alice, bob), seal(t, bob, alice)
	for i := range packets {
		talk := rng.IntN(4)
		src, dst := alice, bob
		p := wire.Packet{
			BTH: wire.BTH{DestQP: 0x20 + uint32(talk), PSN: psn[talk]}, Payload: make([]byte, rng.IntN(300)),
		}
		switch rng.IntN(8) {
		case 0, 1, 2:
			p.BTH.Opcode = wire.RCWriteFirst
			psn[talk]++
		case 3, 4:
			p.BTH.Opcode = wire.RCWriteLast
			psn[talk]++
		case 5:
			src, dst = bob, alice
			p = wire.Packet{
				BTH:  wire.BTH{Opcode: wire.RCAcknowledge, DestQP: 0x10 + uint32(talk), PSN: psn[talk] - 1},
				AETH: wire.AETH{Syndrome: wire.ACKUnlimited},
			}
		case 6:
			p.BTH.Opcode, p.BTH.DestQP, p.DETH.SrcQP = wire.UDSendOnly, 1, 1
			p.Payload = make([]byte, wire.MADLen)
		case 7: // sent again
			p.BTH.Opcode = wire.RCWriteLast
			p.BTH.PSN--
		}
		check := there
		if src == bob {
			check = back
		}
		data := check.Append(0, p.Append(nil))
		if rng.IntN(50) == 0 {
			data = data[:rng.IntN(16)]
		}
		var comments []string
		if rng.IntN(20) == 0 {
			comments = []string{"posted", "completed"}[:1+rng.IntN(2)]
		}
		err := w.Write(&timeline.Packet{At: begin.Add(time.Duration(i) * time.Millisecond), Device: "eth0",
			Outgoing: src == alice,
			Src:      src, Dst: dst, IP: verbs.IPHeader{TrafficClass: uint8(rng.IntN(4)), HopLimit: 64}, Data: data},
			comments...)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func seal(t testing.TB, src, dst netip.AddrPort) wire.ICRC {
	t.Helper()
	check, err := wire.NewICRC(wire.Path{Src: src, Dst: dst, DF: true})
	if err != nil {
		t.Fatal(err)
	}
	return check
}

func reader(t testing.TB, file []byte) *capture.Reader {
	t.Helper()
	r, err := capture.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func read(t testing.TB, limit int, files ...[]byte) *conversation.Trace {
	t.Helper()
	tr := conversation.NewTrace(limit)
	var sources []conversation.Source
	for _, f := range files {
		sources = append(sources, conversation.Source{Name: "f", Reader: reader(t, f)})
	}
	tr.Read(sources)
	if s := tr.State(); !s.Done || s.Err != nil {
		t.Fatalf("%+v", s)
	}
	return tr
}

const noLimit = 1 << 40

// A trace returns of each packet what the reader and the table of conversations say.
func TestSameAsReader(t *testing.T) {
	f := file(t, 1, 10_000)
	tr, r, table := read(t, noLimit, f), reader(t, f), conversation.New()
	var want capture.Frame
	type told struct {
		talk    *conversation.Conversation
		request *conversation.Request
	}
	var after []told
	var got conversation.Packet
	n := uint64(0)
	for r.Next(&want) == nil {
		marks, talk := table.Add(&want)
		if !tr.Packet(n, &got) {
			t.Fatalf("packet %d is not kept", n)
		}
		kept := len(got.Data)
		if got.Captured != len(want.Data) || !conversation.IsMAD(&want.Packet) && kept != min(128, len(want.Data)) ||
			!bytes.Equal(got.Data, want.Data[:kept]) {
			t.Fatalf("packet %d: %d of %d bytes are kept", n, kept, len(want.Data))
		}
		if conversation.IsMAD(&want.Packet) && kept < len(want.Data) {
			t.Fatalf("packet %d: a datagram of %d bytes is cut to %d", n, len(want.Data), kept)
		}
		if got.Marks != marks || got.Marks != tr.Marks(n) {
			t.Fatalf("packet %d: %v, want %v", n, got.Marks.Names(), marks.Names())
		}
		if text := string(got.Wire.AppendSummary(nil)); text != string(want.Wire.AppendSummary(nil)) ||
			!sameError(got.Err, want.Err) {
			t.Fatalf("packet %d: %s %v, want %v %v", n, text, got.Err, &want.Wire, want.Err)
		}
		if a, b := bare(&got.Frame), bare(&want); !reflect.DeepEqual(a, b) {
			t.Fatalf("packet %d:\n%+v\nwant\n%+v", n, a, b)
		}
		after = append(after, told{talk, table.Touched})
		n++
	}
	table.End()
	for n, w := range after {
		tr.Packet(uint64(n), &got)
		number := 0
		if w.talk != nil {
			number = w.talk.Whole().Number
		}
		if got.Talk.Number != number || number > 0 && got.Talk.Ends != w.talk.Whole().Ends {
			t.Fatalf("packet %d: %+v, want conversation %d", n, got.Talk, number)
		}
		if !reflect.DeepEqual(got.Request, w.request) {
			t.Fatalf("packet %d: %v, want %v", n, got.Request, w.request)
		}
	}
	if s := tr.State(); s.From != 0 || s.To != n || s.Totals != r.Totals || s.Talks != len(table.List) {
		t.Errorf("%+v, want %+v and %d conversations", s, r.Totals, len(table.List))
	}
}

// bare is a frame without what a trace does not keep whole, or decodes anew.
func bare(f *capture.Frame) capture.Frame {
	b := *f
	b.Data, b.Raw, b.Wire, b.Err = nil, capture.Raw{}, wire.Packet{}, nil
	b.At = b.At.UTC()
	return b
}

func sameError(a, b error) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Error() == b.Error()
}

// Beyond the limit the oldest packets go, and what is left is as before.
func TestLimit(t *testing.T) {
	const packets, limit = 60_000, 2 << 20
	f := file(t, 2, packets)
	all, some := read(t, noLimit, f), read(t, limit, f)
	s := some.State()
	if s.To != packets || s.From == 0 || s.To-s.From < packets/10 {
		t.Fatalf("%d to %d of %d packets are kept", s.From, s.To, packets)
	}
	var a, b conversation.Packet
	for n := range uint64(packets) {
		kept := some.Packet(n, &a)
		if kept != (n >= s.From) {
			t.Fatalf("packet %d of %d to %d: kept %t", n, s.From, s.To, kept)
		}
		if all.Packet(n, &b); kept &&
			(a.Seq != b.Seq || a.T != b.T || a.Marks != b.Marks || a.Talk != b.Talk || !bytes.Equal(a.Data, b.Data)) {
			t.Fatalf("packet %d: %+v\nwant %+v", n, a, b)
		}
	}
	if some.Packet(s.To, &a) || some.Marks(s.To) != 0 {
		t.Error("a packet after the last")
	}
}

// Captures follow each other; each has conversations of its own.
func TestSeveral(t *testing.T) {
	tr := read(t, noLimit, file(t, 3, 500), file(t, 4, 700))
	s := tr.State()
	var first, last conversation.Packet
	tr.Packet(0, &first)
	tr.Packet(s.To-1, &last)
	if s.RoCE != s.To || s.Packets < 1200-100 || first.Talk.Number != 1 || last.Talk.Number <= s.Talks/2 {
		t.Errorf("%+v, from conversation %d to %d", s, first.Talk.Number, last.Talk.Number)
	}
}

// Next walks along one conversation in both directions.
func TestNext(t *testing.T) {
	tr := read(t, noLimit, file(t, 5, 9000))
	var p conversation.Packet
	of := map[int][]uint64{}
	for n := range tr.State().To {
		tr.Packet(n, &p)
		of[p.Talk.Number] = append(of[p.Talk.Number], n)
	}
	if len(of) < 4 {
		t.Fatalf("%d conversations", len(of))
	}
	for number, want := range of {
		for i, n := range want {
			next, more := tr.Next(n, true, &conversation.Talk{Number: number})
			prev, less := tr.Next(n, false, &conversation.Talk{Number: number})
			if more != (i+1 < len(want)) || more && next != want[i+1] || less != (i > 0) || less && prev != want[i-1] {
				t.Fatalf("conversation %d, packet %d: %d %t and %d %t", number, n, next, more, prev, less)
			}
		}
	}
}

// closer counts how often it is closed.
type closer struct {
	io.Closer
	n int
}

func (c *closer) Close() error { c.n++; return c.Closer.Close() }

// A damaged capture is told with its name, and everything is closed.
func TestDamaged(t *testing.T) {
	f := file(t, 6, 100)
	tr := conversation.NewTrace(noLimit)
	var files [2]closer
	var sources []conversation.Source
	for i := range files {
		files[i].Closer = io.NopCloser(nil)
		sources = append(sources, conversation.Source{Name: "cut", Reader: reader(t, f[:len(f)-20]), File: &files[i]})
	}
	tr.Read(sources)
	s := tr.State()
	if s.Err == nil || !strings.HasPrefix(s.Err.Error(), "cut: packet ") || !s.Done || s.To == 0 || s.To > 100 {
		t.Errorf("%+v", s)
	}
	for i := range files {
		if files[i].n == 0 {
			t.Errorf("file %d is not closed", i)
		}
	}
}

// Stop ends a read that waits for a pipe.
func TestStop(t *testing.T) {
	pr, pw := io.Pipe()
	go pw.Write(file(t, 7, 50)) // the pipe is closed by Read
	r, err := capture.NewReader(pr)
	if err != nil {
		t.Fatal(err)
	}
	tr, done := conversation.NewTrace(noLimit), make(chan struct{})
	go func() {
		defer close(done)
		tr.Read([]conversation.Source{{Name: "-", Reader: r, File: pr}, {Name: "-", Reader: r}})
	}()
	tr.Stop()
	<-done
	if s := tr.State(); !s.Done || s.Err != nil {
		t.Errorf("%+v", s)
	}
}

// FuzzTrace reads hostile captures: whatever they hold, each packet can be returned.
func FuzzTrace(f *testing.F) {
	whole := file(f, 8, 30)
	f.Add(whole)
	f.Add(whole[:len(whole)-7])
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := capture.NewReader(bytes.NewReader(b))
		if err != nil {
			return
		}
		tr := conversation.NewTrace(1 << 20)
		tr.Read([]conversation.Source{{Name: "f", Reader: r}})
		s := tr.State()
		var p conversation.Packet
		for n := s.From; n < s.To; n++ {
			if !tr.Packet(n, &p) || len(p.Data) > p.Captured || p.Captured > p.Len || p.Marks != tr.Marks(n) {
				t.Fatalf("packet %d of %+v: %+v", n, s, p)
			}
			p.Wire.AppendSummary(nil)
			if p.Request != nil {
				_, _ = p.Request.Asked(), p.Request.Fate()
			}
			tr.Next(n, true, &p.Talk)
		}
	})
}

// BenchmarkRead reads a capture of a million packets into a trace, and reports what this
// takes of the heap.
func BenchmarkRead(b *testing.B) {
	const packets = 1_000_000
	f := file(b, 9, packets)
	var before, after runtime.MemStats
	for b.Loop() {
		b.StopTimer()
		runtime.GC()
		runtime.ReadMemStats(&before)
		b.StartTimer()
		tr := read(b, noLimit, f)
		b.StopTimer()
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.StartTimer()
		if s := tr.State(); s.Packets != packets {
			b.Fatalf("%+v", s)
		}
	}
	b.ReportMetric(float64(packets)*float64(b.N)/b.Elapsed().Seconds(), "packets/s")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB")
}
