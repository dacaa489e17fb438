package tour

import (
	"strings"

	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
)

// maxParts bounds the parts of a step: so many fit a line.
const maxParts = 6

// advice is what the panel says, in values that can be compared.
type advice struct {
	head  string // the step
	key   string // to press, "" for none
	does  string
	why   string
	stray bool // why is what went wrong
	parts [maxParts]mark
}

// mark is a part of a step, done or not.
type mark struct {
	name string
	done bool
}

// show is the advice of the moment.
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
	a.key, a.does = g.next(s.Moves)
	return a
}

// missing names the parts of an earlier step that do not last.
func (g *Guide) missing(s *Step) string {
	var names []string
	for i := range s.Parts {
		if p := &s.Parts[i]; p.State != nil && !p.State(&g.world) {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, ", ")
}

// next is the key to press, and what it does.
func (g *Guide) next(moves []Move) (key, does string) {
	w := &g.world
	for i := range moves {
		m := &moves[i]
		switch {
		case w.Busy == Over, m.Typing != (w.Busy == Typing), m.When != nil && !m.When(w):
			continue
		case !m.Any && m.On != w.At:
			return screenKey(m.On), "go to " + screen.Names[m.On]
		}
		does = m.Does
		if m.Says != nil {
			does = m.Says(w)
		}
		if m.Key != nil {
			key = m.Key.Help().Key
		}
		return key, does
	}
	switch w.Busy {
	case Over:
		return keymap.Overlay.Close.Help().Key, "close what lies over the screen"
	case Typing:
		return keymap.Entry.Cancel.Help().Key, "end typing"
	}
	return "", ""
}

// Begins is the screen of what is to be done now.
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

// screenKey is the number key of a screen.
func screenKey(id screen.ID) string { return string(rune('0' + id)) }

// Key is what help calls the key to press next; "" for none.
func (g *Guide) Key() string { return g.show().key }
