package script

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"rdmatui/session/cm"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs/format"
)

// Runner carries out the lines of a script one at a time. It enters blocks and repeats
// loops. Its methods are for one goroutine at a time; the session accepts other commands
// between the lines.
type Runner struct {
	*Script
	s      *core.Session
	name   string // of the script, in errors
	exec   Exec
	levels []level
}

// Exec carries out a line; left is true if it was an until that ends its loop.
type Exec func(ctx context.Context, cmd command.Command) (done timeline.CommandDone, left bool, err error)

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

// NewRunner starts at the first line of a script; exec carries out each. name is that of
// the script.
func NewRunner(s *core.Session, name string, sc *Script, exec Exec) *Runner {
	return &Runner{Script: sc, s: s, name: name, exec: exec, levels: []level{{items: sc.items}}}
}

// Run carries out the lines of a script as they are read and stops at the first that fails,
// with an *Error. The objects that the script made stay until Close.
func Run(ctx context.Context, s *core.Session, name string, r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxScriptLine)
	var blocks blockReader
	for lines.Scan() {
		text := strings.TrimSuffix(lines.Text(), "\r")
		item, err := blocks.Add(text)
		if err != nil {
			return &Error{Name: name, Line: blocks.n, Text: text, Err: err}
		}
		if item == nil {
			continue
		}
		if err := Rest(ctx, NewRunner(s, name, &Script{items: []*scriptItem{item}}, s.Exec), nil); err != nil {
			return err
		}
	}
	if err := blocks.finish(); err != nil && lines.Err() == nil {
		return &Error{Name: name, Line: blocks.n, Err: err}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return &Error{
			Name: name, Line: blocks.n + 1, Err: fmt.Errorf("the line is longer than %d bytes", maxScriptLine),
		}
	} else if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Steps is a script that is carried out line by line: a [Runner], or what adds to one.
type Steps interface {
	Lines() []Line                                          // of the script; they do not change
	At() int                                                // index of the next line; -1 at the end
	Step(ctx context.Context) (timeline.CommandDone, error) // carries out the next line
}

// Rest carries out the lines that are left, and stops at the first that fails. before is called
// with each line, and in a loop in each round; an error of it ends the run. It may be nil.
func Rest(ctx context.Context, r Steps, before func(*Line) error) error {
	for at := r.At(); at >= 0; at = r.At() {
		if before != nil {
			if err := before(&r.Lines()[at]); err != nil {
				return err
			}
		}
		if _, err := r.Step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runner) top() *level { return &r.levels[len(r.levels)-1] }

// next returns the next line, which may be the first of a block; nil at the end.
func (r *Runner) next() *scriptItem {
	if l := r.top(); l.i < len(l.items) {
		return l.items[l.i]
	}
	return nil
}

// At returns the index in Lines of the next line; -1 at the end.
func (r *Runner) At() int {
	if it := r.next(); it != nil {
		return it.index
	}
	return -1
}

// Again reports whether the next line has been carried out before.
func (r *Runner) Again() bool {
	return slices.ContainsFunc(r.levels, func(l level) bool { return l.round > 0 })
}

// innermost returns the index of the innermost level that is selects, 0 if there is
// none.
func (r *Runner) innermost(is func(*level) bool) int {
	for i := len(r.levels) - 1; i > 0; i-- {
		if is(&r.levels[i]) {
			return i
		}
	}
	return 0
}

func isLoop(l *level) bool { return l.block && !l.try }
func isTry(l *level) bool  { return l.try }

// errEnded is the error of a step after the last line.
var errEnded = errors.New("the script has ended")

// Step carries out the next line, and advances. At the first line of a block it enters the block
// and reports the number of rounds. If the line fails outside a try, or ctx ends while it waits, the
// error is an *Error, objects stay, and Step may be called again. A failure in a try is reported in
// its CommandDone.
func (r *Runner) Step(ctx context.Context) (timeline.CommandDone, error) {
	it := r.next()
	switch {
	case it == nil:
		return timeline.CommandDone{}, errEnded
	case it.block:
		return r.enter(ctx, it)
	}
	done, left, err := r.exec(withItem(ctx, it), it.cmd)
	if err != nil {
		return done, r.failed(ctx, it, whyNot(&done), err)
	}
	r.keep(done.Created)
	if i := r.innermost(isLoop); left && i > 0 {
		return done, r.leave(ctx, i)
	}
	r.top().i++
	return done, r.settle(ctx)
}

func (r *Runner) enter(ctx context.Context, it *scriptItem) (timeline.CommandDone, error) {
	done := timeline.CommandDone{Line: it.cmd.Text}
	rounds, err := rounds(ctx, r.s, it)
	if err != nil {
		done.Err = core.Wording(err)
		return done, r.failed(ctx, it, "", err)
	}
	switch {
	case it.try:
		done.Result = "a line that fails ends this block only"
	case rounds > 0:
		done.Result = format.Counted(rounds, "time")
	default:
		done.Result = "until something ends it"
	}
	r.levels = append(r.levels, level{items: it.body, block: true, try: it.try, rounds: rounds})
	return done, r.settle(ctx)
}

// keep records the objects that a line made for the innermost try.
func (r *Runner) keep(names []string) {
	i := r.innermost(isTry)
	if i == 0 {
		return
	}
	r.s.Mu.RLock()
	defer r.s.Mu.RUnlock()
	made, by := &r.levels[i].made, r.s.Graph.ByName
	*made = slices.DeleteFunc(*made, func(n *core.Node) bool { return by[n.Name] != n })
	for _, name := range names {
		if n := by[name]; n != nil && !slices.Contains(*made, n) {
			*made = append(*made, n)
		}
	}
}

// failed handles a failed line: outside a try it returns the error; in a try it skips
// the rest of the block and destroys what the block made.
func (r *Runner) failed(ctx context.Context, it *scriptItem, hint string, err error) error {
	i := r.innermost(isTry)
	if i == 0 || ctx.Err() != nil || r.s.Ctx.Err() != nil {
		return &Error{Name: r.name, Line: it.N, Text: it.cmd.Text, Hint: hint, Err: err}
	}
	r.s.Note(timeline.LevelWarn, "line %d failed, and the rest of its try block is skipped: %s", it.N,
		format.Problems(err))
	return r.leave(ctx, i)
}

// leave leaves a level and those inside it, to the line after its block.
func (r *Runner) leave(ctx context.Context, i int) error {
	var made []*core.Node
	for _, l := range r.levels[i:] {
		made = append(made, l.made...)
	}
	r.levels = r.levels[:i]
	r.top().i++
	if len(made) > 0 {
		of := func(n *core.Node) bool { return slices.Contains(made, n) }
		if err := GiveBack(withItem(ctx, &scriptItem{unrecorded: true}), r.s, Alive(r.s, of)); err != nil {
			r.s.Note(timeline.LevelError, "objects of a try block could not be destroyed: %s", format.Problems(err))
		}
	}
	return r.settle(ctx)
}

// settle moves from the end of a block to its next round, or out of it. It can take
// long only for a loop without lines.
func (r *Runner) settle(ctx context.Context) error {
	for l := r.top(); l.block && l.i == len(l.items); l = r.top() {
		if err := ctx.Err(); err != nil && l.i == 0 {
			return err
		}
		if l.round++; l.rounds == 0 || l.round < l.rounds {
			l.i = 0
			continue
		}
		return r.leave(ctx, len(r.levels)-1)
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
func GiveBack(ctx context.Context, s *core.Session, order []*core.Node) error {
	var errs []error
	exec := func(text string) {
		if _, _, err := s.Exec(ctx, command.Read(text)); err != nil {
			errs = append(errs, err)
		}
	}
	for _, n := range order {
		if id, ok := n.Body.(*cm.ID); ok && cm.StateOf(s, id) == core.IDConnected && !id.PS.IsDatagram() {
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
