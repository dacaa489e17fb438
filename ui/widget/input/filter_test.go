package input

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
)

// What is typed holds at once and after it is accepted; what is cancelled leaves
// nothing.
func TestFilter(t *testing.T) {
	for _, tt := range []struct {
		name string
		from string
		msgs []tea.Msg
		want string
		open bool
	}{
		{"typed", "", []tea.Msg{uitest.Key("A"), uitest.Key("b")}, "ab", true},
		{"added to", "rc", []tea.Msg{uitest.Key("x")}, "rcx", true},
		{"pasted", "", []tea.Msg{tea.PasteMsg{Content: "SEND"}}, "send", true},
		{"accepted", "rc", []tea.Msg{uitest.Key("enter")}, "rc", false},
		{"cancelled", "rc", []tea.Msg{uitest.Key("x"), uitest.Key("esc")}, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := NewFilter(theme.New("none", true))
			f.Ask(tt.from)
			got := tt.from
			for _, msg := range tt.msgs {
				got = f.Take(msg)
			}
			if got != tt.want || f.Open != tt.open {
				t.Errorf("%q, open %v; want %q, %v", got, f.Open, tt.want, tt.open)
			}
		})
	}
}
