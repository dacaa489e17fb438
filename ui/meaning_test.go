package ui

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// failedLines fill every screen with failures beside successes: a request, a connection, a call, a queue pair.
var failedLines = append(fullLines[:len(fullLines):len(fullLines)],
	"rdma_create_id lost channel=events ps=TCP", "rdma_resolve_addr lost 127.0.0.1 port=9", "rdma_resolve_route lost",
	"rdma_create_qp lost x pd=pd-id send_cq=cq-id recv_cq=cq-id", "rdma_connect lost", "modify_qp a ERR",
	"modify_qp b INIT",
)

// styled finds the styles of what begins with a text in a view in the theme of [uitest.Tokens], without that of the
// cursor.
func styled(t *testing.T, view, text string) (styles []string) {
	t.Helper()
	run := regexp.MustCompile(`‹([A-Za-z0-9+]*)›([^‹]*)`)
	for l := range strings.SplitSeq(uitest.Marked(t, view, text), "\n") {
		for _, m := range run.FindAllStringSubmatch(l, -1) {
			if strings.HasPrefix(strings.TrimSpace(m[2]), text) {
				name, _, _ := strings.Cut(m[1], "+")
				styles = append(styles, name)
			}
		}
	}
	return styles
}

// TestMeaningOnScreens: on each screen what failed is an error and what succeeded is not, this end and the other one
// differ. What the styles look like, tests of the theme tell.
func TestMeaningOnScreens(t *testing.T) {
	type row struct {
		text, style string
		some        bool // others that begin so may have other styles
	}
	strip := row{"✗ 1 failed", "Err", false}
	synctest.Test(t, func(t *testing.T) {
		sess := uitest.NewSession(t, session.Options{Live: true, Providers: []verbs.Provider{late{uitest.Soft(nil)}}})
		env := sess.Env(uitest.Tokens())
		env.Inventory = uitest.Still{Inventory: env.Inventory}
		env.Diagnose = func(context.Context) []devices.Finding { return blocked }
		g := newWhole(t, env, 200, 60)
		t.Cleanup(g.End)
		g.typed(failedLines...)
		for _, tt := range []struct {
			id   screen.ID
			keys []string
			rows []row
		}{
			{screen.Home, nil, []row{{"ERR", "Err", false}, {"1 failed", "Err", false},
				{"port 1 ACTIVE", "OK", false}, {"⇄ b", "Theirs", false}, {"a ●", "Mine", false}}},
			{screen.Home, []string{"tab", "tab", "z"}, []row{{"ERROR", "Err", false}, {"CONNECTED", "OK", false}}},
			{screen.Devices, []string{"d"}, []row{{"✗ providers", "Err", false}, {"ACTIVE", "OK", false},
				{"✗ modules", "Err", false}}},
			{screen.BringUp, nil, []row{{"[ERR]", "Err", false}, {"0xff2330", "Mine", true},
				{"0x0901a1", "Theirs", true}}},
			{screen.Post, nil, []row{{"✗", "Err", false}, {"✓", "OK", false}}},
			{screen.Completions, nil, []row{{"REM_ACCESS_ERR", "Err", false}, {"SUCCESS", "OK", false}}},
			{screen.Connections, nil, []row{{"ERROR", "Err", true}, {"REJECTED", "Err", false},
				{"ESTABLISHED", "OK", false}, {"CONNECTED", "OK", false}}},
			{screen.Wire, nil, []row{{"NAK remote access", "Err", false}}},
			{screen.Journal, []string{"z"}, []row{{"✗", "Err", false}, {"SUCCESS", "OK", false}}},
		} {
			env.Hand.Take("a")
			g.Keys("esc", fmt.Sprint(int(tt.id)))
			g.Keys(tt.keys...)
			for range 2 { // frames
				time.Sleep(idleTime)
				g.Send(nil)
			}
			for _, r := range append(tt.rows, strip) {
				if r == strip && !g.Contains(r.text) {
					continue // this screen hides the strip
				}
				found := styled(t, g.Raw(), r.text)
				if len(found) == 0 {
					t.Errorf("%s: %q stands alone nowhere", screen.Names[tt.id], r.text)
				}
				if r.some && slices.Contains(found, r.style) {
					continue
				}
				for _, style := range found {
					if style != r.style {
						t.Errorf("%s: %q is drawn as %s, want %s", screen.Names[tt.id], r.text, style, r.style)
					}
				}
			}
		}
	})
}
