package soft

import (
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
)

// TestQPNumberRests: a number in time-wait is given to nobody.
func TestQPNumberRests(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		a := p.adapters[0]
		var next uint64
		few := &object.Random{Next: func() uint64 { next++; return next % 4 << 32 }} // 0 to 3, of which 2 and 3 can be given
		a.qps.rest(2, time.Now().Add(time.Second))
		for i, want := range []verbs.QPN{3, 2} {
			q := &qp{}
			time.Sleep(time.Duration(i) * 2 * time.Second)
			if a.qps.insert(q, few); q.num != want {
				t.Errorf("%s, want %s", q.num, want)
			}
			defer a.qps.remove(q)
		}
	})
}
