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

// newerDrivers are not in rdma-core 44.
var newerDrivers = map[string]bool{"ionic": true}

// TestDriverNames holds the table against the drivers that rdma-core installs.
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

// TestOnlyDriversInUse lists a host that has Soft-RoCE alone: its driver is
// loaded and no other.
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
	if got := strings.Join(slices.Compact(loaded), " "); got != "rxe" {
		t.Errorf("loaded are the drivers %q, want rxe alone", got)
	}
}
