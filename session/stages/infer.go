package stages

import (
	"cmp"
	"slices"
	"time"

	"rdmatui/verbs"
)

// facts are what was observed of a request.
type facts struct {
	typ      verbs.QPType
	op       verbs.WROpcode
	done     bool // completed and polled
	status   verbs.WCStatus
	at       [Stages]time.Duration // since the post
	measured [Stages]bool
	notes    [Stages]string
	recorded bool // the device records steps: what it did not record has not happened
	near     bool // the peer's device records, too
}

// stops maps the status of a failed request to the step that it did not reach, and the reason.
var stops = map[verbs.WCStatus]struct {
	at  Stage
	why string
}{
	verbs.WCLocLenErr:      {Built, "its length is not allowed"},
	verbs.WCLocQPOpErr:     {Built, "the queue pair does not allow it"},
	verbs.WCLocProtErr:     {Built, "its local memory does not allow it"},
	verbs.WCWRFlushErr:     {Acknowledged, "flushed: an earlier request failed"},
	verbs.WCMWBindErr:      {CQE, "the device refused it"},
	verbs.WCBadRespErr:     {Acknowledged, "the response was wrong"},
	verbs.WCRemInvReqErr:   {Placed, "the responder refused the request"},
	verbs.WCRemAccessErr:   {Placed, "the responder refused the access"},
	verbs.WCRemOpErr:       {Placed, "the responder failed"},
	verbs.WCRetryExcErr:    {Acknowledged, "no response; retries exhausted"},
	verbs.WCRNRRetryExcErr: {Placed, "the peer had no RECV"},
}

// sure are the reasons why a step of a successful request must have happened.
var sure = [Stages]string{
	Fetched: "precedes the packet", Built: "precedes the packet", Sent: "precedes the completion",
	Placed: "precedes the acknowledgement", Acknowledged: "precedes the completion", CQE: "precedes the poll",
}

// waits are what a request waits for that has not reached a step.
var waits = [Stages]string{
	Fetched: "waits in the send queue", Built: "waits for its turn", Sent: "waits for its turn",
	Placed: "the peer has not taken it", Acknowledged: "no response yet",
	CQE: "no completion yet", Polled: "no completion polled yet",
}

// build tells the steps that follow from the facts.
func (f *facts) build() (steps [Stages]Step, stop int) {
	for i, stage := range order(f.op) {
		steps[i] = Step{Stage: stage, After: f.at[stage], Note: f.notes[stage]}
		switch {
		case f.measured[stage]:
			steps[i].Source = Measured
		case f.lacks(stage):
			steps[i].Source, steps[i].Note = Absent, f.why(stage)
		}
	}
	switch {
	case !f.done:
		stop = f.pending(&steps)
	case f.status != verbs.WCSuccess:
		stop = f.failed(&steps)
	default:
		stop = -1
		f.succeeded(&steps)
	}
	// the device completes requests without waiting for anything: the order of the later steps varies
	if f.typ != verbs.RC {
		sortMeasured(steps[:])
	}
	return steps, stop
}

// lacks reports whether requests of this kind have no such step.
func (f *facts) lacks(s Stage) bool {
	switch s {
	case Built, Sent, Placed:
		return f.op.Traits().Local()
	case Acknowledged:
		return f.op.Traits().Local() || f.typ == verbs.UC || f.typ == verbs.UD
	}
	return false
}

// why returns why there is no such step.
func (f *facts) why(s Stage) string {
	if f.op.Traits().Local() {
		return "executed by the device itself"
	}
	return f.typ.String() + " has no acknowledgements"
}

// succeeded infers the steps before the completion.
func (f *facts) succeeded(steps *[Stages]Step) {
	for i := range steps {
		s := &steps[i]
		switch {
		case s.Source != Unknown:
		case s.Stage == Placed && f.typ != verbs.RC:
			s.Note = cmp.Or(s.Note, "the peer does not report the arrival")
		case s.Stage == Placed && Pulls(f.op):
			s.Source, s.Note = Inferred, "precedes the completion"
		default:
			s.Source, s.Note = Inferred, cmp.Or(s.Note, sure[s.Stage])
		}
	}
}

// failed finds the step that a failed request did not reach, from the record or else from its status.
func (f *facts) failed(steps *[Stages]Step) int {
	at, why := CQE, ""
	if s, ok := stops[f.status]; ok {
		at, why = s.at, s.why
	}
	stop := slices.IndexFunc(steps[:], func(s Step) bool { return s.Stage == at })
	if first := f.firstMissing(steps); f.recorded && first >= 0 {
		stop = first
	}
	for i := range steps {
		s := &steps[i]
		switch {
		case i == stop && s.Stage != CQE:
			s.Source, s.Note = NotReached, why
		case s.Source != Unknown:
		case s.Stage == CQE:
			s.Source, s.Note = Inferred, sure[CQE]
		case s.Stage == Placed && !f.near && i < stop:
			s.Note = "nothing came back"
		case s.Stage == Acknowledged && !f.recorded && refused[f.status]:
			s.Source, s.Note = Inferred, "NAK: precedes the completion"
		case i < stop && f.status == verbs.WCWRFlushErr:
			s.Note = "the device does not report it"
		case i < stop:
			s.Source, s.Note = Inferred, "precedes the failure"
		default:
			s.Source = NotReached
		}
	}
	return stop
}

// refused are the statuses that a NAK causes.
var refused = map[verbs.WCStatus]bool{
	verbs.WCRemInvReqErr: true, verbs.WCRemAccessErr: true, verbs.WCRemOpErr: true, verbs.WCRNRRetryExcErr: true,
}

// pending marks the steps that a request has not taken yet.
func (f *facts) pending(steps *[Stages]Step) int {
	stop := int(Polled)
	if f.recorded {
		stop = f.firstMissing(steps) // polled at the latest
	}
	for i := range steps {
		s := &steps[i]
		switch {
		case s.Source != Unknown:
		case i == stop:
			s.Source, s.Note = NotReached, cmp.Or(s.Note, waits[s.Stage])
		case i > stop:
			s.Source = NotReached
		case f.recorded:
			s.Note = "nothing came back"
		default:
			s.Note = "the device reports nothing before the completion"
		}
	}
	return stop
}

// firstMissing returns the first step that was not recorded. That a remote peer has placed the data is recorded
// elsewhere.
func (f *facts) firstMissing(steps *[Stages]Step) int {
	return slices.IndexFunc(steps[:], func(s Step) bool {
		return s.Source == Unknown && (s.Stage != Placed || f.near || Pulls(f.op) || f.refusedBefore(s.Stage))
	})
}

// refusedBefore reports whether the status says that the peer has not placed the data.
func (f *facts) refusedBefore(s Stage) bool { return f.done && stops[f.status].at == s }

// sortMeasured puts the measured steps in the order of their times, and leaves the others where they are.
func sortMeasured(steps []Step) {
	var at []int
	var known []Step
	for i := range steps {
		if steps[i].Source == Measured {
			at, known = append(at, i), append(known, steps[i])
		}
	}
	slices.SortStableFunc(known, func(a, b Step) int { return cmp.Compare(a.After, b.After) })
	for i, s := range known {
		steps[at[i]] = s
	}
}
