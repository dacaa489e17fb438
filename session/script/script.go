// Package script carries out scripts with loops and tries, checks expectations, reads
// input from a person, and records what was done for save and export. It does not
// depend on particular scenarios or experiments.
package script

import (
	"fmt"
	"strings"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs/format"
)

// maxScriptLine bounds a line of a script, in bytes.
const maxScriptLine = 4 << 20

// Error says which line of a script failed, and why.
type Error struct {
	Name string // of the script
	Line int    // from 1
	Text string // the line
	Hint string // what to check, "" if unknown
	Err  error
}

// Error describes the failure in one line.
func (e *Error) Error() string {
	s := fmt.Sprintf("%s:%d: %s", e.Name, e.Line, format.Problems(e.Err))
	if e.Hint != "" && !strings.Contains(s, e.Hint) {
		s += "; " + e.Hint
	}
	return s
}

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Err }

// whyNot returns the warnings about a line, and what to check.
func whyNot(done *timeline.CommandDone) string {
	switch {
	case done.Check == "" || strings.Contains(done.Hint, done.Check):
		return done.Hint
	case done.Hint == "":
		return done.Check
	}
	return done.Check + "; " + done.Hint
}

// maxRemembered bounds the lines kept for save.
const maxRemembered = 100_000

// keep keeps a line for save. A failed line is kept as a comment, since it would stop
// the script.
func (r *recorder) keep(done *timeline.CommandDone) {
	line := strings.TrimSpace(done.Line)
	if done.Err != "" {
		line = "# failed: " + strings.ReplaceAll(line, "\n", " ")
	}
	word, _, _ := strings.Cut(line, " ")
	if line == "" || word == command.Save.Name || word == command.Help.Name || word == command.Until.Name ||
		len(r.lines) == maxRemembered {
		return
	}
	r.lines = append(r.lines, line)
}

// Save carries out save: it writes the lines so far to a new file.
func Save(c *core.Call) error {
	path, lines := c.Cmd.String("file"), RecorderOf(c.S).lines
	f, err := core.CreateFile(path)
	if err != nil {
		return err
	}
	for _, line := range lines {
		f.WriteString(line + "\n")
	}
	if err := f.Finish(nil); err != nil {
		return err
	}
	c.Done.Result = fmt.Sprintf("%s in %s", format.Counted(len(lines), "line"), path)
	return nil
}

// Sleep carries out sleep.
func Sleep(c *core.Call) error {
	t := time.NewTimer(c.Cmd.Duration("duration"))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-c.Ctx.Done():
		return c.Ctx.Err()
	}
}

// Repeat carries out repeat.
func Repeat(c *core.Call) error {
	n, inner := c.Cmd.Uint("n"), c.Cmd.Nested()[0]
	for i := range n {
		done, err := c.S.Run(c.Ctx, inner)
		if err != nil {
			c.Done.Hint = done.Hint
			return fmt.Errorf("time %d of %d: %w", i+1, n, err)
		}
		c.Done.Took += done.Took
	}
	c.Done.Result = format.Counted(n, "time")
	return nil
}

// Note carries out note.
func Note(c *core.Call) error {
	c.S.Note(timeline.LevelInfo, "%s", c.Cmd.String("text"))
	return nil
}

// Help carries out help.
func Help(c *core.Call) error {
	name := strings.TrimSpace(c.Cmd.String("command") + " " + c.Cmd.String("form"))
	if name == "" {
		c.Done.Result = command.HelpAll()
		return nil
	}
	text := command.HelpFor(name)
	if text == "" {
		return fmt.Errorf("there is no command %q", name)
	}
	c.Done.Result = text
	return nil
}
