package post

import (
	"slices"

	"rdmatui/session"
	"rdmatui/session/preflight"
	"rdmatui/ui/widget/form"
	"rdmatui/verbs"
)

// whyNot returns why a queue cannot carry out an operation, "" if it can.
func whyNot(s *session.Snapshot, q *session.QPView, name string) string {
	if name == recv {
		return ""
	}
	if s.SRQ(q.Name) != nil {
		return q.Name + " is a shared receive queue: it takes RECVs only"
	}
	op, err := verbs.WROpcodes.Parse(name)
	if err != nil {
		return name + " is not known"
	}
	return preflight.WhyNot(s, q, op)
}

// offered returns the operations that the selected queue can carry out.
func (r *request) offered() []form.Option {
	q := r.queue()
	if q == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(opcodes), func(o form.Option) bool {
		return whyNot(r.snap, q, o.Value) != ""
	})
}

// queues returns all queues to which requests can be posted.
func (r *request) queues() []form.Option {
	var list []form.Option
	for i := range r.snap.QPs {
		o := &r.snap.QPs[i]
		list = append(list, form.Option{Value: o.Name, Help: o.Type.String() + " " + o.State.String()})
	}
	for i := range r.snap.SRQs {
		list = append(list, form.Option{Value: r.snap.SRQs[i].Name, Help: "shared receive queue"})
	}
	return list
}
