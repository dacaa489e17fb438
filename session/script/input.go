package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"rdmatui/session/command/syntax"
	"rdmatui/session/core"
	"rdmatui/session/region"
	"rdmatui/verbs/format"
	"rdmatui/verbs/memory"
)

// Input carries out input: it writes what a person types into a region, skipping
// empty lines.
func Input(c *core.Call) error {
	r, err := core.ArgAs[*region.MR](c, "mr", nil)
	if err != nil {
		return err
	}
	whom, err := c.WhileArg()
	if err != nil {
		return err
	}
	line, err := ask(c, whom)
	for err == nil && strings.TrimSpace(line) == "" { // like the scanf of other chat programs
		line, err = ask(c, whom)
	}
	if errors.Is(err, io.EOF) {
		if !c.Cmd.Has("end") {
			return errors.New("the input has ended; end=TEXT sets the text to use then")
		}
		line, err = c.Cmd.String("end"), nil
	}
	if err != nil {
		return err
	}
	room := r.MR.Spec().Length
	text := cutText(line, int(min(room-1, region.MaxFile)))
	data := make([]byte, min(room, region.MaxFile+1))
	copy(data, text)
	if _, err := r.MR.WriteAt(data, 0); err != nil {
		return region.Outside(r, err, 0, len(data))
	}
	c.Done.Result = fmt.Sprintf("%s written: %s", format.Counted(len(text), "byte"), syntax.Quote(text))
	if len(text) < len(line) {
		c.Done.Result = fmt.Sprintf("only the first %d of %d bytes fit: %s", len(text), len(line), syntax.Quote(text))
	}
	return nil
}

// cutText returns the beginning of a text that fits, without a partial character at
// its end.
func cutText(text string, room int) string {
	if len(text) <= room {
		return text
	}
	for room > 0 && !utf8.RuneStart(text[room]) {
		room--
	}
	return text[:room]
}

// connectionCheck is how often a connection is checked while a person types.
const connectionCheck = 100 * time.Millisecond

// ask waits for a line, or for the end of the connection.
func ask(c *core.Call, whom *core.Connection) (string, error) {
	if c.S.Opts.Input == nil {
		return "", errors.New("input needs a terminal or the screen")
	}
	ctx, cancel := context.WithCancelCause(c.Ctx)
	defer cancel(nil)
	if whom != nil {
		watching := make(chan struct{})
		go func() {
			defer close(watching)
			defer c.S.Opts.Crashed.Catch()
			for ctx.Err() == nil {
				if on, err := whom.Lasts(ctx); err != nil || !on {
					cancel(fmt.Errorf("%s is no longer connected", whom.Name))
					return
				}
				core.Rest(ctx, connectionCheck)
			}
		}()
		defer func() { cancel(nil); <-watching }()
	}
	line, err := c.S.Opts.Input(ctx, c.Cmd.String("prompt"))
	if err != nil && ctx.Err() != nil && c.Ctx.Err() == nil {
		err = context.Cause(ctx)
	}
	return line, err
}

// CopyMem carries out copy_mem.
func CopyMem(c *core.Call) error {
	from, err := core.ArgAs[*region.MR](c, "from", nil)
	if err != nil {
		return err
	}
	to, err := core.ArgAs[*region.MR](c, "to", nil)
	if err != nil {
		return err
	}
	fromOffset, toOffset := c.Cmd.Uint("from_offset"), c.Cmd.Uint("to_offset")
	for _, at := range []struct {
		r      *region.MR
		offset uint64
	}{{from, fromOffset}, {to, toOffset}} {
		if length := at.r.MR.Spec().Length; at.offset > length {
			return fmt.Errorf("offset %d is beyond the end of %s, which has %s", at.offset, at.r.Name,
				format.Counted(length, "byte"))
		}
	}
	data, err := memory.OfProcess().
		Alloc(min(c.Cmd.Uint("length"), from.MR.Spec().Length-fromOffset, to.MR.Spec().Length-toOffset))
	if err != nil {
		return err
	}
	defer memory.OfProcess().Free(data)
	if _, err := from.MR.ReadAt(data, int64(fromOffset)); err != nil {
		return region.Outside(from, err, int64(fromOffset), len(data))
	}
	if _, err := to.MR.WriteAt(data, int64(toOffset)); err != nil {
		return region.Outside(to, err, int64(toOffset), len(data))
	}
	c.Done.Result = format.Counted(len(data), "byte") + " copied"
	return nil
}
