// Package tour guides the user through the screens: what to do next, with which key,
// and why. A step is done when the session shows its result, however the user
// reached it; keys are never counted. The tours themselves are tables.
package tour

import (
	"charm.land/bubbles/v2/key"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
)

// Tour is a sequence of steps through the screens.
type Tour struct {
	ID    string // the key in the saved state
	Name  string
	About string // what the user does, in one line
	Steps []*Step

	Learned [3]string // shown at the end
	Next    string    // what to do after it
}

// Step is one step of a tour.
type Step struct {
	Name string // verb and object
	Why  string // one sentence
	// WhyNow replaces Why if the reason depends on the machine; may be nil.
	WhyNow func(*World) string
	// Needs are earlier steps whose results must still exist.
	Needs []*Step
	// Parts are the facts that must all hold before the step is done.
	Parts []Part
	// Moves are the things to do; the first one that applies is shown.
	Moves []Move
}

// Part is a fact. State is evaluated at each frame. Event is called once for each event, and
// one true result is enough. If both are given, either suffices.
type Part struct {
	Name  string
	State func(*World) bool
	Once  bool // State must have held in one frame of the step, and need not hold any longer
	Event func(*World, *timeline.Event) bool
}

// Move is the next thing to do.
type Move struct {
	When   func(*World) bool   // nil: always
	Typing bool                // applies while the user types
	On     screen.ID           // where the key works
	Any    bool                // it works on all screens
	Aside  bool                // it works also where the screen's field "aside" says what esc goes back to
	Key    *key.Binding        // nil: there is no key to press
	Does   string              // verb and object
	Says   func(*World) string // replaces Does if the text depends on the session
}

// World is the state by which steps are judged.
type World struct {
	Session session.Snapshot
	At      screen.ID
	Hand    string // the queue pair in hand, "" for none
	Busy    Busy
	Stops   bool                     // esc stops what runs
	Field   func(name string) string // of the form on the screen in front; never nil

	kept
}

// kept is the part of the world that lasts from frame to frame.
type kept struct {
	HaveStock bool            // ibv_rc_pingpong is installed on this machine
	explained map[string]bool // names that were explained since the step began
	seen      map[string]bool // names of the step's parts that are done for good
	landed    bool            // the last WRITE's bytes are in the peer's region
	writer    string          // the queue pair of the last WRITE, "" for none
	walked    string          // the queue pair that the user brings up by hand, "" for none
	said      string          // what the device said of the last call that it refused
}

// Busy says what the current screen is doing, or what receives keys instead of it.
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
