package bench

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// params returns the parameters of a test with few messages.
func params(verb Verb, latency bool, change func(*Params)) Params {
	p := DefaultParams(Test{Verb: verb, Latency: latency})
	p.Iters, p.Size = 10, 8
	change(&p)
	return p
}

// signaled returns the numbers of the requests that create a completion, from 1 on.
func signaled(sent []verbs.SendWR) (list []int) {
	for i := range sent {
		if sent[i].SendFlags&verbs.SendSignaled != 0 {
			list = append(list, i+1)
		}
	}
	return list
}

// TestTurns: both ends of a latency test send and receive all messages in turns, with a completion for one in CQMod
// SENDs and for the last, and a RECV for each message.
func TestTurns(t *testing.T) {
	for _, tt := range []struct {
		name     string
		p        Params
		signaled []int
		done     uint64
	}{
		{"client", params(Send, true, func(p *Params) { p.Host = "h" }),
			[]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10},
		{"server", params(Send, true, func(p *Params) { p.RXDepth = 2 }),
			[]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10},
		{"client, moderated", params(Send, true, func(p *Params) {
			p.Host, p.CQMod, p.TXDepth = "h", 4, 4
		}), []int{4, 8, 10}, 10},
		{"server, moderated", params(Send, true, func(p *Params) { p.CQMod, p.TXDepth = 5, 5 }),
			[]int{5, 10}, 10},
		{"WRITE, client", params(Write, true, func(p *Params) { p.Host = "h" }),
			[]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10},
		{"WRITE, server", params(Write, true, func(*Params) {}),
			[]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10},
		{"READ", params(Read, true, func(p *Params) { p.Host = "h" }),
			[]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10},
	} {
		l, pairs := newTestLoop(t, tt.p)
		q, memory, heard := pairs[0], l.mr.MR.(*byteRegion), 0
		answer := func() { // the peer's next message
			heard++
			memory.b[l.receiveAt(0)+l.size-1] = byte(heard)
			q.arrive()
		}
		q.after = func(sent int) {
			if heard > sent {
				t.Errorf("%s: message %d is sent after the peer's message %d", tt.name, sent, heard)
			}
			if own := memory.b[l.sendAt(0)+l.size-1]; l.p.Test.Verb == Write && int(own) != sent {
				t.Errorf("%s: message %d ends with %d", tt.name, sent, own)
			}
			if heard < 10 {
				answer()
			}
		}
		if l.p.Receives() {
			if err := l.postRecvs(&l.lanes[0], 0, l.recvs()); err != nil {
				t.Fatal(err)
			}
		}
		if first := l.p.Test.Verb == Write; first == l.p.Client() && !l.p.Test.OneSided() {
			answer() // in write-lat the server begins, in send-lat the client
		}
		if err := l.turns(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := signaled(q.sent); len(q.sent) != 10 || !slices.Equal(got, tt.signaled) || l.total != tt.done ||
			l.Progress().Messages != tt.done {
			t.Errorf("%s: %d sent, completions of %v, %d done", tt.name, len(q.sent), got, l.total)
		}
		if l.p.Receives() && len(q.posted) != 10 {
			t.Errorf("%s: %d RECVs", tt.name, len(q.posted))
		}
		if n := len(l.Samples(nil, 0)); n != 9 || !slices.IsSorted(l.times) {
			t.Errorf("%s: %d samples of %v", tt.name, n, l.times)
		}
	}
}

// TestTurnsOver: a latency test of given duration ends when it is over, also while it waits.
func TestTurnsOver(t *testing.T) {
	for _, verb := range []Verb{Send, Write, Read} {
		for _, waits := range []bool{false, true} {
			l, pairs := newTestLoop(t, params(verb, true, func(p *Params) { p.Host, p.Duration = "h", 1e9 }))
			l.clock = func() {}
			l.phase.Store(sampling)
			q, memory, heard, late := pairs[0], l.mr.MR.(*byteRegion), 0, false
			answer := func() {
				heard++
				memory.b[l.receiveAt(0)+l.size-1] = byte(heard)
				q.arrive()
			}
			q.after = func(sent int) {
				if sent == 300 {
					l.phase.Store(over)
				}
				if late = verb == Send; !late && (sent < 300 || !waits) {
					answer()
				}
			}
			idle := q.recv.idle
			q.recv.idle = func(vain int) { // the answer comes after polls that find nothing
				if idle(vain); vain == 3 && late && (len(q.sent) < 300 || !waits) {
					late = false
					answer()
				}
			}
			if verb == Send {
				if err := l.postRecvs(&l.lanes[0], 0, l.recvs()); err != nil {
					t.Fatal(err)
				}
			}
			if verb == Write {
				answer()
			}
			if err := l.turns(); err != nil || len(q.sent) != 300 || l.counted != 299 {
				t.Errorf("%v, waits %v: %v, %d sent, %d counted", verb, waits, err, len(q.sent), l.counted)
			}
		}
	}
}

// TestStream: a bandwidth test keeps at most TXDepth requests outstanding on each queue pair, asks for a completion of
// one in CQMod and of the last, and walks through the buffer.
func TestStream(t *testing.T) {
	for _, tt := range []struct {
		name     string
		p        Params
		signaled []int
		step     uint64 // between addresses; 0: all are the same
	}{
		{"one by one", params(Write, false, func(p *Params) { p.TXDepth, p.CQMod = 1, 1 }),
			[]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 64},
		{"a cache line", params(Write, false, func(p *Params) {
			p.TXDepth, p.CQMod, p.Size = 1, 1, 64
		}), []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 64},
		{"moderated", params(Write, false, func(p *Params) { p.TXDepth, p.CQMod = 4, 4 }),
			[]int{4, 8, 10}, 64},
		{"lists", params(Write, false, func(p *Params) { p.TXDepth, p.PostList = 5, 5 }),
			[]int{5, 10}, 64},
		{"three queue pairs", params(Write, false, func(p *Params) {
			p.TXDepth, p.CQMod, p.QPs = 3, 3, 3
		}), []int{3, 6, 9, 10}, 64},
		{"large", params(Read, false, func(p *Params) { p.TXDepth, p.CQMod, p.Size = 2, 2, 3000 }),
			[]int{2, 4, 6, 8, 10}, 0},
		{"SENDs", params(Send, false, func(p *Params) { p.TXDepth, p.CQMod, p.Size = 5, 2, 100 }),
			[]int{2, 4, 6, 8, 10}, 128},
	} {
		tt.p.Host = "h"
		l, pairs := newTestLoop(t, tt.p)
		if err := l.stream(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		for i, q := range pairs {
			if got := signaled(q.sent); len(q.sent) != 10 || !slices.Equal(got, tt.signaled) {
				t.Errorf("%s: %d sent, completions of %v", tt.name, len(q.sent), got)
			}
			for n, wr := range q.sent {
				offset, remote := uint64(n)*tt.step, uint64(0)
				if l.p.Test.Verb != Send {
					remote = 0x90000 + offset
				}
				if want := memoryAt + uint64(i)*l.area + offset; wr.WRID != uint64(i) || wr.SGList[0].Addr != want ||
					wr.RemoteAddr != remote || wr.SGList[0].Length != uint32(l.size) || wr.SGList[0].LKey != 7 {
					t.Errorf("%s, message %d: %+v", tt.name, n+1, wr)
				}
			}
		}
		all := uint64(10 * len(pairs))
		r := l.report()
		if l.start.IsZero() || l.total != all || l.Progress().Messages != all || r.Iters != all ||
			r.Size != l.size || !(r.Average > 0) || !(r.Peak >= r.Average) || len(l.bw.Posted) != int(all) ||
			len(l.bw.Completed) != int(all) || !slices.IsSorted(l.bw.Posted) || l.bw.Posted[0] < 0 ||
			l.bw.Posted[all-1] > l.bw.Completed[all-1] {
			t.Errorf("%s: %d done, %+v, posted %v, completed %v", tt.name, l.total, r, l.bw.Posted, l.bw.Completed)
		}
	}
}

// TestStreamWraps: the addresses of small messages begin again at the end of the cycle.
func TestStreamWraps(t *testing.T) {
	l, pairs := newTestLoop(t, params(Send, false, func(p *Params) { p.Iters, p.Host = 70, "h" }))
	if err := l.stream(); err != nil {
		t.Fatal(err)
	}
	for n, wr := range pairs[0].sent {
		if want := memoryAt + uint64(n%64)*64; wr.SGList[0].Addr != want {
			t.Errorf("message %d is at %#x, want %#x", n, wr.SGList[0].Addr, want)
		}
	}
}

// TestReceive: a server of SENDs posts a RECV for each message, and no more, at addresses that walk through its half of
// the buffer.
func TestReceive(t *testing.T) {
	for _, depth := range []int{2, 10, 100} {
		l, pairs := newTestLoop(t, params(Send, false, func(p *Params) {
			p.RXDepth, p.QPs = depth, 2
		}))
		for i := range pairs {
			if err := l.postRecvs(&l.lanes[i], i, l.recvs()); err != nil {
				t.Fatal(err)
			}
		}
		pairs[0].recv.done = func(*verbs.WC) {
			for _, q := range pairs {
				q.arrive()
			}
		}
		pairs[0].arrive()
		err := l.receive()
		for i, q := range pairs {
			if len(q.posted) != 10 {
				t.Errorf("depth %d: %d RECVs", depth, len(q.posted))
			}
			for n, at := range q.posted {
				if want := memoryAt + uint64(2+i)*l.area + uint64(n)*64; at != want {
					t.Errorf("depth %d: RECV %d is at %#x, want %#x", depth, n, at, want)
				}
			}
		}
		if err != nil || l.total != 20 {
			t.Errorf("depth %d: %v, %d received", depth, err, l.total)
		}
	}
}

// TestBoth: with both directions each end sends and receives all messages; the server begins when the first arrives.
func TestBoth(t *testing.T) {
	for _, host := range []string{"", "h"} {
		l, pairs := newTestLoop(t, params(Send, false, func(p *Params) {
			p.Host, p.Bidirectional, p.TXDepth, p.CQMod = host, true, 3, 3
		}))
		q, heard := pairs[0], 0
		hear := func() {
			if heard++; heard <= 10 {
				q.arrive()
			}
		}
		q.after = func(sent int) {
			if host == "" && heard == 0 {
				t.Error("the server begins")
			}
			if hear(); sent == 10 {
				for heard < 10 {
					hear()
				}
			}
		}
		if err := l.postRecvs(&l.lanes[0], 0, l.recvs()); err != nil {
			t.Fatal(err)
		}
		halt := q.recv.idle
		q.recv.idle = func(vain int) {
			if halt(vain); vain == 10 && host == "" && heard == 0 {
				hear()
			}
		}
		if err := l.both(); err != nil || len(q.sent) != 10 || l.lanes[0].received != 10 || l.total != 10 {
			t.Errorf("host %q: %v, %d sent, %d received, %d counted", host, err, len(q.sent), l.lanes[0].received,
				l.total)
		}
	}
}

// TestLoopFails: a failed completion ends a loop with what it means.
func TestLoopFails(t *testing.T) {
	for _, tt := range []struct {
		status verbs.WCStatus
		gone   bool
		want   string
	}{
		{verbs.WCRetryExcErr, false, "the peer does not answer message 1: completion RETRY_EXC_ERR"},
		{verbs.WCRetryExcErr, true, "the peer left after 0 messages of this size: completion RETRY_EXC_ERR"},
		{verbs.WCRemAccessErr, false, "message 1 failed: completion REM_ACCESS_ERR, vendor_err 0x81"},
	} {
		for _, latency := range []bool{false, true} {
			l, pairs := newTestLoop(t, params(Read, latency, func(p *Params) { p.Host = "h" }))
			l.link.(*quiet).gone = tt.gone
			pairs[0].send.done = nil
			pairs[0].send.wcs = []verbs.WC{{Status: tt.status, VendorErr: 0x81}}
			err := l.stream
			if latency {
				err = l.turns
			}
			if err := err(); err == nil || err.Error() != tt.want || PeerLeft(err) != tt.gone {
				t.Errorf("%s, peer gone %v: %v", tt.status, tt.gone, err)
			}
		}
	}
}

// TestLoopHalts: a loop that polls in vain ends for the reason that the supervisor gives.
func TestLoopHalts(t *testing.T) {
	for _, tt := range []struct {
		verb    Verb
		latency bool
		host    string
	}{
		{Write, false, "h"}, {Write, true, "h"}, {Write, true, ""},
		{Read, true, "h"}, {Send, true, "h"}, {Send, true, ""}, {Send, false, ""},
		{Send, false, "h"},
	} {
		l, pairs := newTestLoop(t, params(tt.verb, tt.latency, func(p *Params) { p.Host = tt.host }))
		work := l.work()
		if pairs[0].mute = true; tt.latency {
			work = l.turns
		}
		if err := work(); !errors.Is(err, errVain) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// TestRequests: the requests of a lane carry out the test's operation at the peer's address, with inline data if the
// queue pair takes it.
func TestRequests(t *testing.T) {
	type want struct {
		opcode  verbs.WROpcode
		remote  uint64
		operand uint64
		inline  bool
	}
	for _, tt := range []struct {
		name   string
		verb   Verb
		change func(*Params)
		takes  uint32 // max_inline_data
		want   want
	}{
		{"WRITE", Write, func(*Params) {}, 100, want{verbs.WRRDMAWrite, 0x90000, 0, false}},
		{"READ", Read, func(*Params) {}, 0, want{verbs.WRRDMARead, 0x90000, 0, false}},
		{"SEND", Send, func(*Params) {}, 0, want{verbs.WRSend, 0, 0, false}},
		{"addition", Atomic, func(*Params) {}, 0, want{verbs.WRAtomicFetchAndAdd, 0x90000, 1, false}},
		{"comparison", Atomic, func(p *Params) { p.CmpSwap = true }, 0,
			want{verbs.WRAtomicCmpAndSwp, 0x90000, 0, false}},
		{"inline", Write, func(p *Params) { p.Inline = 8 }, 8,
			want{verbs.WRRDMAWrite, 0x90000, 0, true}},
		{"beyond -I", Write, func(p *Params) { p.Inline = 7 }, 8,
			want{verbs.WRRDMAWrite, 0x90000, 0, false}},
		{"beyond max_inline_data", Write, func(p *Params) { p.Inline = 8 }, 7,
			want{verbs.WRRDMAWrite, 0x90000, 0, false}},
	} {
		l, pairs := newTestLoop(t, params(tt.verb, false, func(p *Params) { p.Host = "h"; tt.change(p) }))
		l.lanes[0].q.Limits.MaxInlineData = tt.takes
		l = l.newLoop(8)
		if err := l.stream(); err != nil {
			t.Fatal(err)
		}
		wr := pairs[0].sent[0]
		got := want{wr.Opcode, wr.RemoteAddr, wr.CompareAdd, wr.SendFlags&verbs.SendInline != 0}
		if got != tt.want || wr.AH != nil || (wr.RKey == 9) != (tt.verb != Send) {
			t.Errorf("%s: %+v", tt.name, wr)
		}
	}
}

// TestDatagrams: a datagram is sent to the peer's queue pair, and received behind the room for a GRH.
func TestDatagrams(t *testing.T) {
	l, pairs := newTestLoop(t, params(Send, true, func(p *Params) {
		p.Connection, p.Size, p.RXDepth = verbs.UD, 100, 4
	}))
	if err := errors.Join(l.postRecvs(&l.lanes[0], 0, 1), l.post(&l.lanes[0], true)); err != nil {
		t.Fatal(err)
	}
	wr, recv := pairs[0].sent[0], pairs[0].recvs[0].SGList[0]
	if wr.AH != l.lanes[0].ah.AH || wr.RemoteQPN != 0x12 || wr.RemoteQKey != l.lanes[0].qkey || wr.RKey != 0 ||
		recv.Length != 140 || recv.Addr != memoryAt+l.area {
		t.Errorf("%+v, %+v", wr, recv)
	}
}

// TestSteps: messages share one address if they are measured one by one or two of them do not fit into the cycle.
func TestSteps(t *testing.T) {
	for _, tt := range []struct {
		size, header, step, slots uint64
		latency                   bool
	}{
		{1, 0, 64, 64, false}, {64, 0, 64, 64, false}, {65, 0, 128, 32, false}, {64, 40, 128, 32, false},
		{2048, 0, 2048, 2, false}, {2049, 0, 0, 1, false}, {2040, 40, 2112, 1, false}, {1, 0, 0, 1, true},
		{8192, 0, 0, 1, false},
	} {
		l, _ := newTestLoop(t, params(Write, tt.latency, func(p *Params) { p.Host = "h" }))
		l.size = tt.size
		if step, slots := l.steps(tt.header); step != tt.step || slots != tt.slots {
			t.Errorf("%+v: %d bytes, %d addresses", tt, step, slots)
		}
	}
}

// TestPostFails: a request that is refused ends the loop with its number.
func TestPostFails(t *testing.T) {
	for _, tt := range []struct {
		list, depth int
		want        string
	}{{1, 3, "post_send bench-qp0, message 4: "}, {5, 8, "post_send bench-qp0, message 9: "}} {
		l, pairs := newTestLoop(t, params(Write, false, func(p *Params) {
			p.Host, p.PostList, p.TXDepth, p.CQMod = "h", tt.list, 10, 5
		}))
		pairs[0].depth, pairs[0].mute = tt.depth, true
		if err := l.stream(); !errors.Is(err, syscall.ENOMEM) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%d in a list: %v", tt.list, err)
		}
	}
	l, pairs := newTestLoop(t, params(Send, false, func(p *Params) { p.RXDepth = 2 }))
	pairs[0].refused = 2
	if err := l.postRecvs(&l.lanes[0], 0, 2); !errors.Is(err, syscall.ENOMEM) ||
		!strings.HasPrefix(err.Error(), "post_recv bench-qp0: ") || len(pairs[0].posted) != 1 {
		t.Errorf("%v, %d posted", err, len(pairs[0].posted))
	}
}

// TestStreamOver: a bandwidth test of given duration ends when it is over, and counts what completed while it sampled.
func TestStreamOver(t *testing.T) {
	for _, both := range []bool{false, true} {
		l, pairs := newTestLoop(t, params(Send, false, func(p *Params) {
			p.Host, p.Duration, p.TXDepth, p.CQMod, p.Bidirectional = "h", 4e9, 4, 2, both
		}))
		started := 0
		l.clock = func() { started++ }
		q := pairs[0]
		q.after = func(sent int) {
			if q.arrive(); sent == 100 {
				l.phase.Store(sampling)
			} else if sent == 200 {
				l.phase.Store(cooling)
			} else if sent == 300 {
				l.phase.Store(over)
			}
		}
		work := l.stream
		if both {
			work = l.both
			if err := l.postRecvs(&l.lanes[0], 0, l.recvs()); err != nil {
				t.Fatal(err)
			}
		}
		if err := work(); err != nil || started != 1 || len(q.sent) != 300 {
			t.Errorf("both %v: %v, started %d times, %d sent", both, err, started, len(q.sent))
		}
		least, most := uint64(96), uint64(104)
		if both {
			least, most = 2*least, 2*most
		}
		if l.counted < least || l.counted > most || l.bw.Completed != nil {
			t.Errorf("both %v: %d counted", both, l.counted)
		}
	}
}

// breaking is a completion queue that breaks in the call which returns its last completion.
type breaking struct {
	verbs.CQ
	last verbs.WC
}

func (b *breaking) Poll(wcs []verbs.WC) (int, error) {
	return copy(wcs, []verbs.WC{b.last}), syscall.EIO
}

// TestFailedBeforeBreaking: a failed completion that comes with an error of the queue is the cause that is told.
func TestFailedBeforeBreaking(t *testing.T) {
	l, _ := newTestLoop(t, params(Write, false, func(*Params) {}))
	l.sendCQ.CQ = &breaking{last: verbs.WC{Status: verbs.WCRetryExcErr}}
	if _, err := l.Poll(l.sendCQ, queue.LoopBatch); err == nil || !strings.Contains(err.Error(), "RETRY_EXC_ERR") {
		t.Error(err)
	}
}
