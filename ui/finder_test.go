package ui

import (
	"slices"
	"strings"
	"testing"

	"rdmatui/ui/screen"
	"rdmatui/ui/store"
	"rdmatui/ui/theme"
)

// Enter in the palette runs the item under the cursor.
func TestFinder(t *testing.T) {
	tests := []struct {
		typed string
		ok    func(*rig) bool
	}{
		{"screen bring", func(r *rig) bool { return r.app.at == screen.BringUp }},
		{"failed only", func(r *rig) bool { return slices.Contains(r.screens[screen.Devices].keys, "F") }},
		{"strip: line", func(r *rig) bool { return r.app.strip.mode == stripPane }},
		{"alloc_pd", func(r *rig) bool { return r.app.console.IsOpen() && r.app.console.Value() == "alloc_pd " }},
		{"theme light", func(r *rig) bool {
			return r.app.env.Theme.Name == "light" && r.app.env.Store.Choice("theme") == "light"
		}},
		{"settings", func(r *rig) bool {
			return r.app.console.IsOpen() && r.Contains("history=1000") && r.Contains("theme=auto")
		}},
		{"history 1000", func(r *rig) bool {
			return r.app.console.IsOpen() && r.app.console.Value() == "set history=1000"
		}},
		{"status RNR_RETRY", func(r *rig) bool { return r.Contains("RNR_RETRY_EXC_ERR, status of a work completion") }},
		{"quit!", func(r *rig) bool { return r.Quit }},
		{"note earlier", func(r *rig) bool {
			r.WaitFor("events: earlier")
			return slices.Equal(r.sess.Lines(), []string{"note earlier"})
		}},
	}
	for _, tt := range tests {
		r := newRig(t, 120, 40, "open_device soft0")
		r.app.env.Store, _ = store.Open(store.Folders{}, store.NewSettings([]string{"dark", "light"}))
		r.app.console.Remember("note earlier")
		r.app.refresh()
		r.Keys("ctrl+p")
		r.Type(tt.typed)
		if !r.Contains("find anything") || !r.Contains("do it") {
			t.Fatalf("%s: the palette is not shown:\n%s", tt.typed, r.View())
		}
		if r.Keys("enter"); r.app.finder != nil || !tt.ok(r) {
			t.Errorf("%s: it was not done:\n%s", tt.typed, r.View())
		}
	}
}

// The palette opens wherever the keyboard focus is, and a scenario opens on its screen.
func TestFinderEverywhere(t *testing.T) {
	r := newRig(t, 80, 24)
	r.screens[screen.Devices].typing = true
	for _, before := range []string{"x", ":", "?"} {
		r.Keys(before, "ctrl+p")
		if r.app.finder == nil {
			t.Errorf("not after %s", before)
		}
		if r.Keys("esc"); r.app.finder != nil {
			t.Errorf("esc does not close it after %s", before)
		}
		r.screens[screen.Devices].typing = false
		r.app.console.Close()
	}
	f := &finder{app: r.app}
	all := f.scenarios()
	i := slices.IndexFunc(all, func(f find) bool { return f.Text == "rping" })
	if msg, ok := all[i].do()().(screen.GotoMsg); !ok || msg.To != screen.Scenarios || msg.Item != "rping" {
		t.Errorf("rping leads to %+v", msg)
	}
	for _, it := range slices.Concat(f.commands(), all, f.explanations(), f.screens()) {
		if it.Text == "" || it.Kind != "screen" && strings.TrimSpace(it.Note) == "" || it.do == nil {
			t.Errorf("%+v says nothing, or does nothing", it.PaletteItem)
		}
	}
}

// The picker previews the theme under the cursor; esc restores the old one, enter keeps
// the new one.
func TestThemePicker(t *testing.T) {
	r := newRig(t, 120, 40)
	r.app.env.Store, _ = store.Open(store.Folders{}, store.NewSettings(theme.Names))
	before := r.app.env.Theme.Name
	r.typed("theme")
	r.Keys("down", "down")
	if r.app.env.Theme.Name != "light" || r.app.env.Store.Choice("theme") != theme.Auto {
		t.Errorf("the theme is %s, that which is kept %s", r.app.env.Theme.Name, r.app.env.Store.Choice("theme"))
	}
	if r.Keys("esc"); r.app.env.Theme.Name != before || r.app.finder != nil {
		t.Errorf("after esc the theme is %s", r.app.env.Theme.Name)
	}
	r.typed("theme")
	r.Type("safe")
	if r.Keys("enter"); r.app.env.Theme.Name != "safe" || r.app.env.Store.Choice("theme") != "safe" {
		t.Errorf("after enter the theme is %s, that which is kept %s", r.app.env.Theme.Name,
			r.app.env.Store.Choice("theme"))
	}
}
