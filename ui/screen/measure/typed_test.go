package measure

import (
	"strings"
	"testing"

	"rdmatui/ui/theme"
)

// TestTypedSize: a size may have a unit; a wrong one is refused below its field.
func TestTypedSize(t *testing.T) {
	x := open(t, theme.New("none", true))
	for _, tt := range []struct {
		typed, err string
		size       uint64
	}{
		{"2M", "", 2 << 20}, {"3G", "size: ", 2 << 20}, {"12zz", `size: "12zz" is not a number up to`, 2 << 20},
		{"64k", "", 64 << 10},
	} {
		x.s.form.Select("size")
		x.Keys("e")
		x.Type(tt.typed)
		x.Keys("enter")
		got := ""
		for _, f := range x.s.form.Fields() {
			if f.Name == "size" {
				got = f.Err
			}
		}
		if x.s.settings.p.Size != tt.size || (got == "") != (tt.err == "") ||
			!strings.HasPrefix(got, tt.err) {
			t.Errorf("%s: size %d, error %q", tt.typed, x.s.settings.p.Size, got)
		}
	}
}
