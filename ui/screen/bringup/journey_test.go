package bringup

import (
	"regexp"
	"testing"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// The same keys on a session with the software device: from nothing to two queue
// pairs in RTS, one transition at a time.
func TestJourneyOnSoft(t *testing.T) {
	sess := uitest.NewSession(t, session.Options{Live: true})
	env := sess.Env(theme.New("none", true))
	s := New(env)
	d := uitest.NewScreen(t, env, s)
	d.Keys("b")
	for _, name := range []string{"a", "b"} {
		for _, want := range []verbs.QPState{verbs.QPInit, verbs.QPRTR, verbs.QPRTS} {
			d.Keys("enter")
			if q := s.current(); q == nil || q.Name != name || q.State != want {
				t.Fatalf("not %s in %s:\n%s\n%q", name, want, d.View(200, 60), d.Flashes)
			}
			d.Shows(200, 60, "ibv_modify_qp("+name, want.String()+" · ")
		}
		d.Keys("o")
	}
	for q, peer := range map[*session.QPView]string{s.snap.QP("a"): "b", s.snap.QP("b"): "a"} {
		row := regexp.MustCompile(q.Name + ` +RC +RTS +` + q.Num.String() + ` +` + q.PSN.String() + ` +` + peer + ` `)
		if view := d.View(120, 40); !row.MatchString(view) {
			t.Errorf("connected by hand, %s does not show %s as its peer:\n%s", q.Name, peer, view)
		}
	}
	d.Keys("r")
	for _, a := range s.attrs {
		if a.fit == clashes {
			t.Errorf("%s: %s and %s clash", a.name, a.mine, a.theirs)
		}
	}
	d.Shows(200, 60, "qp_num of b", "sq_psn of b", "GID of b")
	d.Keys("T", "T", "x") // RTS to INIT: our table and the provider both refuse
	d.Shows(120, 40, "EINVAL", "ours", "EINVAL: see the result")
}
