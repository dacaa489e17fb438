//go:build linux

package native

import (
	"testing"

	"rdmatui/verbs/native/internal/dl"
)

// harmless is C's abs(3), bound by both conventions of the hot path: it reads only the
// lower half of its first argument.
type harmless struct {
	errno dl.ErrnoFunc
	count dl.CountFunc
}

func mustBindAbs(t testing.TB, so *dl.Library) harmless {
	t.Helper()
	errno, err := dl.Bind[dl.ErrnoFunc](so, "abs")
	if err != nil {
		t.Fatal(err)
	}
	count, err := dl.Bind[dl.CountFunc](so, "abs")
	if err != nil {
		t.Fatal(err)
	}
	return harmless{errno, count}
}
