package program

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/lab"
	"rdmatui/ui/cli"
	"rdmatui/verbs"
	"rdmatui/verbs/native"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// TestLabCommand calls the error lab as a user or a script would.
func TestLabCommand(t *testing.T) {
	for _, tt := range []struct {
		args   []string
		status int
		stdout []string
		stderr string
	}{
		{[]string{"lab"}, cli.Done, []string{"wrong-psn", "requester RETRY_EXC_ERR"}, ""},
		{[]string{"lab", "recv-too-small", "--provider", "soft"}, cli.Done, []string{
			"expect", "9.9.3 (class C)", "── experiment", "status=LOC_LEN_ERR", "HAPPENED",
			"responder   LOC_LEN_ERR      LOC_LEN_ERR      as specified",
			"the message does not fit", "recovery       recovered", "verdict        as specified"}, ""},
		{[]string{"lab", "wrong-order", "--provider", "soft", "-d", "soft1"}, cli.Done,
			[]string{"open_device soft1", "refused     EINVAL", "ibv_modify_qp EINVAL"}, ""},
		{[]string{"lab", "flush", "--script"}, cli.Done, []string{"open_device soft0", "#: way back"}, ""},
		{[]string{"lab", "nothing"}, cli.Wrong, nil, `no experiment "nothing"`},
		{[]string{"lab", "flush", "--all"}, cli.Wrong, nil, "--all"},
		{[]string{"lab", "flush", "--provider", "soft", "-d", "mlx5_0"}, cli.Failed, nil, "soft0, soft1"},
		{[]string{"__complete", "lab", "bad-"}, cli.Done, []string{"bad-lkey\nbad-rkey\n"}, ""},
	} {
		out, errs, status := invoke(t, "", tt.args...)
		if status != tt.status || !strings.Contains(errs, tt.stderr) {
			t.Errorf("%q: status %d, %s", tt.args, status, errs)
		}
		for _, want := range tt.stdout {
			if !strings.Contains(out, want) {
				t.Errorf("%q has no %q:\n%s", tt.args, want, out)
			}
		}
	}
}

// TestLabAll produces all failures by one command; with --json each is one object.
func TestLabAll(t *testing.T) {
	out, errs, status := invoke(t, "", "lab", "--all", "--provider", "soft", "--json")
	if status != cli.Done {
		t.Fatalf("status %d: %s", status, errs)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != len(lab.Names()) {
		t.Errorf("%d objects of %d experiments", len(lines), len(lab.Names()))
	}
	for _, l := range lines {
		var res struct {
			Experiment, Verdict string
			Back                string `json:"way_back"`
			Findings            []struct{ Of, Specified, Happened string }
		}
		if err := json.Unmarshal([]byte(l), &res); err != nil || res.Verdict != "as specified" ||
			res.Back != "recovered" || len(res.Findings) < 5 {
			t.Errorf("%v: %s", err, l)
		}
	}
}

// TestLabScriptRuns runs an experiment's script like any other.
func TestLabScriptRuns(t *testing.T) {
	for _, name := range []string{"flush", "bad-rkey", "cq-overrun", "missing-attribute", "wrong-qkey"} {
		script, _, _ := invoke(t, "", "lab", name, "--script")
		if out, errs, status := invoke(t, script, "run", "--provider", "soft", "-"); status != cli.Done {
			t.Errorf("%s: status %d, %s\n%s", name, status, errs, out)
		}
	}
}

// TestLabOnKernelDevice produces all failures of the error lab on the kernel's device:
// every difference from the specification has a known reason, and the queue pairs work
// again.
func TestLabOnKernelDevice(t *testing.T) {
	vmtest.Need(t)
	s := session.New(session.Options{Providers: []verbs.Provider{native.New()}})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, name := range lab.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time is spent waiting for events that do not come
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			res, err := s.RunLab(ctx, name, lab.On(device))
			if err != nil {
				t.Fatal(err)
			}
			if t.Log(res.String()); res.Verdict > lab.Differs {
				t.Errorf("unexpected: %+v", res)
			}
		})
	}
}
