package bringup

import (
	"slices"
	"testing"

	"rdmatui/ui/theme"
)

// E explains the attribute under the cursor; in the list of queue pairs, the state and the next transition.
func TestExplain(t *testing.T) {
	d, _, _ := start(t, theme.New("none", true), true)
	d.Keys("E")
	if want := []string{"pkey_index"}; !slices.Equal(d.Explained, want) {
		t.Errorf("in the form %q, want %q", d.Explained, want)
	}
	d.Explained = nil
	d.Keys("[", "E")
	if want := []string{"RESET", "RESET→INIT"}; !slices.Equal(d.Explained, want) {
		t.Errorf("in the list %q, want %q", d.Explained, want)
	}
}

// The explanation decodes the prepared timeout, and the total time that the requester waits.
func TestAttributeWithItsValues(t *testing.T) {
	d, _, _ := start(t, theme.New("none", true), true)
	d.Keys("enter", "enter", "down") // INIT, RTR; below sq_psn
	d.Shows(200, 60, "14 is 67.1 ms", "retry_cnt=7 the requester gives up after 537 ms at the earliest")
}
