package export

import "testing"

// TestStatusText: a number stays, a reject reason becomes a number, and an errno becomes its negative.
func TestStatusText(t *testing.T) {
	for _, tt := range []struct {
		event, status, want string
		ok                  bool
	}{
		{"REJECTED", "28", "28", true},
		{"REJECTED", "CONSUMER_DEFINED", "28 /* CONSUMER_DEFINED */", true},
		{"REJECTED", "ECONNREFUSED", "-ECONNREFUSED", true},
		{"REJECTED", "0x1c", "28", true},
		{"UNREACHABLE", "2147483648", "-2147483648", false},
		{"UNREACHABLE", "etimedout", "-ETIMEDOUT", true},
		{"UNREACHABLE", "CONSUMER_DEFINED", "-CONSUMER_DEFINED", false},
	} {
		if got, ok := statusText(tt.event, tt.status); got != tt.want || ok != tt.ok {
			t.Errorf("%s of %s: %q, %v; want %q, %v", tt.status, tt.event, got, ok, tt.want, tt.ok)
		}
	}
}
