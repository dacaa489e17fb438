package devices

import (
	"fmt"
	"testing"

	"rdmatui/verbs"
)

// noting lists a device and has something to say of it.
type noting struct {
	verbs.Provider
	name string
}

func (p noting) Devices() ([]verbs.DeviceInfo, error) {
	return []verbs.DeviceInfo{{Name: p.name}}, nil
}

func (p noting) Notes() []string { return []string{"of " + p.name} }

// TestNotes: who asks for one device is told of no other.
func TestNotes(t *testing.T) {
	inv := New([]verbs.Provider{noting{name: "rxe0"}, noting{name: "soft0"}}, nil)
	for device, want := range map[string]string{"": "[of rxe0 of soft0]", "rxe0": "[of rxe0]", "soft0": "[of soft0]", "mlx5_0": "[]"} {
		if got := fmt.Sprint(inv.Notes(device)); got != want {
			t.Errorf("%q: %s, want %s", device, got, want)
		}
	}
}
