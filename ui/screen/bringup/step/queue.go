package step

import (
	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/screen"
)

// Queue runs command lines one after another and stops at the first that fails.
type Queue struct {
	env     *screen.Env
	running string
	rest    []string
}

// NewQueue makes an idle queue.
func NewQueue(env *screen.Env) *Queue { return &Queue{env: env} }

// Busy reports whether a line is being carried out.
func (q *Queue) Busy() bool { return q.running != "" }

// Start runs lines. While others run it refuses and says so, since a key that was
// pressed twice must not do its work twice.
func (q *Queue) Start(lines ...string) tea.Cmd {
	switch {
	case q.Busy():
		return screen.Send(screen.FlashMsg{Text: "still running: " + q.running})
	case len(lines) == 0:
		return nil
	}
	q.running, q.rest = lines[0], lines[1:]
	return q.env.Exec(q.running)
}

// Done takes the report of a line. The first result is the work of the next line;
// last tells that the queue has come to its end, by success or failure.
func (q *Queue) Done(msg screen.DoneMsg) (next tea.Cmd, last bool) {
	if msg.Line != q.running || !q.Busy() {
		return nil, false
	}
	q.running = ""
	if msg.Err != nil || len(q.rest) == 0 {
		q.rest = nil
		return nil, true
	}
	return q.Start(q.rest...), false
}
