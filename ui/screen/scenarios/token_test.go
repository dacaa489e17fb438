package scenarios

import (
	"testing"

	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// In an experiment the step that fails on purpose is an error; that the whole came as
// predicted is not.
func TestTokens(t *testing.T) {
	th := uitest.Tokens()
	run(t, th, func(x *bench) {
		choose(t, x, "bad-rkey")
		x.Keys("enter")
		x.Await(200, 60, "as specified; recovered")
		uitest.Golden(x.t, "bad-rkey", uitest.Marked(x.t, widget.Render(th, x.s, 200, 60), "as specified",
			"poll_cq cq timeout", "post_send a RDMA_WRITE"))
	})
}
