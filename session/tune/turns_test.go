package tune

import (
	"strings"
	"testing"

	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// polled is a completion queue with completions.
type polled struct {
	verbs.CQ
	wcs []verbs.WC
}

func (p *polled) Poll(wcs []verbs.WC) (int, error) {
	n := copy(wcs, p.wcs)
	p.wcs = p.wcs[n:]
	return n, nil
}

// TestAwaitFailure: the error of a failed message has the values of its completion, not those of another one.
func TestAwaitFailure(t *testing.T) {
	l := &loop{objects: &objects{}}
	l.recvCQ[0] = &queue.CQ{CQ: &polled{wcs: []verbs.WC{{Status: verbs.WCWRFlushErr, VendorErr: 0x57}}}}
	l.wcs[1] = verbs.WC{Status: verbs.WCLocLenErr, VendorErr: 0x99}
	if err := l.await(); err == nil || !strings.Contains(err.Error(), "completion WR_FLUSH_ERR, vendor_err 0x57") {
		t.Error(err)
	}
}
