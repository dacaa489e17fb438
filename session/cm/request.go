package cm

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/ring"
)

// Peers decide how many requests a listener receives. These limits apply in addition
// to the provider's.

const (
	// maxRequests bounds the unanswered requests of a listener. Beyond it, a request
	// of the address with the most is dropped.
	maxRequests = 256
	// maxChildren bounds the identifiers from requests to a listener, in any state.
	maxChildren = 4096
	// recordedAtOnce and recordedRate (per second) bound the requests of a listener
	// on the time line.
	recordedAtOnce = 500
	recordedRate   = 5
	// missedEvery is how often a note reports the number of requests that were not
	// recorded.
	missedEvery = time.Second
)

// claim says who decides over a request. A command that has taken a request keeps it, whatever its peer does, until
// it is destroyed; a request that the reader drops is not taken any more. The first to claim it has it.
type claim int8

const (
	unclaimed claim = iota
	byCommand
	byReader
)

// claimed claims a request, and reports whether it now belongs to the claimer. The reader gets none that is being
// accepted.
func claimed(s *core.Session, i *ID, by claim) bool {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if i.claim == unclaimed && (by == byCommand || i.qp == nil) {
		i.claim = by
	}
	return i.claim == by
}

// moveLocked changes the state of an identifier, with Session.mu held.
func (i *ID) moveLocked(to core.IDState) {
	if i.From != nil && (i.state == core.IDRequest) != (to == core.IDRequest) {
		if to == core.IDRequest {
			i.From.waiting = append(i.From.waiting, i)
		} else {
			i.From.waiting = slices.DeleteFunc(i.From.waiting, func(w *ID) bool { return w == i })
		}
	}
	i.state = to
}

// makeRoom makes room for one more request of a listener. It returns false if the new
// request must be refused instead.
func makeRoom(s *core.Session, listen *ID, id verbs.CMID) bool {
	if listen == nil {
		return true
	}
	newcomer := id.PeerAddr().Addr()
	s.Mu.RLock()
	full, closed := len(listen.waiting) >= maxRequests, listen.children >= maxChildren
	var idle []*ID
	var sources []netip.Addr
	if full {
		for _, i := range listen.waiting {
			if i.claim == unclaimed && i.qp == nil {
				idle, sources = append(idle, i), append(sources, i.at.peer.Addr())
			}
		}
	}
	s.Mu.RUnlock()
	if closed || !full {
		return !closed
	}
	v := ring.Victim(sources, newcomer)
	if v == ring.Nobody || !claimed(s, idle[v], byReader) || dropRequest(s, idle[v]) != nil {
		return false
	}
	noteFull(s, listen)
	return true
}

// turnAway rejects a request that no command has seen: destroying it informs the
// peer.
func turnAway(s *core.Session, listen *ID, id verbs.CMID) {
	if err := id.Close(); err != nil {
		s.Note(timeline.LevelError, "cannot reject a connection request to %s: %v", listen.Name, err)
	}
	noteFull(s, listen)
}

// noteFull notes, once, that a listener refuses requests.
func noteFull(s *core.Session, listen *ID) {
	s.Mu.Lock()
	name, first := listen.Name, !listen.full
	listen.full = true
	s.Mu.Unlock()
	if first {
		s.Note(timeline.LevelWarn, "%s has %d pending requests: each new one now replaces an old one, which is rejected; reject_all %s rejects all", name, maxRequests, name)
	}
}

// dropRequest destroys a request that the reader has claimed. The reader of the
// identifier's channel may call it.
func dropRequest(s *core.Session, i *ID) error {
	s.Mu.Lock()
	ec := i.ec
	ec.members++ // a reader cannot close its own channel
	s.Mu.Unlock()
	err := s.Destroy(i.Node)
	s.Mu.Lock()
	ec.members--
	last := ec.own && ec.members == 0
	if last {
		ec.members++
	}
	s.Mu.Unlock()
	if last && !s.Companions.Start(s.Opts.Crashed, func() { leaveChannel(s, ec) }) {
		s.Mu.Lock()
		ec.members-- // Close destroys the channel
		s.Mu.Unlock()
	}
	return err
}

// RejectAll rejects the waiting requests, except those with a queue pair, which are
// being accepted.
func RejectAll(c *core.Call) error {
	var listen *ID
	if c.Cmd.Has("id") {
		var err error
		if listen, err = core.ArgAs[*ID](c, "id", nil); err != nil {
			return err
		}
		if StateOf(c.S, listen) != core.IDListening {
			return fmt.Errorf("%s does not listen: name the listening identifier", listen.Name)
		}
	}
	refused, kept := 0, 0
	err := c.Time(func() error {
		for _, i := range requestsOf(c.S, listen) {
			if c.Ctx.Err() != nil {
				return c.Ctx.Err()
			}
			c.S.Mu.RLock()
			inHand := i.qp != nil
			c.S.Mu.RUnlock()
			if inHand {
				kept++
				continue
			}
			if !claimed(c.S, i, byCommand) {
				continue // its peer has withdrawn it, and the reader drops it
			}
			if err := c.S.Destroy(i.Node); err != nil {
				return err
			}
			refused++
		}
		return nil
	})
	c.Done.Result = format.Counted(refused, "request") + " rejected"
	if kept > 0 {
		c.Done.Result += fmt.Sprintf("; %d with a queue pair kept", kept)
	}
	return err
}

// requestsOf lists the waiting requests of a listener; nil: of all.
func requestsOf(s *core.Session, listen *ID) (requests []*ID) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, n := range s.Graph.Nodes {
		if i, ok := n.Body.(*ID); ok && i.state == core.IDRequest && (listen == nil || i.From == listen) {
			requests = append(requests, i)
		}
	}
	return requests
}

// takeRequest reports whether a command may have an event: a request goes to it unless the reader drops it.
func takeRequest(s *core.Session, a *arriving) bool {
	return a.Type != verbs.CMConnectRequest || a.id == nil || claimed(s, a.id, byCommand)
}

// allowance permits a burst, and then a rate per second.
type allowance struct {
	left float64
	at   time.Time // when left was computed; zero before the first use, as if long ago
}

func (a *allowance) take(now time.Time) bool {
	a.left = min(recordedAtOnce, a.left+recordedRate*now.Sub(a.at).Seconds())
	a.at = now
	if a.left < 1 {
		return false
	}
	a.left--
	return true
}

// mayRecord reports whether one more request of a listener goes on the time line. The
// others are counted, and a note gives their number.
func mayRecord(s *core.Session, listen *ID) bool {
	if listen == nil {
		return true
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if listen.record.take(time.Now()) {
		return true
	}
	if listen.missed++; listen.missed == 1 {
		time.AfterFunc(missedEvery, func() {
			defer s.Opts.Crashed.Catch()
			noteMissed(s, listen)
		})
	}
	return false
}

func noteMissed(s *core.Session, listen *ID) {
	s.Mu.Lock()
	n, name := listen.missed, listen.Name
	listen.missed = 0
	s.Mu.Unlock()
	s.Note(timeline.LevelWarn, "%s came to %s; there are too many to list each",
		format.Counted(n, "more request"), name)
}
