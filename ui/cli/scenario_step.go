package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	xterm "github.com/charmbracelet/x/term"

	"rdmatui/session/script"
	"rdmatui/ui/widget/line"
)

// canStep returns an error if a scenario cannot be run step by step here.
func (c *call) canStep() error {
	f, ok := c.Stdin.(*os.File)
	switch {
	case c.json:
		return errors.New("--step prompts before each command, which --json cannot do; leave out one of the two")
	case !ok || !xterm.IsTerminal(f.Fd()):
		return errors.New(
			"--step needs a terminal, and standard input is not one; leave out --step to run without pauses")
	}
	return nil
}

// stepper prompts before each command until the user continues to the end.
type stepper struct {
	in   *typedLines
	out  io.Writer
	on   bool
	told bool
}

// before shows a command and waits for enter. It returns an error if the user quits.
func (a *stepper) before(ctx context.Context, l *script.Line) error {
	if !a.on {
		return nil
	}
	fmt.Fprintf(a.out, "   %s\n", line.Escape(l.Text))
	if !a.told {
		a.told = true
		fmt.Fprint(a.out, "   (enter: run, c: continue to the end, q: quit)\n")
	}
	text, err := a.in.next(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return leftAt(l)
	}
	switch strings.TrimSpace(text) {
	case "c":
		a.on = false
	case "q":
		return leftAt(l)
	}
	return nil
}

func leftAt(l *script.Line) error {
	return fmt.Errorf("stopped before step %d of %d; everything created was destroyed", l.Step, l.Of)
}
