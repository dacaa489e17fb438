package post

import (
	"slices"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// In 80 columns each field has a note that is not cut, whatever the opcode; if the
// value leaves no room it has none.
func TestNotesAreWhole(t *testing.T) {
	for _, o := range opcodes {
		d, _, s, _ := start(t, theme.New("none", true))
		for range opcodes {
			if s.req.op != o.Value {
				d.Keys("t")
			}
		}
		if s.req.op != o.Value {
			continue // the bench cannot post it
		}
		for range s.form.Fields() {
			for _, l := range strings.Split(d.View(80, 17), "\n")[1:8] {
				shown, _, cut := strings.Cut(string([]rune(l)[:40]), "…")
				words := strings.Fields(shown)
				if cut && !slices.ContainsFunc(s.form.Fields(), func(f widget.Field) bool {
					return strings.HasPrefix(f.Value, words[len(words)-1])
				}) {
					t.Errorf("%s: %s", o.Value, shown)
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
	for _, f := range command.PostSend.Arg("send_flags").Offers {
		all = append(all, f.Help)
	}
	d.Shows(80, 17, all...)
}

// The singular is used for one request.
func TestOneIsUnderWay(t *testing.T) {
	for n, want := range map[int]string{0: "0 of 16 requests are outstanding", 1: "1 of 16 requests is outstanding",
		2: "2 of 16 requests are outstanding"} {
		d, _, _, _ := start(t, theme.New("none", true),
			slices.Concat(benchWith(), slices.Repeat([]string{"post_send a SEND sge=src:0:1"}, n))...)
		d.Shows(120, 40, want)
	}
}

// The bottom line says what enter does here.
func TestEnterPosts(t *testing.T) {
	own, _ := keymap.PostScreen.Short()
	if h := own[0].Help(); h.Key != "enter" || h.Desc != "post" {
		t.Errorf("the bottom line begins with %v", h)
	}
}

// Without a queue pair the screen says how to make one, as Bring-up does.
func TestNothingYet(t *testing.T) {
	d, _, _, _ := startOn(uitest.NewSession(t, session.Options{}), theme.New("none", true), t)
	d.Shows(120, 30, "b opens a device and creates memory and two queue pairs")
}
