package step

import (
	"sync"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/screen"
)

// Queue runs command lines one after another in one command and stops at the
// first that fails. Its end is kept until the screen takes it, so that a screen
// that is not in front by then does not wait for ever.
type Queue struct {
	env *screen.Env

	mu      sync.Mutex
	running string // the line being carried out, "" if none
	end     *screen.DoneMsg
}

// NewQueue makes an idle queue.
func NewQueue(env *screen.Env) *Queue { return &Queue{env: env} }

// Busy reports whether a line is being carried out.
func (q *Queue) Busy() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running != ""
}

// Start runs lines; the message is the report of the last one. While others run
// it refuses and says so, since a key that was pressed twice must not do its work
// twice.
func (q *Queue) Start(lines ...string) tea.Cmd {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.running != "":
		return screen.Send(screen.FlashMsg{Text: "still running: " + q.running})
	case len(lines) == 0:
		return nil
	}
	q.running, q.end = lines[0], nil
	return func() tea.Msg { return q.run(lines) }
}

func (q *Queue) run(lines []string) (msg tea.Msg) {
	for _, l := range lines {
		q.mu.Lock()
		q.running = l
		q.mu.Unlock()
		msg = q.env.Exec(l)()
		if done, ok := msg.(screen.DoneMsg); !ok || done.Err != nil {
			break
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running = ""
	if done, ok := msg.(screen.DoneMsg); ok {
		q.end = &done
	}
	return msg
}

// Take returns the report of the last line, once, after the queue has come to its
// end by success or failure.
func (q *Queue) Take() (end screen.DoneMsg, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.end == nil {
		return end, false
	}
	end = *q.end
	q.end = nil
	return end, true
}
