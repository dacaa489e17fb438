package main

import (
	"context"
	"slices"
	"testing"
)

// TestMeanwhile checks that the stages that wait for the machines run once, in order, and not after an interruption.
func TestMeanwhile(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var ran []string
	for _, tt := range []struct {
		interrupted bool
		want        []string
	}{{false, []string{"a", "b"}}, {true, nil}} {
		if ran = nil; tt.interrupted {
			stop()
		}
		r := &run{ctx: ctx, tally: newTally()}
		for _, name := range []string{"a", "b"} {
			r.waiting = append(r.waiting, stage{name: name, run: func(*run) { ran = append(ran, name) }, kind: beside})
		}
		r.meanwhile()
		r.meanwhile()
		if !slices.Equal(ran, tt.want) {
			t.Errorf("interrupted %t: %q ran, want %q", tt.interrupted, ran, tt.want)
		}
	}
}
