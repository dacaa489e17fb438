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

// shownAs is a text at the beginning of what has one style, and that style.
type shownAs struct {
	text, style string
	some        bool // others that begin so may have other styles
}

// meansOn checks the styles of what a screen shows.
func (g *guided) meansOn(id screen.ID, rows ...shownAs) {
	g.t.Helper()
	for _, r := range rows {
		found := styled(g.t, g.Raw(), r.text)
		if len(found) == 0 {
			g.t.Errorf("%s: %q stands alone nowhere", screen.Names[id], r.text)
		}
		if r.some && slices.Contains(found, r.style) {
			continue
		}
		for _, style := range found {
			if style != r.style {
				g.t.Errorf("%s: %q is drawn as %s, want %s", screen.Names[id], r.text, style, r.style)
			}
		}
	}
}

// TestMeaningOnScreens: on each screen what failed is an error and what succeeded is not, this end and the other one
// differ. What the styles look like, tests of the theme tell.
func TestMeaningOnScreens(t *testing.T) {
	strip := shownAs{"✗ 1 failed", "Err", false}
	synctest.Test(t, func(t *testing.T) {
		sess := uitest.NewSession(t, session.Options{Live: true, Providers: []verbs.Provider{late{uitest.Soft(nil)}}})
		env := sess.Env(uitest.Tokens())
		env.Inventory = uitest.Still{Inventory: env.Inventory}
		env.Diagnose = func(context.Context) []devices.Finding { return blocked }
		g := newWhole(t, env, 200, 60)
		t.Cleanup(g.End)
		g.typed(failedLines...)
		experiment := append(append([]string{"/"}, strings.Split("bad-rkey", "")...), "enter", "enter")
		for _, tt := range []struct {
			id   screen.ID
			keys []string
			rows []shownAs
		}{
			{screen.Home, nil, []shownAs{{"ERR", "Err", false}, {"1 failed", "Err", false},
				{"port 1 ACTIVE", "OK", false}, {"⇄ b", "Theirs", false}, {"a ●", "Mine", false}}},
			{screen.Home, []string{"tab", "tab", "z"}, []shownAs{{"ERROR", "Err", false}, {"CONNECTED", "OK", false}}},
			{screen.Devices, []string{"d"}, []shownAs{{"✗ providers", "Err", false}, {"ACTIVE", "OK", false},
				{"✗ modules", "Err", false}}},
			{screen.BringUp, nil, []shownAs{{"[ERR]", "Err", false}, {"0xff2330", "Mine", true},
				{"0x0901a1", "Theirs", true}}},
			{screen.Post, nil, []shownAs{{"✗", "Err", false}, {"4 ok 1 failed", "Err", false}, {"✓", "OK", false}}},
			{screen.Completions, nil, []shownAs{{"REM_ACCESS_ERR", "Err", false}, {"SUCCESS", "OK", false}}},
			{screen.Connections, nil, []shownAs{{"ERROR", "Err", true}, {"REJECTED", "Err", false},
				{"ESTABLISHED", "OK", false}, {"CONNECTED", "OK", false}}},
			{screen.Wire, nil, []shownAs{{"NAK remote access", "Err", false}, {"CM REJ", "Err", true}}},
			{screen.Journal, []string{"z"}, []shownAs{{"✗", "Err", false}, {"SUCCESS", "OK", false}}},
			{screen.Scenarios, experiment, []shownAs{{"✗", "Err", false}, {"wr_id 1 REM_ACCES", "Err", false},
				{"✓", "OK", false}, {"posted, 1 outstan", "OK", false}, {"as specified; recovered", "OK", false}}},
		} {
			env.Hand.Take("a")
			g.Keys("esc", fmt.Sprint(int(tt.id)))
			g.Keys(tt.keys...)
			for range 3 { // frames
				time.Sleep(idleTime)
				g.Send(nil)
			}
			if g.Contains(strip.text) { // some screens hide the strip
				tt.rows = append(tt.rows, strip)
			}
			g.meansOn(tt.id, tt.rows...)
		}
	})
}

// TestMeaningOfRuns is TestMeaningOnScreens for measurements, which take real time: one that ended and one whose server
// is missing. They count messages, since a run of given duration fails on processors so busy that none arrives in it.
func TestMeaningOfRuns(t *testing.T) {
	sess := uitest.NewSession(t, session.Options{Live: true, Providers: []verbs.Provider{uitest.Soft(nil)}},
		"open_device soft0")
	g := newWhole(t, sess.Env(uitest.Tokens()), 200, 60)
	t.Cleanup(g.End)
	g.Keys("9", ".", "down", "down", "down", "down", "down", "e")
	g.Type("20")
	g.Keys("enter", "enter")
	g.WaitFor("✓")
	g.meansOn(screen.Measure, shownAs{"✓", "OK", false}, shownAs{"ended", "OK", false})
	g.Keys("O") // laid over the next one
	g.Keys("home", "down", "space", "down", "e")
	g.Type("127.0.0.1")
	g.Keys("enter", "down", "down", "e", "1", "enter", "home", "enter") // at port 1
	g.WaitFor("✗")
	g.meansOn(screen.Measure, shownAs{"✗", "Err", false}, shownAs{"failed", "Err", false},
		shownAs{"1 write-bw", "Theirs", false})
}
