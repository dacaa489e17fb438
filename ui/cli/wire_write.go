package cli

import (
	"bufio"
	"fmt"
	"os"

	xterm "github.com/charmbracelet/x/term"

	"rdmatui/session/capture"
	"rdmatui/session/core"
	"rdmatui/session/filter"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// packetFile receives the selected packets; nil: they are not written.
type packetFile struct {
	*bufio.Writer
	packets *capture.Writer
	name    string // in messages
	count   uint64
}

// writing runs a reading of captures with the file that the flags name, if any, and says
// on standard error how many packets were written. A file without packets does not outlive
// an error.
func (c *call) writing(f wireFlags, read func(*packetFile) error) error {
	switch out, ok := c.Stdout.(*os.File); {
	case f.write == "":
		return read(nil)
	case f.write != "-":
		file, err := core.CreateFile(f.write)
		if err != nil {
			return err
		}
		to := &packetFile{Writer: file.Writer, name: f.write}
		if err = c.write(to, read); err != nil && to.count == 0 {
			return file.Finish(err)
		}
		return core.FirstError(err, file.Close())
	case ok && xterm.IsTerminal(out.Fd()):
		return usagef(
			"-w - writes a binary capture, and standard output is a terminal: give a file, or pipe the output")
	}
	to := &packetFile{Writer: bufio.NewWriterSize(c.Stdout, 1<<16), name: "standard output"}
	return c.write(to, read)
}

// write reads captures and completes the file.
func (c *call) write(to *packetFile, read func(*packetFile) error) error {
	to.packets = capture.NewWriter(to)
	err := read(to)
	if err != nil && to.count == 0 {
		return err
	}
	if failed := core.FirstError(to.packets.Close(), to.Flush()); failed != nil {
		return failed
	}
	fmt.Fprintf(c.Stderr, "rdmatui: %s written to %s\n", format.Counted(to.count, "packet"), line.Escape(to.name))
	return err
}

// Flush writes what is buffered.
func (p *packetFile) Flush() error {
	if p == nil {
		return nil
	}
	return p.Writer.Flush()
}

// before returns a report that writes each packet before it passes it on.
func (p *packetFile) before(next wireReport) wireReport {
	if p == nil {
		return next
	}
	return &writeReport{next, p}
}

type writeReport struct {
	wireReport
	to *packetFile
}

func (r *writeReport) packet(s *filter.Subject) error {
	if err := r.to.packets.WriteFrame(s.Frame); err != nil {
		return err
	}
	r.to.count++
	return r.wireReport.packet(s)
}
