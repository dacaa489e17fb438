package program

import "testing"

// TestWaitInTerminal runs a server whose calls wait. The screen stays usable: it
// shows the wait, switches to other screens, refuses other commands with a message,
// and esc ends the wait.
func TestWaitInTerminal(t *testing.T) {
	tm := open(t, 100, 30, terminalEnv(), "--provider", "soft")
	tm.Until("soft0", "GID ")
	command := func(line string) {
		tm.Keys(":")
		tm.Type(line)
		tm.Keys("enter", "enter") // on an empty line it closes the console
	}
	command("rdma_create_id listen mode=sync")
	tm.Until("each call waits for its event")
	command("rdma_bind_addr listen port=7471")
	tm.Until("of any device")
	command("rdma_listen listen")
	tm.Until("listening at")
	command("rdma_get_request listen timeout=1h")
	tm.Until("waiting", "rdma_get_request listen timeout=1h", "esc stop")
	command("rdma_create_id id mode=sync")
	tm.Until("not now: rdma_get_request listen timeout=1h is still running")
	tm.Keys("5")
	tm.Until("listen is in LISTENING")
	tm.Until("esc stop")
	tm.Keys("esc")
	tm.Until("stopped before it was finished")
	command("rdma_create_id id mode=sync")
	tm.Until("id of soft: each call waits")
	leave(t, tm, "objects exist")
}
