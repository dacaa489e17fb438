package queue

import (
	"fmt"
	"slices"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// View implements [core.Body]. It also adds the outstanding requests to the views of
// the queues where they will complete, which precede it; requests of a shared receive
// queue count once in each.
func (q *QP) View(v *core.Snapshot) {
	view := core.QPView{
		Name: q.Name, Device: q.PD.Device.Name, PD: q.PD.Name, SendCQ: q.SendCQ.Name, RecvCQ: q.RecvCQ.Name,
		Num: q.Num, Type: q.Spec.QPType, State: q.StateNow(), Cap: q.Limits, SQSigAll: q.Spec.SQSigAll,
		SendOps: q.Spec.SendOps, Port: q.Port(), PSN: q.PSN, Began: q.Began, Attr: q.Attr,
		SendOutstanding: q.Sends.Len(), RecvPosted: q.Receives().Len(), PeerName: q.Peer(),
		RecvRoom: q.Receives().room(), Sends: q.sendsView(),
		Datagram: q.datagram,
	}
	if q.SRQ != nil {
		view.SRQ = q.SRQ.Name
	}
	if e, err := q.OwnGID(); err == nil {
		view.GID = e.GID
	}
	for _, g := range q.groups {
		v.Groups = append(v.Groups, core.GroupView{QP: q.Name, GID: g.gid, LID: g.lid})
	}
	counted := q.SRQ != nil && slices.ContainsFunc(v.QPs, func(o core.QPView) bool {
		return o.SRQ == view.SRQ && o.RecvCQ == view.RecvCQ
	})
	v.QPs = append(v.QPs, view)
	for i := range v.CQs {
		if v.CQs[i].Name == q.SendCQ.Name {
			v.CQs[i].Outstanding += view.SendOutstanding
		}
		if v.CQs[i].Name == q.RecvCQ.Name && !counted {
			v.CQs[i].Outstanding += view.RecvPosted
		}
	}
}

// SentDatagram records the destination of a request.
func (q *QP) SentDatagram(s *core.Session, wr *verbs.SendWR, to *verbs.AHAttr) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	q.datagram = &core.DatagramView{To: *to, QPN: wr.RemoteQPN, QKey: wr.RemoteQKey,
		Length: verbs.TotalLength(wr.SGList)}
}

// AsyncCame reads the state after an asynchronous event.
func (q *QP) AsyncCame(s *core.Session, e *verbs.AsyncEvent, told *timeline.AsyncEvent) (after func()) {
	told.QP = q.Name
	cause := "event " + e.Type.String()
	return func() { ReadState(s, q, cause) }
}

// Fields implements [core.Body].
func (q *QP) Fields() []core.Field {
	text := func(s string) func() (string, error) { return func() (string, error) { return s, nil } }
	fs := []core.Field{
		{Name: "qp_num", Text: text(q.Num.String())},
		{Name: "psn", Text: text(q.PSN.String())},
		{Name: "gid", Text: func() (string, error) {
			e, err := q.OwnGID()
			return e.GID.String(), err
		}},
		{Name: "lid", Text: text(fmt.Sprint(q.PD.Device.Port(q.Port()).LID))},
		{Name: "qp_type", Text: text(q.Spec.QPType.String())},
		{Name: "qp_state", Text: text(q.StateNow().String())},
		{Name: "state", Text: text(q.StateNow().String())},
	}
	for i := range fields.QP {
		f := &fields.QP[i]
		switch {
		case f.Bit == verbs.AttrState:
		case f.Bit == verbs.AttrSQPSN && q.Attr.Mask&f.Bit == 0:
			fs = append(fs, core.Field{Name: f.Name, Text: text(q.PSN.String())})
		default:
			fs = append(fs, core.Field{Name: f.Name, Text: func() (string, error) { return f.Format(&q.Attr), nil }})
		}
	}
	return fs
}
