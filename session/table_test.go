package session

import (
	"slices"
	"testing"

	"rdmatui/session/command"
)

// TestRowsAreTheCommands: the rows are the parser's commands, in the same order.
func TestRowsAreTheCommands(t *testing.T) {
	var specs []*command.Spec
	for _, r := range rows {
		specs = append(specs, r.Spec)
		if r.Run == nil || r.C == nil {
			t.Errorf("%s has no implementation, or no C code", r.Spec.Name)
		}
	}
	if slices.Equal(specs, command.Commands) {
		return
	}
	for i := range max(len(specs), len(command.Commands)) {
		switch {
		case i == len(specs):
			t.Fatalf("%s has no row", command.Commands[i].Name)
		case i == len(command.Commands):
			t.Fatalf("%s is not in command.Commands", specs[i].Name)
		case specs[i] != command.Commands[i]:
			t.Fatalf("row %d is %s, but %s in command.Commands", i, specs[i].Name, command.Commands[i].Name)
		}
	}
}
