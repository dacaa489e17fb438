package journal

import "rdmatui/session/timeline"

// kindSet is a set of kinds of events, one bit each; empty means all.
type kindSet uint16

func kindsOf(kinds ...timeline.Kind) (s kindSet) {
	for _, k := range kinds {
		s |= 1 << k
	}
	return s
}

func (s kindSet) has(k timeline.Kind) bool { return s == 0 || s>>k&1 != 0 }

// choices are the sets that the key for kinds cycles through.
var choices = []struct {
	name  string
	kinds kindSet
}{
	{"", 0},
	{"commands", kindsOf(timeline.KindCommand)},
	{"completions", kindsOf(timeline.KindWC)},
	{"events and states", kindsOf(timeline.KindCM, timeline.KindAsync, timeline.KindState)},
	{"notes", kindsOf(timeline.KindNote)},
	{"packets", kindsOf(timeline.KindPacket)},
	{"all but completions and packets", ^kindsOf(timeline.KindWC, timeline.KindPacket)},
}
