package transport

import (
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
)

// TestQPNumberRests: a number in time-wait is not assigned.
func TestQPNumberRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var table qpTable
		table.init()
		var next uint64
		// 0 to 3, of which 2 and 3 can be assigned
		few := &object.Random{Next: func() uint64 { next++; return next % 4 << 32 }}
		table.rest(2, time.Now().Add(time.Second))
		for i, want := range []verbs.QPN{3, 2} {
			q := &QP{}
			time.Sleep(time.Duration(i) * 2 * time.Second)
			if table.insert(q, few); q.num != want {
				t.Errorf("%s, want %s", q.num, want)
			}
			defer table.remove(q)
		}
	})
}

// TestRestingNumbersAreForgotten: the table forgets numbers whose time is over, and those alone.
func TestRestingNumbersAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var table qpTable
		table.init()
		for n := range uint32(4) {
			table.rest(10+n, time.Now().Add(time.Duration(n+1)*time.Second))
		}
		for i, want := range []int{5, 4, 1} { // with the new one, which waits behind the others
			table.rest(20+uint32(i), time.Now().Add(time.Millisecond))
			if len(table.resting) != want || len(table.order) != want {
				t.Errorf("after %d s: %d numbers, %d in order, want %d", 2*i, len(table.resting),
					len(table.order), want)
			}
			time.Sleep(2*time.Second + 2*time.Millisecond)
		}
	})
}

// TestQPNumbersOfOthers: the numbers of the management queue pairs and of multicast are never assigned, nor one in use.
func TestQPNumbersOfOthers(t *testing.T) {
	var table qpTable
	table.init()
	draws := []uint32{0, 1, uint32(verbs.MaxQPN), 2, 2, 1<<24 | 1, 1<<24 | 3, uint32(verbs.MaxQPN) - 1}
	random := &object.Random{Next: func() uint64 { n := draws[0]; draws = draws[1:]; return uint64(n) << 32 }}
	for i, want := range []verbs.QPN{2, 3, verbs.MaxQPN - 1} {
		q := &QP{}
		if table.insert(q, random); q.num != want || table.len() != i+1 || table.find(uint32(want)) != q {
			t.Errorf("%s of %d, want %s", q.num, table.len(), want)
		}
	}
}
