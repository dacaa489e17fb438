package verbs

import (
	"math"
	"testing"
	"time"
)

func TestFaultsString(t *testing.T) {
	tests := []struct {
		f    Faults
		want string
	}{
		{Faults{}, "none"},
		{Faults{Seed: 9}, "none"},
		{Faults{Loss: 0.05}, "loss=5%"},
		{Faults{Corrupt: 0.001, Reorder: 1}, "reorder=100% corrupt=0.1%"},
		{Faults{Loss: 0.07, Duplicate: 1e-6, Delay: 2 * time.Millisecond, Jitter: 1500 * time.Microsecond, Seed: 7},
			"loss=7% duplicate=0.0001% delay=2ms jitter=1.5ms seed=7"},
	}
	for _, tt := range tests {
		if got := tt.f.String(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.f, got, tt.want)
		}
		if tt.f.Active() != (tt.want != "none") {
			t.Errorf("%+v: active is %v", tt.f, tt.f.Active())
		}
	}
}

func TestFaultsText(t *testing.T) {
	span := func(d time.Duration) string { return d.String() + "!" }
	for want, f := range map[string]Faults{
		"none": {Seed: 9}, "loss 5%": {Loss: 0.05},
		"loss 7%, delay 2ms!, seed 7": {Loss: 0.07, Delay: 2 * time.Millisecond, Seed: 7},
	} {
		if got := f.Text(span); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
}

func TestFaultsCheck(t *testing.T) {
	tests := []struct {
		f    Faults
		want string
	}{
		{Faults{}, ""},
		{Faults{Loss: 1, Duplicate: 1, Reorder: 1, Corrupt: 1, Delay: MaxFaultDelay, Jitter: MaxFaultDelay,
			Seed: math.MaxUint64}, ""},
		{Faults{Loss: 1.01}, "loss 1.01 is out of range: 0 to 1"},
		{Faults{Duplicate: -0.1}, "duplicate -0.1 is out of range: 0 to 1"},
		{Faults{Corrupt: math.NaN()}, "corrupt NaN is out of range: 0 to 1"},
		{Faults{Delay: -1}, "delay -1ns is out of range: 0 to 1m0s"},
		{Faults{Jitter: MaxFaultDelay + 1}, "jitter 1m0.000000001s is out of range: 0 to 1m0s"},
	}
	for _, tt := range tests {
		got := ""
		if err := tt.f.Check(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.f, got, tt.want)
		}
	}
}
