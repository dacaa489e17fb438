package verbstest

import (
	"errors"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

// testRTValues reads the device's clock twice. A device whose completions have no time stamps may have none.
func testRTValues(t *testing.T, b *bench) {
	q, ok := b.dev.(verbs.RTValuesQuerier)
	if !ok {
		t.Fatalf("%T cannot be asked", b.dev)
	}
	first, err := q.QueryRTValuesEx()
	ex, exErr := b.dev.QueryDeviceEx()
	if exErr == nil && ex.CompletionTimestampMask == 0 && err != nil {
		if !errors.Is(err, verbs.ErrUnsupported) || !errors.Is(err, syscall.EOPNOTSUPP) {
			t.Errorf("%v, want EOPNOTSUPP", err)
		}
		return
	}
	b.must(err)
	second, err := q.QueryRTValuesEx()
	b.must(err)
	from, to := first.RawClock, second.RawClock
	if to.Sec < from.Sec || to.Sec == from.Sec && to.NSec < from.NSec || from.Sec == 0 && from.NSec == 0 {
		t.Errorf("%+v, then %+v", from, to)
	}
}
