package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"rdmatui/session"
	"rdmatui/session/timeline"
)

func (c *call) runCommand() *cobra.Command {
	var restricted bool
	cmd := &cobra.Command{
		Use:   "run FILE|-",
		Short: "run a script of session commands",
		Long: "run executes the commands in a file, or on standard input, one line after another, and prints for each " +
			"the C call, the result and the duration. It stops at the first line that fails, and destroys everything that it created. " +
			"'rdmatui help commands' lists the commands.\n\n" +
			"A script can read and write files with your permissions. If you did not write it, use --restricted, which refuses such lines.",
		Example: "rdmatui run session.rdma\nrdmatui run --json - < session.rdma | jq 'select(.event==\"wc\")'",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("run needs one file, or - for standard input; usage: %s", cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args[0], restricted) },
	}
	cmd.Flags().BoolVar(&restricted, "restricted", false, "refuse lines that read or write a file (file:PATH, shm:/NAME, dmabuf:N, save, export, capture file=, save_packets, save_incident)")
	return cmd
}

func (c *call) run(ctx context.Context, name string, restricted bool) error {
	opts := session.Options{NoFiles: restricted}
	if !restricted && name != "-" {
		opts.Input = c.input
	}
	script, name, err := c.openScript(ctx, name)
	if err != nil {
		return err
	}
	defer script.Close()
	return c.withPrinted(opts, func(s *session.Session) error { return s.RunScript(ctx, name, script) })
}

func (c *call) openScript(ctx context.Context, name string) (io.ReadCloser, string, error) {
	if name == "-" {
		return untilDone(ctx, c.Stdin), "standard input", nil
	}
	f, err := openUntilDone(ctx, name)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, "", err
	case errors.Is(err, fs.ErrNotExist):
		return nil, "",
			usagef("%s: no such file; give run a file of commands, such as 'save' writes, or - for standard input",
				name)
	case err != nil:
		return nil, "", usageError{err}
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, "", usagef("%s is a directory; give run a file of commands", name)
	}
	return readUntilDone(ctx, f), name, nil
}

// printedHistory is how many events the time line keeps. They are printed as they
// come, so few are enough.
const printedHistory = 1 << 12

// withPrinted is withSession that prints the session's events.
func (c *call) withPrinted(opts session.Options, work func(*session.Session) error) error {
	p := &eventPrinter{out: c.Stdout, json: c.json}
	opts.Out, opts.Log = p.print, timeline.New(printedHistory, nil)
	err := c.withSession(opts, work)
	return errors.Join(err, p.err)
}

// withSession runs work on a session, and destroys everything afterwards. An object that
// could not be destroyed is an error.
func (c *call) withSession(opts session.Options, work func(*session.Session) error) (err error) {
	if opts.Providers, err = c.providers(); err != nil {
		return err
	}
	s := session.New(opts)
	return errors.Join(work(s), s.Close())
}

// eventPrinter writes the time line as it grows.
type eventPrinter struct {
	out  io.Writer
	json bool
	buf  []byte
	err  error  // of the first failed write
	told string // the last hint or cause, which is not repeated
	said string // the explanation of the last event
}

// tellOnce omits the explanation of an event that equals the explanation of the event
// before: flushed completions come by the hundred.
func (p *eventPrinter) tellOnce(e *timeline.Event) {
	head := bytes.IndexByte(p.buf, '\n') + 1
	said := string(p.buf[head:])
	if e.Kind == timeline.KindWC && said != "" && said == p.said {
		p.buf = p.buf[:head]
	}
	p.said = said
}

// hintOnce omits from the hint of a command what repeats the last hint or cause.
func (p *eventPrinter) hintOnce(e *timeline.Event) {
	if why := e.WC.Why(); why != "" {
		p.told = why
	}
	if e.Command == nil || e.Command.Hint == "" {
		return
	}
	hint := e.Command.Hint
	if rest, repeated := strings.CutPrefix(hint+": ", p.told+": "); repeated {
		c := *e.Command
		c.Hint = strings.TrimSuffix(rest, ": ")
		e.Command = &c
	}
	p.told = hint
}

func (p *eventPrinter) print(e timeline.Event) {
	if p.json {
		p.buf = append(p.buf[:0], harmless(e.AppendJSON(nil))...)
		p.buf = append(p.buf, '\n')
	} else {
		p.hintOnce(&e)
		p.buf = appendEvent(p.buf[:0], &e)
		p.tellOnce(&e)
	}
	if _, err := p.out.Write(p.buf); err != nil && p.err == nil {
		p.err = fmt.Errorf("writing to standard output: %w", err)
	}
}
