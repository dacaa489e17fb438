package devices

import "testing"

// TestInterfaceOf: a device's network interface is that of its usual port.
func TestInterfaceOf(t *testing.T) {
	for _, tt := range []struct{ fixture, device, want string }{
		{"rxe", "rxe0", "d0"}, {"rxe", "rxe9", ""}, {"rxe", "../rxe0", ""}, {"bare", "rxe0", ""},
	} {
		if got := InterfaceOf(plant(t, tt.fixture), tt.device); got != tt.want {
			t.Errorf("%s of %s: %q, want %q", tt.device, tt.fixture, got, tt.want)
		}
	}
}
