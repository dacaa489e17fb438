package ui

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/ui/tour"
	"rdmatui/verbs/verbstest/race"
)

var strayWalks = flag.Int("stray-walks", 3, "how many newcomers take each tour with stray keys")

// newcomer takes a tour: presses what the panel says, types what it says, and waits where it says so.
type newcomer struct {
	*guided
	random *rand.Rand
	before func(step int) // called before each step, or nil
	did    []string
	waited int // times in a row that what it waited for did not come
}

var (
	typesField = regexp.MustCompile(`^type (.+), then enter$`)
	typesLine  = regexp.MustCompile(`^type: (.+)$`)
)

// frame draws a frame, and takes what the work that it starts brings.
func (n *newcomer) frame() {
	n.t.Helper()
	if work := n.app.Beat(); work != nil {
		n.Send(work())
	}
}

// obey does the next thing that the panel asks for.
func (n *newcomer) obey() {
	n.t.Helper()
	n.frame()
	press, does := n.app.tours.panel.Guide.Advice()
	n.did = append(n.did, fmt.Sprintf("%s(%s)", press, does))
	switch field, typed := typesField.FindStringSubmatch(does), typesLine.FindStringSubmatch(does); {
	case press != "":
		n.Keys(press)
	case typed != nil:
		n.Type(typed[1])
		n.Keys("enter", "esc")
	case field != nil:
		n.Type(field[1])
		n.Keys("enter")
	default: // it says to wait
		for limit := time.Now().Add(2 * time.Second); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
			n.Send(nil) // takes what came of the keys before
			n.frame()
			if p, d := n.app.tours.panel.Guide.Advice(); p != press || d != does {
				n.waited = 0
				return
			}
		}
		n.waited++
	}
}

// stray presses keys that have nothing to do with the tour.
func (n *newcomer) stray(keys []string) {
	for range 1 + n.random.IntN(2) {
		k := keys[n.random.IntN(len(keys))]
		n.did = append(n.did, "stray "+k)
		n.Keys(k)
	}
}

// most bounds what a newcomer does in one tour, patience how often it waits for nothing.
const (
	most     = 200
	patience = 10
)

// alone lists the tours that need no other program.
func alone() (tours []*tour.Tour) {
	for _, t := range tour.All {
		if t.ID != "rc-pingpong" {
			tours = append(tours, t)
		}
	}
	return tours
}

// take takes a tour to its end; strays are pressed before every step and at some of the moves.
func (n *newcomer) take(keys []string) {
	n.t.Helper()
	n.Keys("enter")
	guide := n.app.tours.panel.Guide
	at := -1
	for range most {
		if n.frame(); guide.Over() {
			return
		}
		if n.waited == patience {
			break
		}
		now := guide.Place().Step
		if now != at && n.before != nil {
			n.before(now)
		}
		if len(keys) > 0 && (now != at || n.random.IntN(6) == 0) {
			n.stray(keys)
		}
		at = now
		n.obey()
	}
	n.t.Errorf("after %d moves it is not done:\n%s\n%s", len(n.did), strings.Join(n.did[max(len(n.did)-60, 0):], "\n"),
		n.View())
}

// TestNewcomer: who does what the panel says comes to the end of each tour.
func TestNewcomer(t *testing.T) {
	for _, tr := range alone() {
		t.Run(tr.ID, func(t *testing.T) {
			n := &newcomer{guided: newGuided(t, 80, 24, tr.ID)}
			n.take(nil)
		})
	}
}

// TestStrayKeys: keys pressed by mistake before each step and between hang no tour.
func TestStrayKeys(t *testing.T) {
	keys := slices.DeleteFunc(everyKey(), func(k string) bool { return k == "ctrl+t" || k == "q" })
	for _, tr := range alone() {
		for seed := range race.Fewer(*strayWalks, 1) {
			t.Run(fmt.Sprint(tr.ID, "/", seed), func(t *testing.T) {
				t.Chdir(t.TempDir()) // for what a key saves
				n := &newcomer{guided: newGuided(t, 80, 24, tr.ID), random: rand.New(rand.NewPCG(uint64(seed), 9))}
				n.take(keys)
			})
		}
	}
}
