package screen

import (
	"context"

	"rdmatui/session"
	"rdmatui/session/lab"
	"rdmatui/session/timeline"
)

// ScenarioRun is what the Scenarios screen uses of one end of a scenario. Its methods
// are for one goroutine at a time.
type ScenarioRun interface {
	Lines() []session.ScenarioLine
	At() int
	Step(ctx context.Context) (timeline.CommandDone, error)
	Alive() []string
	Destroy(ctx context.Context) error
	Result() session.PingpongResult
	Times() (session.RequestTimes, bool)
	OnListening(f func())
}

// Companion is the other end of a scenario in the same program.
type Companion interface {
	Listening() <-chan struct{}
	Ended() <-chan struct{}
	Err() error
	Stop()
}

// ScenarioStarter begins scenarios.
type ScenarioStarter struct {
	Run       func(p session.ScenarioParams) (ScenarioRun, error)
	Companion func(p session.ScenarioParams) Companion
	Lab       func(name string, at lab.Place) (LabRun, error)
}

// ScenariosIn begins scenarios in a session.
func ScenariosIn(s *session.Session) ScenarioStarter {
	return ScenarioStarter{
		Run: func(p session.ScenarioParams) (ScenarioRun, error) {
			r, err := s.NewScenarioRun(p)
			if err != nil {
				return nil, err
			}
			return r, nil
		},
		Companion: func(p session.ScenarioParams) Companion { return s.NewCompanion(p) },
		Lab:       labIn(s),
	}
}
