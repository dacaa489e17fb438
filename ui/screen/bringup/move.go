package bringup

import (
	"fmt"
	"slices"

	"rdmatui/assets/explain"
	"rdmatui/session"
	"rdmatui/session/bringup"
	"rdmatui/session/command"
	"rdmatui/ui/explained"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/transition"
)

// field names an attribute of one transition, as the key of typed values.
type field struct {
	qp   string
	to   verbs.QPState
	name string
}

// typed is a value set by the user; an empty text leaves the attribute out.
type typed struct{ text, source string }

// move is the transition being prepared: the session's plan, overridden by what the
// user typed.
type move struct {
	qp    string
	to    verbs.QPState
	plan  bringup.Plan
	ready bool   // plan is for qp and to
	err   string // why there is no plan
	typed map[field]typed
	all   bool // also list attributes that this transition does not take
}

func (m *move) key(name string) field { return field{m.qp, m.to, name} }

// value returns the current value of a row and where it comes from.
func (m *move) value(r *bringup.PlanRow) (text, note string) {
	if t, ok := m.typed[m.key(r.Field.Name)]; ok {
		return t.text, joinNote(decoded(r.Field, t.text), t.source)
	}
	return r.Value, joinNote(r.Decoded, r.Source)
}

func decoded(f *fields.QPField, text string) string {
	var a verbs.QPAttr
	if text == "" || f.Parse(&a, text) != nil {
		return ""
	}
	return f.Decoded(&a)
}

func joinNote(decoded, source string) string {
	switch {
	case decoded == "":
		return source
	case source == "":
		return "= " + decoded
	}
	return "= " + decoded + " · " + source
}

// set records a typed value, checked as far as possible without the session: a
// reference is read only when the line runs.
func (m *move) set(name, text string) (problem string) {
	m.typed[m.key(name)] = typed{text, "typed"}
	f := fields.QPNamed(name)
	if _, _, _, refers := command.ParseReference(text); f == nil || text == "" || refers {
		return ""
	}
	var a verbs.QPAttr
	if err := f.Parse(&a, text); err != nil {
		return err.Error()
	}
	return ""
}

// fromPeer proposes the address of a peer that the plan did not choose itself.
func (m *move) fromPeer(p *session.PeerView) {
	for name, value := range map[string]string{
		"dest_qp_num": p.QPN.String(), "rq_psn": p.PSN.String(), "dgid": p.GID.String(),
	} {
		m.typed[field{m.qp, verbs.QPRTR, name}] = typed{value, "from " + p.Name}
	}
}

// forget drops the typed values of a completed transition.
func (m *move) forget(qp string, to verbs.QPState) {
	for k := range m.typed {
		if k.qp == qp && k.to == to {
			delete(m.typed, k)
		}
	}
}

// forgetAll drops the typed values of a queue pair.
func (m *move) forgetAll(qp string) {
	for k := range m.typed {
		if k.qp == qp {
			delete(m.typed, k)
		}
	}
}

// mask returns the attributes that have a value.
func (m *move) mask() verbs.AttrMask {
	mask := verbs.AttrState
	for i := range m.plan.Rows {
		r := &m.plan.Rows[i]
		if v, _ := m.value(r); v != "" {
			mask |= r.Field.Bit
		}
	}
	return mask
}

// check checks the values against the transition table.
func (m *move) check() error {
	return transition.Check(m.plan.Type, m.plan.From, verbs.QPAttr{Mask: m.mask(), QPState: m.to})
}

// values returns the attributes that have a value, by name.
func (m *move) values() map[string]string {
	out := map[string]string{}
	for i := range m.plan.Rows {
		r := &m.plan.Rows[i]
		if v, _ := m.value(r); v != "" {
			out[r.Field.Name] = v
		}
	}
	return out
}

// command returns what makes the transition.
func (m *move) command() command.Command { return m.plan.Command(m.values()) }

// call returns the C call that the line makes.
func (m *move) call() string { return m.plan.Call(m.values()) }

// sameState reports a move that changes nothing.
func (m *move) sameState() bool { return m.plan.From == m.to && m.mask() == verbs.AttrState }

var marks = map[bringup.Need]widget.FieldMark{
	bringup.Required: widget.Required, bringup.Optional: widget.Optional, bringup.NotAllowed: widget.Forbidden,
}

// fields makes the form: required attributes first, then optional ones, those with a
// value before those without. Attributes that are not allowed come last, folded into
// one line if they have no value, unless all are shown.
func (m *move) fields() []widget.Field {
	type ranked struct {
		widget.Field
		rank int
	}
	rows := make([]ranked, 0, len(m.plan.Rows))
	folded := 0
	for i := range m.plan.Rows {
		r := &m.plan.Rows[i]
		if r.Field.Bit == verbs.AttrState {
			continue
		}
		fd := widget.FieldOf(command.ModifyQP.Arg(r.Field.Name))
		fd.Mark = marks[r.Need]
		fd.Value, fd.Note = m.value(r)
		rank := 3 * int(fd.Mark)
		if r.Field.Bit == verbs.AttrCurState {
			rank += 2 // allowed nearly everywhere but hardly ever useful
		} else if fd.Value == "" {
			rank++
		}
		if fd.Value == "" && r.Need == bringup.NotAllowed {
			if folded++; !m.all {
				continue
			}
			if fd.Note == "" {
				fd.Note = "not in this transition"
			}
		}
		rows = append(rows, ranked{fd, rank})
	}
	slices.SortStableFunc(rows, func(a, b ranked) int { return a.rank - b.rank })
	out := make([]widget.Field, len(rows))
	for i := range rows {
		out[i] = rows[i].Field
	}
	if folded > 0 && !m.all {
		out = append(out, widget.Field{
			Name: fmt.Sprintf("%d do not apply", folded), Kind: widget.StaticField, Value: "(. shows them)",
		})
	}
	return out
}

// wrongs counts the attributes with a value that this transition does not take.
func (m *move) wrongs() (n int) {
	for i := range m.plan.Rows {
		r := &m.plan.Rows[i]
		if v, _ := m.value(r); v != "" && r.Need == bringup.NotAllowed {
			n++
		}
	}
	return n
}

// note marks a transition that has no plan or cannot be made.
func (m *move) note(g *theme.Glyphs) string {
	switch {
	case m.err != "":
		return "not known"
	case !m.ready:
		return "reading"
	case !m.plan.Valid:
		return "no such transition"
	case m.wrongs() > 0: // the form may have scrolled past them
		return fmt.Sprintf("%s %d not allowed", g.Ban, m.wrongs())
	}
	return ""
}

// notReady says why there is no plan.
func (m *move) notReady() string {
	if m.err != "" {
		return m.err
	}
	return "reading what " + m.to.String() + " takes"
}

// explain explains the attribute of a row, with the values that the transition would set.
func (m *move) explain(r *bringup.PlanRow) explain.Entry {
	e, _ := explain.Find("qp_attr", r.Field.Name)
	e.Asked, _ = m.value(r)
	return explained.AskedOf(e, explained.Move(m.values()))
}
