package script

import (
	"context"
	"errors"
	"slices"

	"rdmatui/session/cm"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs/format"
)

// Walk is a position in a script. It enters blocks and repeats loops, one line at a
// time.
type Walk struct{ levels []level }

// level is the lines of the script, or those of a block.
type level struct {
	items  []*scriptItem
	i      int
	block  bool
	try    bool
	round  uint64       // from 0
	rounds uint64       // 0: until something ends it
	made   []*core.Node // of a try: the objects that its lines made
}

// NewWalk starts at the first item.
func NewWalk(items ...*scriptItem) *Walk { return &Walk{[]level{{items: items}}} }

func (w *Walk) top() *level { return &w.levels[len(w.levels)-1] }

// At returns the next line, which may be the first of a block; nil at the end.
func (w *Walk) At() *scriptItem {
	if l := w.top(); l.i < len(l.items) {
		return l.items[l.i]
	}
	return nil
}

// First reports whether the next line has not been carried out before.
func (w *Walk) First() bool {
	for i := range w.levels {
		if w.levels[i].round > 0 {
			return false
		}
	}
	return true
}

// innermost returns the index of the innermost level that is selects, 0 if there is
// none.
func (w *Walk) innermost(is func(*level) bool) int {
	for i := len(w.levels) - 1; i > 0; i-- {
		if is(&w.levels[i]) {
			return i
		}
	}
	return 0
}

func isLoop(l *level) bool { return l.block && !l.try }
func isTry(l *level) bool  { return l.try }

// lineRunner carries out a line; left is true if it was an until that ends its loop.
type lineRunner func(ctx context.Context, line string) (done timeline.CommandDone, left bool, err error)

// Step carries out the next line, which must exist, and advances. It enters a block
// at the block's first line. If the line fails outside a try the position stays, so
// that the line can be retried; the error is an *Error.
func (w *Walk) Step(ctx context.Context, s *core.Session, run lineRunner) (timeline.CommandDone, error) {
	it := w.At()
	if it.block {
		return w.enter(ctx, s, it)
	}
	done, left, err := run(withItem(ctx, it), it.Text)
	if err != nil {
		return done, w.failed(ctx, s, &Error{Line: it.N, Text: it.Text, Hint: whyNot(&done), Err: err})
	}
	w.keep(s, done.Created)
	if i := w.innermost(isLoop); left && i > 0 {
		return done, w.leave(ctx, s, i)
	}
	w.top().i++
	return done, w.settle(ctx, s)
}

func (w *Walk) enter(ctx context.Context, s *core.Session, it *scriptItem) (timeline.CommandDone, error) {
	done := timeline.CommandDone{Line: it.Text}
	rounds, err := rounds(s, ctx, it)
	if err != nil {
		done.Err = core.Wording(err)
		return done, w.failed(ctx, s, &Error{Line: it.N, Text: it.Text, Err: err})
	}
	switch {
	case it.try:
		done.Result = "a line that fails ends this block only"
	case rounds > 0:
		done.Result = format.Counted(rounds, "time")
	default:
		done.Result = "until something ends it"
	}
	w.levels = append(w.levels, level{items: it.body, block: true, try: it.try, rounds: rounds})
	return done, w.settle(ctx, s)
}

// keep records the objects that a line made for the innermost try.
func (w *Walk) keep(s *core.Session, names []string) {
	i := w.innermost(isTry)
	if i == 0 {
		return
	}
	made := &w.levels[i].made
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	*made = slices.DeleteFunc(*made, func(n *core.Node) bool { return s.Graph.ByName[n.Name] != n })
	for _, name := range names {
		if n := s.Graph.ByName[name]; n != nil && !slices.Contains(*made, n) {
			*made = append(*made, n)
		}
	}
}

// failed handles a failed line: outside a try it returns the error; in a try it skips
// the rest of the block and destroys what the block made.
func (w *Walk) failed(ctx context.Context, s *core.Session, err *Error) error {
	i := w.innermost(isTry)
	if i == 0 || ctx.Err() != nil || s.Ctx.Err() != nil {
		return err
	}
	s.Note(timeline.LevelWarn, "line %d failed, and the rest of its try block is skipped: %s", err.Line,
		core.OneLine(err.Err))
	return w.leave(ctx, s, i)
}

// leave leaves a level and those inside it, to the line after its block.
func (w *Walk) leave(ctx context.Context, s *core.Session, i int) error {
	var made []*core.Node
	for _, l := range w.levels[i:] {
		made = append(made, l.made...)
	}
	w.levels = w.levels[:i]
	w.top().i++
	if len(made) > 0 {
		of := func(n *core.Node) bool { return slices.Contains(made, n) }
		if err := GiveBack(s, withItem(ctx, &scriptItem{unrecorded: true}), Alive(s, of)); err != nil {
			s.Note(timeline.LevelError, "objects of a try block could not be destroyed: %s", core.OneLine(err))
		}
	}
	return w.settle(ctx, s)
}

// settle moves from the end of a block to its next round, or out of it. It can take
// long only for a loop without lines.
func (w *Walk) settle(ctx context.Context, s *core.Session) error {
	for l := w.top(); l.block && l.i == len(l.items); l = w.top() {
		if err := ctx.Err(); err != nil && l.i == 0 {
			return err
		}
		if l.round++; l.rounds == 0 || l.round < l.rounds {
			l.i = 0
			continue
		}
		return w.leave(ctx, s, len(w.levels)-1)
	}
	return nil
}

// runItem carries out a line, or all rounds of a block.
func runItem(s *core.Session, ctx context.Context, it *scriptItem) error {
	for w := NewWalk(it); w.At() != nil; {
		if _, err := w.Step(ctx, s, s.Exec); err != nil {
			return err
		}
	}
	return nil
}

// Alive lists the selected objects, including identifiers of requests to them, each
// before those it was made from.
func Alive(s *core.Session, of func(*core.Node) bool) (order []*core.Node) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, n := range s.Graph.TeardownOrder() {
		id, ok := n.Body.(*cm.ID)
		if of(n) || ok && id.From != nil && of(id.From.Node) {
			order = append(order, n)
		}
	}
	return order
}

// GiveBack destroys objects by command lines, in this order, after it has ended
// connections.
func GiveBack(s *core.Session, ctx context.Context, order []*core.Node) error {
	var errs []error
	exec := func(text string) {
		if _, _, err := s.Exec(ctx, text); err != nil {
			errs = append(errs, err)
		}
	}
	for _, n := range order {
		if id, ok := n.Body.(*cm.ID); ok && cm.StateOf(s, id) == core.IDConnected && !cm.IsDatagram(id.PS) {
			exec("rdma_disconnect " + n.Name)
		}
	}
	for _, n := range order {
		if q, ok := n.Body.(*queue.QP); ok {
			q.LeaveGroups(s)
		}
		exec("close " + n.Name)
	}
	return errors.Join(errs...)
}
