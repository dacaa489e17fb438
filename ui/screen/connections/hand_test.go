package connections

import (
	"testing"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
)

// When the screen is shown it selects the identifier of the queue pair in hand, even if the hand has gone away and come
// back since; a request that has no queue pair yet stays selected.
func TestShowFollowsHand(t *testing.T) {
	env := uitest.NewSession(t, session.Options{}).Env(theme.New("none", true))
	for selected, want := range map[string]string{"listen-1": "id", "listen-2": "listen-2", "id": "id"} {
		s := New(env)
		s.snap = session.Snapshot{
			QPs: []session.QPView{{Name: "qp"}, {Name: "qp2"}},
			IDs: []session.IDView{{Name: "id", QP: "qp"}, {Name: "listen-1", QP: "qp2"}, {Name: "listen-2"}},
		}
		env.Hand.Take("qp")
		s.hand, s.name = "qp", selected
		s.Show()
		if followHand(s); s.name != want {
			t.Errorf("with %s selected before, %q is shown, want %q", selected, s.name, want)
		}
	}
}

// A key that runs lines acts on no queue pair that the title does not name: it first takes the identifier's in hand.
func TestKeysTakeInHandFirst(t *testing.T) {
	for _, tt := range []struct {
		hand, peer, key string
		taken           bool
	}{{"other", "third", "D", true}, {"other", "third", "enter", true}, {"other", "third", "d", true},
		{"other", "third", "y", false}, {"qp", "", "D", false}, {"other", "qp", "D", false}} {
		env := uitest.NewSession(t, session.Options{}).Env(theme.New("none", true))
		s := New(env)
		s.snap = session.Snapshot{
			QPs: []session.QPView{{Name: "other", PeerName: tt.peer}, {Name: "qp"}, {Name: "third"}},
			IDs: []session.IDView{{Name: "id", QP: "qp", State: session.IDConnected}},
		}
		env.Hand.Take(tt.hand)
		s.hand, s.name = tt.hand, "id"
		_, taken := takesFirst(s, uitest.Key(tt.key))
		if now := env.Hand.In(&s.snap); taken != tt.taken || taken && now != "qp" || !taken && now != tt.hand {
			t.Errorf("%+v: taken %v, then %s is in hand", tt, taken, now)
		}
		if _, again := takesFirst(s, uitest.Key(tt.key)); again {
			t.Errorf("%+v: the second press does not act", tt)
		}
	}
}
