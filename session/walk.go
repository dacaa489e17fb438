package session

import (
	"context"
	"fmt"

	"rdmatui/session/timeline"
)

// walk is a place in the lines of a script. It goes into loops and round in them,
// one line at a time.
type walk struct{ levels []level }

// level is the lines of the script, or those of a loop.
type level struct {
	items  []*scriptItem
	i      int
	loop   bool
	round  uint64 // from 0
	rounds uint64 // 0: until something ends it
}

func newWalk(items ...*scriptItem) *walk { return &walk{[]level{{items: items}}} }

func (w *walk) top() *level { return &w.levels[len(w.levels)-1] }

// at is the line that comes next, which may be the first of a loop; nil at the end.
func (w *walk) at() *scriptItem {
	if l := w.top(); l.i < len(l.items) {
		return l.items[l.i]
	}
	return nil
}

// first says that the line that comes next was not carried out before.
func (w *walk) first() bool {
	for i := range w.levels {
		if w.levels[i].round > 0 {
			return false
		}
	}
	return true
}

// lineRunner carries out a line; left is true where it was an until that ends its
// loop.
type lineRunner func(ctx context.Context, line string) (done timeline.CommandDone, left bool, err error)

// step carries out the line that comes next, of which there must be one, and goes
// on from it. At a loop it goes in. It stays where it is when the line fails, so
// that it can be tried again; the error is a *ScriptError.
func (w *walk) step(ctx context.Context, s *Session, run lineRunner) (timeline.CommandDone, error) {
	it := w.at()
	if it.loop {
		return w.enter(ctx, s, it)
	}
	done, left, err := run(withItem(ctx, it), it.text)
	if err != nil {
		return done, &ScriptError{Line: it.n, Text: it.text, Hint: whyNot(&done), Err: err}
	}
	if left && w.top().loop {
		w.levels = w.levels[:len(w.levels)-1]
	}
	w.top().i++
	return done, w.settle(ctx)
}

func (w *walk) enter(ctx context.Context, s *Session, it *scriptItem) (timeline.CommandDone, error) {
	done := timeline.CommandDone{Line: it.text}
	rounds, err := s.rounds(ctx, it)
	if err != nil {
		done.Err = wording(err)
		return done, &ScriptError{Line: it.n, Text: it.text, Err: err}
	}
	done.Result = "until something ends it"
	if rounds > 0 {
		done.Result = fmt.Sprintf("%d times", rounds)
	}
	w.levels = append(w.levels, level{items: it.body, loop: true, rounds: rounds})
	return done, w.settle(ctx)
}

// settle goes from the end of a loop's lines to its next round, or out of it. Only
// in a loop without lines it may stay for long.
func (w *walk) settle(ctx context.Context) error {
	for l := w.top(); l.loop && l.i == len(l.items); l = w.top() {
		if err := ctx.Err(); err != nil && l.i == 0 {
			return err
		}
		if l.round++; l.rounds == 0 || l.round < l.rounds {
			l.i = 0
			continue
		}
		w.levels = w.levels[:len(w.levels)-1]
		w.top().i++
	}
	return nil
}

// runItem carries out a line, or a loop as often as it says.
func (s *Session) runItem(ctx context.Context, it *scriptItem) error {
	for w := newWalk(it); w.at() != nil; {
		if _, err := w.step(ctx, s, s.exec); err != nil {
			return err
		}
	}
	return nil
}
