package ui

import (
	"reflect"
	"regexp"
	"testing"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
)

// colour matches a foreground or background colour sent to the terminal.
var colour = regexp.MustCompile(`[34]8;2;[0-9]+;[0-9]+;[0-9]+`)

// coloursOf returns all colours of a theme.
func coloursOf(th *theme.Theme) map[string]bool {
	all, v := map[string]bool{}, reflect.ValueOf(th.Styles)
	for i := range v.NumField() {
		for _, c := range colour.FindAllString(v.Field(i).Interface().(theme.Style).SGR(), -1) {
			all[c] = true
		}
	}
	return all
}

// When the theme changes, every pane of every screen is drawn in its colours at once,
// including text laid out before.
func TestThemeAtOnce(t *testing.T) {
	uitest.KeepUsualPort(t)
	g := newGuided(t, 120, 40, "first-write", uitest.BenchLines...)
	th := g.app.env.Theme
	th.Become(theme.New("dark", true))
	light := theme.New("light", true)
	allowed := coloursOf(light)
	check := func(where string) {
		t.Helper()
		dark := th.Copy()
		g.app.dirty = true
		if found := colour.FindString(g.Raw()); found == "" || allowed[found] {
			t.Errorf("%s: not drawn in dark colours: %q", where, found)
		}
		th.Become(light)
		g.app.dirty = true
		for _, c := range colour.FindAllString(g.Raw(), -1) {
			if !allowed[c] {
				t.Errorf("%s: %s is left of the theme before:\n%s", where, c, uitest.Visible(g.Raw()))
				break
			}
		}
		th.Become(dark)
	}
	for _, tt := range []struct {
		screen string
		keys   []string // keys to press there
		shows  string   // text shown once they are done
	}{
		{"2", []string{"c"}, "is connected to"},
		{"3", []string{"enter"}, "ibv_post_send(a"},
		{"4", nil, "status"},
		{"5", []string{"l", "enter", "b"}, "LISTENING"},
		{"6", nil, "packets"},
		{"7", []string{"s"}, "step"},
		{"8", nil, "connect_qps"},
		{"0", nil, "software device"},
		{"1", nil, "max_qp"},
	} {
		g.Keys(tt.screen)
		g.Keys(tt.keys...)
		g.WaitFor(tt.shows)
		for range 4 {
			check("screen " + tt.screen + " " + g.app.context().Name)
			g.Keys("tab")
		}
		g.Keys("z")
		check("screen " + tt.screen + ", zoomed")
		g.Keys("z", keymap.Global.Help.Keys()[0])
		check("the keys of screen " + tt.screen)
		g.Keys("esc")
	}
	g.Keys("down", "E")
	check("an explanation")
}
