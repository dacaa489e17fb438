package screen

import (
	"rdmatui/session"
	"rdmatui/session/lab"
)

// LabRun is what the Scenarios screen uses of an experiment of the error lab.
type LabRun interface {
	ScenarioRun
	Outcome() session.LabResult
}

// labRun makes an experiment a scenario without figures, times and another end.
type labRun struct{ *session.LabRun }

func (r labRun) Outcome() session.LabResult          { return r.LabRun.Result() }
func (labRun) Result() (none session.PingpongResult) { return none }
func (labRun) Times() (none session.RequestTimes, ok bool) {
	return none, false
}
func (labRun) OnListening(func()) {}

// labIn begins experiments beside a session.
func labIn(s *session.Session) func(name string, at lab.Place) (LabRun, error) {
	return func(name string, at lab.Place) (LabRun, error) {
		r, err := s.NewLabRun(name, at, nil)
		if err != nil {
			return nil, err
		}
		return labRun{r}, nil
	}
}
