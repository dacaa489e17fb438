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
