package script

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/export"
	"rdmatui/session/queue"
	"rdmatui/verbs/format"
)

// recorder records the lines carried out, for export. It is used with the slot held.
type recorder struct {
	s      *core.Session
	inC    export.Translations
	lines  []string       // for save
	Packed []packed       // the older steps
	Steps  []*export.Step // the steps after those
	blocks map[*export.Step]bool
	open   []*export.Step // running lines, outermost first; nil for one that is not recorded
	why    []string       // comments above a line that is not recorded
	seen   map[string]uint64
	n      int
	cut    bool
}

// unrecorded are commands that concern the session's own files.
var unrecorded = []*command.Spec{command.Save, command.ExportC, command.ExportScript, command.Help}

// itemKey is the context key of the script item that a line belongs to.
type itemKey struct{}

// withItem adds the current script item to a context.
func withItem(ctx context.Context, it *scriptItem) context.Context {
	return context.WithValue(ctx, itemKey{}, it)
}

func itemOf(ctx context.Context) *scriptItem {
	it, _ := ctx.Value(itemKey{}).(*scriptItem)
	return it
}

// NewRecorder returns the recorder of a session; inC holds the commands in C.
func NewRecorder(s *core.Session, inC export.Translations) core.Recorder {
	r := RecorderOf(s)
	r.inC = inC
	return r
}

// RecorderOf returns a session's recorder.
func RecorderOf(s *core.Session) *recorder {
	return core.Part(s, func() *recorder { return &recorder{s: s} })
}

// Begin records that a line starts; End must follow.
func (r *recorder) Begin(ctx context.Context, cmd command.Command) {
	fresh := len(r.open) == 0
	step := r.place(ctx, cmd)
	if r.open = append(r.open, step); fresh && step != nil && !step.Ran {
		step.Came = r.came(queue.Unbidden(r.s))
	}
}

// came returns how many completions of each queue were taken live since the last
// call.
func (r *recorder) came(taken map[string]uint64) map[string]uint64 {
	var fresh map[string]uint64
	for cq, n := range taken {
		if n < r.seen[cq] {
			r.seen[cq] = 0 // another queue with that name
		}
		if n == r.seen[cq] {
			continue
		}
		if fresh == nil {
			fresh = map[string]uint64{}
		}
		fresh[cq] = n - r.seen[cq]
	}
	r.seen = taken
	return fresh
}

// place returns the step for a line: that of the enclosing loop or command, or a new
// one.
func (r *recorder) place(ctx context.Context, cmd command.Command) *export.Step {
	if len(r.open) > 0 {
		return r.inner(r.open[len(r.open)-1])
	}
	it := itemOf(ctx)
	switch {
	case it != nil && it.unrecorded:
		return nil
	case it != nil && it.step != nil:
		return it.step
	}
	if it != nil && it.why != "" {
		r.why = append(r.why, it.why)
	}
	switch {
	case slices.Contains(unrecorded, cmd.Spec):
		return nil
	case cmd.Spec == nil && strings.HasPrefix(strings.TrimSpace(cmd.Text), "#"):
		r.why = append(r.why, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(cmd.Text), "#")))
		return nil
	}
	return r.enter(&r.Steps)
}

// enter adds a step, unless there are too many.
func (r *recorder) enter(to *[]*export.Step) *export.Step {
	if r.n == maxRemembered {
		r.cut = true
		return nil
	}
	r.n++
	step := &export.Step{Why: strings.Join(r.why, " ")}
	r.why = nil
	*to = append(*to, step)
	return step
}

// inner returns the step of a nested line. All rounds of a repeat or loop share one.
func (r *recorder) inner(outer *export.Step) *export.Step {
	if outer == nil {
		return nil
	}
	if n := len(outer.Inner); n > 0 && (outer.Ran || outer.Cmd.Spec == command.Repeat) {
		return outer.Inner[n-1]
	}
	return r.enter(&outer.Inner)
}

// Parsed stores the parsed form of the current line.
func (r *recorder) Parsed(cmd command.Command) {
	if step := r.open[len(r.open)-1]; step != nil && !step.Ran {
		step.Cmd = cmd
	}
}

// End records the outcome of the current line. In a loop the first round is kept, and
// the one in which the line failed.
func (r *recorder) End(c *core.Call) {
	step := r.open[len(r.open)-1]
	if r.open = r.open[:len(r.open)-1]; len(r.open) == 0 {
		r.keep(&c.Done)
		r.pack()
	}
	if step == nil {
		return
	}
	switch failed := c.Done.Err != ""; {
	case failed && c.Ctx.Err() != nil: // stopped: it might have succeeded
		if !step.Ran {
			step.Full, step.Done.Line, step.Stopped = c.Cmd, c.Done.Line, true
		}
		return
	case failed && step.Times > 0:
		step.Later = &export.Step{Cmd: step.Cmd}
		step = step.Later
	case step.Ran && failed:
		return // retried
	case !failed:
		if step.Times++; step.Times > 1 {
			return
		}
	}
	step.Full, step.Done, step.Ran, step.Asked = c.Cmd, c.Done, true, c.Asked
	step.Done.Resolved, step.Done.C = "", nil // an exported program has its own
}

// block records a block when it starts for the first time, with its lines, since some
// may never be reached.
func (r *recorder) block(it *scriptItem, cmd, full command.Command) {
	if it.step == nil {
		if it.why != "" {
			r.why = append(r.why, it.why)
		}
		if it.step = r.enter(&r.Steps); it.step == nil {
			return
		}
		if r.blocks == nil {
			r.blocks = map[*export.Step]bool{}
		}
		r.blocks[it.step] = true
		it.step.Cmd = cmd
		r.body(it)
	}
	it.step.Full, it.step.Ran = full, true
	it.step.Done.Line = it.cmd.Text
}

func (r *recorder) body(it *scriptItem) {
	for _, inner := range it.body {
		if inner.why != "" {
			r.why = append(r.why, inner.why)
		}
		if inner.step = r.enter(&it.step.Inner); inner.step == nil {
			return
		}
		inner.step.Cmd = inner.cmd // an invalid line fails when it is reached
		if inner.block {
			r.body(inner)
		}
	}
}

// Recording returns the recording up to now.
func Recording(s *core.Session) (export.Recording, error) {
	rec := RecorderOf(s)
	steps, err := rec.All()
	if err != nil {
		return export.Recording{}, err
	}
	r := export.Recording{Steps: steps, Cut: rec.cut, Rest: strings.Join(rec.why, " ")}
	before := maps.Clone(rec.seen)
	r.Came = rec.came(queue.Unbidden(s))
	rec.seen = before
	return r, nil
}

// ExportC carries out export c.
func ExportC(c *core.Call) error { return exportTo(c, RecorderOf(c.S).inC.Program) }

// ExportScript carries out export script.
func ExportScript(c *core.Call) error { return exportTo(c, export.Script) }

// Bounds of the lines that Again returns.
const (
	mostAgain    = 1000
	bytesAgain   = 512 << 10
	longestAgain = 4 << 10
)

// Again returns the lines that do once more what has succeeded in a session; cut is true if they are only its
// beginning. It waits for the line that is being carried out.
func Again(ctx context.Context, s *core.Session) (lines []string, cut bool, err error) {
	if err := s.Acquire(ctx); err != nil {
		return nil, false, err
	}
	defer s.Release()
	r, err := Recording(s)
	if err != nil {
		return nil, false, err
	}
	lines, cut = export.Again(r, mostAgain, bytesAgain, longestAgain)
	return lines, cut, nil
}

// exportTo writes a recording to a new file.
func exportTo(c *core.Call, write func(export.Recording) string) error {
	path := c.Cmd.String("file")
	r, err := Recording(c.S)
	if err != nil {
		return err
	}
	text := write(r)
	f, err := core.CreateFile(path)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err := f.Finish(err); err != nil {
		return err
	}
	c.Done.Result = fmt.Sprintf("%s in %s", format.Counted(strings.Count(text, "\n"), "line"), path)
	return nil
}
