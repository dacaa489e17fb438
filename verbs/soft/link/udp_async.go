package link

import (
	"slices"
)

// asyncSender sends long batches if the kernel takes long over them, which it does when it also does the receiver's
// work. The next batch can be built meanwhile.
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
