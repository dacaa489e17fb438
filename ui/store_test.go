package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/ui/store"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
)

// keptRig is a program over new folders, with a config.
func keptRig(t *testing.T, f store.Folders) *rig {
	t.Helper()
	r := &rig{
		sess:    uitest.NewSession(t, session.Options{}),
		screens: map[screen.ID]*fakeScreen{screen.Devices: newFakeScreen("screen 0")},
	}
	env := r.sess.Env(theme.New("none", true))
	var problems []error
	env.Store, problems = store.Open(f, store.NewSettings(theme.Names))
	r.app = NewApp(env, map[screen.ID]screen.Screen{screen.Devices: r.screens[screen.Devices]})
	r.app.warn(problems)
	r.Driver = uitest.New(t, r.app, 120, 40)
	return r
}

// A mistake in the config is reported on the bottom line and in the journal, with file and
// line.
func TestWrongConfigIsTold(t *testing.T) {
	f := store.Folders{Config: t.TempDir(), State: t.TempDir()}
	if err := os.WriteFile(filepath.Join(f.Config, "config"), []byte("mouse = false\nthme = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "/config:2: there is no setting thme"
	r := keptRig(t, f)
	if !r.Contains(want) {
		t.Errorf("not at the bottom:\n%s", r.View())
	}
	if e := r.sess.Timeline().Snapshot(); len(e) != 1 || e[0].Note == nil || !strings.HasSuffix(e[0].Note.Text, want) {
		t.Errorf("the journal has %+v", e)
	}
	if r.app.View().MouseMode != 0 {
		t.Error("the line that is right does not count")
	}
}

// The lines of one run are in the next run's history.
func TestHistoryIsKept(t *testing.T) {
	f := store.Folders{Config: t.TempDir(), State: t.TempDir()}
	r := keptRig(t, f)
	r.Keys(":")
	r.Type("note first")
	r.Keys("enter")
	r.WaitFor("first")
	r.End()
	r = keptRig(t, f)
	if r.Keys(":", "up"); !r.Contains(":note first") {
		t.Errorf("it is not there:\n%s", r.View())
	}
}
