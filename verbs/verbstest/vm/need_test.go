package vmtest_test

import (
	"os"
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

func TestNeedSIWSkipsWithoutIt(t *testing.T) {
	t.Setenv(vmtest.Variable, "1")
	for value, skips := range map[string]bool{"": true, "1": false} {
		t.Setenv(vmtest.SIWVariable, value)
		r := &recorder{TB: t}
		vmtest.NeedSIW(r)
		if got := strings.HasPrefix(r.skipped, vmtest.SIWMessage); got != skips {
			t.Errorf("%s=%q: skip message %q, want a skip: %v", vmtest.SIWVariable, value, r.skipped, skips)
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
