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
)

// recorder remembers what was carried out, for export. It is used with the slot
// held.
type recorder struct {
	s      *core.Session
	inC    export.Translations
	lines  []string       // for save
	Packed []packed       // the older steps
	Steps  []*export.Step // those after them
	blocks map[*export.Step]bool
	open   []*export.Step // under way, the outermost first; nil for one that is not kept
	why    []string       // comments above a line that is not kept
	seen   map[string]uint64
	n      int
	cut    bool
}

// unrecorded are commands that are about the session's own files.
var unrecorded = []*command.Spec{command.Save, command.ExportC, command.ExportScript, command.Help}

// itemKey is where a context holds the script's item that a line is.
type itemKey struct{}

// withItem says which item of a script is carried out.
func withItem(ctx context.Context, it *scriptItem) context.Context {
	return context.WithValue(ctx, itemKey{}, it)
}

func itemOf(ctx context.Context) *scriptItem {
	it, _ := ctx.Value(itemKey{}).(*scriptItem)
	return it
}

// NewRecorder is the recorder of a session, which can write what was done with these commands in C.
func NewRecorder(s *core.Session, inC export.Translations) core.Recorder {
	r := RecorderOf(s)
	r.inC = inC
	return r
}

// RecorderOf is a session's recorder with all that it remembers.
func RecorderOf(s *core.Session) *recorder {
	return core.Part(s, func() *recorder { return &recorder{s: s} })
}

// Begin notes that a line is carried out; End must follow.
func (r *recorder) Begin(ctx context.Context, cmd command.Command) {
	fresh := len(r.open) == 0
	step := r.place(ctx, cmd)
	if r.open = append(r.open, step); fresh && step != nil && !step.Ran {
		step.Came = r.came(queue.Unbidden(r.s))
	}
}

// came is how many completions of each queue were taken live since it was last
// asked.
func (r *recorder) came(taken map[string]uint64) map[string]uint64 {
	var fresh map[string]uint64
	for cq, n := range taken {
		if n < r.seen[cq] {
			r.seen[cq] = 0 // another queue of that name
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

// place is where a line is noted: that of the loop or command that it is in, or a
// new one.
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

// inner is the step of a line that another carries out. The rounds of a repeat, or
// of a loop that it is in, share one.
func (r *recorder) inner(outer *export.Step) *export.Step {
	if outer == nil {
		return nil
	}
	if n := len(outer.Inner); n > 0 && (outer.Ran || outer.Cmd.Spec == command.Repeat) {
		return outer.Inner[n-1]
	}
	return r.enter(&outer.Inner)
}

// Parsed says what the line under way was.
func (r *recorder) Parsed(cmd command.Command) {
	if step := r.open[len(r.open)-1]; step != nil && !step.Ran {
		step.Cmd = cmd
	}
}

// End notes what came of the line under way. Of a line in a loop the first round
// counts, and the one in which it failed.
func (r *recorder) End(c *core.Call) {
	step := r.open[len(r.open)-1]
	if r.open = r.open[:len(r.open)-1]; len(r.open) == 0 {
		r.pack()
	}
	if step == nil {
		return
	}
	switch failed := c.Done.Err != ""; {
	case failed && c.Ctx.Err() != nil: // it might have gone well
		if !step.Ran {
			step.Full, step.Done.Line, step.Stopped = c.Cmd, c.Done.Line, true
		}
		return
	case failed && step.Times > 0:
		step.Later = &export.Step{Cmd: step.Cmd}
		step = step.Later
	case step.Ran && failed:
		return // tried again
	case !failed:
		if step.Times++; step.Times > 1 {
			return
		}
	}
	step.Full, step.Done, step.Ran, step.Asked = c.Cmd, c.Done, true, c.Asked
	step.Done.Resolved = ""
}

// block notes that a block is begun for the first time, with the lines in it: some
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
	it.step.Done.Line = it.Text
}

func (r *recorder) body(it *scriptItem) {
	for _, inner := range it.body {
		if inner.why != "" {
			r.why = append(r.why, inner.why)
		}
		if inner.step = r.enter(&it.step.Inner); inner.step == nil {
			return
		}
		inner.step.Cmd, _ = command.Parse(inner.Text) // one that is wrong fails when it is reached
		if inner.block {
			r.body(inner)
		}
	}
}

// Recording is what was done so far.
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

// exportTo writes a new file.
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
	c.Done.Result = fmt.Sprintf("%d lines in %s", strings.Count(text, "\n"), path)
	return nil
}
