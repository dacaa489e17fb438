// Package bringup brings queue pairs to RTS: the plan of a modify_qp, with a value
// and its source for each attribute, and connect_qps. It makes no objects and posts
// no requests.
package bringup

import (
	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/transition"
)

// Need says whether a transition accepts or requires an attribute.
type Need uint8

// Needs.
const (
	NotAllowed Need = iota
	Optional
	Required
)

// String returns "not allowed", "optional" or "required".
func (n Need) String() string { return [...]string{"not allowed", "optional", "required"}[n] }

// PlanRow is one attribute of a planned transition.
type PlanRow struct {
	Field   *fields.QPField
	Need    Need
	Value   string // prefilled; "" if it is to be omitted or typed
	Ref     string // the reference that Value was read from: "b.qp_num"; "" if none
	Source  string // the source of Value, in words
	Decoded string // the meaning of Value, "" if it is obvious
}

// Plan is a modify_qp before it is carried out: the attributes of the transition,
// prefilled as far as possible.
type Plan struct {
	QP       string
	Type     verbs.QPType
	From, To verbs.QPState
	Valid    bool // the transition exists
	Peer     string
	Rows     []PlanRow // in the order of fields.QP
}

// PlanFor prepares the transition of the named queue pair to a state.
func PlanFor(s *core.Session, qp string, to verbs.QPState) (Plan, error) {
	snap, peer := s.Snapshot(), ""
	if v := snap.QP(qp); v != nil {
		if name, sure := snap.LikelyPeer(v); sure {
			peer = name
		}
	}
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	n, err := s.Graph.Find(qp, command.KindQP)
	if err != nil {
		return Plan{}, err
	}
	return plan(s, n.Body.(*queue.QP), s.Graph.ByName[peer], to)
}

// plan is PlanFor with Session.mu held.
func plan(s *core.Session, q *queue.QP, peer *core.Node, to verbs.QPState) (Plan, error) {
	p := Plan{QP: q.Name, Type: q.Spec.QPType, From: q.StateNow(), To: to}
	var tr transition.Move
	tr, p.Valid = transition.Find(p.Type, p.From, to)
	if peer != nil {
		p.Peer = peer.Name
	}
	port := q.PortChoice()
	pre := prefill{q: q, peer: peer, port: port.PortNum, portWhy: port.Why}
	pre.readPeerGID()
	for i := range fields.QP {
		f := &fields.QP[i]
		if f.Bit == verbs.AttrState {
			continue
		}
		row := PlanRow{Field: f, Need: needOf(tr, f, &pre)}
		if tr.Required&f.Bit != 0 {
			row.Fill(&pre)
		}
		p.Rows = append(p.Rows, row)
	}
	return p, nil
}

// needOf returns whether a field is required. An address vector is one mask bit for
// many fields, of which a path needs only some.
func needOf(tr transition.Move, f *fields.QPField, pre *prefill) Need {
	switch {
	case tr.Required&f.Bit == 0 && tr.Optional&f.Bit == 0:
		return NotAllowed
	case tr.Required&f.Bit == 0, f.Bit == verbs.AttrAV && !pre.pathNeeds(f.Name):
		return Optional
	}
	return Required
}

// Fill sets the row's value if one is known.
func (r *PlanRow) Fill(pre *prefill) {
	from := prefills[r.Field.Name]
	if from == nil {
		return
	}
	r.Value, r.Source, r.Ref = from(pre)
	var a verbs.QPAttr
	if r.Value != "" && r.Field.Set(&a, r.Value) == nil {
		r.Decoded = r.Field.Decoded(&a)
	}
}

// Values returns the prefilled values by field name, for editing; pass them to Line
// and Call.
func (p Plan) Values() map[string]string {
	values := map[string]string{}
	for i := range p.Rows {
		if r := &p.Rows[i]; r.Value != "" {
			values[r.Field.Name] = r.Value
		}
	}
	return values
}

// Command returns modify_qp with the given values, nil for the prefilled ones. Values read from another object are
// references, so that its line can be replayed.
func (p Plan) Command(values map[string]string) command.Command {
	if values == nil {
		values = p.Values()
	}
	list := []command.Field{{Name: "qp", Text: p.QP}, {Name: "qp_state", Text: p.To.String()}}
	for i := range p.Rows {
		r := &p.Rows[i]
		v := values[r.Field.Name]
		if v == "" {
			continue
		}
		if v == r.Value && r.Ref != "" {
			v = r.Ref
		}
		list = append(list, command.Field{Name: r.Field.Name, Text: v})
	}
	cmd, _ := command.Make(command.ModifyQP, list...) // it says itself what is wrong with it
	return cmd
}

// Call returns the C call with the given values, nil for the prefilled ones;
// malformed values are omitted.
func (p Plan) Call(values map[string]string) string {
	if values == nil {
		values = p.Values()
	}
	attr := verbs.QPAttr{Mask: verbs.AttrState, QPState: p.To}
	for i := range p.Rows {
		f := p.Rows[i].Field
		if v := values[f.Name]; v != "" {
			_ = f.Set(&attr, v) // half-typed values of a form are not an error here
		}
	}
	return ccall.Modify(p.QP, attr).Short()
}
