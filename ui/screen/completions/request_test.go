package completions

import (
	"testing"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// A completion's request is looked for among the lines that could have posted it.
func TestPostOfACompletion(t *testing.T) {
	for _, tt := range []struct {
		line string
		recv bool
		want bool
	}{
		{"post_send a SEND wr_id=7", false, true},
		{"post_send a SEND wr_id=7", true, false},
		{"post_send a SEND wr_id=8", false, false},
		{"post_send a SEND", false, false},
		{"post_send b SEND wr_id=7", false, false},
		{"post_recv a wr_id=7", true, true},
		{"post_recv b wr_id=7", true, false},
		{"post_recv a wr_id=7", false, false},
		{"post_srq_recv q wr_id=7", true, true},
		{"post_srq_recv q wr_id=8", true, false},
		{"post_srq_recv q wr_id=7", false, false},
		{"note post_send", true, false},
		{"post_recv a frobnicate", true, false},
	} {
		c := &timeline.Completion{QP: "a", Recv: tt.recv, WC: verbs.WC{WRID: 7}}
		if got := isPostOf(&timeline.CommandDone{Line: tt.line}, c); got != tt.want {
			t.Errorf("%s of a completion with Recv %v: %v", tt.line, tt.recv, got)
		}
	}
}
