package command

import (
	"regexp"
	"testing"

	"rdmatui/assets/explain"
)

// oneCommand separates the commands in a text of several commands.
var oneCommand = regexp.MustCompile(`, then |, | and |^client: |^server: `)

// TestExplainedCalls: the commands that explain names for the calls of tutorials
// exist, with the arguments used.
func TestExplainedCalls(t *testing.T) {
	for _, name := range []string{"rdma_create_ep", "rdma_destroy_ep", "rdma_get_request", "rdma_reg_msgs",
		"rdma_reg_read", "rdma_reg_write", "rdma_dereg_mr",
		"rdma_post_recv", "rdma_post_send", "rdma_post_read", "rdma_post_write", "rdma_get_send_comp",
		"rdma_get_recv_comp"} {
		e, ok := explain.Find("cm_call", name)
		if !ok {
			t.Errorf("%s is not explained", name)
		}
		for _, advice := range e.Try {
			for _, line := range oneCommand.Split(advice, -1) {
				c, err := Parse(line)
				name := regexp.MustCompile(`^\S+`).FindString(line)
				if line == "" || line == name && HelpFor(name) != "" {
					continue
				}
				if err != nil || c.Spec == nil {
					t.Errorf("%s: %q: %v", e.Name, line, err)
				}
			}
		}
	}
}
