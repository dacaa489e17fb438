package lab

import (
	"slices"
	"strings"
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/script"
	"rdmatui/verbs"
)

// ruleFile is the file of a rule with lines in its head and script.
func ruleFile(head, script string) string {
	return "# rule: r\n# source: s\n" + head + "\nalloc_pd pd\n" + script
}

// TestParseRule: the head and the mark of a rule are checked.
func TestParseRule(t *testing.T) {
	const judged = "#: rule\ndealloc_pd pd\n"
	for text, want := range map[string]string{
		ruleFile("", judged): "",
		ruleFile("# needs: MEM_WINDOW UD max_srq>=1\n", judged):                           "",
		ruleFile("# differs: rxe 6.4..6.9 EINVAL; why\n# differs: siw none; w\n", judged): "",
		ruleFile("", ""):                                          "0 lines",
		ruleFile("", judged+judged):                               "2 lines",
		ruleFile("", "#: experiment\ndealloc_pd pd\n"):            "0 lines",
		"# rule: r\n# source: s\n":                                "no blank line",
		"# rule: r\n\n" + judged:                                  "lacks",
		"# source: s\n\n" + judged:                                "lacks",
		ruleFile("# title: t\n", judged):                          `no entry "title"`,
		ruleFile("# rule\n", judged):                              "KEY: VALUE",
		ruleFile("# needs: MEM_WINDOWS\n", judged):                "capability flag",
		ruleFile("# needs: 0\n", judged):                          "capability flag",
		ruleFile("# needs: max_srqs>=1\n", judged):                "ATTR>=N",
		ruleFile("# needs: max_srq>=0\n", judged):                 "ATTR>=N",
		ruleFile("# needs: max_srq>=one\n", judged):               "ATTR>=N",
		ruleFile("# differs: rxe EINVAL\n", judged):               "RESULT; REASON",
		ruleFile("# differs: rxe 6.4.. ; why\n", judged):          "RESULT; REASON",
		ruleFile("# differs: rxe 6.9..6.4 EINVAL; why\n", judged): "ends before it begins",
		ruleFile("# differs: rxe REM_OP_ERR or x; why\n", judged): "not one word",
	} {
		_, err := ParseRule("mr/x", text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestRules checks the heads and scripts of all rules.
func TestRules(t *testing.T) {
	all, err := Rules()
	if err != nil {
		t.Fatal(err)
	}
	if names := RuleNames(); len(all) != len(names) || len(all) == 0 || all[0].Name != names[0] {
		t.Fatalf("%d rules, %d names", len(all), len(names))
	}
	for _, r := range all {
		text, err := r.Script(On("mlx5_0"))
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
			continue
		}
		lines, parts := Parts(text)
		sc, err := script.Parse(lines)
		if err != nil || !slices.IsSorted(parts) || parts[len(parts)-1] != Judging {
			t.Errorf("%s: %v, its parts are %v", r.Name, err, parts)
			continue
		}
		for _, l := range sc.Lines() {
			checkRuleLine(t, r, &l)
		}
		for _, d := range r.differs {
			if !slices.Contains([]string{"rxe", "siw"}, d.driver) {
				t.Errorf("%s differs on %q", r.Name, d.driver)
			}
		}
	}
	for _, area := range append(Areas(), AllRules) {
		if slices.Contains(Names(), area) {
			t.Errorf("%s is an area of rules and an experiment", area)
		}
	}
}

// checkRuleLine: a mistake in the line of an expect error would make it succeed, so the line must be
// valid, and its errno named unless it is an expect.
func checkRuleLine(t *testing.T, r *Rule, l *script.Line) {
	t.Helper()
	cmd, err := command.Parse(l.Text)
	if err != nil {
		t.Errorf("%s: %s: %v", r.Name, l.Text, err)
		return
	}
	if cmd.Spec != command.ExpectError {
		return
	}
	inner := cmd.String("line")
	if _, err := command.Parse(inner); err != nil && cmd.String("errno") == "" {
		t.Errorf("%s: %s: %v", r.Name, l.Text, err)
	}
}

// TestNeedForms: each form of need is read as what it is.
func TestNeedForms(t *testing.T) {
	for text, want := range map[string]need{
		"MEM_WINDOW": {cap: verbs.CapMemWindow}, "UC": {trait: verbs.UnreliableConn, isTrait: true},
		"completion_timestamp_mask>=1": {attr: "completion_timestamp_mask", least: 1},
	} {
		want.text = text
		if got, err := readNeed(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// TestRuleDifferences: a difference is known for its driver, kernels and result only.
func TestRuleDifferences(t *testing.T) {
	r, err := ParseRule("mr/x", ruleFile("# differs: rxe 6.4.. EINVAL; why\n", "#: rule\ndealloc_pd pd\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		driver Driver
		seen   string
		known  bool
	}{
		{Driver{"rxe", Kernel{6, 12}}, "EINVAL", true}, {Driver{"rxe", Kernel{6, 12}}, "ENOMEM", false},
		{Driver{"rxe", Kernel{6, 1}}, "EINVAL", false}, {Driver{"siw", Kernel{6, 12}}, "EINVAL", false},
		{Driver{}, "EINVAL", false},
	} {
		if got := r.difference(tt.driver, tt.seen) != nil; got != tt.known {
			t.Errorf("%v %s: %v", tt.driver, tt.seen, got)
		}
	}
}
