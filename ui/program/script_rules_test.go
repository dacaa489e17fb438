package program

import (
	"encoding/json"
	"strings"
	"testing"

	"rdmatui/session/lab"
	"rdmatui/ui/cli"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// TestRulesCommand tries rules as a user or a script would.
func TestRulesCommand(t *testing.T) {
	const busy = "cq/busy-with-queue-pair"
	for _, tt := range []struct {
		args   []string
		status int
		stdout []string
		stderr string
	}{
		{[]string{"cq", "--provider", "soft"}, cli.Done,
			[]string{"── cq\n", "kept              " + busy, "0 broken"}, ""},
		{[]string{busy, "--provider", "soft"}, cli.Done, []string{"rule           A completion queue cannot",
			"ibv_destroy_cq(3)", "── rule", "failed as expected", "verdict        kept"}, ""},
		{[]string{busy, "--provider", "soft", "--markdown"}, cli.Done,
			[]string{"On soft0: 1 kept", "| " + busy + " | kept |"}, ""},
		{[]string{busy, "--script"}, cli.Done, []string{"open_device soft0", "#: rule", "expect error EBUSY"}, ""},
		{[]string{"--list"}, cli.Done, []string{"WHAT IT SAYS", busy}, ""},
		{[]string{"cq/nothing"}, cli.Wrong, nil, `no rule or area "cq/nothing"`},
		{[]string{"--script"}, cli.Wrong, nil, "AREA/NAME"},
		{[]string{"cq", "--all"}, cli.Wrong, nil, "leave out"},
		{[]string{"--markdown", "--json"}, cli.Wrong, nil, "exclude"},
		{[]string{"--provider", "soft", "-d", "mlx5_0"}, cli.Failed, nil, "soft0, soft1"},
	} {
		out, errs, status := invoke(t, "", append([]string{"lab", "--rules"}, tt.args...)...)
		if status != tt.status || !strings.Contains(errs, tt.stderr) {
			t.Errorf("%q: status %d, %s", tt.args, status, errs)
		}
		for _, want := range tt.stdout {
			if !strings.Contains(out, want) {
				t.Errorf("%q has no %q:\n%s", tt.args, want, out)
			}
		}
	}
	_, errs, status := invoke(t, "", "lab", "flush", "--markdown")
	if status != cli.Wrong || !strings.Contains(errs, "--rules") {
		t.Errorf("status %d: %s", status, errs)
	}
	if out, _, _ := invoke(t, "", "__complete", "lab", "--rules", "cq/busy"); !strings.HasPrefix(out, busy+"\n") {
		t.Error(out)
	}
}

// TestRuleScriptRuns runs a rule's script like any other.
func TestRuleScriptRuns(t *testing.T) {
	script, _, _ := invoke(t, "", "lab", "--rules", "cq/busy-with-queue-pair", "--script")
	if out, errs, status := invoke(t, script, "run", "--provider", "soft", "-"); status != cli.Done {
		t.Errorf("status %d, %s\n%s", status, errs, out)
	}
}

// tryRules tries all rules by one command with --json. None may be broken, and none not run for another reason than
// that the host has no huge pages.
func tryRules(t *testing.T, args ...string) {
	t.Helper()
	out, errs, status := invoke(t, "", append([]string{"lab", "--rules", "--json"}, args...)...)
	if status != cli.Done {
		t.Errorf("status %d: %s", status, errs)
	}
	tried := 0
	for l := range strings.Lines(out) {
		var res struct{ Rule, Verdict, Why string }
		if err := json.Unmarshal([]byte(l), &res); err != nil || res.Rule != lab.RuleNames()[tried] {
			t.Fatalf("%v: %s", err, l)
		}
		if res.Verdict == "broken" || res.Verdict == "not run" && !strings.HasPrefix(res.Why, "mmap on huge pages") {
			t.Error(l)
		} else if res.Verdict != "kept" {
			t.Log(l)
		}
		tried++
	}
	if tried != len(lab.RuleNames()) {
		t.Errorf("%d results of %d rules", tried, len(lab.RuleNames()))
	}
}

// TestRulesJSON tries all rules on the software device; each result is one object.
func TestRulesJSON(t *testing.T) { tryRules(t, "--provider", "soft") }

// TestRulesOnKernelDevice tries all rules on the kernel's device: what it does not keep is known of its driver.
func TestRulesOnKernelDevice(t *testing.T) {
	vmtest.Need(t)
	tryRules(t, "-d", device)
}
