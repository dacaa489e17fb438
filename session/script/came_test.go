package script

import (
	"maps"
	"testing"
)

// TestCame: a step records the completions taken since the step before, of each queue. A queue that has taken fewer is
// a new one with the name of an old one.
func TestCame(t *testing.T) {
	r := &recorder{}
	for i, tt := range []struct{ taken, want map[string]uint64 }{
		{nil, nil},
		{map[string]uint64{"a": 3}, map[string]uint64{"a": 3}},
		{map[string]uint64{"a": 3}, nil},
		{map[string]uint64{"a": 5, "b": 1}, map[string]uint64{"a": 2, "b": 1}},
		{map[string]uint64{"a": 1, "b": 1}, map[string]uint64{"a": 1}},
		{map[string]uint64{"b": 4}, map[string]uint64{"b": 3}},
	} {
		if got := r.came(tt.taken); !maps.Equal(got, tt.want) || (got == nil) != (tt.want == nil) {
			t.Errorf("%d: %v, want %v", i, got, tt.want)
		}
	}
}
