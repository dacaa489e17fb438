package completions

import (
	"slices"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
)

func TestPostOf(t *testing.T) {
	const one, two = "post_send a SEND wr_id=7 sge=src:0:1", "post_send a SEND wr_id=8 sge=src:1:1"
	for _, tt := range []struct {
		line, resolved string
		index          uint64
		want           post
	}{
		{"post_send a SEND", one, 0, post{one, ""}},
		{one, "", 0, post{one, ""}},
		{"", one + " count=5", 0, post{one + " count=5", "request 1 of 5"}},
		{"", one + " count=5", 4, post{one + " count=5", "request 5 of 5"}},
		{"", one + " count=0 outstanding=2", 9, post{one + " count=0 outstanding=2", "request 10"}},
		{"", "post_recv a wr_id=7 count=1", 0, post{"post_recv a wr_id=7 count=1", ""}},
		{"", "chain " + one + " ; " + two, 0, post{one, "request 1 of 2"}},
		{"", "chain " + one + " ; " + two, 1, post{two, "request 2 of 2"}},
		{"", "chain " + one + " ; " + two, 2, post{"chain " + one + " ; " + two, "request 3"}},
		{"post_recv a frobnicate", "", 3, post{"post_recv a frobnicate", ""}},
	} {
		if got := postOf(&timeline.CommandDone{Line: tt.line, Resolved: tt.resolved}, tt.index); got != tt.want {
			t.Errorf("%q %q, request %d: %+v, want %+v", tt.line, tt.resolved, tt.index, got, tt.want)
		}
	}
}

// Each completion is linked to the line that posted its request, even if lines are
// repeated, are in a loop, or post several requests.
func TestCompletionsAreLinkedToLines(t *testing.T) {
	s := uitest.NewSession(t, session.Options{})
	p := newPosts(s.Timeline())
	defer p.ring.Close()
	err := s.RunScript(t.Context(), "script", strings.NewReader(`
open_device soft0
alloc_pd pd
reg_mr src length=64 access=LOCAL_WRITE
create_cq cq cqe=64
create_qp a send_cq=cq recv_cq=cq
connect_qps a a
post_recv a wr_id=9 sge=src:32:8 count=2
chain post_send a SEND wr_id=1 sge=src:0:1 ; post_send a SEND wr_id=2 sge=src:1:1
poll_cq cq n=4 timeout=30s
loop 2
  post_recv a wr_id=5 sge=src:32:8
  chain post_send a SEND sge=src:0:1
  poll_cq cq n=2 timeout=30s
end
`))
	if err != nil {
		t.Fatal(err)
	}
	var sends, recvs []string
	for _, e := range s.Timeline().Snapshot() {
		if e.Kind != timeline.KindWC {
			continue
		}
		of := p.of(&e.WC)
		text := of.place
		for word := range strings.FieldsSeq(of.line) {
			if strings.HasPrefix(word, "wr_id=") {
				text = word + " " + text
			}
		}
		if e.WC.Recv {
			recvs = append(recvs, text)
		} else {
			sends = append(sends, text)
		}
	}
	if want := []string{"wr_id=1 request 1 of 2", "wr_id=2 request 2 of 2", "wr_id=10 ",
		"wr_id=11 "}; !slices.Equal(sends, want) {
		t.Errorf("sends %q, want %q", sends, want)
	}
	if want := []string{"wr_id=9 request 1 of 2", "wr_id=9 request 2 of 2", "wr_id=5 ",
		"wr_id=5 "}; !slices.Equal(recvs, want) {
		t.Errorf("receives %q, want %q", recvs, want)
	}
}

// A completion taken before its command has returned is linked afterwards.
func TestLinkedOnceTheCommandReturned(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	defer x.s.detail.posts.ring.Close()
	c := recvDone(7)
	c.Command, c.Index = 1003, 1
	x.sess.Timeline().AppendBatch([]timeline.Completion{c})
	x.refresh()
	if words := x.words(); strings.Contains(words, "post_recv") {
		t.Error(words)
	}
	x.sess.Timeline().Append(timeline.Event{Kind: timeline.KindCommand,
		Command: &timeline.CommandDone{Number: 1002, Line: "post_recv b wr_id=7 sge=src:0:1"}})
	x.sess.Timeline().Append(timeline.Event{Kind: timeline.KindCommand,
		Command: &timeline.CommandDone{Number: 1003, Line: " post_recv b wr_id=7 sge=src:0:5 count=2"}})
	x.refresh()
	if words := x.words(); !strings.Contains(words,
		"request 2 of 2, posted by post_recv b wr_id=7 sge=src:0:5 count=2") {
		t.Error(words)
	}
}
