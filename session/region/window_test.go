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

// TestStart: a peer reaches a ZERO_BASED window from 0 on, any other by the addresses of its region.
func TestStart(t *testing.T) {
	for access, want := range map[verbs.Access]uint64{
		0: 0x7000, verbs.RemoteWrite | verbs.RemoteRead: 0x7000,
		verbs.ZeroBased: 0, verbs.ZeroBased | verbs.RemoteRead: 0,
	} {
		w := &MW{}
		w.Show(Binding{Addr: 0x7000, Length: 64, Access: access})
		b := w.Now()
		text, err := w.Fields()[1].Text()
		if got := b.Start(); got != want || err != nil || text != map[uint64]string{0: "0x0", 0x7000: "0x7000"}[want] {
			t.Errorf("%s: 0x%x, shown as %q, want 0x%x; %v", access, got, text, want, err)
		}
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
