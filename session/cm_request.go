package session

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/fair"
)

// Peers decide how many requests a listener gets. What the session keeps of them is
// bounded here, whatever the provider bounds itself.

const (
	// maxRequests bounds the requests of a listener that wait for an answer. Where
	// there are as many, one of the address that has the most makes room.
	maxRequests = 256
	// maxChildren bounds the identifiers that came in on a listener, in whatever state.
	maxChildren = 4096
	// recordedAtOnce and recordedRate, a second, bound the requests of a listener that
	// the time line tells of.
	recordedAtOnce = 500
	recordedRate   = 5
	// missedEvery is how often the time line says how many it did not tell of.
	missedEvery = time.Second
)

// moveLocked changes the state of an identifier, with Session.mu held.
func (i *cmID) moveLocked(to IDState) {
	if i.from != nil && (i.state == IDRequest) != (to == IDRequest) {
		if to == IDRequest {
			i.from.waiting = append(i.from.waiting, i)
		} else {
			i.from.waiting = slices.DeleteFunc(i.from.waiting, func(w *cmID) bool { return w == i })
		}
	}
	i.state = to
}

// makeRoom makes room for one more request of a listener. It returns false where the
// request is the one to refuse.
func makeRoom(s *base, listen *cmID, id verbs.CMID) bool {
	if listen == nil {
		return true
	}
	newcomer := id.PeerAddr().Addr()
	s.mu.RLock()
	full, closed := len(listen.waiting) >= maxRequests, listen.children >= maxChildren
	var idle []*cmID
	var sources []netip.Addr
	if full {
		for _, i := range listen.waiting {
			if !i.taken && i.qp == nil {
				idle, sources = append(idle, i), append(sources, i.at.peer.Addr())
			}
		}
	}
	s.mu.RUnlock()
	if closed || !full {
		return !closed
	}
	v := fair.Victim(sources, newcomer)
	if v == fair.Nobody || dropRequest(s, idle[v]) != nil {
		return false
	}
	noteFull(s, listen)
	return true
}

// turnAway refuses a request that nobody has looked at: closing it tells the peer.
func turnAway(s *base, listen *cmID, id verbs.CMID) {
	if err := id.Close(); err != nil {
		s.note(timeline.LevelError, "a request could not be refused: %v", err)
	}
	noteFull(s, listen)
}

// noteFull says, once, that a listener refuses requests.
func noteFull(s *base, listen *cmID) {
	s.mu.Lock()
	name, first := listen.name, !listen.full
	listen.full = true
	s.mu.Unlock()
	if first {
		s.note(timeline.LevelWarn, "%s has %d requests waiting: from now on one is refused for each that comes; reject_all %s refuses all", name, maxRequests, name)
	}
}

// dropRequest destroys a request that no command has taken. It may be called by the
// reader of the identifier's channel.
func dropRequest(s *base, i *cmID) error {
	s.mu.Lock()
	ec := i.ec
	ec.members++ // a reader cannot close its own channel
	s.mu.Unlock()
	err := s.destroy(i.node)
	s.mu.Lock()
	ec.members--
	last := ec.own && ec.members == 0
	if last {
		ec.members++
	}
	s.mu.Unlock()
	if last && !s.companions.start(s.opts.Crashed, func() { leaveChannel(s, ec) }) {
		s.mu.Lock()
		ec.members-- // Close destroys the channel
		s.mu.Unlock()
	}
	return err
}

// rejectAll refuses the requests that wait. One that has a queue pair is being
// accepted, and stays.
func rejectAll(c *call) error {
	var listen *cmID
	if c.cmd.Has("id") {
		var err error
		if listen, err = argAs[*cmID](c, "id", nil); err != nil {
			return err
		}
		if stateOf(c.s, listen) != IDListening {
			return fmt.Errorf("%s does not listen: name the identifier that the requests came in on", listen.name)
		}
	}
	refused, kept := 0, 0
	err := c.time(func() error {
		for _, i := range requestsOf(c.s, listen) {
			if c.ctx.Err() != nil {
				return c.ctx.Err()
			}
			c.s.mu.RLock()
			inHand := i.qp != nil
			c.s.mu.RUnlock()
			if inHand {
				kept++
				continue
			}
			if err := c.s.destroy(i.node); err != nil {
				return err
			}
			refused++
		}
		return nil
	})
	c.done.Result = fmt.Sprintf("%d requests refused", refused)
	if kept > 0 {
		c.done.Result += fmt.Sprintf("; left, with a queue pair: %d", kept)
	}
	return err
}

// requestsOf lists the requests of a listener that wait, of all for nil.
func requestsOf(s *base, listen *cmID) (requests []*cmID) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, n := range s.graph.nodes {
		if i, ok := n.res.(*cmID); ok && i.state == IDRequest && (listen == nil || i.from == listen) {
			requests = append(requests, i)
		}
	}
	return requests
}

// takeRequest notes that a command has taken an event: the request that it tells of,
// if any, stays until it is destroyed, whatever its peer does.
func takeRequest(s *base, a *arriving) {
	if a.Type == verbs.CMConnectRequest && a.id != nil {
		s.mu.Lock()
		a.id.taken = true
		s.mu.Unlock()
	}
}

// allowance lets something happen a number of times at once, and some times a second.
type allowance struct {
	left float64
	at   time.Time // when left was right; zero before the first time
}

func (a *allowance) take(now time.Time) bool {
	if a.at.IsZero() {
		a.left = recordedAtOnce
	} else {
		a.left = min(recordedAtOnce, a.left+recordedRate*now.Sub(a.at).Seconds())
	}
	a.at = now
	if a.left < 1 {
		return false
	}
	a.left--
	return true
}

// mayRecord reports whether the time line is to tell of one more request of a
// listener. Those that it does not tell of are counted, and their number is noted.
func mayRecord(s *base, listen *cmID) bool {
	if listen == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if listen.record.take(time.Now()) {
		return true
	}
	if listen.missed++; listen.missed == 1 {
		time.AfterFunc(missedEvery, func() {
			defer s.opts.Crashed.Catch()
			noteMissed(s, listen)
		})
	}
	return false
}

func noteMissed(s *base, listen *cmID) {
	s.mu.Lock()
	n, name := listen.missed, listen.name
	listen.missed = 0
	s.mu.Unlock()
	s.note(timeline.LevelWarn, "%d more requests came to %s; too many come for each to be told", n, name)
}
