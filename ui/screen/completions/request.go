package completions

import (
	"fmt"
	"slices"
	"strings"

	"rdmatui/session/command"
	"rdmatui/session/timeline"
)

// keepPosts is how many posting commands are remembered.
const keepPosts = 256

// posting lists the commands that post requests.
var posting = []*command.Spec{command.PostSend, command.PostRecv, command.PostSRQRecv, command.Chain,
	command.BindMW, command.Pingpong}

// posts remembers the commands that post requests.
type posts struct {
	ring *timeline.Recent
	buf  []timeline.Event
}

func newPosts(log *timeline.Log) *posts {
	return &posts{ring: timeline.NewRecent(log, keepPosts, func(e *timeline.Event) bool {
		if e.Command == nil || e.Command.Number == 0 {
			return false
		}
		name, _, _ := strings.Cut(strings.TrimSpace(e.Command.Line), " ")
		return slices.Contains(posting, command.Find(name))
	})}
}

// post is the origin of a completion's request.
type post struct {
	line  string // the posting line, with names replaced by values; "" if unknown
	place string // position if the command posts several: "request 2 of 5"
}

// of finds the command that posted a completion's request. It is unknown until the
// command has returned, and the oldest commands are forgotten.
func (p *posts) of(c *timeline.Completion) post {
	if c.Command == 0 {
		return post{}
	}
	p.buf = p.ring.Since(0, 0, p.buf[:0])
	for i := range p.buf {
		if done := p.buf[i].Command; done.Number == c.Command {
			return postOf(done, c.Index)
		}
	}
	return post{}
}

// postOf returns the request with an index, from 0, among those that a command
// posted. A chain has one line for each.
func postOf(done *timeline.CommandDone, index uint64) post {
	text := done.Resolved
	if text == "" {
		text = done.Line
	}
	cmd, err := command.Parse(text)
	if err != nil || cmd.Spec == nil {
		return post{line: text}
	}
	total := max(1, cmd.Uint("count"))
	if cmd.Spec == command.Chain {
		links := command.SplitChain(cmd.String("line"))
		if total = uint64(len(links)); index < total {
			text = links[index]
		}
	}
	switch {
	case index < total && total > 1:
		return post{text, fmt.Sprintf("request %d of %d", index+1, total)}
	case index > 0: // the total is not known
		return post{text, fmt.Sprintf("request %d", index+1)}
	}
	return post{line: text}
}
