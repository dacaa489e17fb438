package completions

import (
	"strings"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/timeline"
	"rdmatui/ui/recent"
)

// keepPosts is how many commands that post requests are remembered.
const keepPosts = 256

// A command is put on the time line when it returned; the request counts as
// posted some time before. These bound how far the two may be apart.
const (
	postEarly = 5 * time.Millisecond
	postLate  = 100 * time.Millisecond
)

// posts remembers the commands that post requests.
type posts struct {
	ring *recent.Ring
	buf  []timeline.Event
}

func newPosts(log *timeline.Log) *posts {
	return &posts{ring: recent.New(log, keepPosts, func(e *timeline.Event) bool {
		return e.Command != nil && strings.HasPrefix(e.Command.Line, "post_")
	})}
}

// of finds the command that posted a completion's request: the same queue pair
// and wr_id, at the time that the latency gives; nil if it was no command.
func (p *posts) of(e *timeline.Event) *timeline.CommandDone {
	if !e.WC.Matched {
		return nil
	}
	posted := e.T - e.WC.Latency
	p.buf = p.ring.Since(0, 0, p.buf[:0])
	for i := range p.buf {
		done := p.buf[i].Command
		off := p.buf[i].T - posted
		if off < -postEarly || off > done.Took+postLate || done.Err != "" {
			continue
		}
		if isPostOf(done, &e.WC) {
			return done
		}
	}
	return nil
}

func isPostOf(done *timeline.CommandDone, c *timeline.Completion) bool {
	text := done.Resolved
	if text == "" {
		text = done.Line
	}
	cmd, err := command.Parse(text)
	if err != nil || cmd.Spec == nil {
		return false
	}
	if !cmd.Has("wr_id") || cmd.Uint("wr_id") != c.WC.WRID {
		return false
	}
	switch cmd.Spec.Name {
	case "post_send":
		return !c.Recv && cmd.String("qp") == c.QP
	case "post_recv":
		return c.Recv && cmd.String("qp") == c.QP
	case "post_srq_recv":
		return c.Recv // whose queue pair it would be was not known then
	}
	return false
}
