package session_test

import (
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/core"
)

// TestObjectsOfASnapshot: an object of any kind occupies its name, and all objects
// but those without resources are lost with the session.
func TestObjectsOfASnapshot(t *testing.T) {
	var snap core.Snapshot
	free := map[command.ObjectKind]bool{command.KindDevice: true, command.KindPeer: true, command.KindAddrInfo: true}
	for _, kind := range command.ObjectKinds {
		before := snap.Alive()
		if snap.Has(string(kind)) {
			t.Errorf("%s exists too early", kind)
		}
		snap.Objects = append(snap.Objects, core.ObjectView{Name: string(kind), Kind: kind})
		if !snap.Has(string(kind)) {
			t.Errorf("the name of an object of kind %s is free", kind)
		}
		if counts := snap.Alive() > before; counts == free[kind] {
			t.Errorf("an object of kind %s counts as alive: %v", kind, counts)
		}
	}
}
