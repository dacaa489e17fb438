package bench

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/core/coretest"
)

// TestFirstFailureEnds: no line follows one that failed.
func TestFirstFailureEnds(t *testing.T) {
	for _, tt := range []struct {
		name string
		host string
		run  func(r *Run) error
		want []string
	}{
		{"listening", "", func(r *Run) error { return r.cmListen(t.Context(), nameID) },
			[]string{"rdma_create_id", "rdma_bind_addr", "rdma_listen"}},
		{"waiting for a client", "", func(r *Run) error { return r.cmBegin(t.Context(), nameControl) },
			[]string{"rdma_create_id", "rdma_bind_addr", "rdma_listen", "rdma_get_cm_event"}},
		{"accepting", "", func(r *Run) error { return r.cmEnd(t.Context(), nameID, 1) },
			[]string{"rdma_accept", "rdma_get_cm_event"}},
		{"connecting", "10.0.0.1", func(r *Run) error { return r.cmEnd(t.Context(), nameID, 1) },
			[]string{"rdma_connect", "rdma_get_cm_event"}},
	} {
		for good := range len(tt.want) + 1 {
			var lines []string
			s := coretest.New(core.Options{}, func(c *core.Call) error {
				if lines = append(lines, c.Cmd.Spec.Name); len(lines) > good {
					return syscall.EIO
				}
				return nil
			})
			err := tt.run(&Run{s: s, p: Params{Host: tt.host}})
			if want := tt.want[:min(good+1, len(tt.want))]; !slices.Equal(lines, want) ||
				errors.Is(err, syscall.EIO) != (good < len(tt.want)) {
				t.Errorf("%s, %d lines succeed: %q, %v", tt.name, good, lines, err)
			}
		}
	}
}
