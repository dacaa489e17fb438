package ui

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// TestFixManagedPair: a connection of rdma_cm that broke is made anew with one press of f on Home, Bring-up and Post,
// whichever end is in hand; where the listener is gone, the line says who must do what, and offers no f.
func TestFixManagedPair(t *testing.T) {
	for _, at := range []screen.ID{screen.Home, screen.BringUp, screen.Post} {
		for _, tt := range []struct {
			breaks []string
			hand   string
			told   string // in place of f; "": f makes it anew
		}{
			{[]string{"modify_qp c ERR"}, "c", ""}, {[]string{"modify_qp c ERR"}, "d", ""},
			{[]string{"rdma_disconnect id"}, "d", ""},
			{[]string{"rdma_destroy_id listen", "modify_qp c ERR"}, "c", "the peer must destroy its end"},
		} {
			t.Run(fmt.Sprint(screen.Names[at], " ", tt.breaks, " ", tt.hand), func(t *testing.T) {
				sess := uitest.NewSession(t, session.Options{Live: true,
					Providers: []verbs.Provider{late{uitest.Soft(nil)}}})
				g := newWhole(t, sess.Env(theme.New("none", true)), 200, 60)
				g.typed(fullLines...)
				g.typed("reg_mr mine pd=pd-id length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ")
				g.typed(tt.breaks...)
				g.app.env.Hand.Take(tt.hand)
				g.Keys(fmt.Sprint(int(at)))
				if tt.told != "" {
					g.WaitFor(tt.told)
					if g.Contains("connects both ends anew") {
						t.Error("f is offered for it")
					}
					return
				}
				g.WaitFor("f connects both ends anew")
				g.Keys("f")
				if !g.Until(func() bool {
					snap := sess.Snapshot()
					q := snap.QP(g.app.env.Hand.In(&snap))
					if q == nil || q.State != verbs.QPRTS {
						return false
					}
					id := snap.ID("id")
					return id != nil && id.State == session.IDConnected && strings.Contains(g.View(), "connected anew")
				}) {
					t.Fatalf("it is not connected:\n%s", g.View())
				}
			})
		}
	}
}
