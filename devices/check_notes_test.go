package devices

import (
	"fmt"
	"testing"

	"rdmatui/verbs"
)

// noting is a provider with a device and notes about it.
type noting struct {
	verbs.Provider
	name string
}

func (p noting) Name() string { return "of " + p.name }

func (p noting) Devices() ([]verbs.DeviceInfo, error) {
	return []verbs.DeviceInfo{{Name: p.name}}, nil
}

func (p noting) Notes() []verbs.Note {
	return []verbs.Note{{Devices: []string{p.name}, Text: "of " + p.name}}
}

// TestNotes: notes about other devices are left out.
func TestNotes(t *testing.T) {
	inv := New([]verbs.Provider{noting{name: "rxe0"}, noting{name: "soft0"}}, nil)
	for device, want := range map[string]string{"": "[of rxe0 of soft0]", "rxe0": "[of rxe0]",
		"soft0": "[of soft0]", "mlx5_0": "[]"} {
		if got := fmt.Sprint(inv.Notes(device)); got != want {
			t.Errorf("%q: %s, want %s", device, got, want)
		}
		said := []string{}
		for _, f := range checkNotes(&examination{inv: inv, device: device}) {
			said = append(said, f.Meaning)
		}
		if got := fmt.Sprint(said); got != want {
			t.Errorf("doctor of %q: %s, want %s", device, got, want)
		}
	}
}
