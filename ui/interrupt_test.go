package ui

import (
	"testing"
	"testing/synctest"

	"rdmatui/ui/screen"
	"rdmatui/ui/uitest"
)

// ctrl+c leaves the innermost thing that has the keyboard, and at last asks whether to quit.
func TestInterrupt(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		left func(*rig) bool
	}{
		{"a question", []string{"q"}, func(r *rig) bool { return r.app.ask == nil }},
		{"the help", []string{"?"}, func(r *rig) bool { return r.app.help == nil }},
		{"the palette", []string{"ctrl+p", "x"}, func(r *rig) bool { return r.app.finder == nil }},
		{"a typed line", []string{":", "x"}, func(r *rig) bool { return r.app.console.Value() == "" }},
		{"the console", []string{":"}, func(r *rig) bool { return !r.app.console.IsOpen() }},
	} {
		r := newRig(t, 80, 24, "open_device soft0", "alloc_pd pd")
		r.app.refresh()
		r.Keys(tt.keys...)
		if r.Keys("ctrl+c"); r.Quit || !tt.left(r) {
			t.Errorf("%s is not left, or the program has ended:\n%s", tt.name, r.View())
		}
		if r.Keys("ctrl+c", "ctrl+c"); r.Quit {
			t.Errorf("%s: the program ended without a question", tt.name)
		}
	}
}

// ctrl+c on a screen without anything to leave is q: a question if objects exist.
func TestInterruptQuits(t *testing.T) {
	r := newRig(t, 80, 24, "open_device soft0", "alloc_pd pd")
	r.app.refresh()
	if r.Keys("ctrl+c"); r.Quit || !r.Contains("Quitting destroys") {
		t.Errorf("no question:\n%s", r.View())
	}
	if r.Keys("y"); !r.Quit {
		t.Error("yes does not quit")
	}
	empty := newRig(t, 80, 24)
	if empty.Keys("ctrl+c"); !empty.Quit {
		t.Error("asked, though nothing is lost")
	}
}

// A screen that edits a field gets the key that cancels it.
func TestInterruptOfAField(t *testing.T) {
	r := newRig(t, 80, 24)
	first := r.screens[screen.Devices]
	first.typing = true
	if r.Keys("ctrl+c"); r.Quit || len(first.keys) != 1 || first.keys[0] != "esc" {
		t.Errorf("the screen got %q", first.keys)
	}
}

// ctrl+c stops a wait wherever the keyboard is, before the wait is shown too, and keeps what is typed.
func TestInterruptOfAWait(t *testing.T) {
	for _, keys := range [][]string{nil, {":"}, {":", "x"}, {"1"}} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, 80, 24, "rdma_create_event_channel events")
			defer r.End()
			go r.sess.Exec(t.Context(), "rdma_get_cm_event channel=events")
			synctest.Wait()
			r.Keys(keys...)
			r.app.Update(uitest.Key("ctrl+c"))
			synctest.Wait()
			if _, waits := r.sess.Waiting(); waits || r.Quit {
				t.Errorf("after %q: waits %v, ended %v", keys, waits, r.Quit)
			}
			if len(keys) == 2 && r.app.console.Value() != "x" {
				t.Errorf("the typed line is lost: %q", r.app.console.Value())
			}
		})
	}
}
