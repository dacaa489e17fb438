package link

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"rdmatui/verbs/wire"
)

const (
	// outboxLimit is the maximum number of packets that wait for room in the socket. The link is not ready meanwhile,
	// so only short packets are added.
	outboxLimit = 4096
	// maxSegments and maxSegmented limit a message that the kernel cuts into datagrams, in segments and bytes. The
	// kernel's own limits are 64 segments and the size of an IP packet.
	maxSegments  = 60
	maxSegmented = 65000
)

const (
	// A long batch is left to the asyncSender if the previous one took longer than slowBatch.
	longBatch = 16 // packets
	slowBatch = 200 * time.Microsecond
	// asyncLimit is how many packets may wait for the asyncSender while the link is ready.
	asyncLimit = 256
)

// outbox holds the sealed packets for the kernel, cut into messages.
type outbox struct {
	link    *UDP
	segment bool // messages may contain several packets

	mu        sync.Mutex
	packets   []*Packet
	messages  []message
	first     int // messages before it have been sent
	paused    atomic.Bool
	closed    bool
	full      bool // the socket was full at the last attempt
	refused   bool // a segmented message was refused, and none has been sent since
	slow      bool // the last long batch was slow
	slowLimit time.Duration
	asyncBusy bool // the asyncSender is sending, or about to; it also sends packets added meanwhile
	sending   asyncBatch
}

// asyncBatch is the batch that the asyncSender is sending.
type asyncBatch struct {
	packets  []*Packet
	messages []message
}

func (o *outbox) init(u *UDP, segment bool) { o.link, o.segment, o.slowLimit = u, segment, slowBatch }

// Ready reports whether the socket has room.
func (u *UDP) Ready() bool { return !u.out.paused.Load() }

// Send seals the packets, and passes them to the kernel unless others are already waiting.
func (u *UDP) Send(batch []*Packet) {
	o := &u.out
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || len(o.packets)+len(batch) > outboxLimit {
		u.count.unsent.Add(uint64(len(batch)))
		u.pool.Put(batch)
		return
	}
	u.count.sent.Add(uint64(len(batch)))
	o.add(batch)
	switch {
	case o.full:
	case o.asyncBusy:
		if len(o.packets) > asyncLimit {
			o.paused.Store(true)
		}
	case o.slow && isLong(batch):
		o.asyncBusy = true
		u.asyncReady <- struct{}{} // has room: each change of asyncBusy to true adds one value
	default:
		begin := o.startTiming(batch)
		o.push()
		o.endTiming(begin)
		u.block()
	}
}

// block leaves a full socket to the drain goroutine; out.mu is held.
func (u *UDP) block() {
	if o := &u.out; o.full {
		o.paused.Store(true)
		u.count.pauses.Add(1)
		u.blocked <- struct{}{} // has room: each change of full to true adds one value
	}
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

// add seals packets and cuts them into messages.
func (o *outbox) add(batch []*Packet) {
	o.packets = append(o.packets, batch...)
	for len(batch) > 0 {
		n := 1
		if o.segment {
			n = segments(batch)
		}
		for i, p := range batch[:n] {
			p.sealAs(uint16(i)) // the identification that the kernel gives a segment, if there are segments
		}
		o.messages = append(o.messages, message{n, len(batch[0].Data)})
		batch = batch[n:]
	}
}

// segments returns how many packets at the start of a batch, not sealed yet, can be sent as one message: to one
// destination, with one IP header, of one size; only the last may be shorter.
func segments(batch []*Packet) int {
	first := batch[0]
	if first.Path.Dst.Addr().IsMulticast() {
		return 1 // a group's copies go to several destinations
	}
	size := len(first.Data)
	room := min(len(batch), maxSegments, maxSegmented/(size+wire.ICRCLen))
	for n := 1; n < room; n++ {
		p := batch[n]
		if len(p.Data) > size || p.Path != first.Path &&
			(p.Path.Dst != first.Path.Dst || p.Path.Header != first.Path.Header) {
			return n
		}
		if len(p.Data) < size {
			return n + 1
		}
	}
	return max(room, 1)
}

// push sends waiting packets until all are sent or the socket is full.
func (o *outbox) push() {
	o.full = false
	done := 0 // packets
	for o.first < len(o.messages) {
		sent, err := o.link.sock.send(o.packets[done:], o.messages[o.first:])
		for _, m := range o.messages[o.first : o.first+sent] {
			done += m.n
			o.settle(m)
		}
		o.first += sent
		if err == nil {
			continue
		}
		if errors.Is(err, syscall.EAGAIN) {
			o.full = true
			break
		}
		done += o.refuse(o.packets[done:], err)
	}
	o.link.pool.Put(o.packets[:done])
	left := copy(o.packets, o.packets[done:])
	clear(o.packets[left:])
	o.packets = o.packets[:left]
	kept := copy(o.messages, o.messages[o.first:])
	o.messages, o.first = o.messages[:kept], 0
}

// settle learns from a message that was sent.
func (o *outbox) settle(m message) {
	if m.n == 1 && o.refused {
		o.segment = false // the packet itself was accepted, so the kernel refused the segmentation
	}
	o.refused = false
}

// refuse handles a refused message, whose packets ps begins with: a segmented message is split into single packets, any
// other is lost. It returns how many packets are lost.
func (o *outbox) refuse(ps []*Packet, err error) (lost int) {
	m := o.messages[o.first]
	if m.n == 1 || !errors.Is(err, syscall.EIO) && !errors.Is(err, syscall.EINVAL) {
		o.first++
		o.link.count.unreachable.Add(uint64(m.n))
		return m.n
	}
	o.refused = true
	apart := make([]message, 0, len(o.messages)+m.n)
	for _, p := range ps[:m.n] {
		p.Data = p.Data[:len(p.Data)-wire.ICRCLen]
		p.seal()
		apart = append(apart, message{1, len(p.Data)})
	}
	o.messages, o.first = append(apart, o.messages[o.first+1:]...), 0
	return 0
}

// close drops the waiting packets.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.link.pool.Put(o.packets)
	o.packets, o.messages = nil, nil
}

// drain sends packets that the socket had no room for, once it has.
func (u *UDP) drain() {
	defer u.opts.Crashed.Catch()
	empty := func() bool {
		u.out.mu.Lock()
		defer u.out.mu.Unlock()
		u.out.push()
		u.out.paused.Store(u.out.full)
		return !u.out.full
	}
	for {
		select {
		case <-u.quit:
			return
		case <-u.blocked:
		}
		for {
			err := u.sock.whenWritable(empty)
			if err == nil {
				break
			}
			if !u.goOn(err) {
				return
			}
		}
		u.wake()
	}
}
