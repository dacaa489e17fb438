package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"rdmatui/assets/explain"
	"rdmatui/session/command"
	"rdmatui/session/lab"
	"rdmatui/session/scenario"
	"rdmatui/session/tune"
)

// TestPlaces: the commands, experiments and scenarios that a term names exist.
func TestPlaces(t *testing.T) {
	named := regexp.MustCompile(`rdmatui (help|lab|tune|scenario|bench) ([a-z][a-z_-]*(?:, [a-z][a-z_-]*)*)`)
	exists := map[string]func(name string) bool{
		"help":     func(name string) bool { return command.Find(name) != nil },
		"lab":      func(name string) bool { return slices.Contains(lab.Names(), name) },
		"scenario": func(name string) bool { return scenario.Named(name) != nil },
		"tune": func(name string) bool {
			return slices.ContainsFunc(tune.Experiments, func(e tune.Experiment) bool { return e.Name == name })
		},
		"bench": func(name string) bool { return len(explain.Lookup("measure", name)) > 0 },
	}
	n := 0
	for _, f := range explain.Families() {
		for i := range f.Entries {
			e := &f.Entries[i]
			for _, text := range e.Try {
				for _, m := range named.FindAllStringSubmatch(text, -1) {
					for name := range strings.SplitSeq(m[2], ", ") {
						if n++; !exists[m[1]](name) {
							t.Errorf("%s %s: there is no %s %s", f.Name, e.Name, m[1], name)
						}
					}
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d places were found", n)
	}
}

// TestExplainCall: a verb alone is answered in full, then by a line for each errno.
func TestExplainCall(t *testing.T) {
	for _, tt := range []struct {
		args []string
		says []string
		not  string
	}{
		{[]string{"ibv_post_send"}, []string{"It acts on a queue pair", "does not block", "Its errors:",
			"rdmatui explain verb ibv_post_send ENOMEM"}, "See also"},
		{[]string{"RoCE"}, []string{"RoCE, word of tutorials", "means", "See also:\n", "rdmatui explain gid ROCE_V2"},
			"Its errors"},
		{[]string{"zero", "copy"}, []string{"zero copy, word of tutorials", "The program must"}, "See also"},
	} {
		_, out, _ := runExplain(t, tt.args...)
		for _, s := range tt.says {
			if !strings.Contains(strings.Join(strings.Fields(out), " "), strings.Join(strings.Fields(s), " ")) {
				t.Errorf("%q does not say %q:\n%s", tt.args, s, out)
			}
		}
		if strings.Contains(out, tt.not) {
			t.Errorf("%q says %q:\n%s", tt.args, tt.not, out)
		}
	}
}
