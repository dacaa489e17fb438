// Package tour guides a person through the screens: what to do next, which key does
// it, and why. A step is done when the session shows that it was done, by whatever
// means; keys are never counted. The tours themselves are tables.
package tour

import (
	"charm.land/bubbles/v2/key"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
)

// Tour is a way through the screens, step by step.
type Tour struct {
	ID    string // in the state that is kept between runs
	Name  string
	About string // what one does, in a line
	Steps []*Step

	Learned [3]string // at the end
	Next    string    // what to do after it
}

// Step is what has to happen next.
type Step struct {
	Name string // verb and object
	Why  string // one sentence
	// WhyNow is Why where that depends on the machine; nil: it does not.
	WhyNow func(*World) string
	// Needs are steps before it whose results must last meanwhile.
	Needs []*Step
	// Parts are what must have happened, all of them.
	Parts []Part
	// Moves are what to do: the first that is for the moment.
	Moves []Move
}

// Part is a fact. State is asked at each frame; Event of each event, once: what it
// says stays. One of them is enough where both are given.
type Part struct {
	Name  string
	State func(*World) bool
	Event func(*World, *timeline.Event) bool
}

// Move is the next thing to do.
type Move struct {
	When   func(*World) bool   // nil: always
	Typing bool                // it is for while something is typed
	On     screen.ID           // where the key works
	Any    bool                // it works on all screens
	Key    *key.Binding        // nil: nothing is to be pressed
	Does   string              // verb and object
	Says   func(*World) string // likewise, where it depends on what there is
}

// World is what steps are held against.
type World struct {
	Session session.Snapshot
	At      screen.ID
	Busy    Busy
	Field   func(name string) string // of the form on the screen in front; never nil
	// HaveStock tells that ibv_rc_pingpong is on this machine.
	HaveStock bool

	explained map[string]bool // names that were explained since the step began
	landed    bool            // the last WRITE's bytes are in the peer's region
}

// Busy is what the screen in front is busy with, or what has the keyboard instead.
type Busy uint8

const (
	Free    Busy = iota // the screen takes keys
	Typing              // a field or the command line
	Over                // a text or a question over the screen
	Running             // a line of the screen, which is its field "running": it takes no other
)

// Named returns the tour with an ID, nil if there is none.
func Named(id string) *Tour {
	for _, t := range All {
		if t.ID == id {
			return t
		}
	}
	return nil
}
