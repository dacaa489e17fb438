package vmtest_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// recorder is a testing.TB that records a skip instead of performing it.
type recorder struct {
	testing.TB
	skipped string
}

func (r *recorder) Helper()          {}
func (r *recorder) Skip(args ...any) { r.skipped = args[0].(string) }

func TestNeedSkipsOutsideOnly(t *testing.T) {
	for _, c := range []struct {
		value string
		skips bool
	}{{"", true}, {"0", true}, {"1", false}} {
		t.Setenv(vmtest.Variable, c.value)
		r := &recorder{TB: t}
		vmtest.Need(r)
		if got := strings.HasPrefix(r.skipped, vmtest.SkipMessage); got != c.skips {
			t.Errorf("%s=%q: skip message %q, want a skip: %v", vmtest.Variable, c.value, r.skipped, c.skips)
		}
	}
}

func TestNeedSkipsWithout(t *testing.T) {
	t.Setenv(vmtest.Variable, "1")
	for _, c := range []struct {
		variable, message string
		need              func(testing.TB)
	}{{vmtest.SIWVariable, vmtest.SIWMessage, vmtest.NeedSIW},
		{vmtest.PairVariable, vmtest.PairMessage, vmtest.NeedPair}} {
		for value, skips := range map[string]bool{"": true, "1": false} {
			t.Setenv(c.variable, value)
			r := &recorder{TB: t}
			c.need(r)
			if got := strings.HasPrefix(r.skipped, c.message); got != skips {
				t.Errorf("%s=%q: skip message %q, want a skip: %v", c.variable, value, r.skipped, skips)
			}
		}
	}
}

// TestPair checks that a command in the second machine has a device there, and that its output and exit status arrive.
func TestPair(t *testing.T) {
	vmtest.NeedPair(t)
	words := vmtest.Elsewhere("bash", "-c", `ip -br address show d0; rdma link show rxe0/1; echo "$1" >&2; exit 7`,
		"bash", "a  'word'")
	out, err := exec.CommandContext(t.Context(), words[0], words[1:]...).Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("%v, want exit status 7", err)
	}
	for _, want := range []string{"10.9.0.2/24", "rxe0/1 state ACTIVE", "netdev d0", "a  'word'\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

// TestMachineWithSIW checks the environment that the runner provides to tests of iWARP.
func TestMachineWithSIW(t *testing.T) {
	vmtest.NeedSIW(t)
	kind, err := os.ReadFile("/sys/class/infiniband/siw0/node_type")
	if err != nil || strings.TrimSpace(string(kind)) != "4: RNIC" {
		t.Errorf("siw0 is a %q, %v", kind, err)
	}
}

// TestMachine checks the environment that the runner provides to every other test.
func TestMachine(t *testing.T) {
	vmtest.Need(t)
	gids, err := filepath.Glob("/sys/class/infiniband/rxe0/ports/1/gids/*")
	if err != nil || len(gids) == 0 {
		t.Fatalf("rxe0 has no GID table: %v", err)
	}
	if _, err := os.Stat("/run/netns/peer"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"ibv_devinfo", "ibv_rc_pingpong", "rping", "ib_send_lat", "rdma"} {
		vmtest.Program(t, name)
	}
	if err := os.WriteFile(filepath.Join(t.TempDir(), "f"), nil, 0o600); err != nil {
		t.Error(err)
	}
}
