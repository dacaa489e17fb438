package dl

import (
	"go/version"
	"slices"
	"strings"
)

// goReleases are the releases of Go whose runtime quick calls were compared with.
// Before you add one, read what quickcall_linux_amd64.go says it relies on, and let
// TestQuickCallsFitThisGo run with that release.
var goReleases = []string{"go1.26"}

// checkedGo reports whether a version, as of [runtime.Version], is of one of these
// releases. It refuses one that is developed, patched or built with experiments.
func checkedGo(v string) bool {
	return slices.Contains(goReleases, version.Lang(v)) && !strings.Contains(v, "-")
}
