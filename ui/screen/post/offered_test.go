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
		{name: "a SEND", want: "+ - C a r s u"},
		{name: "a RECV", keys: []string{"v"}, want: "+ - C P a f r s u"},
		{name: "a WRITE, which works", keys: []string{"t", "t"}, want: "+ - C a f r s u"},
		{name: "a READ", keys: []string{"t", "t", "t", "t"}, want: "+ - C P a f r s u"},
		{name: "BIND_MW", do: bind, want: "+ - C P a f r s u"},
		{name: "posted", keys: []string{"enter"}, want: "+ - C a s u"},
		{name: "all", keys: []string{"."}, want: "- C r s space u"},
		{name: "all of two SGEs", keys: []string{".", "+"}, want: "C r s space u"},
		{name: "two SGEs", keys: []string{"+"}, want: "C a r s space u"},
		{name: "a chain", keys: []string{"a"}, want: "+ - r u"},
		{name: "a cleared chain", keys: []string{"a", "C"}, want: "+ - C a r s"},
		{name: "a region", keys: []string{"]"}, want: "+ - C a del e r s space u"},
		{name: "a number", keys: []string{".", "end"}, want: "- C del r s space u"},
		{name: "one queue pair", lines: one, want: "+ - C R a f o r s space u"},
		{name: "no region", lines: bare, want: "+ - @ A C D a r s u"},
		{name: "no queue pair", lines: []string{"open_device soft0"},
			want: "+ - . @ A C D P R T a d del e enter f o r s space t u v"},
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
