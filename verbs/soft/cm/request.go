package cm

import (
	"errors"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/ring"
)

// Requests from peers are state that strangers can create without any action of the program. They are limited in number
// and in time, and no source can keep the others out.

const (
	// MaxPending is the maximum number of unanswered requests from peers.
	MaxPending = 1024
	// MaxResting is the maximum number of connections in time-wait.
	MaxResting = 16384
)

// errBusy means that a request was dropped for lack of room; its sender will repeat it.
var errBusy = errors.New("too many pending requests")

// makeRoom makes room for a listener's request if too many wait. A dropped request is not rejected: its peer repeats
// it, and succeeds once there is room.
func (m *Manager) makeRoom(in *incoming, listener *ID) error {
	if listener.waiting >= listener.backlog {
		if err := m.evict(in, func(c *conn) bool { return c.id.listener == listener }); err != nil {
			return err
		}
	}
	if len(m.pending) >= MaxPending {
		return m.evict(in, func(*conn) bool { return true })
	}
	return nil
}

// evict drops one of the requests for which of returns true, or returns errBusy if the sender of the message already
// has the most.
func (m *Manager) evict(in *incoming, of func(*conn) bool) error {
	var among []*conn
	var sources []netip.Addr
	for _, c := range m.pending {
		if of(c) {
			among, sources = append(among, c), append(sources, c.path.Dst.Addr())
		}
	}
	v := ring.Victim(sources, in.from.Src.Addr())
	if v == ring.Nobody {
		in.device.Counters().RequestsRefused.Add(1)
		return errBusy
	}
	victim := among[v]
	victim.device.Counters().RequestsEvicted.Add(1)
	victim.lapse(verbs.CMEvent{Type: verbs.CMUnreachable, Status: -int(syscall.ECONNABORTED)})
	return nil
}

// count updates the tables' counts for a state change of a connection.
func (m *Manager) count(c *conn, to State) {
	switch was, is := c.state.unanswered(), to.unanswered(); {
	case is && !was:
		m.pending = append(m.pending, c)
	case was && !is:
		i := slices.Index(m.pending, c)
		m.pending = slices.Delete(m.pending, i, i+1)
	}
	if to == StateTimewait {
		m.resting++
	}
	if c.state == StateTimewait {
		m.resting--
	}
}

// await lets a request expire when its sender has given up: after the sender has repeated it at most repeats times, the
// first time after delay and then every spacing.
func (c *conn) await(repeats int, spacing, delay time.Duration) {
	c.repeats, c.spacing = repeats, spacing
	c.after(delay+time.Duration(repeats+1)*spacing, c.expire)
}

// awaitMore extends the lifetime of a repeated request whose sender is told to wait. It returns false if the request
// has been repeated as often as its sender announced.
func (c *conn) awaitMore(told time.Duration) bool {
	if c.repeats == 0 {
		return false
	}
	c.await(c.repeats-1, c.spacing, told)
	return true
}

func (c *conn) expire() {
	c.device.Counters().RequestsExpired.Add(1)
	c.lapse(verbs.CMEvent{Type: verbs.CMUnreachable, Status: -int(syscall.ETIMEDOUT)})
}

// lapse ends an unanswered request. A program that has taken it gets an event; otherwise the request vanishes.
func (c *conn) lapse(ev verbs.CMEvent) {
	c.forget()
	if c.id.listener != nil {
		c.id.close()
		return
	}
	c.id.toError()
	c.tell(ev)
}
