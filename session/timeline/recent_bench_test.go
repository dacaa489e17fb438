package timeline_test

import (
	"testing"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// BenchmarkNewOnFullLog makes a ring on a full log, as the first frame of a page does.
func BenchmarkNewOnFullLog(b *testing.B) {
	l := newLog(timeline.DefaultCapacity)
	l.AppendBatch(make([]timeline.Completion, timeline.DefaultCapacity))
	failed := func(e *timeline.Event) bool { return e.WC.WC.Status != verbs.WCSuccess }
	b.ReportAllocs()
	for b.Loop() {
		timeline.NewRecent(l, 16, failed).Close()
	}
}
