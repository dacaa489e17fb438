package page

import (
	"testing"

	"rdmatui/ui/screen"
)

func TestRefreshed(t *testing.T) {
	for _, tt := range []struct {
		was, is Values
		want    string
	}{
		{Values{}, Values{}, "refreshed: nothing changed"},
		{Values{"a": "1", "b": ""}, Values{"a": "1", "b": ""}, "refreshed: nothing changed"},
		{Values{"a": "1", "b": "2"}, Values{"a": "1", "b": "3"}, "refreshed: 1 value changed: b"},
		{Values{"a": "1", "gone": "2"}, Values{"a": "1", "new": "2"}, "refreshed: 2 values changed: gone, new"},
		{Values{"e\n": "1", "d": "1", "c": "1", "b": "1"}, Values{}, "refreshed: 4 values changed: b, c, d and 1 more"},
		{Values{"e\n": "1"}, Values{}, `refreshed: 1 value changed: e\n`},
	} {
		if got := Refreshed(tt.was, tt.is)(); got != (screen.FlashMsg{Text: tt.want}) {
			t.Errorf("%v to %v: %v, want %q", tt.was, tt.is, got, tt.want)
		}
	}
}
