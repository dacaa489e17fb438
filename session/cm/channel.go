package cm

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/ring"
)

// Mode is the event mode of a channel.
type Mode string

const (
	ModeEvent Mode = "event" // a thread sleeps in the call
	ModePoll  Mode = "poll"  // the call does not block; callers poll
	ModeSync  Mode = "sync"  // the command that began a step waits for its event
)

// EventChannel is a channel of the connection manager.
type EventChannel struct {
	*core.Node
	ch       verbs.CMEventChannel
	provider verbs.Provider
	mode     Mode
	own      bool // it belongs to identifiers and is not visible to the user

	members int // identifiers that share it, if own; with the slot held or its reader ended

	inbox  cmInbox
	take   chan struct{} // holds one token: the right to call the provider
	reader core.Background
}

func newEventChannel(ch verbs.CMEventChannel, p verbs.Provider, mode Mode) *EventChannel {
	return &EventChannel{ch: ch, provider: p, mode: mode, take: make(chan struct{}, 1)}
}

// Close implements [core.Body].
func (ec *EventChannel) Close() error {
	ec.StopEvents()
	return ec.ch.Close()
}

// Fields implements [core.Body].
func (ec *EventChannel) Fields() []core.Field {
	return []core.Field{{Name: "mode", Text: func() (string, error) { return string(ec.mode), nil }}}
}

// shown returns the channel's name on the time line, "" if it is not visible.
func (ec *EventChannel) shown() string {
	if ec.own {
		return ""
	}
	return ec.Name
}

// arriving is an event with what commands need to know of it.
type arriving struct {
	timeline.CMEvent
	id     *ID // nil if it was destroyed
	listen *ID
}

func (a *arriving) concerns(id *ID) bool { return a.id == id || a.listen == id }

// cmInboxCap bounds the events kept per identifier for commands. A connection causes
// only a few.
const cmInboxCap = 64

// cmInbox holds a channel's events that no command has taken, in order of arrival.
// Events of one identifier cannot displace another's.
type cmInbox struct {
	ring.Inbox[*arriving]
	// Guarded by the inbox's lock: number of events; nil stands for destroyed
	// identifiers.
	count map[*ID]int
	turns ring.Turns[netip.Addr]
}

func (b *cmInbox) put(e *arriving) {
	b.Put(e, func(events *ring.Ring[*arriving]) bool {
		if b.count[e.id] == cmInboxCap {
			events.Remove(events.Index(func(old *arriving) bool { return old.id == e.id }))
			b.count[e.id]--
		}
		if b.count == nil {
			b.count = map[*ID]int{}
		}
		b.count[e.id]++
		return true
	})
}

// get takes the first event that fits; connection requests are taken from the peers
// in turn, so that one with many requests does not delay the others. If there is
// none, it returns a channel that is closed when another event arrives.
func (b *cmInbox) get(fits func(*arriving) bool) (*arriving, <-chan struct{}) {
	e, news, _ := b.TakeOrNews(func(events *ring.Ring[*arriving]) int {
		i := events.Index(fits)
		if i < 0 {
			return i
		}
		if (*events.At(i)).Type == verbs.CMConnectRequest {
			i = b.nextRequest(events, fits)
		}
		id := (*events.At(i)).id
		if b.count[id]--; b.count[id] == 0 {
			delete(b.count, id)
		}
		return i
	})
	return e, news
}

// nextRequest returns the index of the connection request of the peer whose turn it
// is among those that fit; there must be one.
func (b *cmInbox) nextRequest(events *ring.Ring[*arriving], fits func(*arriving) bool) int {
	var at []int
	var peers []netip.Addr
	for i := range events.Len() {
		if e := *events.At(i); e.Type == verbs.CMConnectRequest && fits(e) {
			at, peers = append(at, i), append(peers, e.Peer.Addr())
		}
	}
	return at[b.turns.Next(peers)]
}

// Forget drops the events of a destroyed identifier.
func (b *cmInbox) Forget(id *ID) {
	b.Drop(func(e *arriving) bool {
		if e.id == id {
			delete(b.count, id)
		}
		return e.id == id
	})
}

// moveTo moves the events of an identifier to another channel's inbox.
func (b *cmInbox) moveTo(to *cmInbox, id *ID) {
	for {
		e, _ := b.get(func(e *arriving) bool { return e.concerns(id) })
		if e == nil {
			return
		}
		to.put(e)
	}
}

// read handles a channel's events until ctx ends or the provider fails. In mode poll
// it takes all events that are there before it rests: each rest delays the time at
// which the next event is recorded.
func (ec *EventChannel) read(ctx context.Context, s *core.Session) {
	for ctx.Err() == nil {
		got, err := readEvent(ctx, s, ec)
		switch {
		case err != nil && ctx.Err() == nil:
			s.Note(timeline.LevelWarn, "reading a channel of %s ended: %v", ec.provider.Name(), err)
			return
		case err == nil && !got:
			core.Rest(ctx, queue.RestLast)
		}
	}
}

// StopEvents ends the reader.
func (ec *EventChannel) StopEvents() { ec.reader.Stop() }

// readEvent gets and handles one event from the provider. In mode poll it returns
// false at once if there is none.
func readEvent(ctx context.Context, s *core.Session, ec *EventChannel) (bool, error) {
	select {
	case ec.take <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-ec.take }()
	e, err := ec.get(ctx)
	if errors.Is(err, errNoEvent) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	came(s, ec, e)
	return true, nil
}

var errNoEvent = errors.New("no event has come")

// get is rdma_get_cm_event; in mode poll it does not block.
func (ec *EventChannel) get(ctx context.Context) (verbs.CMEvent, error) {
	if ec.mode != ModePoll {
		return ec.ch.GetEvent(ctx)
	}
	now, cancel := context.WithTimeout(ctx, core.PollPatience)
	defer cancel()
	e, err := ec.ch.GetEvent(now)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		err = errNoEvent
	}
	return e, err
}

// awaited is an event that a command has taken.
type awaited struct {
	*arriving
	tries int // number of gets, if the channel is polled
}

// awaitCM takes the first event that fits from a channel, waiting in the channel's
// mode.
func awaitCM(ctx context.Context, s *core.Session, ec *EventChannel, timeout time.Duration,
	fits func(*arriving) bool) (awaited, error) {
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	wait := core.NewBackoff(timeout)
	for tries := 0; ; tries++ {
		e, came := ec.inbox.get(fits)
		if e != nil {
			if takeRequest(s, e) {
				return awaited{e, tries}, nil
			}
			continue
		}
		if err := untilMore(ctx, s, ec, came, wait); err != nil {
			if outer.Err() == nil && errors.Is(err, core.ErrTimeUp) {
				err = context.DeadlineExceeded
			}
			return awaited{tries: tries}, err
		}
	}
}

// untilMore waits until a channel's inbox may have new events.
func untilMore(ctx context.Context, s *core.Session, ec *EventChannel, came <-chan struct{}, wait *core.Backoff) error {
	switch ec.mode {
	case ModeSync:
		_, err := readEvent(ctx, s, ec)
		return err
	case ModePoll:
		if got, err := readEvent(ctx, s, ec); got || err != nil {
			return err
		}
		return wait.Pause(ctx)
	}
	select {
	case <-came:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// CreateEventChannel carries out rdma_create_event_channel.
func CreateEventChannel(c *core.Call) error {
	name, err := c.NewName(command.KindEvents)
	if err != nil {
		return err
	}
	mode := Mode(c.Cmd.String("mode"))
	if mode == ModePoll {
		c.Done.C = ccall.Format("%s; fcntl(%s->fd, F_SETFL, O_NONBLOCK)", ccall.Line(c.Cmd, nil), name)
	}
	ec, err := openChannel(c, mode)
	if err != nil {
		return err
	}
	ec.Node = &core.Node{Name: name, Kind: command.KindEvents, Body: ec}
	c.Enter(ec.Node)
	c.Done.Result = fmt.Sprintf("%s of %s: %s", name, ec.provider.Name(), howRead[ec.mode])
	startEvents(c.S, ec)
	return nil
}

// howRead describes the event modes.
var howRead = map[Mode]string{
	ModeEvent: "a thread sleeps in rdma_get_cm_event until an event comes",
	ModePoll:  "rdma_get_cm_event never sleeps; it is called again until an event comes",
	ModeSync:  "each call waits for its event; events between calls are not read",
}

// startEvents starts to read a channel's events if they are read in the background:
// always in mode event, and while the session is live in mode poll.
func startEvents(s *core.Session, ec *EventChannel) {
	if ec.mode == ModeEvent || ec.mode == ModePoll && s.Live.Load() {
		// not s.Ctx: closing the session waits for the reader
		ec.reader.Start(context.Background(), s.Opts.Crashed, func(ctx context.Context) { ec.read(ctx, s) })
	}
}

// FollowLive starts to read a channel, also again after its reader has failed; in mode
// poll it stops while the session is not live.
func (ec *EventChannel) FollowLive(s *core.Session) {
	if ec.mode == ModePoll && !s.Live.Load() {
		ec.StopEvents()
	}
	startEvents(s, ec)
}

// openChannel opens a channel of the provider that the line names.
func openChannel(c *core.Call, mode Mode) (*EventChannel, error) {
	name := c.Cmd.String("device")
	p, cm, err := managerOn(c.S, name)
	if err != nil {
		return nil, err
	}
	var ch verbs.CMEventChannel
	if err := c.Time(func() (err error) { ch, err = cm.CreateEventChannel(); return err }); err != nil {
		return nil, err
	}
	device.PassOnNotes(c.S, p, name)
	return newEventChannel(ch, p, mode), nil
}

// managerOn returns the provider whose connection manager to use: that of the named
// device, otherwise the first with a device and a manager.
func managerOn(s *core.Session, name string) (verbs.Provider, verbs.CMProvider, error) {
	if name != "" {
		p, err := device.ProviderOf(s, name)
		if err != nil {
			return nil, nil, err
		}
		cm, ok := p.(verbs.CMProvider)
		if !ok {
			return nil, nil, fmt.Errorf("%s has no connection manager", p.Name())
		}
		return p, cm, nil
	}
	for _, p := range s.Opts.Providers {
		if cm, ok := p.(verbs.CMProvider); ok {
			if infos, _ := p.Devices(); len(infos) > 0 { // a provider that cannot list its devices has none
				return p, cm, nil
			}
		}
	}
	return nil, nil, errors.New("no provider with a device has a connection manager")
}

// Reading reports whether its events are read in the background.
func (ec *EventChannel) Reading() bool { return ec.reader.Running() }
