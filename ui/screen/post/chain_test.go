package post

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rdmatui/session/command"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// chainOf puts n requests of one byte each into the chain, without payloads.
func chainOf(s *Screen, n int) {
	s.req.chain = nil
	for i := range n {
		s.req.chain = append(s.req.chain, link{
			qp: "a", op: "SEND", wrID: fmt.Sprint(i + 1), sends: true, signaled: true,
			post: fmt.Sprintf("post_send a SEND wr_id=%d sge=src:%d:1", i+1, i),
		})
	}
}

// The chain's list has one line of what can be done, and below it up to four requests: the last ones, or those up to
// the one that was refused, which is marked.
func TestChainList(t *testing.T) {
	d, _, s, _ := start(t, uitest.Tokens())
	d.View(roomyWidth, roomyHeight)
	for _, tt := range []struct {
		n, bad int
		want   []string // the rows without the first line
	}{
		{0, 0, nil},
		{1, 0, []string{" 1 1"}},
		{4, 0, []string{" 1 1", " 2 2", " 3 3", " 4 4"}},
		{6, 0, []string{" 3 3", " 4 4", " 5 5", " 6 6"}},
		{6, 1, []string{"✗1 1", " 2 2", " 3 3", " 4 4"}},
		{6, 4, []string{"✓1 1", "✓2 2", "✓3 3", "✗4 4"}},
		{6, 5, []string{"✓2 2", "✓3 3", "✓4 4", "✗5 5"}},
		{6, 6, []string{"✓3 3", "✓4 4", "✓5 5", "✗6 6"}},
		{2, 2, []string{"✓1 1", "✗2 2"}},
	} {
		chainOf(s, tt.n)
		s.bad = tt.bad
		height := s.chainHeight()
		if want := min(tt.n, 4) + min(tt.n, 1); height != want {
			t.Errorf("%d requests take %d lines, want %d", tt.n, height, want)
			continue
		}
		if tt.n == 0 {
			continue
		}
		raw := widget.Render(s.th, s.chainList(), 100, height)
		lines := strings.Split(uitest.Text(raw), "\n")
		head := fmt.Sprintf(" chain %d collected: s posts them, C clears", tt.n)
		if tt.bad > 0 {
			head = fmt.Sprintf(" chain bad_wr is %d of %d: earlier requests were posted; C clears", tt.bad, tt.n)
		}
		if lines[0] != head {
			t.Errorf("%q, want %q", lines[0], head)
		}
		for i, want := range tt.want {
			mark := strings.TrimSpace(strings.TrimRight(want[:strings.IndexByte(want, ' ')], "123456"))
			number, id := want[len(want)-3:len(want)-2], want[len(want)-1:]
			row := fmt.Sprintf(" %-2s  %s SEND", mark, number)
			if got := lines[i+1]; !strings.HasPrefix(got, row) || !strings.Contains(got, "wr_id "+id+" ") ||
				!strings.HasSuffix(got, fmt.Sprintf("sge=src:%d:1", id[0]-'1')) {
				t.Errorf("%d of %d refused: row %d is %q, want %q", tt.bad, tt.n, i, got, row)
			}
			style := map[string]string{"✗": "‹Err›", "✓": "‹OK›", "": "‹Value›"}[mark]
			if got := uitest.Marked(t, strings.Split(raw, "\n")[i+1], "SEND"); !strings.Contains(got, style+"SEND") &&
				!strings.Contains(got, style+mark) {
				t.Errorf("row %d is in the wrong style: %s", i, got)
			}
		}
	}
}

// The first line of the chain has a shorter text for less room; in a small window the chain has one line.
func TestChainInASmallWindow(t *testing.T) {
	d, _, s, _ := start(t, theme.New("none", true))
	chainOf(s, 3)
	for size, want := range map[[2]int]int{{roomyWidth, roomyHeight}: 4, {roomyWidth - 1, roomyHeight}: 1,
		{roomyWidth, roomyHeight - 1}: 1} {
		d.View(size[0], size[1])
		if got := s.chainHeight(); got != want {
			t.Errorf("%dx%d: %d lines, want %d", size[0], size[1], got, want)
		}
	}
	for _, tt := range []struct {
		bad  int
		long string
		then string
	}{{0, "3 collected: s posts them, C clears", "3 collected: s posts, C clears"},
		{2, "bad_wr is 2 of 3: earlier requests were posted; C clears", "bad_wr is 2 of 3; C clears"}} {
		s.bad = tt.bad
		for w, want := range map[int]string{len(tt.long) + 7: tt.long, len(tt.long) + 6: tt.then} {
			if got := uitest.Text(widget.Render(s.th, s.chainList(), w, 1)); got != " chain "+want {
				t.Errorf("in %d cells %q, want %q", w, got, want)
			}
		}
	}
}

// What cannot be part of a chain is refused with the reason, and the chain keeps its requests.
func TestChainRefuses(t *testing.T) {
	const once = "a chain posts each request once: leave count unset"
	for _, tt := range []struct {
		name string
		keys []string
		do   func(s *Screen)
		n    int // requests in the chain afterwards
		says string
	}{
		{name: "a request", keys: []string{"a"}, n: 1},
		{name: "repeated", do: func(s *Screen) { s.turnTo("count", "2") }, keys: []string{"a"}, says: once},
		{name: "counted once", do: func(s *Screen) { s.turnTo("count", "1") }, keys: []string{"a"}, says: once},
		{name: "full", do: func(s *Screen) { chainOf(s, maxLinks) }, keys: []string{"a"}, n: maxLinks,
			says: "the chain is full: 16 requests; s posts it, C clears it"},
		{name: "nearly full", do: func(s *Screen) { chainOf(s, maxLinks-1) }, keys: []string{"a"}, n: maxLinks},
		{name: "another queue pair", keys: []string{"a", "o", "a"}, n: 1,
			says: "one call posts to one queue: this chain posts to the send queue of a; s posts it, C clears it"},
		{name: "a RECV after a SEND", keys: []string{"a", "v", "a"}, n: 1,
			says: "one call posts to one queue: this chain posts to the send queue of a; s posts it, C clears it"},
		{name: "a SEND after a RECV", keys: []string{"v", "a", "t", "a"}, n: 1,
			says: "one call posts to one queue: this chain posts to the receive queue of a; s posts it, C clears it"},
		{name: "two RECVs", keys: []string{"v", "a", "a"}, n: 2},
		{name: "another operation", keys: []string{"a", "t", "a"}, n: 2},
		{name: "cleared", keys: []string{"a", "a", "C"}},
		{name: "undone", keys: []string{"a", "a", "C", "u"}, n: 2},
		{name: "undone over another", keys: []string{"a", "a", "C", "a", "u"}, n: 1},
		{name: "of another queue pair", keys: []string{"a", "o", "s"}, n: 1,
			says: "this chain posts to the send queue of a: turn to it with < or >"},
		{name: "posted to another queue pair",
			do:   func(s *Screen) { s.last, s.lastQP = command.ReadAll("query_qp a"), "a" },
			keys: []string{"o", "r"}, says: "the last request was of a: turn to it with < or >"},
		{name: "empty", keys: []string{"s"}, says: "the chain is empty: a adds this request"},
	} {
		d, sess, s, _ := start(t, theme.New("none", true))
		if tt.do != nil {
			tt.do(s)
		}
		d.Keys(tt.keys...)
		if n := len(s.req.chain); n != tt.n || strings.Join(d.Flashes, ";") != tt.says {
			t.Errorf("%s: %d in the chain, %q, want %d and %q", tt.name, n, d.Flashes, tt.n, tt.says)
		}
		sess.WantLines()
	}
}

// Requests of a chain are numbered one after the other, their payloads lie one behind the other, and each payload is
// written once.
func TestChainLines(t *testing.T) {
	d, sess, s, _ := start(t, theme.New("none", true))
	d.Keys("a", "a")
	s.turnTo("wr_id", "9")
	d.Keys("a")
	s.turnTo("sge", "src:0:5")
	d.Keys("a", "s")
	sess.WantLines(`write_mem src "hello"`, `write_mem src "hello" offset=5`, `write_mem src "hello" offset=10`,
		"chain post_send a SEND wr_id=1 sge=src:0:5 send_flags=SIGNALED ; "+
			"post_send a SEND wr_id=2 sge=src:5:5 send_flags=SIGNALED ; "+
			"post_send a SEND wr_id=9 sge=src:10:5 send_flags=SIGNALED ; "+
			"post_send a SEND wr_id=10 sge=src:0:5 send_flags=SIGNALED")
	if got := s.req.value("wr_id"); got != "11" || len(s.req.chain) != 0 || s.chaining {
		t.Errorf("wr_id is %s, %d in the chain", got, len(s.req.chain))
	}
}

// The last completion of a chain is that of its last SIGNALED request, whatever comes behind it.
func TestChainAwaits(t *testing.T) {
	for _, tt := range []struct {
		signaled string // of each request: 1 or 0
		want     uint64 // 0: none
	}{{"111", 3}, {"100", 1}, {"010", 2}, {"011", 3}, {"000", 0}, {"1", 1}, {"0", 0}} {
		_, _, s, _ := start(t, theme.New("none", true))
		chainOf(s, len(tt.signaled))
		for i := range s.req.chain {
			s.req.chain[i].signaled = tt.signaled[i] == '1'
		}
		s.postChain() // not run
		var got uint64
		if s.sending != nil {
			got = s.sending.wrID
		}
		if got != tt.want {
			t.Errorf("%s: waits for %d, want %d", tt.signaled, got, tt.want)
		}
	}
}

// The chain counts what is ahead of a request in the same queue, and where its payloads end.
func TestChained(t *testing.T) {
	r := &request{chain: []link{
		{qp: "a", op: "SEND", sends: true,
			sge: []piece{{region: "src", off: 8, length: 8}, {region: "src", off: 99, length: 1}}},
		{qp: "a", op: "RDMA_WRITE", sends: true, sge: []piece{{region: "src", off: 0, length: 4}}},
		{qp: "a", op: "RDMA_READ", sge: []piece{{region: "src", off: 64, length: 8}}},
		{qp: "a", op: recv, sge: []piece{{region: "dst", off: 0, length: 4096}}},
		{qp: "b", op: "SEND", sends: true, sge: []piece{{region: "dst", off: 3, length: 4}}},
		{qp: "b", op: "BIND_MW"},
	}}
	for _, tt := range []struct {
		qp    string
		recvs bool
		want  int
	}{{"a", false, 3}, {"a", true, 1}, {"b", false, 2}, {"b", true, 0}, {"c", false, 0}} {
		if got := r.chained(tt.qp, tt.recvs); got != tt.want {
			t.Errorf("%s, RECVs %t: %d, want %d", tt.qp, tt.recvs, got, tt.want)
		}
	}
	for region, want := range map[string]uint64{"src": 16, "dst": 7, "none": 0} {
		if got := r.chainEnd(region); got != want {
			t.Errorf("%s ends at %d, want %d", region, got, want)
		}
	}
	if lines := (&request{chain: r.chain[:1]}).chainLines(); !slices.Equal(lines, []string{"chain "}) {
		t.Errorf("%q", lines)
	}
}
