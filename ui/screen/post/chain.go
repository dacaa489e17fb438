package post

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/command"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// link is one request of the collected chain.
type link struct {
	qp, op      string
	wrID        string
	write, post string // the lines that write its payload and post it
	sge         []piece
	sends       bool
	signaled    bool
}

// maxLinks bounds a chain; a command line cannot have more words.
const maxLinks = 16

// chainEnd returns the offset in a region after the chain's payloads, where the next
// one goes.
func (r *request) chainEnd(region string) (end uint64) {
	for _, l := range r.chain {
		if len(l.sge) > 0 && l.sends && l.sge[0].region == region {
			end = max(end, add(l.sge[0].off, l.sge[0].length))
		}
	}
	return end
}

// chained counts the chain's requests for a queue.
func (r *request) chained(qp string, recvs bool) (n int) {
	for _, l := range r.chain {
		if l.qp == qp && (l.op == recv) == recvs {
			n++
		}
	}
	return n
}

// addToChain adds the current request to the chain, to be posted with others in one call.
func (s *Screen) addToChain() tea.Cmd {
	r := &s.req
	post := r.command().Text
	switch {
	case post == "":
		return screen.Warn("no queue pair yet")
	case r.times() != 1 || r.value("count") != "":
		return screen.Warn("a chain posts each request once: leave count unset")
	case len(r.chain) == maxLinks:
		return screen.Warn(fmt.Sprintf("the chain is full: %d requests; s posts it, C clears it", maxLinks))
	case len(r.chain) > 0 && (r.chain[0].qp != r.qp || (r.chain[0].op == recv) != (r.op == recv)):
		return screen.Warn("one call posts to one queue: this chain posts to " + r.chain[0].queue() +
			"; s posts it, C clears it")
	}
	l := link{qp: r.qp, op: r.op, wrID: r.value("wr_id"), write: r.writeLine(), post: post, sends: r.sends(),
		signaled: r.op == recv || strings.Contains(r.value("send_flags"), "SIGNALED")}
	for _, name := range r.sgeNames() {
		l.sge = append(l.sge, parsePiece(r.value(name)))
	}
	r.chain = append(r.chain, l)
	s.bad = 0
	if n, ok := s.req.wrID(); ok && n >= r.next && n+1 > n {
		r.next = n + 1
	}
	delete(r.typed, slot{r.qp, r.op, "wr_id"})
	s.refill()
	return nil
}

// queue names the queue of a request.
func (l *link) queue() string {
	if l.op == recv {
		return "the receive queue of " + l.qp
	}
	return "the send queue of " + l.qp
}

func (s *Screen) clearChain() tea.Cmd {
	if hasChain(s) {
		s.req.chain, s.req.cleared, s.bad = nil, s.req.chain, 0
		s.refill()
	}
	return nil
}

// undo brings the chain back that was cleared last, or else makes the object again that was destroyed last.
func undo(s *Screen) tea.Cmd {
	switch {
	case !canUndo(s):
		return nil
	case !hasCleared(s):
		return s.runner.Start("undo")
	}
	s.req.chain, s.req.cleared = s.req.cleared, nil
	s.refill()
	return nil
}

func canUndo(s *Screen) bool { return hasCleared(s) || s.snap.Destroyed != "" }

func hasCleared(s *Screen) bool { return len(s.req.cleared) > 0 && !hasChain(s) }

// chainLines returns the commands that post the chain: each payload once, then the
// requests.
func (r *request) chainLines() []string {
	var lines, posts []string
	for _, l := range r.chain {
		if l.write != "" && !slices.Contains(lines, l.write) {
			lines = append(lines, l.write)
		}
		posts = append(posts, l.post)
	}
	return append(lines, "chain "+strings.Join(posts, " ; "))
}

func chainInHand(s *Screen) bool { return hasChain(s) && s.req.chain[0].qp == s.req.qp }

// postChain posts the collected requests in one call.
func (s *Screen) postChain() tea.Cmd {
	switch {
	case len(s.req.chain) == 0:
		return screen.Flash("the chain is empty: a adds this request")
	case !chainInHand(s):
		return screen.Warn("this chain posts to " + s.req.chain[0].queue() + ": turn to it with < or >")
	case s.runner.Busy():
		return s.runner.Start()
	}
	s.begin()
	s.bad = 0
	s.chaining = true
	last := &s.req.chain[0]
	for i := range s.req.chain {
		if s.req.chain[i].signaled {
			last = &s.req.chain[i]
		}
	}
	if n, ok := parseID(last.wrID); ok && last.signaled {
		s.sending = &posted{qp: last.qp, wrID: n, recv: last.op == recv, after: s.env.Session.Timeline().Last()}
	}
	s.last, s.lastQP = command.ReadAll(s.req.chainLines()...), s.req.qp
	return s.runner.Run(s.last...)
}

// chainDone takes the outcome of a chain: a posted chain is cleared; of a failed one
// the refused request is marked.
func (s *Screen) chainDone(msg screen.DoneMsg) {
	s.chaining = false
	if msg.Err == nil {
		s.req.chain = nil
		return
	}
	_, at, found := strings.Cut(msg.Done.Err, "bad_wr is request ")
	if n := 0; found {
		if _, err := fmt.Sscan(at, &n); err == nil {
			s.bad = n
		}
	}
}

// chainHeight returns the lines of the chain's list; 0 for no chain.
func (s *Screen) chainHeight() int {
	if len(s.req.chain) == 0 {
		return 0
	}
	if s.H < roomyHeight || s.W < roomyWidth {
		return 1
	}
	return 1 + min(len(s.req.chain), 4)
}

// chainList shows the collected requests, the newest if there is little room.
func (s *Screen) chainList() widget.Block {
	return &widget.Func{Line: func(b *line.Buf, y, _, h int) {
		links := s.req.chain
		b.Space(1)
		if y == 0 {
			b.Cell("chain", 6, line.Left, s.th.Key)
			text, short := fmt.Sprintf("%d collected: s posts them, C clears", len(links)),
				fmt.Sprintf("%d collected: s posts, C clears", len(links))
			if s.bad > 0 && s.bad <= len(links) {
				short = fmt.Sprintf("bad_wr is %d of %d; C clears", s.bad, len(links))
				text = fmt.Sprintf("bad_wr is %d of %d: earlier requests were posted; C clears", s.bad, len(links))
			}
			if line.Width(text) > b.Room() {
				text = short
			}
			b.Cell(text, b.Room(), line.Left, s.th.Value)
			return
		}
		i := max(len(links)-(h-1), 0) + y - 1
		if s.bad > 0 {
			i = max(s.bad-(h-1), 0) + y - 1
		}
		if i >= len(links) {
			return
		}
		l, mark, st := &links[i], "", s.th.Value
		switch {
		case s.bad == i+1:
			mark, st = s.th.Glyphs.Ban, s.th.Err
		case s.bad > i+1:
			mark, st = s.th.Glyphs.Check, s.th.OK
		}
		s.drawLink(b, i, l, mark, st)
	}}
}

func (s *Screen) drawLink(b *line.Buf, i int, l *link, mark string, st theme.Style) {
	b.Cell(mark, 2, line.Left, st)
	b.Cell(fmt.Sprint(i+1), 3, line.Right, s.th.Dim)
	b.Space(1)
	b.Cell(l.op, min(20, b.Room()), line.Left, st)
	b.Cell("wr_id "+l.wrID, min(9+len(l.wrID), b.Room()), line.Left, s.th.Value)
	args := ""
	if _, rest, ok := strings.Cut(l.post, " sge="); ok {
		args = "sge=" + rest
	}
	b.Cell(args, b.Room(), line.Left, s.th.Dim)
}
