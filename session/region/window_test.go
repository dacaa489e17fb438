package region

import (
	"errors"
	"testing"

	"rdmatui/verbs"
)

// TestShownWindows: a window is found by its key as long as it is bound.
func TestShownWindows(t *testing.T) {
	var l Windows
	a, b := &MW{}, &MW{}
	l.add(a, 7)
	l.add(b, 8)
	if l.Find(7) != a || l.Find(8) != b || l.Find(9) != nil {
		t.Error("a window is not found by its key")
	}
	l.remove(a)
	if l.Find(7) != nil || l.Find(8) != b {
		t.Error("a removed window is found, or another is not")
	}
}

// failing is a window that the provider closes only if err is nil.
type failing struct {
	verbs.MW
	err error
}

func (f failing) Close() error { return f.err }

// TestCloseThatFails: a window that cannot be closed keeps its binding.
func TestCloseThatFails(t *testing.T) {
	for _, err := range []error{nil, errors.New("busy")} {
		r := &MR{}
		w := &MW{MW: failing{err: err}}
		w.Show(Binding{MR: r, RKey: 7})
		if got := w.Close(); got != err || (w.Now().MR == r) != (err != nil) ||
			(r.windows.Find(7) == w) != (err != nil) {
			t.Errorf("%v, shows %+v", got, w.Now())
		}
	}
}
