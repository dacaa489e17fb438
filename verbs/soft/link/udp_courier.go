package link

import (
	"runtime"
	"slices"
	"time"

	"rdmatui/verbs/wire"
)

const (
	// A batch that is long is worth a courier, where the last such took longer than slowBatch.
	longBatch = 16 // packets
	slowBatch = 200 * time.Microsecond
	// courierLimit is how many packets wait for the courier before the link is not ready.
	courierLimit = 256
)

// outgoing is what the courier has in its hands.
type outgoing struct {
	packets  []*Packet
	messages []message
}

// isLong reports whether a batch may keep the kernel busy: of many packets, or a READ, whose answer is.
func isLong(batch []*Packet) bool {
	return len(batch) >= longBatch || len(batch) > 0 && wire.Opcode(batch[0].Data[0]) == wire.RCReadRequest
}

// stopwatch begins to time a batch; the result is zero where that is not worth a look at the clock.
func (o *outbox) stopwatch(batch []*Packet) (begin time.Time) {
	if isLong(batch) {
		begin = time.Now()
	}
	return begin
}

func (o *outbox) judge(begin time.Time) {
	if !begin.IsZero() {
		o.slow = time.Since(begin) > o.patience && runtime.GOMAXPROCS(0) > 1
	}
}

// courier sends long batches where the kernel takes long over them, since it does the receiver's work as well: meanwhile the next one can be
// made.
func (u *UDP) courier() {
	defer u.opts.Crashed.Catch()
	for {
		select {
		case <-u.quit:
			return
		case <-u.call:
		}
		for u.deliver() {
		}
	}
}

// deliver sends what waits, in the order in which it came; false means that there is nothing left for the courier.
func (u *UDP) deliver() bool {
	o := &u.out
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.entrusted = len(o.messages) > 0 && !o.full && !o.closed; !o.entrusted {
		return false
	}
	h := &o.hands
	h.packets, o.packets = o.packets, h.packets[:0]
	h.messages, o.messages = o.messages, h.messages[:0]
	resume := o.paused.Swap(false)
	o.mu.Unlock()
	if resume {
		u.wake()
	}
	begin := o.stopwatch(h.packets)
	sent, err := u.sock.send(h.packets, h.messages)
	o.mu.Lock()
	o.judge(begin)
	done := 0
	for _, m := range h.messages[:sent] {
		done += m.n
		o.settle(m)
	}
	u.pool.Put(h.packets[:done])
	if err != nil {
		o.packets = slices.Concat(h.packets[done:], o.packets)
		o.messages = slices.Concat(h.messages[sent:], o.messages)
		o.push()
		u.block()
	}
	clear(h.packets)
	return true
}
