package cm

import (
	"errors"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/fair"
)

// Requests from peers are what strangers can make without the program's doing anything. They are bounded in number and in time, and no
// source can keep the others out.

const (
	// MaxPending bounds the requests from peers that nobody has answered.
	MaxPending = 1024
	// MaxResting bounds the connections in time-wait.
	MaxResting = 16384
)

// errBusy drops a request that there is no room for: it comes again.
var errBusy = errors.New("too many pending requests")

// makeRoom makes room for a request to a listener where too many wait. Whichever is dropped is not refused: its peer asks again, and finds
// room when others have gone.
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

// evict drops one of the requests, or returns errBusy where the sender of the message has more of them than others.
func (m *Manager) evict(in *incoming, of func(*conn) bool) error {
	var among []*conn
	var sources []netip.Addr
	for _, c := range m.pending {
		if of(c) {
			among, sources = append(among, c), append(sources, c.path.Dst.Addr())
		}
	}
	v := fair.Victim(sources, in.from.Src.Addr())
	if v == fair.Nobody {
		in.device.Counters().RequestsRefused.Add(1)
		return errBusy
	}
	victim := among[v]
	victim.device.Counters().RequestsEvicted.Add(1)
	victim.lapse(verbs.CMEvent{Type: verbs.CMUnreachable, Status: -int(syscall.ECONNABORTED)})
	return nil
}

// count keeps account of a connection that changes its state.
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

// await lets a request expire when its sender has given up: it asks again at most repeats times, the first time after a delay and
// otherwise every spacing.
func (c *conn) await(repeats int, spacing, delay time.Duration) {
	c.repeats, c.spacing = repeats, spacing
	c.after(delay+time.Duration(repeats+1)*spacing, c.expire)
}

// awaitMore prolongs the time of a request that has come again, and whose sender is told to wait for a time before it asks once more. It
// returns false where the request has come as often as its sender said it would.
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

// lapse ends a request that was not answered. A program that has it is told; otherwise it goes as if it had never come.
func (c *conn) lapse(ev verbs.CMEvent) {
	c.forget()
	if c.id.listener != nil {
		c.id.close()
		return
	}
	c.id.toError()
	c.tell(ev)
}
