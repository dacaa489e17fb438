package queue_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// linked is a completion: its wr_id, the line that posted the request, and the index
// of the request in that command.
type linked struct {
	wrID  uint64
	line  string
	index uint64
}

// links returns the completions on the time line, in order for each queue.
func links(t *testing.T, s *session.Session) (sends, recvs []linked) {
	t.Helper()
	lines, numbers := map[uint64]string{}, []uint64{}
	for _, d := range sessiontest.Commands(s) {
		if lines[d.Number] != "" || d.Number == 0 {
			t.Errorf("%q has number %d, as has %q", d.Line, d.Number, lines[d.Number])
		}
		lines[d.Number] = strings.TrimSpace(d.Line)
		numbers = append(numbers, d.Number)
	}
	if len(numbers) > 0 && slices.Max(numbers) != uint64(len(numbers)) {
		t.Errorf("%d commands, the last is number %d", len(numbers), slices.Max(numbers))
	}
	for _, e := range s.Timeline().Snapshot() {
		if e.Kind != timeline.KindWC {
			continue
		}
		l := linked{e.WC.WC.WRID, lines[e.WC.Command], e.WC.Index}
		if e.WC.Recv {
			recvs = append(recvs, l)
		} else {
			sends = append(sends, l)
		}
	}
	return sends, recvs
}

func TestCompletionsNameTheirCommand(t *testing.T) {
	const to = " sge=src:0:1 remote_addr=dst.addr rkey=dst.rkey"
	const chain = "chain post_send a RDMA_WRITE wr_id=1" + to + " ; post_send a RDMA_WRITE wr_id=1" + to +
		" ; post_send a SEND wr_id=3 sge=src:0:1"
	const five = "post_send a RDMA_WRITE wr_id=10 count=5" + to
	const kept = "post_send a RDMA_WRITE wr_id=20 count=5 outstanding=2 signal_every=2" + to
	const same = "post_send a RDMA_WRITE wr_id=30" + to
	const recv = "post_recv b wr_id=40 sge=dst:0:8 count=3"
	const other = "post_recv b wr_id=40 sge=dst:8:8"
	for name, tt := range map[string]struct {
		script       string
		sends, recvs []linked
	}{
		"a chain": {recv + "\n" + chain + "\npoll_cq cq n=4 timeout=30s",
			[]linked{{1, chain, 0}, {1, chain, 1}, {3, chain, 2}}, []linked{{40, recv, 0}}},
		"count": {five + "\npoll_cq cq n=5 timeout=30s",
			[]linked{{10, five, 0}, {11, five, 1}, {12, five, 2}, {13, five, 3}, {14, five, 4}}, nil},
		"count with outstanding, every other SIGNALED": {kept,
			[]linked{{21, kept, 1}, {23, kept, 3}, {24, kept, 4}}, nil},
		"RECVs with count, and a chain of them": {recv + "\n" + other + "\nchain " + other + " ; " + other +
			"\npost_send a SEND count=6 sge=src:0:1 send_flags=0\npoll_cq cq n=6 timeout=30s",
			nil, []linked{{40, recv, 0}, {40, recv, 1}, {40, recv, 2}, {40, other, 0},
				{40, "chain " + other + " ; " + other, 0}, {40, "chain " + other + " ; " + other, 1}}},
		"lines in a loop and in repeat": {"loop 1\n  " + same + "\nend\nrepeat 2 " + five +
			"\npoll_cq cq n=11 timeout=30s",
			[]linked{{30, same, 0}, {10, five, 0}, {11, five, 1}, {12, five, 2}, {13, five, 3}, {14, five, 4},
				{10, five, 0}, {11, five, 1}, {12, five, 2}, {13, five, 3}, {14, five, 4}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := sessiontest.NewPair(t)
			sessiontest.RunScript(t, s, "destroy_qp a\ndestroy_qp b\n"+
				"create_qp a send_cq=cq recv_cq=cq max_send_wr=16\ncreate_qp b send_cq=cq recv_cq=cq max_recv_wr=16\nconnect_qps a b\n"+tt.script)
			sends, recvs := links(t, s)
			if !slices.Equal(sends, tt.sends) {
				t.Errorf("sends\n%v, want\n%v", sends, tt.sends)
			}
			if !slices.Equal(recvs, tt.recvs) {
				t.Errorf("receives\n%v, want\n%v", recvs, tt.recvs)
			}
		})
	}
}

// TestSameLinesAreTwoCommands: two identical lines are two commands; requests posted by a failed line belong to that
// line.
func TestSameLinesAreTwoCommands(t *testing.T) {
	s := sessiontest.NewPair(t)
	const line = "post_send a RDMA_WRITE wr_id=7 sge=src:0:1 remote_addr=dst.addr rkey=dst.rkey"
	first, second := sessiontest.Execute(t, s, line).Number, sessiontest.Execute(t, s, line).Number
	failed, err := s.Exec(t.Context(), "chain "+line+" ; post_send a SEND sge=src,src,src,src,src")
	if err == nil || first == 0 || second != first+1 || failed.Number != first+2 {
		t.Fatalf("numbers %d, %d, %d: %v", first, second, failed.Number, err)
	}
	sessiontest.Execute(t, s, "poll_cq cq n=3 timeout=30s")
	var got []uint64
	for _, e := range s.Timeline().Snapshot() {
		if e.Kind == timeline.KindWC {
			got = append(got, e.WC.Command)
		}
	}
	if want := []uint64{first, second, failed.Number}; !slices.Equal(got, want) {
		t.Errorf("commands %v, want %v", got, want)
	}
}

// TestSharedReceivesNameTheirCommand: requests of a shared receive queue complete in
// another order than they were posted.
func TestSharedReceivesNameTheirCommand(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	const line, double = "post_srq_recv srq wr_id=5", "chain post_srq_recv srq wr_id=6 ; post_srq_recv srq wr_id=7"
	sessiontest.RunScript(t, s, shared+"\n"+line+" count=2\n"+double+"\n"+line)
	wcs := []verbs.WC{
		{WRID: 7, Opcode: verbs.WCRecv, QPNum: f.Qps[1].Number}, {WRID: 5, Opcode: verbs.WCRecv,
			QPNum: f.Qps[0].Number},
		{WRID: 6, Opcode: verbs.WCRecv, QPNum: f.Qps[0].Number}, {WRID: 5, Opcode: verbs.WCRecv,
			QPNum: f.Qps[1].Number},
		{WRID: 5, Status: verbs.WCWRFlushErr, QPNum: f.Qps[0].Number},
	}
	next := func(to []verbs.WC) int { n := copy(to, wcs); wcs = wcs[n:]; return n }
	f.Cqs[1].Next.Store(&next)
	sessiontest.Execute(t, s, "poll_cq cq n=5 timeout=10s")
	_, recvs := links(t, s)
	if want := []linked{{7, double, 1}, {5, line + " count=2", 0}, {6, double, 0}, {5, line + " count=2", 1},
		{5, line, 0}}; !slices.Equal(recvs, want) {
		t.Errorf("%v, want %v", recvs, want)
	}
}

// TestReceivesLeftByPingpong: the RECVs that a ping-pong loop leaves belong to it,
// from the first incomplete one; an incomplete one posted earlier keeps its command.
func TestReceivesLeftByPingpong(t *testing.T) {
	const before, loop = "post_recv d wr_id=40 sge=dst:0:8", "pingpong d role=server size=1 mr=dst"
	const send = "post_send c SEND sge=src:0:1 send_flags=0 count="
	for name, tt := range map[string]struct {
		messages string // sent before the loop runs
		n        string
		fails    bool
		want     []linked
	}{
		"no message": {"", " n=1 timeout=1ms", true,
			[]linked{{40, before, 0}, {1, loop + " n=1 timeout=1ms", 0}, {1, loop + " n=1 timeout=1ms", 1}}},
		"three messages": {send + "3", " n=3 timeout=30s", false,
			[]linked{{1, loop + " n=3 timeout=30s", 2}, {1, loop + " n=3 timeout=30s", 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := sessiontest.NewPair(t)
			sessiontest.RunScript(t, s, "create_cq mine\ncreate_cq theirs\ncreate_qp c send_cq=theirs recv_cq=theirs\n"+
				"create_qp d send_cq=mine recv_cq=mine max_recv_wr=8\nconnect_qps c d\n"+before+
				"\npost_recv c sge=src count=3\n"+tt.messages)
			cq := sessiontest.QueueOfName(t, s, "mine")
			<-cq.Wake // as a poller does after a post
			if d, err := s.Exec(t.Context(), loop+tt.n); (err != nil) != tt.fails {
				t.Fatalf("%v, %+v", err, d)
			}
			if cq.Claimed || len(cq.Wake) == 0 {
				t.Errorf("the queue stays claimed (%v), or the poller was not woken", cq.Claimed)
			}
			n := len(tt.want)
			sessiontest.Execute(t, s, send+strconv.Itoa(n))
			sessiontest.Execute(t, s, "poll_cq mine timeout=30s n="+strconv.Itoa(n))
			if _, got := links(t, s); !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}
