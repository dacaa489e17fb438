package tour

import (
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/timeline"
)

// Start asks the root model to begin or continue a tour.
type Start struct{ ID string }

// Place is the progress of a tour.
type Place struct {
	Step int  // the current one, from 0
	Done bool // it was completed once
}

// Guide leads through one tour. Only the event loop may call its methods; the commands that Refresh
// returns run outside it.
type Guide struct {
	*Tour
	at    int
	world World

	sess  *session.Session
	ring  *timeline.Recent
	seen  uint64
	buf   []timeline.Event
	got   []bool // by part of the current step: its event has occurred
	posts map[uint64]string
	wrote uint64 // number of the command whose WRITE succeeded last; 0: none
	busy  bool   // the bytes of that WRITE are being compared
	asked bool   // the search for the stock program has started
}

// keep is the largest number of events that one frame examines.
const keep = 256

// wants selects the events that steps use. Packets are excluded because they are numerous.
func wants(e *timeline.Event) bool { return e.Kind != timeline.KindPacket }

// New begins a tour at a step. Earlier events do not count, existing objects do.
// The caller must call Close.
func New(t *Tour, sess *session.Session, at int) *Guide {
	log := sess.Timeline()
	g := &Guide{Tour: t, sess: sess, seen: log.Last(), ring: timeline.NewRecent(log, keep, wants),
		posts: map[uint64]string{}}
	g.world.Field = func(string) string { return "" } // until the first frame
	g.enter(min(max(at, 0), len(t.Steps)-1))
	return g
}

// Close ends the tour.
func (g *Guide) Close() { g.ring.Close() }

// Place returns the progress of the tour.
func (g *Guide) Place() Place {
	if g.Over() {
		return Place{Done: true}
	}
	return Place{Step: g.at}
}

// Over reports whether all steps are done.
func (g *Guide) Over() bool { return g.at == len(g.Steps) }

// Step returns the current step, nil at the end.
func (g *Guide) Step() *Step {
	if g.Over() {
		return nil
	}
	return g.Steps[g.at]
}

func (g *Guide) enter(at int) {
	g.at, g.wrote = at, 0
	g.world.explained, g.world.seen, g.world.landed = map[string]bool{}, map[string]bool{}, false
	if s := g.Step(); s != nil {
		g.got = make([]bool, len(s.Parts))
	}
}

// Explained records the names whose explanations are shown.
func (g *Guide) Explained(names ...string) {
	for _, n := range names {
		g.world.explained[n] = true
	}
}

// Refresh examines the events since the last frame. It reports whether the panel has
// changed, and returns a command whose message is for Take.
func (g *Guide) Refresh(now World) (changed bool, work tea.Cmd) {
	was := g.show()
	now.kept = g.world.kept
	g.world = now
	g.world.choose()
	g.pass()
	g.buf = g.ring.Since(g.seen, keep, g.buf[:0])
	for i := range g.buf {
		g.seen = g.buf[i].Seq
		g.take(&g.buf[i])
	}
	return g.show() != was, tea.Batch(g.lookForStock(), g.compare())
}

// pass skips steps that are already done.
func (g *Guide) pass() {
	for !g.Over() {
		s := g.Step()
		for i := range s.Parts {
			if p := &s.Parts[i]; p.Once && p.State(&g.world) {
				g.got[i] = true
			}
			g.world.seen[s.Parts[i].Name] = g.got[i]
		}
		if !g.doneAt(s) {
			return
		}
		g.enter(g.at + 1)
	}
}

func (g *Guide) doneAt(s *Step) bool {
	for i := range s.Parts {
		if !g.has(s, i) {
			return false
		}
	}
	return true
}

// has reports whether a part of the current step is done.
func (g *Guide) has(s *Step, i int) bool {
	return g.got[i] || s.Parts[i].State != nil && !s.Parts[i].Once && s.Parts[i].State(&g.world)
}

// lasts reports whether the results of a step still exist.
func (g *Guide) lasts(s *Step) bool {
	for i := range s.Parts {
		if p := &s.Parts[i]; p.State != nil && !p.State(&g.world) {
			return false
		}
	}
	return true
}

// take examines one event. An event of a later step proves that the current one was done,
// even if its result is already undone in this frame.
func (g *Guide) take(e *timeline.Event) {
	for n := g.at; n < len(g.Steps); n++ {
		s, events := g.Steps[n], false
		for i := range s.Parts {
			p := &s.Parts[i]
			if p.Event == nil {
				continue
			}
			events = true
			if p.Event(&g.world, e) {
				if n != g.at {
					g.enter(n)
				}
				g.got[i] = true
			}
		}
		if events {
			break
		}
	}
	g.remember(e)
	g.pass()
}

// told is the message of a command from Refresh.
type told struct {
	stock  bool   // the search for the stock program has finished
	have   bool   // it is installed
	wrote  uint64 // number of the command whose bytes were compared
	landed bool   // the bytes are the same at both ends
}

// Told reports whether a message is for Take.
func Told(msg tea.Msg) bool { _, ok := msg.(told); return ok }

// Take applies the message of a command from Refresh.
func (g *Guide) Take(msg tea.Msg) {
	switch m, _ := msg.(told); {
	case m.stock:
		g.world.HaveStock = m.have
	case m.wrote != 0:
		g.busy = false
		if m.wrote == g.wrote {
			g.wrote, g.world.landed = 0, m.landed
		}
	}
}

// stockProgram is the peer in the pingpong tour.
const stockProgram = "ibv_rc_pingpong"

func (g *Guide) lookForStock() tea.Cmd {
	if g.asked {
		return nil
	}
	g.asked = true
	return func() tea.Msg {
		_, err := exec.LookPath(stockProgram)
		return told{stock: true, have: err == nil}
	}
}
