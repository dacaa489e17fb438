package post

import (
	"slices"
	"testing"

	"rdmatui/ui/theme"
)

// E explains the field under the cursor and its value.
func TestExplain(t *testing.T) {
	d, _, s, _ := start(t, theme.New("none", true))
	want := map[string][]string{
		"qp": {"queue pair"}, "opcode": {"SEND"}, "sge": {"SGE"}, "send_flags": {"SIGNALED"}, "wr_id": {"wr_id"},
	}
	d.Keys(".", "home")
	for range 12 {
		name := s.form.Name()
		d.Explained = nil
		d.Keys("E")
		if names, ok := want[name]; ok {
			if !slices.Equal(d.Explained, names) {
				t.Errorf("%s is explained by %q, want %q", name, d.Explained, names)
			}
			delete(want, name)
		}
		d.Keys("down")
	}
	if len(want) > 0 {
		t.Errorf("the cursor did not come by %v", want)
	}
}
