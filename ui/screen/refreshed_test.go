package screen_test

import (
	"testing"

	"rdmatui/ui/screen"
)

func TestRefreshed(t *testing.T) {
	for _, tt := range []struct {
		was, is screen.Values
		want    string
	}{
		{screen.Values{}, screen.Values{}, "refreshed: nothing changed"},
		{screen.Values{"a": "1", "b": ""}, screen.Values{"a": "1", "b": ""}, "refreshed: nothing changed"},
		{screen.Values{"a": "1", "b": "2"}, screen.Values{"a": "1", "b": "3"}, "refreshed: 1 value changed: b"},
		{screen.Values{"a": "1", "gone": "2"}, screen.Values{"a": "1", "new": "2"},
			"refreshed: 2 values changed: gone, new"},
		{screen.Values{"e\n": "1", "d": "1", "c": "1", "b": "1"}, screen.Values{},
			"refreshed: 4 values changed: b, c, d and 1 more"},
		{screen.Values{"e\n": "1"}, screen.Values{}, `refreshed: 1 value changed: e\n`},
	} {
		if got := screen.Refreshed(tt.was, tt.is)(); got != (screen.FlashMsg{Text: tt.want}) {
			t.Errorf("%v to %v: %v, want %q", tt.was, tt.is, got, tt.want)
		}
	}
}
