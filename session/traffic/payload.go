package traffic

import (
	"bytes"
	"fmt"

	"rdmatui/verbs"
)

// payloadCheck makes and checks the bytes of ping-pong messages. A client marks
// each message; a server sends back what it got, so a client sees its own mark.
// A server accepts marks and, in their place, the constant filling of the stock
// client.
type payloadCheck struct {
	client     bool
	n          int   // messages in each direction
	at         int64 // where in the region a message begins
	want, have []byte
}

// checkBuffers is how many messages a check keeps at most: as it is to be, as it
// came, and to wipe it.
const checkBuffers = 3

// Bytes of the stock programs' buffers: this one throughout, or with their -c a
// zero at the start of each page.
const (
	stockFilling = 0x7b
	StockPage    = 4096
)

func newPayloadCheck(n, size int, at int64, client bool) *payloadCheck {
	return &payloadCheck{client: client, n: n, at: at, want: make([]byte, size), have: make([]byte, size)}
}

// mark makes the bytes of the message that so many follow. The pages of a
// message differ, and so do messages one after the other, so that a piece that is
// missing, old or in the wrong place shows. In the last one each page starts with
// a zero: that is what a stock server with -c looks for at its end.
func mark(p []byte, follow int) {
	for j := range p {
		page, at := j/StockPage, j%StockPage
		p[j] = byte((at*(1+page%250) + 7*follow) % 251)
	}
}

// stamp makes the region message i.
func (c *payloadCheck) stamp(mr verbs.MR, i int) error {
	mark(c.want, c.n-1-i)
	_, err := mr.WriteAt(c.want, c.at)
	return err
}

// Check holds the region against message i.
func (c *payloadCheck) Check(mr verbs.MR, i int) error {
	if _, err := mr.ReadAt(c.have, c.at); err != nil {
		return err
	}
	mark(c.want, c.n-1-i)
	if bytes.Equal(c.have, c.want) || !c.client && isStock(c.have) {
		return nil
	}
	at := 0
	for c.have[at] == c.want[at] {
		at++
	}
	return fmt.Errorf("message %d differs at byte %d: 0x%02x instead of 0x%02x", i, at, c.have[at], c.want[at])
}

func isStock(p []byte) bool {
	for j, b := range p {
		if b != stockFilling && !(b == 0 && j%StockPage == 0) {
			return false
		}
	}
	return true
}
