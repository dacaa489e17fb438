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

// scriptItem is a line of a script, or a block with the lines in it.
type scriptItem struct {
	N     int    // line number, from 1
	last  int    // of a block, the number of its end
	Text  string // the line; of a block its first
	why   string // the comment lines above it
	body  []*scriptItem
	block bool         // a loop, or with try a block whose failure does not end the script
	try   bool         // likewise
	step  *export.Step // where it is noted, once a block with it was begun

	unrecorded bool // export is to leave it out
}

// blockReader puts the lines of a script together to items.
type blockReader struct {
	open []*scriptItem // blocks whose end has not come, the outermost first
	why  []string
	n    int
}

// maxBlocks bounds blocks in blocks.
const maxBlocks = 8

// Add takes the next line. It returns the item that is whole with it, nil where
// there is none: a blank line, a comment, or a line in a block.
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
	item := &scriptItem{N: r.n, Text: line, why: strings.Join(r.why, " ")}
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

// finish fails where a block has no end.
func (r *blockReader) finish() error {
	if len(r.open) > 0 {
		return fmt.Errorf("the %s of line %d has no end", FirstWord(strings.TrimSpace(r.open[0].Text)), r.open[0].N)
	}
	return nil
}

// FirstWord is the name of a command, or its first word.
func FirstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// rounds is how often a block is to be gone through; 0: until something ends it.
func rounds(s *core.Session, ctx context.Context, it *scriptItem) (uint64, error) {
	cmd, err := command.Parse(it.Text)
	if err != nil {
		return 0, err
	}
	if err := s.Acquire(ctx); err != nil {
		return 0, err
	}
	defer s.Release()
	typed := cmd
	if cmd, err = cmd.Resolve(s.LookUp); err != nil {
		return 0, err
	}
	RecorderOf(s).block(it, typed, cmd)
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

// BlockAlone refuses loop, try and end where they are typed one at a time.
func BlockAlone(c *core.Call) error {
	c.Done.Hint = "repeat N LINE runs one line several times"
	return fmt.Errorf("%s works only in a script", c.Cmd.Spec.Name)
}

// Until carries out its line without telling of it, and leaves the loop if it
// succeeds.
func Until(c *core.Call) error {
	cmd, err := command.Parse(c.Cmd.String("line"))
	if err != nil {
		return err
	}
	inner := &core.Call{S: c.S, Ctx: c.Ctx, Cmd: cmd}
	inner.Done.Line = c.Cmd.String("line")
	c.S.Record.Begin(c.Ctx, cmd)
	c.S.Record.Parsed(cmd)
	if err = c.S.CarryOut(inner); err != nil {
		inner.Done.Err, inner.Done.Errno = core.Wording(err), verbs.ErrnoName(err)
	}
	c.S.Record.End(inner)
	c.Done.Call, c.Done.Took = inner.Done.Call, inner.Done.Took
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
