package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	xterm "github.com/charmbracelet/x/term"

	"rdmatui/session"
	"rdmatui/session/scenario"
	"rdmatui/session/traffic"
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

// stepScenario is playScenario with a prompt before each command.
func (c *call) stepScenario(ctx context.Context, s *session.Session,
	p scenario.Params) (traffic.PingpongResult, error) {
	r, err := s.NewScenarioRun(p)
	if err != nil {
		return traffic.PingpongResult{}, err
	}
	ask := stepper{in: c.typed, out: c.Stdout, on: true}
	for r.At() >= 0 {
		if st, ok := r.Next(); ok {
			if !st.Again || ask.on {
				c.printStep(st)
			}
			if err := ask.before(ctx, st); err != nil {
				return traffic.PingpongResult{}, err
			}
		}
		if _, err := r.Step(ctx); err != nil {
			return traffic.PingpongResult{}, err
		}
	}
	return r.Result(), nil
}

// before shows a command and waits for enter. It returns an error if the user quits.
func (a *stepper) before(ctx context.Context, st scenario.Step) error {
	if !a.on {
		return nil
	}
	fmt.Fprintf(a.out, "   %s\n", line.Escape(st.Line))
	if !a.told {
		a.told = true
		fmt.Fprint(a.out, "   (enter: run, c: continue to the end, q: quit)\n")
	}
	text, err := a.in.next(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return leftAt(st)
	}
	switch strings.TrimSpace(text) {
	case "c":
		a.on = false
	case "q":
		return leftAt(st)
	}
	return nil
}

func leftAt(st scenario.Step) error {
	return fmt.Errorf("stopped before step %d of %d; everything created was destroyed", st.N, st.Of)
}
