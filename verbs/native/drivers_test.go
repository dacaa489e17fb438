package native

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// newerDrivers lists drivers that rdma-core 44 does not have.
var newerDrivers = map[string]bool{"ionic": true}

// TestDriverNames compares the table with the drivers that rdma-core installs.
func TestDriverNames(t *testing.T) {
	vmtest.Need(t)
	const installed = "/etc/libibverbs.d"
	for module, driver := range driverOf {
		if _, err := os.Stat(filepath.Join(installed, driver+".driver")); err != nil && !newerDrivers[driver] {
			t.Errorf("%s: %v", module, err)
		}
	}
}

var driverFile = regexp.MustCompile(`/lib(\w+)-rdmav\d+\.so`)

// TestOnlyDriversInUse lists a host with Soft-RoCE only: no other driver may be loaded, unless rxe is built in and
// thus not in /sys/module.
func TestOnlyDriversInUse(t *testing.T) {
	vmtest.Need(t)
	if list, err := New().Devices(); err != nil || len(list) != 1 {
		t.Fatalf("%d devices, %v", len(list), err)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	var loaded []string
	for _, m := range driverFile.FindAllSubmatch(maps, -1) {
		loaded = append(loaded, string(m[1]))
	}
	slices.Sort(loaded)
	loaded = slices.Compact(loaded)
	if _, err := os.Stat("/sys/module/rdma_rxe"); err != nil {
		if !slices.Contains(loaded, "rxe") {
			t.Errorf("loaded drivers: %q, but not rxe", loaded)
		}
		return
	}
	if got := strings.Join(loaded, " "); got != "rxe" {
		t.Errorf("loaded drivers: %q, want rxe alone", got)
	}
}
