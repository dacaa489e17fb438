package dl

import (
	"go/version"
	"slices"
	"strings"
)

// goReleases are the Go releases whose runtime was checked for quick calls. Before
// adding one, read in quickcall_linux_amd64.go what they rely on, and run
// TestQuickCallsFitThisGo with that release.
var goReleases = []string{"go1.26"}

// checkedGo reports whether a version, as returned by [runtime.Version], belongs to one
// of these releases. It rejects development, patched and experimental builds.
func checkedGo(v string) bool {
	return slices.Contains(goReleases, version.Lang(v)) && !strings.Contains(v, "-")
}
