package measure

import (
	"slices"
	"testing"

	"rdmatui/session/measure"
)

// TestLoopRows joins the threads of a loop; those of two loops that ran on one thread, as one.
func TestLoopRows(t *testing.T) {
	client := measure.Thread{TID: 1, Role: "client", User: 0.25, System: 0.125}
	server := measure.Thread{TID: 2, Role: "server", User: 0.25}
	other := measure.Thread{TID: 3, Name: "rdmatui", User: 0.375}
	moved := measure.Thread{TID: 4, Role: "client", User: 0.125, System: 0.125}
	both := measure.Thread{TID: 5, Role: measure.BothEnds, User: 0.125}
	for name, tt := range map[string]struct {
		threads []measure.Thread
		want    []threadRow
	}{
		"no thread": {},
		"a thread for each loop": {[]measure.Thread{client, other, server},
			[]threadRow{{client, 1}, {other, 1}, {server, 1}}},
		"a loop that moved": {[]measure.Thread{other, client, server, moved}, []threadRow{
			{measure.Thread{TID: 1, Role: "client", User: 0.375, System: 0.25}, 2}, {other, 1}, {server, 1}}},
		"a thread of both loops": {[]measure.Thread{client, other, server, both}, []threadRow{
			{measure.Thread{TID: 1, Role: measure.BothEnds, User: 0.625, System: 0.125}, 3}, {other, 1}}},
		"threads without a loop": {[]measure.Thread{other, other}, []threadRow{{other, 1}, {other, 1}}},
	} {
		if got := loopRows(tt.threads); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}
