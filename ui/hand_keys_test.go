package ui

import (
	"fmt"
	"slices"
	"testing"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
)

// ownKeys lists the keys of a screen that work now: none that move, and those that end its objects last.
func ownKeys(c keymap.Context) (keys []string) {
	for _, g := range c.Groups {
		for _, b := range g.Keys {
			without := []string{"Everywhere", "Lists", "Panes", "At other times"}
			if name := b.Keys()[0]; !slices.Contains(without, g.Name) && !slices.Contains(keys, name) && name != "w" {
				keys = append(keys, name)
			}
		}
	}
	if i := slices.Index(keys, "D"); i >= 0 {
		keys = append(slices.Delete(keys, i, i+1), "D")
	}
	return keys
}

// actsOn lists the queue pairs that a command posts to, moves or destroys, and the queues whose mode it changes.
func actsOn(s *session.Snapshot, text string) (qps, cqs []string) {
	cmd, err := command.Parse(text)
	if err != nil || cmd.Spec == command.QueryQP {
		return nil, nil
	}
	for _, name := range []string{cmd.String("qp"), cmd.String("name"), cmd.String("object")} {
		if s.QP(name) != nil {
			qps = append(qps, name)
		}
	}
	if id := s.ID(cmd.String("id")); id != nil && id.QP != "" {
		qps = append(qps, id.QP)
	}
	if cq := cmd.String("cq"); cq != "" {
		cqs = append(cqs, cq)
	}
	return qps, cqs
}

// TestKeysActOnHand: no key of a screen posts to, moves or destroys a queue pair that the title does not name, or
// changes a completion queue of another. What its keys leave for the user to edit and run is in the console, and does
// not run.
func TestKeysActOnHand(t *testing.T) {
	ran := 0
	for id := screen.Devices; id <= screen.Wire; id++ {
		g := newGuided(t, 160, 45, "", twoPairs...)
		for _, l := range sends {
			g.typed(l)
		}
		g.app.env.Hand.Take("d")
		g.press(fmt.Sprint(id))
		for _, key := range ownKeys(g.app.context()) {
			hand, snap := g.app.env.Hand.In(&g.app.state.Session), g.sess.Snapshot()
			q := snap.QP(hand)
			if q == nil {
				break // the last key has destroyed it
			}
			peer, _ := snap.LikelyPeer(q)
			g.sess.Lines()
			if g.press(key); g.app.ask != nil {
				g.press("y")
			}
			for _, text := range g.sess.Lines() {
				qps, cqs := actsOn(&snap, text)
				ran += len(qps) + len(cqs)
				for _, name := range qps {
					if name != hand && name != peer {
						t.Errorf("%s: with %s in hand, %s runs %s", screen.Names[id], hand, key, text)
					}
				}
				for _, name := range cqs {
					if name != q.SendCQ && name != q.RecvCQ {
						t.Errorf("%s: with %s in hand, %s runs %s", screen.Names[id], hand, key, text)
					}
				}
			}
			if g.app.at != id {
				g.press(fmt.Sprint(id))
			}
			g.press("esc")
			g.app.Beat()
		}
	}
	if ran < 4 {
		t.Errorf("only %d commands were looked at", ran)
	}
}
