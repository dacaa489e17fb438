package core

import (
	"testing"
	"time"
)

// TestDepart: the newest are kept, up to the limit.
func TestDepart(t *testing.T) {
	var list []Departed[MRView]
	for i := range 2*maxDeparted + 1 {
		list = depart(list, []MRView{{RKey: uint32(i)}}, time.Duration(i))
	}
	if len(list) != maxDeparted || list[0].View.RKey != maxDeparted+1 || list[maxDeparted-1].At != 2*maxDeparted {
		t.Errorf("%d, from %+v to %+v", len(list), list[0], list[len(list)-1])
	}
}
