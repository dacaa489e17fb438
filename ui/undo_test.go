package ui

import (
	"testing"

	"rdmatui/ui/theme"
)

// TestUndoDestroy: u makes again what D has destroyed, on the screen where that was, also when it was the last queue
// pair; the queue pair is then in hand.
func TestUndoDestroy(t *testing.T) {
	g, env := newObjects(t, theme.New("none", true), 120, 40)
	g.typed("modify_qp a RESET", "destroy_qp e", "destroy_qp c", "destroy_qp d", "destroy_qp b")
	g.Keys("2")
	g.WaitFor("u undo the destroy")
	g.Keys("D", "y")
	g.WaitFor("no queue pair yet")
	g.WaitFor("u undo the destroy")
	g.Keys("u")
	g.WaitFor("a again; its qp_num is new: ")
	g.Keys("u")
	g.WaitFor("b again; its qp_num is new: ")
	snap := env.Session.Snapshot()
	if in := env.Hand.In(&snap); in != "b" {
		t.Errorf("%s is in hand, want b", in)
	}
	g.typed("write_mem dst kept", "dereg_mr dst")
	g.Keys("3", "u")
	g.WaitFor("dst again; its ")
	g.typed("expect mem dst kept")
}
