package home

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// What is commonly wrong: one press of f leaves nothing wrong, or f is not offered and the line says who must do what.
func TestFixEach(t *testing.T) {
	connected := append(slices.Clone(uitest.BenchLines), "connect_qps a b rnr_retry=7")
	with := func(lines ...string) []string { return append(slices.Clone(connected), lines...) }
	send := "post_send a SEND wr_id=7 sge=src:0:5 send_flags=SIGNALED"
	write := "post_send a RDMA_WRITE wr_id=7 sge=src:0:5 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED"
	anew := []string{"modify_qp a RESET", "modify_qp b RESET", "connect_qps a b"}
	remote := "peer p lid=0 qp_num=0x77 psn=0x88 gid=b.gid"
	for _, tt := range []struct {
		name  string
		lines []string
		hand  string
		red   string   // "": nothing is wrong
		ran   []string // nil: f is not offered
	}{
		{name: "no device open", red: "no device is open; f opens soft0 and creates two queue pairs",
			ran: uitest.BenchLines},
		{name: "no queue pair", lines: []string{"open_device soft1"}},
		{name: "RESET", lines: uitest.BenchLines},
		{name: "connected", lines: connected},
		{name: "ERR", lines: with("modify_qp a ERR"), red: "a is ERR; f connects it", ran: anew},
		{name: "the peer in ERR", lines: with("modify_qp b ERR"), red: "b is ERR; f connects it", ran: anew},
		{name: "both in ERR", lines: with("modify_qp a ERR", "modify_qp b ERR"), red: "a is ERR; f connects it",
			ran: anew},
		{name: "ERR, the peer in RESET", lines: with("modify_qp a ERR", "modify_qp b RESET"),
			red: "a is ERR; f connects it", ran: []string{"modify_qp a RESET", "connect_qps a b"}},
		{name: "SQE", lines: with("create_qp c pd=pd send_cq=cq recv_cq=cq qp_type=UC",
			"create_qp d pd=pd send_cq=cq recv_cq=cq qp_type=UC", "connect_qps c d",
			"post_send c SEND wr_id=7 sge=@0x1000:8:0x7f send_flags=SIGNALED"), hand: "c",
			red: "c is SQE; f connects it",
			ran: []string{"modify_qp c RESET", "modify_qp d RESET", "connect_qps c d"}},
		{name: "from the other end", lines: with("modify_qp a ERR"), hand: "b", red: "a is ERR; f connects it",
			ran: []string{"modify_qp b RESET", "modify_qp a RESET", "connect_qps b a"}},
		{name: "not in hand", lines: with("create_qp c pd=pd send_cq=cq recv_cq=cq",
			"modify_qp c INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE", "modify_qp c ERR")},
		{name: "RNR", lines: with(send), red: "b posted no RECV; f posts a RECV",
			ran: []string{"post_recv b sge=dst:0:4096"}},
		{name: "RNR, seen from the receiver", lines: with(send), hand: "b", red: "b posted no RECV; f posts a RECV",
			ran: []string{"post_recv b sge=dst:0:4096"}},
		{name: "RNR of a large message", lines: with("reg_mr big pd=pd length=8192 access=LOCAL_WRITE",
			"post_send a SEND wr_id=7 sge=big:0:8000 send_flags=SIGNALED"), red: "b posted no RECV; f posts a RECV",
			ran: []string{"post_recv b sge=big:0:8192"}},
		{name: "the peer drops packets", lines: append(slices.Clone(uitest.BenchLines),
			"connect_qps a b timeout=16", "modify_qp b RESET", send),
			red: "b is RESET, which drops packets; f connects it",
			ran: []string{"modify_qp a RESET", "connect_qps a b"}},
		{name: "every packet lost", lines: append(slices.Clone(uitest.BenchLines), "connect_qps a b timeout=16",
			"fault soft0 loss=100%", write), red: "; f stops the faults", ran: []string{"fault soft0 off"}},
		{name: "SQD", lines: with("modify_qp a SQD", write),
			red: "a is in SQD, which starts no request; f connects it", ran: []string{"modify_qp a RTS"}},
		{name: "a remote peer", lines: with("destroy_qp b", "create_qp b pd=pd send_cq=cq recv_cq=cq", remote,
			"modify_qp a RESET", "connect_qps a p", "modify_qp a ERR"),
			red: "a is ERR; the peer must reset its end too: connect both anew on Bring-up (2)"},
		{name: "a remote peer does not answer", lines: with("destroy_qp b", "create_qp b pd=pd send_cq=cq recv_cq=cq",
			remote, "modify_qp a RESET", "connect_qps a p timeout=16", send),
			red: "; the peer must be up and connected to a"},
		{name: "nobody to connect to", lines: append(slices.Clone(uitest.BenchLines), "destroy_qp b",
			"modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE", "modify_qp a ERR"),
			red: "a is ERR; no peer is known: enter its address with P on Bring-up (2)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sess := uitest.NewSession(t, session.Options{Live: true}, tt.lines...)
				d, s := newHomeOf(t, sess, nil)
				s.env.Hand.Take(tt.hand)
				wrong := func() trouble {
					time.Sleep(time.Second) // while a request is retried
					sess.LookAtSends()
					d.Frame()
					return troubleOf(s)
				}
				is := wrong()
				if got := is.text(); !strings.HasSuffix(got, tt.red) || (got == "") != (tt.red == "") {
					t.Fatalf("%q is wrong, want %q", got, tt.red)
				}
				first, _, _ := strings.Cut(d.View(200, 60), "\n")
				line := " " + is.mark(&s.th.Glyphs) + " " + is.text()
				if shown := strings.TrimRight(first, " ") == line; shown != (tt.red != "") {
					t.Errorf("the first line is %q", first)
				}
				if offered := slices.Contains(keysOf(s), "f"); offered != (tt.ran != nil) {
					t.Fatalf("f is offered: %t", offered)
				}
				sess.Lines()
				d.Keys("f")
				if sess.WantLines(tt.ran...); tt.ran == nil {
					return
				}
				want := "ran " + strings.Join(tt.ran, "; ")
				if is.start {
					want = "ran 7 lines; the Journal (8) shows them"
				}
				if !slices.Contains(d.Flashes, want) {
					t.Errorf("f says %q, want %q", d.Flashes, want)
				}
				if is := wrong(); is.what != "" {
					t.Errorf("after f: %s", is.text())
				}
				if q := s.snap.QP(s.env.Hand.In(&s.snap)); tt.lines != nil && q.State != verbs.QPRTS {
					t.Errorf("after f: %s is %s", q.Name, q.State)
				}
			})
		})
	}
}

// keysOf lists the keys that the bottom line offers.
func keysOf(s *Screen) (list []string) {
	own, _ := s.Context().Short()
	for _, b := range own {
		list = append(list, b.Help().Key)
	}
	return list
}

// What is wrong is red and wraps, to at most a third of the screen; that no device is open yet is no error.
func TestNotice(t *testing.T) {
	th := uitest.Tokens()
	n := &notice{th: th}
	red, start := trouble{what: "a is ERR"}, trouble{what: "none", start: true}
	for _, tt := range []struct {
		t             trouble
		w, most, rows int
		want          string
		style, styled string
	}{
		{trouble{}, 80, 6, 0, "", "", ""},
		{red, 80, 6, 1, " ✗ a is ERR", "‹Err›", "✗ a is ERR"},
		{red, 10, 6, 2, " ✗ a is\n ERR", "‹Err›", "✗ a is"},
		{red, 10, 1, 1, " ✗ a is", "‹Err›", "✗ a is"},
		{red, 10, 0, 1, " ✗ a is", "‹Err›", "✗ a is"},
		{start, 80, 6, 1, " ○ none", "‹Dim›", "○ none"},
	} {
		rows := n.set(tt.t, tt.w, tt.most)
		raw := widget.Render(th, n, tt.w, rows)
		if got := uitest.Text(raw); rows != tt.rows || got != tt.want {
			t.Errorf("%+v in %dx%d: %d rows, %q", tt.t, tt.w, tt.most, rows, got)
		}
		if tt.rows > 0 && !strings.Contains(uitest.Marked(t, raw, tt.styled), tt.style+tt.styled) {
			t.Errorf("%+v is not %s", tt.t, tt.style)
		}
	}
}
