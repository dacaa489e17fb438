package lab

import (
	"slices"
	"strings"
	"testing"

	"rdmatui/verbs"
)

// TestExperiments checks the heads and scripts of all experiments.
func TestExperiments(t *testing.T) {
	all, err := Experiments()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(Names()) || len(all) < 22 {
		t.Fatalf("%d experiments, %d names", len(all), len(Names()))
	}
	for _, e := range all {
		text, err := e.Script(On("mlx5_0"))
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		lines, parts := Parts(text)
		if n := strings.Count(text, "\n"); n != len(parts) || n != strings.Count(lines, "\n") {
			t.Errorf("%s: %d lines in %d parts", e.Name, n, len(parts))
		}
		if !slices.IsSorted(parts) || !slices.Contains(parts, Trying) || !slices.Contains(parts, WayBack) {
			t.Errorf("%s: its parts are %v", e.Name, parts)
		}
		if !strings.Contains(text, "open_device mlx5_0") || strings.Contains(lines, partMark) {
			t.Errorf("%s:\n%s", e.Name, text)
		}
		for _, name := range statusNames(e) {
			if s, err := verbs.WCStatuses.Parse(name); err != nil || s.String() != name {
				t.Errorf("%s: unknown status %q", e.Name, name)
			}
		}
		for _, d := range e.differs {
			if d.driver != "rxe" || e.allowsValue(d.of, d.value) {
				t.Errorf("%s: %+v is as specified", e.Name, d)
			}
		}
	}
}

// statusNames returns the statuses that a head names.
func statusNames(e *Experiment) (names []string) {
	for _, of := range []string{Requester, Responder} {
		for alternative := range strings.SplitSeq(e.Specified(of), " or ") {
			if alternative != None && alternative != Any {
				names = append(names, strings.Fields(alternative)...)
			}
		}
	}
	return names
}

// TestEntries: an indented line continues the line before it.
func TestEntries(t *testing.T) {
	if got, want := entries("# a: b\n#   c\n# d: e\n#  f\n#  g\n"),
		[]string{"a: b c", "d: e f g"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestParseRefuses(t *testing.T) {
	const good = "# title: t\n# expect: e\n#   goes on\n# says: s\n# clause: c\n# states: a=ERR\n\nquery_qp a\n"
	e, err := Parse("x", good)
	if err != nil || e.Expect != "e goes on" || e.Specified("a") != "ERR" || e.Specified("b") != "" ||
		e.Specified(Event) != None {
		t.Fatal(e, err)
	}
	for _, change := range [][2]string{
		{"\n\nquery_qp a\n", "\n"},
		{"# title: t\n", ""},
		{"# clause: c\n", ""},
		{"a=ERR", "a"},
		{"a=ERR", "a=ERR b"},
		{"a=ERR", "a=ERR c=ERR"},
		{"# says: s", "# says: s\n# : "},
		{"# clause: c", "# clause: "},
		{"# title: t", "#   t"},
		{"a=ERR", "c=ERR"},
		{"# says: s", "# says"},
		{"# says: s", "# says: s\n# what: x"},
		{"# says: s", "# says: s\n# differs: rxe event=none"},
		{"# says: s", "# says: s\n# differs: rxe; because"},
		{"# says: s", "# says: s\n# differs: rxe hearing=none; because"},
		{"# says: s", "# says: s\n# differs: rxe 6.4 event=none; because"},
		{"# says: s", "# says: s\n# differs: rxe 6.4.. ..6.3 event=none; because"},
		{"# says: s", "# says: s\n# differs: rxe 6.5..6.4 event=none; because"},
		{"# says: s", "# says: s\n# differs: rxe event=none 6.4..; because"},
	} {
		if _, err := e.With(change[0], change[1]); err == nil {
			t.Errorf("%q instead of %q is accepted", change[1], change[0])
		}
	}
}

func TestScriptRefuses(t *testing.T) {
	e, err := Parse("x", "# title: t\n# expect: e\n# says: s\n# clause: c\n# states: a=ERR\n\n{{.Nothing}}\n")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := e.Script(On("soft0")); err == nil {
		t.Errorf("a template with an unknown field gives %q", text)
	}
}

// TestPlace: the arguments that name a port and a GID; without them both are chosen.
func TestPlace(t *testing.T) {
	if at := On("d"); at != (Place{Device: "d", GIDIndex: -1}) || at.PortArg() != "" || at.SGIDArg() != "" {
		t.Errorf("%+v: %q, %q", at, at.PortArg(), at.SGIDArg())
	}
	if at := (Place{PortNum: 1, GIDIndex: 0}); at.PortArg() != " port_num=1" || at.SGIDArg() != " sgid_index=0" {
		t.Errorf("%+v: %q, %q", at, at.PortArg(), at.SGIDArg())
	}
}

// TestParts: a line that names a part begins it, and becomes blank.
func TestParts(t *testing.T) {
	lines, parts := Parts("a\n" + partMark + Trying.String() + "\nb\n" + partMark + WayBack.String() + "\nc")
	if want := []Part{SettingUp, Trying, Trying, WayBack, WayBack}; lines != "a\n\nb\n\nc" ||
		!slices.Equal(parts, want) {
		t.Errorf("%q, %v, want %v", lines, parts, want)
	}
}
