package program

import "testing"

// TestTourJourney follows a tour from the first screen by the keys that the panel
// names. It is left, resumed, and still known as done in the next run.
func TestTourJourney(t *testing.T) {
	env := terminalEnv()
	tm := open(t, 80, 24, env, "--provider", "soft")
	tm.Until("guided tours", "▸ First WRITE in 60 seconds", "enter start the tour")
	tm.Keys("enter")
	tm.Until("step 1 of 3", "press  b  open the device", "○ 2 queue pairs")
	tm.Keys("b")
	tm.Until("step 2 of 3", "press  c  connect both queue pairs")
	tm.Keys("ctrl+t")
	tm.UntilGone("tour:")
	tm.Keys("0")
	tm.Until("First WRITE in 60 seconds  step 2 of 3", "enter go on with the tour")
	tm.Keys("enter")
	tm.Until("press  c  connect both queue pairs")
	tm.Keys("c")
	tm.Until("step 3 of 3", "press  3  go to Post")
	tm.Keys("3")
	tm.Until("press  t  choose the opcode RDMA_WRITE")
	tm.Keys("t", "t")
	tm.Until("press  enter  post the request")
	tm.Keys("enter")
	tm.Until("tour: First WRITE in 60 seconds · done", "Next: ", "ctrl+t close")
	tm.Keys("ctrl+t", "0")
	tm.Until("First WRITE in 60 seconds  ✓ done")
	leave(t, tm, "6 objects exist")

	again := open(t, 120, 40, env, "--provider", "soft")
	again.Until("First WRITE in 60 seconds  ✓ done", "everything that was done, as a script or as C")
	again.Keys("q")
	if status := again.Wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
}
