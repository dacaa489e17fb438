package softtest

import (
	"errors"
	"strings"
	"testing"

	"rdmatui/verbs"
)

// RawQPN is the number of a queue pair that a test plays by hand.
const RawQPN = 0x77

// CounterOf reads one counter of a device.
func CounterOf(t testing.TB, p Provider, device, name string) uint64 {
	t.Helper()
	all, err := p.HWCounters(device)
	OK(t, err)
	for _, c := range all {
		if c.Name == name {
			return c.Value
		}
	}
	t.Fatalf("no counter %s", name)
	return 0
}

// WantErr compares an error with the expected one; it names the failed call.
func WantErr(t testing.TB, what string, err, want error) {
	t.Helper()
	var op *verbs.OpError
	if !errors.Is(err, want) || want != nil && (!errors.As(err, &op) || op.Op == "") {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// Second returns the error of a call with two results.
func Second[T any](_ T, err error) error { return err }

// NothingKept fails if the connection manager still keeps any state, or a device is open.
func NothingKept(t testing.TB, p Provider) {
	t.Helper()
	for _, held := range p.Held() {
		if strings.HasPrefix(held, "connection manager: ") || strings.HasSuffix(held, " contexts") {
			t.Errorf("still there: %s", held)
		}
	}
}
