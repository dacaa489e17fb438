package link

import (
	"runtime"
	"slices"
	"time"

	"rdmatui/verbs/wire"
)

const (
	// A long batch is left to the asyncSender if the previous one took longer than slowBatch.
	longBatch = 16 // packets
	slowBatch = 200 * time.Microsecond
	// asyncLimit is how many packets may wait for the asyncSender while the link is ready.
	asyncLimit = 256
)

// asyncBatch is the batch that the asyncSender is sending.
type asyncBatch struct {
	packets  []*Packet
	messages []message
}

// isLong reports whether a batch may keep the kernel busy: it has many packets, or a READ, whose response has many.
func isLong(batch []*Packet) bool {
	return len(batch) >= longBatch || len(batch) > 0 && wire.Opcode(batch[0].Data[0]) == wire.RCReadRequest
}

// startTiming starts the timing of a batch. It returns the zero time if the batch is not worth a clock reading.
func (o *outbox) startTiming(batch []*Packet) (begin time.Time) {
	if isLong(batch) {
		begin = time.Now()
	}
	return begin
}

// endTiming records whether the batch was slow.
func (o *outbox) endTiming(begin time.Time) {
	if !begin.IsZero() {
		o.slow = time.Since(begin) > o.slowLimit && runtime.GOMAXPROCS(0) > 1
	}
}

// asyncSender sends long batches if the kernel takes long over them, which it does when it also does the receiver's work. The next batch
// can be built meanwhile.
func (u *UDP) asyncSender() {
	defer u.opts.Crashed.Catch()
	for {
		select {
		case <-u.quit:
			return
		case <-u.asyncReady:
		}
		for u.sendAsync() {
		}
	}
}

// sendAsync sends waiting packets in order; false means that nothing is left for the asyncSender.
func (u *UDP) sendAsync() bool {
	o := &u.out
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.asyncBusy = len(o.messages) > 0 && !o.full && !o.closed; !o.asyncBusy {
		return false
	}
	h := &o.sending
	h.packets, o.packets = o.packets, h.packets[:0]
	h.messages, o.messages = o.messages, h.messages[:0]
	resume := o.paused.Swap(false)
	o.mu.Unlock()
	if resume {
		u.wake()
	}
	begin := o.startTiming(h.packets)
	sent, err := u.sock.send(h.packets, h.messages)
	o.mu.Lock()
	o.endTiming(begin)
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
