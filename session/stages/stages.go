// Package stages tells how a send request went through its eight steps, from the post to the poll of its completion:
// measured as far as the device records steps or its packets were seen, otherwise inferred from the completion.
package stages

import (
	"time"

	"rdmatui/verbs"
)

// Stage is one of the eight steps of a request.
type Stage uint8

// The stages.
const (
	Posted Stage = iota
	Fetched
	Built
	Sent
	Placed
	Acknowledged
	CQE
	Polled
	Stages // their number
)

var stageNames = [Stages]string{
	Posted: "posted", Fetched: "fetched", Built: "built", Sent: "sent", Placed: "placed", Acknowledged: "acknowledged",
	CQE: "CQE written", Polled: "polled",
}

// String returns the stage's name.
func (s Stage) String() string { return stageNames[s] }

// Source is how a step is known.
type Source uint8

// The sources. The zero value means that nothing is known.
const (
	Unknown    Source = iota
	Inferred          // it happened, at an unknown time between its neighbours
	Measured          // it happened at a known time
	Absent            // requests of this kind have no such step
	NotReached        // it has not happened
)

var sourceNames = [...]string{
	Unknown: "not known", Inferred: "inferred", Measured: "measured", Absent: "no such step", NotReached: "not reached",
}

// String returns the source's name.
func (s Source) String() string { return sourceNames[s] }

// Step is one step of a request.
type Step struct {
	Stage  Stage
	Source Source
	After  time.Duration // since the post; valid if Measured
	Note   string        // what else was observed, or why the time is not known
}

// Happened reports whether the request took the step.
func (s *Step) Happened() bool { return s.Source == Measured || s.Source == Inferred }

// Request is what is known of one send request. Requests are comparable.
type Request struct {
	QP, Device string
	Peer       string // what the queue pair is connected to, "" if unknown
	Type       verbs.QPType
	Opcode     verbs.WROpcode
	WRID       uint64
	Posted     time.Duration // of the session's clock
	Done       bool          // its completion was polled
	Status     verbs.WCStatus
	Steps      [Stages]Step // in the order in which they come
	// index of the step that a failed request did not reach, or that a request still waits for; -1: none
	Stop   int
	Served time.Duration // after the post, when the peer executed a READ or an atomic; 0: not known
}

// Pulls reports whether the data flows to the requester: the response brings it, so it is placed after the answer.
func Pulls(op verbs.WROpcode) bool { return op.Traits().Receives }

// order returns the stages in the order in which a request takes them.
func order(op verbs.WROpcode) [Stages]Stage {
	if Pulls(op) {
		return [Stages]Stage{Posted, Fetched, Built, Sent, Acknowledged, Placed, CQE, Polled}
	}
	return [Stages]Stage{Posted, Fetched, Built, Sent, Placed, Acknowledged, CQE, Polled}
}

// Step returns the step of a stage.
func (r *Request) Step(s Stage) *Step {
	for i := range r.Steps {
		if r.Steps[i].Stage == s {
			return &r.Steps[i]
		}
	}
	return nil
}

// Is reports whether two values are of the same request.
func (r *Request) Is(other *Request) bool {
	return r.QP == other.QP && r.WRID == other.WRID && r.Posted == other.Posted
}
