package session

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
	want, have []byte
}

// Bytes of the stock programs' buffers: this one throughout, or with their -c a
// zero at the start of each page.
const (
	stockFilling = 0x7b
	stockPage    = 4096
)

func newPayloadCheck(size int, client bool) *payloadCheck {
	return &payloadCheck{client: client, want: make([]byte, size), have: make([]byte, size)}
}

// mark fills p with the bytes of message i. The period is prime, so that a
// piece that is missing or in the wrong place shows.
func mark(p []byte, i int) {
	for j := range p {
		p[j] = byte((j + 7*i) % 251)
	}
}

// stamp makes the region message i.
func (c *payloadCheck) stamp(mr verbs.MR, i int) error {
	mark(c.want, i)
	_, err := mr.WriteAt(c.want, 0)
	return err
}

// check holds the region against message i.
func (c *payloadCheck) check(mr verbs.MR, i int) error {
	if _, err := mr.ReadAt(c.have, 0); err != nil {
		return err
	}
	mark(c.want, i)
	if bytes.Equal(c.have, c.want) || !c.client && isStock(c.have) {
		return nil
	}
	at := 0
	for c.have[at] == c.want[at] {
		at++
	}
	return fmt.Errorf("message %d differs from byte %d on: 0x%02x, not 0x%02x", i, at, c.have[at], c.want[at])
}

func isStock(p []byte) bool {
	for j, b := range p {
		if b != stockFilling && !(b == 0 && j%stockPage == 0) {
			return false
		}
	}
	return true
}
