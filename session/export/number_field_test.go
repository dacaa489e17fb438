package export

import "testing"

// TestNumberField: a field of numbers in memory names a layout that there is, and an offset.
func TestNumberField(t *testing.T) {
	for field, want := range map[string]struct {
		form string
		at   uint64
		ok   bool
	}{
		"be32.8": {"be32", 8, true}, "le64.0": {"le64", 0, true}, "u8.2147483647": {"u8", 1<<31 - 1, true},
		"u8.2147483648": {}, "be7.0": {}, "be32": {}, "be32.": {}, "be32.x": {}, "be32.-1": {}, ".0": {}, "0.0": {},
		"": {}, "addr": {},
	} {
		if form, at, ok := numberField(field); ok != want.ok || ok && (form != want.form || at != want.at) {
			t.Errorf("%s: %s, %d, %t", field, form, at, ok)
		}
	}
}
