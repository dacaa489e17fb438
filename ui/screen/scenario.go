package screen

import (
	"context"

	"rdmatui/session"
	"rdmatui/session/lab"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/session/stages"
	"rdmatui/session/timeline"
	"rdmatui/session/traffic"
)

// ScenarioRun is what the Scenarios screen uses of one end of a scenario. Only one
// goroutine may use it at a time.
type ScenarioRun interface {
	Lines() []script.Line                                   // of the script
	At() int                                                // index of the next line; negative after the last
	Step(ctx context.Context) (timeline.CommandDone, error) // runs the next line
	Alive() []string                                        // names of the objects that exist
	Destroy(ctx context.Context) error                      // destroys those objects
	Result() traffic.PingpongResult                         // the measured figures; zero if none
	LastRequest() (stages.Request, bool)                    // the last single request; false if there was none
	OnListening(f func())                                   // calls f once a peer can connect
}

// Companion is the other end of a scenario in the same program.
type Companion interface {
	Listening() <-chan struct{} // closed once a peer can connect
	Ended() <-chan struct{}     // closed at the end
	Err() error                 // why it ended early; nil if it did not
	Stop()                      // ends it and waits
}

// ScenarioStarter starts scenarios.
type ScenarioStarter struct {
	Run       func(p scenario.Params) (ScenarioRun, error)
	Companion func(p scenario.Params) Companion
	Lab       func(name string, at lab.Place) (LabRun, error)
}

// ScenariosIn starts scenarios in a session.
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
