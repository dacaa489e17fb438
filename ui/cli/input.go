package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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

// openUntilDone opens a file unless ctx ends first: opening a FIFO blocks until it has
// a writer. An open that cannot be cancelled is abandoned, since the program is about to end.
func openUntilDone(ctx context.Context, name string) (*os.File, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(name)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", name, ctx.Err())
	}
}

// readUntilDone makes the reads of a file end with ctx. A regular file's never wait.
func readUntilDone(ctx context.Context, f *os.File) io.ReadCloser {
	if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
		return f
	}
	return waitingFile{untilDone(ctx, f), f}
}

// waitingFile is a FIFO, a device or a terminal whose reads end with a context.
type waitingFile struct {
	io.ReadCloser
	file *os.File
}

// Close ends the reading and closes the file.
func (s waitingFile) Close() error { return errors.Join(s.ReadCloser.Close(), s.file.Close()) }

// untilDone reads from r until ctx ends. A read from a terminal cannot be cancelled; it
// is abandoned, since the program is about to end.
func untilDone(ctx context.Context, r io.Reader) io.ReadCloser {
	pr, pw := io.Pipe()
	context.AfterFunc(ctx, func() { pw.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(pw, r)
		pw.CloseWithError(err)
	}()
	return pr
}
