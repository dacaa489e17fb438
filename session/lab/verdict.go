package lab

import (
	"slices"
	"strings"

	"rdmatui/verbs"
)

// Verdict is how what happened compares with the specification.
type Verdict int

// Verdicts, from the best to the worst.
const (
	AsSpecified Verdict = iota
	Differs             // as the device is known to do, for a reason that is known
	Unexpected
	NotRun // it could not be set up
)

var verdicts = [...]string{
	AsSpecified: "as specified", Differs: "known difference", Unexpected: "unexpected", NotRun: "not run",
}

// String returns the verdict in words: "as specified".
func (v Verdict) String() string { return verdicts[v] }

// MarshalText writes the verdict's words.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Finding is one thing that was observed beside what is specified.
type Finding struct {
	Of        string  `json:"of"`
	Specified string  `json:"specified"`
	Happened  string  `json:"happened"`
	Verdict   Verdict `json:"verdict"`
	Reason    string  `json:"reason,omitempty"` // why it differs, where that is known
}

// Judge compares what was observed with what is specified, and with what the device's
// driver is known to do otherwise.
func (e *Experiment) Judge(driver Driver, happened map[string]string) (findings []Finding, worst Verdict) {
	for _, of := range slices.Concat(observed, ends) {
		want := e.specified[of]
		if want == "" {
			continue
		}
		got := happened[of]
		if got == "" {
			got = None
		}
		f := Finding{Of: of, Specified: want, Happened: got, Verdict: Unexpected}
		known := e.difference(driver, of, got)
		switch {
		case e.allowsValue(of, got):
			f.Verdict = AsSpecified
		case known != nil:
			f.Verdict, f.Reason = Differs, known.reason
		}
		worst = max(worst, f.Verdict)
		findings = append(findings, f)
	}
	return findings, worst
}

func (e *Experiment) difference(driver Driver, of, value string) *difference {
	for i := range e.differs {
		if d := &e.differs[i]; d.isOf(driver) && d.of == of && d.value == value {
			return d
		}
	}
	return nil
}

// allowsValue reports whether the specification allows a value.
func (e *Experiment) allowsValue(of, value string) bool {
	want := e.specified[of]
	return want == "" || want == Any || slices.Contains(strings.Split(want, " or "), value)
}

// Settled reports whether a queue pair is in a state that it may stay in.
func (e *Experiment) Settled(driver Driver, qp string, state verbs.QPState) bool {
	value := state.String()
	return e.allowsValue(qp, value) || e.difference(driver, qp, value) != nil
}

// Label is what is told of a finding's subject.
func (f *Finding) Label() string {
	if slices.Contains(ends, f.Of) {
		return "state of " + f.Of
	}
	return f.Of
}
