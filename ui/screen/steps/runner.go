// Package steps is how screens run several command lines: it runs them one after
// another, shows the outcome of the last one, and knows the lines that make a bench
// of two queue pairs.
package steps

import (
	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/ui/screen"
)

// Runner runs a screen's command lines one after another, and stops at the first that
// fails. Its methods are for the event loop.
type Runner struct {
	env  *screen.Env
	all  []command.Command // those of the run
	left []command.Command // the one under way, and the next ones
	then tea.Cmd
	more func(*session.Snapshot) []string // further lines once these have run; nil: none
}

// NewRunner makes an idle runner.
func NewRunner(env *screen.Env) *Runner { return &Runner{env: env} }

// Busy reports whether a line is running.
func (r *Runner) Busy() bool { return len(r.left) > 0 }

// Running returns the line under way, "" for none.
func (r *Runner) Running() string {
	if !r.Busy() {
		return ""
	}
	return r.left[0].Text
}

// Start runs lines; see Run.
func (r *Runner) Start(lines ...string) tea.Cmd { return r.Run(command.ReadAll(lines...)...) }

// Run runs commands. While others run it refuses with a message, so that pressing a key twice does not run them twice.
func (r *Runner) Run(cmds ...command.Command) tea.Cmd {
	switch {
	case r.Busy():
		return screen.Send(screen.FlashMsg{Text: "still running: " + r.Running()})
	case len(cmds) == 0:
		return nil
	}
	r.all, r.left, r.then, r.more = cmds, cmds, nil, nil
	return r.env.Run(cmds[0])
}

// StartThen runs lines, and then if all succeed.
func (r *Runner) StartThen(then tea.Cmd, lines ...string) tea.Cmd {
	switch {
	case r.Busy():
		return r.Start() // reports what is running
	case len(lines) == 0:
		return then
	}
	work := r.Start(lines...)
	r.then = then
	return work
}

// StartMore runs lines, and then those that more returns, time and again until it returns none, and then then, if all
// succeed.
func (r *Runner) StartMore(more func(*session.Snapshot) []string, then tea.Cmd, lines ...string) tea.Cmd {
	if len(lines) == 0 && !r.Busy() {
		snap := r.env.Session.Snapshot()
		lines = more(&snap)
	}
	if r.Busy() || len(lines) == 0 {
		return r.StartThen(then, lines...)
	}
	work := r.Start(lines...)
	r.then, r.more = then, more
	return work
}

// Take takes the report of a line and returns the next work. over is true after the
// last line, or the first that failed; typed lines are not the runner's.
func (r *Runner) Take(msg screen.DoneMsg) (next tea.Cmd, over bool) {
	switch {
	case msg.Typed || !r.Busy():
		return nil, false
	case msg.Err != nil:
		r.takeInHand(len(r.all) - len(r.left))
		r.left = nil
		return nil, true
	}
	if r.left = r.left[1:]; !r.Busy() && r.more != nil {
		snap := r.env.Session.Snapshot()
		r.left = command.ReadAll(r.more(&snap)...)
		r.all = append(r.all, r.left...)
	}
	if r.Busy() {
		return r.env.Run(r.left[0]), false
	}
	r.takeInHand(len(r.all))
	return r.then, true
}

// takeInHand puts the queue pair in hand that the first n commands of the run made or connected.
func (r *Runner) takeInHand(n int) {
	snap := r.env.Session.Snapshot()
	r.env.Hand.Ran(&snap, r.all[:n]...)
}
