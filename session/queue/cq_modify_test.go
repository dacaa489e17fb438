package queue_test

import (
	"errors"
	"syscall"
	"testing"

	"rdmatui/session"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// TestModifyCQ moderates a queue's events.
func TestModifyCQ(t *testing.T) {
	s := session.New(session.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	defer s.Close()
	sessiontest.RunScript(t, s, "open_device soft0\ncreate_comp_channel ch\ncreate_cq cq channel=ch\ncreate_cq plain")
	const call = "ibv_modify_cq(cq, {.attr_mask = IBV_CQ_ATTR_MODERATE, .moderate = {.cq_count = 4, .cq_period = 50}})"
	for _, tt := range []struct {
		line, call, result, check string
		err                       error
	}{
		{"modify_cq cq cq_count=4 cq_period=50", call, "one event for 4 completions, or after 50 µs", "", nil},
		{"modify_cq cq cq_count=0 cq_period=0", "", "each completion raises an event", "", nil},
		{"modify_cq plain cq_count=4 cq_period=50", "", "one event for 4 completions, or after 50 µs",
			"the queue has no channel, so it raises no events", nil},
		{"modify_cq cq cq_count=4 cq_period=4096", "", "", "cq_period is more than max_cq_period 4095", syscall.EINVAL},
	} {
		done, err := s.Exec(t.Context(), tt.line)
		if !errors.Is(err, tt.err) || tt.call != "" && done.Call() != tt.call || done.Result != tt.result ||
			done.Check != tt.check {
			t.Errorf("%s: %v, %q, %q, %q", tt.line, err, done.Call(), done.Result, done.Check)
		}
	}
}
