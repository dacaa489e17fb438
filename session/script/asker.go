package script

import (
	"context"
	"sync"
)

// Asker is an Input for a screen: it keeps the question until the person answers it,
// and keeps lines that were typed before a question. The zero value is ready.
type Asker struct {
	mu     sync.Mutex
	asked  []*question
	before []answer // typed ahead, oldest first
}

type question struct {
	prompt string
	told   chan answer
}

type answer struct {
	line string
	err  error
}

// maxAhead bounds the lines typed ahead.
const maxAhead = 1000

// Input asks for a line, until it is answered or ctx ends.
func (a *Asker) Input(ctx context.Context, prompt string) (string, error) {
	q := &question{prompt, make(chan answer, 1)}
	a.mu.Lock()
	if len(a.before) > 0 {
		first := a.before[0]
		a.before = a.before[1:]
		a.mu.Unlock()
		return first.line, first.err
	}
	a.asked = append(a.asked, q)
	a.mu.Unlock()
	defer a.withdraw(q)
	select {
	case told := <-q.told:
		return told.line, told.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (a *Asker) withdraw(q *question) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, o := range a.asked {
		if o == q {
			a.asked = append(a.asked[:i], a.asked[i+1:]...)
			return
		}
	}
}

// Asked returns the prompt of the pending question, if there is one.
func (a *Asker) Asked() (prompt string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.asked) == 0 {
		return "", false
	}
	return a.asked[0].prompt, true
}

// Answer answers the pending question, or else the next one, with a line, or with
// io.EOF as the end of the input.
func (a *Asker) Answer(line string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.asked) > 0 {
		a.asked[0].told <- answer{line, err}
		a.asked = a.asked[1:]
		return
	}
	if len(a.before) < maxAhead {
		a.before = append(a.before, answer{line, err})
	}
}

// Forget drops the lines that were typed ahead.
func (a *Asker) Forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.before = nil
}
