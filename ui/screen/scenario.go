package screen

import (
	"context"

	"rdmatui/session"
	"rdmatui/session/lab"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
	"rdmatui/session/traffic"
)

// ScenarioRun is what the Scenarios screen uses of one end of a scenario. Its methods
// are for one goroutine at a time.
type ScenarioRun interface {
	Lines() []script.Line
	At() int
	Step(ctx context.Context) (timeline.CommandDone, error)
	Alive() []string
	Destroy(ctx context.Context) error
	Result() traffic.PingpongResult
	Times() (scenario.RequestTimes, bool)
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
	Run       func(p scenario.Params) (ScenarioRun, error)
	Companion func(p scenario.Params) Companion
	Lab       func(name string, at lab.Place) (LabRun, error)
}

// ScenariosIn begins scenarios in a session.
func ScenariosIn(s *session.Session) ScenarioStarter {
	return ScenarioStarter{
		Run: func(p scenario.Params) (ScenarioRun, error) {
			r, err := s.NewScenarioRun(p)
			if err != nil {
				return nil, err
			}
			return r, nil
		},
		Companion: func(p scenario.Params) Companion { return s.NewCompanion(p) },
		Lab:       labIn(s),
	}
}
