package bringup

import (
	"testing"
	"testing/synctest"

	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// A state means the same in the list and in the chart: ERR is an error there and there.
func TestTokens(t *testing.T) {
	for name, c := range map[string]struct {
		keys  []string
		lines []string
		texts []string
	}{
		"rtr": {keys: []string{"enter", "enter"}, texts: []string{"INIT", "RTR"}},
		"err": {lines: []string{"modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=0", "modify_qp a ERR"},
			texts: []string{"ERR"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			d, sess, s := start(t, uitest.Tokens(), true)
			d.Keys(c.keys...)
			for _, l := range c.lines {
				sess.Do(l)
			}
			d.Frame()
			uitest.Golden(t, name, uitest.Marked(t, widget.Render(s.th, s, 160, 45), c.texts...))
		})
	}
}
