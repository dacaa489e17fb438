package post

import (
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen/steps/steptest"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
)

// In 80 columns each field has a note that is whole, whatever the opcode; where the
// value leaves no room it has none.
func TestNotesAreWhole(t *testing.T) {
	for _, o := range opcodes {
		d, _, s, _ := start(t, theme.New("none", true))
		for range opcodes {
			if s.req.op != o.Value {
				d.Keys("o")
			}
		}
		if s.req.op != o.Value {
			continue // the bench cannot post it
		}
		for range s.form.Fields() {
			for _, l := range strings.Split(d.View(80, 17), "\n")[1:8] {
				if r := []rune(l); strings.Contains(string(r[:40]), "…") {
					t.Errorf("%s: %s", o.Value, string(r[:41]))
				}
			}
			d.Keys("down")
		}
	}
}

// The shorter forms of a note come in order of their length.
func TestNotesGetShorter(t *testing.T) {
	lists := map[string][]string{}
	for _, p := range parts {
		lists[p.name] = p.note
	}
	for _, o := range opcodes {
		if len(shortOpcodes[o.Value]) == 0 && len(o.Value) < 15 {
			t.Errorf("%s has no short help", o.Value)
		}
		lists[o.Value] = append([]string{o.Help}, shortOpcodes[o.Value]...)
	}
	for name, list := range lists {
		for i := 1; i < len(list); i++ {
			if len([]rune(list[i])) >= len([]rune(list[i-1])) {
				t.Errorf("%s: %q does not come before %q", name, list[i-1], list[i])
			}
		}
	}
}

// Flags have room for what each means.
func TestFlagsAreWhole(t *testing.T) {
	d, _, s, _ := start(t, theme.New("none", true))
	s.form.Select("send_flags")
	d.Keys("e")
	var all []string
	for _, f := range flagsOf["send_flags"] {
		all = append(all, f.Help)
	}
	d.Shows(80, 17, all...)
}

// One is one.
func TestOneIsUnderWay(t *testing.T) {
	for n, want := range map[int]string{0: "0 of 16 requests are under way", 1: "1 of 16 requests is under way", 2: "2 of 16 requests are under way"} {
		d, sess, _, _ := start(t, theme.New("none", true))
		sess.Change(func(s *session.Snapshot) { s.QPs[0].SendOutstanding = n })
		d.Frame()
		d.Shows(80, 17, want)
	}
}

// The bottom line says what enter does here.
func TestEnterPosts(t *testing.T) {
	if h := keymap.PostScreen.Short()[0]; h.Key != "enter" || h.Desc != "post" {
		t.Errorf("the bottom line begins with %v", h)
	}
}

// Without a queue pair the screen says how to come by one, as Bring-up does.
func TestNothingYet(t *testing.T) {
	env, _ := steptest.NewEnv(t, theme.New("none", true))
	s := New(env)
	uitest.NewScreen(t, env, s).Shows(120, 30, "b opens a device and makes memory and two queue pairs")
}
