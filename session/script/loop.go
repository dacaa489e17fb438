package script

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/export"
	"rdmatui/verbs"
)

// scriptItem is a line of a script, or a block with its lines.
type scriptItem struct {
	N     int             // line number, from 1
	last  int             // of a block: the line number of its end
	index int             // in Script.Lines
	cmd   command.Command // the line; of a block its first line
	why   string          // the comment lines above it
	body  []*scriptItem
	block bool         // a loop, or with try a block whose failure does not end the script
	try   bool         // likewise
	step  *export.Step // its record, once an enclosing block has started

	unrecorded bool // export omits it
}

// blockReader assembles the lines of a script into items.
type blockReader struct {
	open []*scriptItem // unfinished blocks, outermost first
	why  []string
	n    int
}

// maxBlocks bounds the nesting of blocks.
const maxBlocks = 8

// Add adds the next line. It returns the item that the line completes, nil if there
// is none: after a blank line, a comment, or a line in a block.
func (r *blockReader) Add(line string) (*scriptItem, error) {
	r.n++
	text := strings.TrimSpace(line)
	if comment, ok := strings.CutPrefix(text, "#"); ok {
		r.why = append(r.why, strings.TrimSpace(comment))
		return nil, nil
	}
	if text == "" {
		return nil, nil
	}
	item := &scriptItem{N: r.n, cmd: command.Read(line), why: strings.Join(r.why, " ")}
	r.why = nil
	switch word := FirstWord(text); word {
	case command.Loop.Name, command.Try.Name:
		if item.block, item.try = true, word == command.Try.Name; len(r.open) == maxBlocks {
			return nil, fmt.Errorf("blocks are nested too deep: at most %d", maxBlocks)
		}
		r.open = append(r.open, item)
		return nil, nil
	case command.End.Name:
		if len(r.open) == 0 {
			return nil, errors.New("there is no open loop or try here")
		}
		item = r.open[len(r.open)-1]
		r.open = r.open[:len(r.open)-1]
		item.last = r.n
	}
	if len(r.open) == 0 {
		return item, nil
	}
	outer := r.open[len(r.open)-1]
	outer.body = append(outer.body, item)
	return nil, nil
}

// finish fails if a block has no end.
func (r *blockReader) finish() error {
	if len(r.open) > 0 {
		return fmt.Errorf("the %s of line %d has no end", FirstWord(strings.TrimSpace(r.open[0].cmd.Text)), r.open[0].N)
	}
	return nil
}

// FirstWord returns the first word of a command line.
func FirstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// rounds returns how often a block is repeated; 0: until something ends it.
func rounds(ctx context.Context, s *core.Session, it *scriptItem) (uint64, error) {
	if it.cmd.Wrong != nil {
		return 0, it.cmd.Wrong
	}
	if err := s.Acquire(ctx); err != nil {
		return 0, err
	}
	defer s.Release()
	cmd, err := it.cmd.Resolve(s.LookUp)
	if err != nil {
		return 0, err
	}
	RecorderOf(s).block(it, it.cmd, cmd)
	switch {
	case it.try:
		return 1, nil
	case !cmd.Has("n"):
		return 0, nil
	}
	if n := cmd.Uint("n"); n > 0 {
		return n, nil
	}
	return 0, errors.New("a loop runs at least once")
}

// BlockAlone refuses loop, try and end as single lines.
func BlockAlone(c *core.Call) error {
	c.Done.Hint = "repeat N LINE runs one line several times"
	return fmt.Errorf("%s works only in a script", c.Cmd.Spec.Name)
}

// Until carries out until: it runs its line without recording it, and leaves the loop
// if the line succeeds.
func Until(c *core.Call) error {
	cmd := c.Cmd.Nested()[0]
	inner := &core.Call{S: c.S, Ctx: c.Ctx, Cmd: cmd}
	inner.Done.Line = cmd.Text
	c.S.Record.Begin(c.Ctx, cmd)
	c.S.Record.Parsed(cmd)
	carryOut, err := c.S.Prepare(inner)
	if err == nil {
		end := c.S.Turn.Limit(inner.Cmd.Limit())
		err = carryOut(inner)
		end()
	}
	if err != nil {
		inner.Done.Err, inner.Done.Errno = core.Wording(err), verbs.ErrnoName(err)
	}
	c.S.Record.End(inner)
	c.Done.C, c.Done.Expands, c.Done.Took = inner.Done.C, inner.Done.Expands, inner.Done.Took
	if c.Ctx.Err() != nil {
		return c.Ctx.Err()
	}
	if err != nil {
		c.Done.Result = "not yet: " + core.Wording(err)
		return nil
	}
	c.S.Leaving = true
	c.Done.Result = "the loop ends: " + inner.Done.Result
	return nil
}
