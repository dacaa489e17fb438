package lab_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/lab"
	"rdmatui/session/script"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
)

// TestRulesOnSoft: the software device keeps every rule of what it offers, and no object is left.
func TestRulesOnSoft(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{Live: true})
	sessiontest.RunScript(t, s, sessiontest.Own) // the rules use the same names
	rules, err := lab.Rules()
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range rules {
		r, err := s.NewRuleRun(rule, lab.On("soft0"), func(e timeline.Event) { checkRefusal(t, rule, &e) })
		if err != nil {
			t.Fatal(err)
		}
		res, err := r.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		noHugePages := strings.Contains(res.Line, "backing=hugetlb") && strings.Contains(res.Why, "ENOMEM")
		if res.Verdict != lab.Kept && res.Verdict != lab.NotOffered && !noHugePages {
			t.Error(res.String())
		}
		if alive := r.Alive(); len(alive) > 0 {
			t.Errorf("%s: objects left: %v", rule.Name, alive)
		}
	}
}

// checkRefusal complains of a line that failed because it is wrong: expect error takes any failure for what it expects.
func checkRefusal(t *testing.T, rule *lab.Rule, e *timeline.Event) {
	if e.Command == nil || e.Command.Err == "" || e.Command.Errno != "" {
		return
	}
	for _, word := range []string{"expect", "poll_cq", "get_cq_event", "get_async_event"} {
		if script.FirstWord(strings.TrimSpace(e.Command.Line)) == word {
			return
		}
	}
	if strings.HasSuffix(e.Command.Err, "is not supported") { // by the device, which may have no errno for it
		return
	}
	t.Errorf("%s: %s: %s", rule.Name, e.Command.Line, e.Command.Err)
}

// planted returns a rule whose script is a domain, and lines before and after the mark.
func planted(t *testing.T, head, before, after string) *lab.Rule {
	t.Helper()
	rule, err := lab.ParseRule("pd/planted", "# rule: r\n# source: s\n"+head+"\nopen_device {{.Device}}\nalloc_pd pd\n"+
		before+"#: rule\n"+after+"\n")
	if err != nil {
		t.Fatal(err)
	}
	return rule
}

func try(t *testing.T, s *session.Session, rule *lab.Rule) lab.RuleResult {
	t.Helper()
	card, err := s.TryRules(t.Context(), []*lab.Rule{rule}, lab.On("soft0"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return card[0]
}

// TestRuleVerdicts: each way in which a rule can end has its verdict, line and word.
func TestRuleVerdicts(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	const region = "reg_mr m pd=pd length=8 access=0\n"
	const odp = "reg_mr m pd=pd length=64 access=HUGETLB"
	const differs = "# differs: rxe none; why\n"
	const qp = "create_cq cq\ncreate_qp a pd=pd send_cq=cq qp_type=RC\n"
	for name, tt := range map[string]struct {
		head, before, after string
		want                lab.RuleVerdict
		seen, why           string
		line                int
	}{
		"kept":                 {"", qp, "expect state a RESET", lab.Kept, "", "", 0},
		"another state":        {"", qp, "expect state a RTS", lab.Broken, "RESET", "a is in RESET, not RTS", 6},
		"no error":             {"", "", "expect error EINVAL dealloc_pd pd", lab.Broken, "none", "succeeded", 4},
		"another error":        {"", qp, "expect error ENOMEM dealloc_pd pd", lab.Broken, "EBUSY", "busy", 6},
		"an error":             {"", qp, "modify_qp a RTS", lab.Broken, "EINVAL", "", 6},
		"no completion":        {"", qp, "poll_cq cq timeout=1ms", lab.Broken, "none", "0 of 1", 6},
		"none of it":           {"", qp, "expect wc qp=a wr_id=1", lab.Broken, "none", "no polled completion", 6},
		"no event":             {"", qp, "expect async QP_FATAL timeout=1ms", lab.Broken, "none", "QP_FATAL", 6},
		"other bytes":          {"", region, `expect mem m 0 "x"`, lab.Broken, "mem", "offset 0", 5},
		"cannot be set up":     {"", "reg_mr m pd=nobody length=8\n", "dealloc_pd pd", lab.RuleNotRun, "", "nobody", 3},
		"refused while set up": {"", qp + "modify_qp a RTS\n", "dealloc_pd pd", lab.RuleNotRun, "EINVAL", "", 5},
		"the script is wrong":  {"", "", "dealloc_pd nobody", lab.RuleNotRun, "", "nobody", 4},
		"no such capability":   {"# needs: SHUTDOWN_PORT\n", "", "dealloc_pd nobody", lab.NotOffered, "", "lacks", 0},
		"too few":              {"# needs: max_rdd>=1\n", "", "dealloc_pd no", lab.NotOffered, "", "max_rdd is 0", 0},
		"offered":              {"# needs: max_qp>=1 UD UC\n", "", "dealloc_pd pd", lab.Kept, "", "", 0},
		"of another driver":    {differs, "", "expect error EINVAL dealloc_pd pd", lab.Broken, "none", "succeeded", 4},
		"a device left open":   {"", "", "", lab.Kept, "", "", 0},
		"not supported":        {"", "", odp, lab.NotOffered, "EOPNOTSUPP", "not supported", 4},
		"not as it claims":     {"# needs: max_qp>=1\n", "", odp, lab.Broken, "EOPNOTSUPP", "not supported", 4},
		"skipped in a try":     {"", qp, "try\n\tpoll_cq cq timeout=1ms\nend", lab.Kept, "", "", 0},
		"in a loop":            {"", qp, "loop 2\n\texpect state a INIT\nend", lab.Broken, "RESET", "INIT", 7},
	} {
		res := try(t, s, planted(t, tt.head, tt.before, tt.after))
		if res.Verdict != tt.want || res.Seen != tt.seen || !strings.Contains(res.Why, tt.why) || res.LineN != tt.line {
			t.Errorf("%s: %s, %q at line %d, %q", name, res.Verdict, res.Seen, res.LineN, res.Why)
		}
	}
}

// TestRuleStops: stopping a rule is an error and no verdict, and nothing of it is left.
func TestRuleStops(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rule := planted(t, "", "create_cq cq\n", "poll_cq cq timeout=1h")
	r, err := s.NewRuleRun(rule, lab.On("soft0"), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Run(ctx, func(l *script.Line) error {
		if strings.HasPrefix(l.Text, "poll_cq") {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || res.Verdict != lab.RuleNotRun {
		t.Errorf("%v, %s", err, res.String())
	}
	if alive := r.Alive(); len(alive) > 0 {
		t.Errorf("objects left: %v", alive)
	}
	if card, err := s.TryRules(ctx, []*lab.Rule{rule}, lab.On("soft0"), nil); err == nil || len(card) > 0 {
		t.Errorf("a stopped context tries another rule: %v", card)
	}
}

// TestRulesInConsole: the command lab tries rules by area and by name.
func TestRulesInConsole(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	for line, want := range map[string]string{
		"lab": "rules: ", "lab cq device=soft0": " kept, 0 known difference, 0 broken",
		"lab cq/busy-with-queue-pair": "1 kept",
	} {
		if done, err := s.Exec(t.Context(), line); err != nil || !strings.Contains(done.Result, want) {
			t.Errorf("%s: %v, %s", line, err, done.Result)
		}
	}
	if _, err := s.Exec(t.Context(), "lab cq/nothing"); err == nil {
		t.Error("a rule that does not exist is kept")
	}
}

// TestRuleLimit: a rule that goes on without end is broken; if it has not come to what is judged, it has not run.
func TestRuleLimit(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	const forEver = "poll_cq cq timeout=1h\n"
	for text, want := range map[string]lab.RuleVerdict{
		"#: rule\n" + forEver: lab.Broken, forEver + "#: rule\n": lab.RuleNotRun,
	} {
		rule, err := lab.ParseRule("cq/x", "# rule: r\n# source: s\n\nopen_device {{.Device}}\ncreate_cq cq\n"+text)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.NewRuleRun(rule, lab.On("soft0"), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.SetLimit(50 * time.Millisecond)
		res, err := r.Run(t.Context(), nil)
		if err != nil || res.Verdict != want || !strings.Contains(res.Why, "within 50 ms") {
			t.Errorf("%q: %v, %s", text, err, res.String())
		}
		if alive := r.Alive(); len(alive) > 0 {
			t.Errorf("objects left: %v", alive)
		}
	}
}
