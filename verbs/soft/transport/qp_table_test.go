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
		few := &object.Random{Next: func() uint64 { next++; return next % 4 << 32 }} // 0 to 3, of which 2 and 3 can be assigned
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
