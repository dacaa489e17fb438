package bench

import (
	"testing"
	"time"

	"rdmatui/verbs"
)

func TestFlags(t *testing.T) {
	for _, tt := range []struct {
		change func(*Params)
		want   string
	}{
		{func(*Params) {}, ""},
		{func(p *Params) { p.Device, p.Host = "rxe0", "10.9.0.1" }, ""},
		{func(p *Params) { p.Duration, p.Iters = 10*time.Second, 7 }, "-D 10"},
		{func(p *Params) { p.All, p.Size, p.Iters = true, 8, 100 }, "-a -n 100"},
		{func(p *Params) {
			p.Connection, p.Size, p.QPs, p.Inline = verbs.UC, 8, 2, 0
			p.Bidirectional, p.Events, p.MTU, p.CM = true, true, verbs.MTU1024, true
		},
			"-c UC -m 1024 -s 8 -q 2 -I 0 -b -e -R"},
	} {
		p := DefaultParams(Test{Verb: Write})
		tt.change(&p)
		if got := p.Flags(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
