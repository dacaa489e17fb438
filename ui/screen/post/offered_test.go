package post

import (
	"testing"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
)

// The hints show only keys that work: what has no queue, no list, no payload, no chain or no region is left out.
func TestOfferedKeys(t *testing.T) {
	one := append(uitest.BenchLines[:6:6], "modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=0")
	bare := benchWith()
	bare = append(bare[:2:2], bare[4:]...)
	bind := func(s *Screen) { s.req.op = "BIND_MW"; s.refill() }
	for _, tt := range []struct {
		name  string
		lines []string
		do    func(*Screen)
		keys  []string
		want  string
	}{
		{name: "a SEND", want: "c r s"},
		{name: "a RECV", keys: []string{"v"}, want: "P c f r s"},
		{name: "a WRITE, which works", keys: []string{"t", "t"}, want: "c f r s"},
		{name: "a READ", keys: []string{"t", "t", "t", "t"}, want: "P c f r s"},
		{name: "BIND_MW", do: bind, want: "+ - P c f r s"},
		{name: "posted", keys: []string{"enter"}, want: "c s"},
		{name: "a chain", keys: []string{"a"}, want: "r"},
		{name: "a cleared chain", keys: []string{"a", "c"}, want: "c r s"},
		{name: "a region", keys: []string{"]"}, want: "c del e r s space"},
		{name: "a number", keys: []string{"end"}, want: "c del r s space"},
		{name: "one queue pair", lines: one, want: "R c o r s space"},
		{name: "no region", lines: bare, want: "@ A D c r s"},
		{name: "no queue pair", lines: []string{"open_device soft0"},
			want: "+ - @ A D P R T a c d del e enter f o r s space t v"},
	} {
		d, _, s, _ := start(t, theme.New("none", true), tt.lines...)
		if tt.do != nil {
			tt.do(s)
		}
		d.Keys(tt.keys...)
		if got := uitest.Later(s.Context()); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
