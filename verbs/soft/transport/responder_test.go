package transport

import (
	"runtime"
	"testing"
	"time"

	"rdmatui/verbs"
)

// TestLastWords: a program receives a message and ends its queue pair at once; the acknowledgement is still sent.
func TestLastWords(t *testing.T) {
	ends := map[string]func(b *end) error{
		"ERR":   func(b *end) error { return b.q.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}) },
		"RESET": func(b *end) error { return b.q.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPReset}) },
		"close": func(b *end) error { return b.q.Close() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			a, b := connect(t, verbs.RC)
			b.recv(7)
			e := b.e
			for !e.asleep.Load() || !e.turn.TryLock() {
				runtime.Gosched()
			}
			a.send(1, verbs.WRSend)
			for len(e.rx) == 0 {
				e.rx = e.link.Receive(e.rx[:0], rxBatch)
				runtime.Gosched()
			}
			e.now = time.Since(e.begun)
			e.receive()
			b.want(7, verbs.WCSuccess)
			ok(t, end(b))
			e.serve()
			e.flush()
			e.turn.Unlock()
			a.want(1, verbs.WCSuccess)
		})
	}
}
