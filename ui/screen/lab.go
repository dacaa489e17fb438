package screen

import (
	"rdmatui/session"
	"rdmatui/session/lab"
	"rdmatui/session/labrun"
	"rdmatui/session/stages"
	"rdmatui/session/traffic"
)

// LabRun is what the Scenarios screen uses of an experiment of the error lab.
type LabRun interface {
	ScenarioRun
	Outcome() labrun.Result // what happened, compared with the specification
}

// labRun makes an experiment a scenario without figures, times and a second end.
type labRun struct{ *labrun.Run }

// Outcome implements LabRun.
func (r labRun) Outcome() labrun.Result { return r.Run.Result() }

// Result returns zero: an experiment measures nothing.
func (labRun) Result() (none traffic.PingpongResult) { return none }

// LastRequest returns false: an experiment shows its outcome instead.
func (labRun) LastRequest() (none stages.Request, ok bool) { return none, false }

// OnListening does nothing: an experiment does not listen.
func (labRun) OnListening(func()) {}

// labIn starts experiments beside a session.
func labIn(s *session.Session) func(name string, at lab.Place) (LabRun, error) {
	return func(name string, at lab.Place) (LabRun, error) {
		r, err := s.NewLabRun(name, at, nil)
		if err != nil {
			return nil, err
		}
		return labRun{r}, nil
	}
}
