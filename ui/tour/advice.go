package tour

import (
	"strings"

	"charm.land/bubbles/v2/key"

	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
)

// maxParts is the largest number of parts of a step, which share one line.
const maxParts = 6

// advice is the content of the panel; it is comparable, so that the panel is redrawn only after a change.
type advice struct {
	head  string // the step
	key   string // to press, as named in the help; "" for none
	press string // the same key as sent by the keyboard
	does  string
	why   string
	stray bool // why describes an error
	parts [maxParts]mark
}

// mark is a part of a step, done or not.
type mark struct {
	name string
	done bool
}

// show returns the current advice.
func (g *Guide) show() advice {
	s := g.Step()
	if s == nil {
		return advice{}
	}
	a := advice{head: s.Name, why: s.Why}
	if s.WhyNow != nil {
		a.why = s.WhyNow(&g.world)
	}
	for i := range s.Parts {
		a.parts[i] = mark{s.Parts[i].Name, g.has(s, i)}
	}
	for _, n := range s.Needs {
		if !g.lasts(n) {
			a.stray, a.why = true, "This is missing now: "+g.missing(n)+". Do it again, then the tour goes on."
			s = n
			break
		}
	}
	var press key.Binding
	if press, a.does = g.next(s.Moves); len(press.Keys()) > 0 {
		a.key, a.press = press.Help().Key, press.Keys()[0]
	}
	return a
}

// missing lists the parts of an earlier step whose results are gone.
func (g *Guide) missing(s *Step) string {
	var names []string
	for i := range s.Parts {
		if p := &s.Parts[i]; p.State != nil && !p.State(&g.world) {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, ", ")
}

// next returns the key to press, if any, and its effect.
func (g *Guide) next(moves []Move) (press key.Binding, does string) {
	w := &g.world
	switch {
	case w.Busy == Running && w.Stops: // some never end
		return keymap.Waiting.Stop, "stop " + w.Field("running") + ", or wait for its end"
	case w.Busy == Running:
		return press, "wait for the end of " + w.Field("running")
	}
	for i := range moves {
		m := &moves[i]
		switch {
		case w.Busy == Over, m.Typing != (w.Busy == Typing), m.When != nil && !m.When(w):
			continue
		case !m.Any && m.On != w.At:
			return keymap.ScreenKey(int(m.On)), "go to " + screen.Names[m.On]
		case !m.Any && !m.Typing && !m.Aside && w.Field("aside") != "":
			return keymap.List.Back, "go back to " + w.Field("aside")
		}
		does = m.Does
		if m.Says != nil {
			does = m.Says(w)
		}
		if m.Key != nil {
			press = *m.Key
		}
		return press, does
	}
	switch w.Busy {
	case Over:
		return keymap.Overlay.Close, "close what lies over the screen"
	case Typing:
		return keymap.Entry.Cancel, "end typing"
	}
	return press, ""
}

// Begins returns the screen on which the current step starts.
func (g *Guide) Begins() screen.ID {
	s := g.Step()
	if s == nil {
		return g.world.At
	}
	for _, n := range s.Needs {
		if !g.lasts(n) {
			s = n
			break
		}
	}
	for i := range s.Moves {
		if m := &s.Moves[i]; !m.Any && !m.Typing && (m.When == nil || m.When(&g.world)) {
			return m.On
		}
	}
	return g.world.At
}

// Key returns the name in the help of the key to press next; "" for none.
func (g *Guide) Key() string { return g.show().key }

// Advice returns the key to press next as the keyboard sends it, "" for none, and what the panel says that it does.
func (g *Guide) Advice() (press, does string) {
	a := g.show()
	return a.press, a.does
}
