package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"sync"
)

// maxInputLine bounds a typed line, in bytes.
const maxInputLine = 64 << 10

// typedLines are the lines of standard input. Reading begins with the first call of
// next and ends with ctx.
type typedLines struct {
	ctx   context.Context
	from  io.Reader
	once  sync.Once
	lines chan string
	err   error // why there are no more lines; set before lines is closed
}

func newTypedLines(ctx context.Context, from io.Reader) *typedLines {
	return &typedLines{ctx: ctx, from: from, lines: make(chan string)}
}

// next waits for a line. It returns io.EOF after the last line.
func (t *typedLines) next(ctx context.Context) (string, error) {
	t.once.Do(func() { go t.read() })
	select {
	case text, ok := <-t.lines:
		if !ok {
			return "", t.err
		}
		return text, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (t *typedLines) read() {
	in := untilDone(t.ctx, t.from)
	defer in.Close()
	defer close(t.lines)
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, maxInputLine)
	for sc.Scan() {
		select {
		case t.lines <- sc.Text():
		case <-t.ctx.Done():
			t.err = t.ctx.Err()
			return
		}
	}
	if t.err = io.EOF; sc.Err() != nil {
		t.err = fmt.Errorf("standard input: %w", sc.Err())
	}
}

// input prompts for a line and returns it.
func (c *call) input(ctx context.Context, prompt string) (string, error) {
	if !c.json {
		fmt.Fprintf(c.Stdout, "%s: ", prompt)
	}
	return c.typed.next(ctx)
}
