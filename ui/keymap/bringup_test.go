package keymap

import "testing"

// Contexts does not list this one, since it stands for the same screen.
func TestBringupSetupHasNoConflicts(t *testing.T) {
	for _, s := range conflicts(BringupSetup) {
		t.Error(s)
	}
}
