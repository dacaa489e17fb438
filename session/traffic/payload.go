package traffic

import (
	"bytes"
	"fmt"

	"rdmatui/verbs"
)

// payloadCheck fills and checks the payload of ping-pong messages. A client marks
// each message; a server returns what it received, so a client expects its own mark.
// A server accepts marks, or the constant fill of the stock client.
type payloadCheck struct {
	client     bool
	n          int   // messages in each direction
	at         int64 // offset of the message in the region
	want, have []byte
}

// checkBuffers is how many message buffers a check keeps at most: expected, received
// and the fill that clears a slot.
const checkBuffers = 3

// Payload of the stock programs: stockByte throughout, or with -c a zero at the start
// of each page.
const (
	stockFilling = 0x7b
	StockPage    = 4096
)

func newPayloadCheck(n, size int, at int64, client bool) *payloadCheck {
	return &payloadCheck{client: client, n: n, at: at, want: make([]byte, size), have: make([]byte, size)}
}

// mark fills p for the message that this many others follow. The pages of a message
// differ, and so do consecutive messages, so that a missing, stale or misplaced piece
// is detected. In the last message each page starts with a zero, because a stock
// server with -c checks for that at its end.
func mark(p []byte, follow int) {
	for j := range p {
		page, at := j/StockPage, j%StockPage
		p[j] = byte((at*(1+page%250) + 7*follow) % 251)
	}
}

// stamp fills the region with message i.
func (c *payloadCheck) stamp(mr verbs.MR, i int) error {
	mark(c.want, c.n-1-i)
	_, err := mr.WriteAt(c.want, c.at)
	return err
}

// Check compares the region with message i.
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
