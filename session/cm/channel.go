package cm

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/fair"
	"rdmatui/verbs/ring"
)

// Mode is how the events of a channel are waited for.
type Mode string

const (
	ModeEvent Mode = "event" // a thread sleeps in the call
	ModePoll  Mode = "poll"  // the call never sleeps; whoever wants an event asks again
	ModeSync  Mode = "sync"  // the command that began a step waits for its event
)

// EventChannel is a channel of the connection manager.
type EventChannel struct {
	*core.Node
	ch       verbs.CMEventChannel
	provider verbs.Provider
	mode     Mode
	own      bool // it belongs to an identifier, and is no object of the user's

	members int // identifiers that it belongs to, where own; with the slot held or its reader ended

	inbox  cmInbox
	take   chan struct{} // holds one token: the right to ask the provider
	readMu sync.Mutex    // guards stop
	stop   context.CancelFunc
	reader sync.WaitGroup
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

// shown is the channel's name on the time line, "" where it is no object.
func (ec *EventChannel) shown() string {
	if ec.own {
		return ""
	}
	return ec.Name
}

// arriving is an event with what a command needs of it.
type arriving struct {
	timeline.CMEvent
	id     *ID // nil where it is gone
	listen *ID
}

func (a *arriving) concerns(id *ID) bool { return a.id == id || a.listen == id }

// cmInboxCap bounds the events of one identifier that are kept for commands that ask
// for them. A connection has a handful in its life.
const cmInboxCap = 64

// cmInbox is the events of a channel that have come and were not yet asked for, in
// the order in which they came. What one identifier has cannot displace another's.
type cmInbox struct {
	ring.Inbox[*arriving]
	// Guarded by the inbox's lock: the number of events; nil stands for identifiers that are gone.
	count map[*ID]int
	turns fair.Turns[netip.Addr]
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

// get takes the first event that fits; of connection requests that of the peer whose
// turn it is, so that one with many requests does not keep the others waiting. Without
// one it returns a channel that is closed when another comes.
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

// nextRequest is the connection request whose peer's turn it is among those that fit,
// of which there must be one.
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

// Forget drops the events of an identifier that is gone.
func (b *cmInbox) Forget(id *ID) {
	b.Drop(func(e *arriving) bool {
		if e.id == id {
			delete(b.count, id)
		}
		return e.id == id
	})
}

// moveTo hands the events of an identifier on to another channel's inbox.
func (b *cmInbox) moveTo(to *cmInbox, id *ID) {
	for {
		e, _ := b.get(func(e *arriving) bool { return e.concerns(id) })
		if e == nil {
			return
		}
		to.put(e)
	}
}

// startReading takes a channel's events without being asked: one of mode event
// always, one that is polled while the session is live.
func startReading(s *core.Session, ec *EventChannel) {
	ec.readMu.Lock()
	defer ec.readMu.Unlock()
	if ec.stop != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background()) // closing the session waits for it
	ec.stop = cancel
	ec.reader.Go(func() {
		defer s.Opts.Crashed.Catch()
		for ctx.Err() == nil {
			if _, err := readEvent(s, ctx, ec); err != nil {
				if ctx.Err() == nil {
					s.Note(timeline.LevelWarn, "reading a channel of %s ended: %v", ec.provider.Name(), err)
				}
				return
			}
			if ec.mode == ModePoll {
				core.Rest(ctx, queue.RestLast)
			}
		}
	})
}

// StopEvents ends the reader.
func (ec *EventChannel) StopEvents() {
	ec.readMu.Lock()
	defer ec.readMu.Unlock()
	if ec.stop != nil {
		ec.stop()
		ec.reader.Wait()
		ec.stop = nil
	}
}

// readEvent asks the provider for one event and takes note of it. Of a channel
// that is polled it returns at once, with false where none has come.
func readEvent(s *core.Session, ctx context.Context, ec *EventChannel) (bool, error) {
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

// get is rdma_get_cm_event: of a channel that is polled it does not sleep.
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

// awaited is an event that was waited for.
type awaited struct {
	*arriving
	tries int // gets that were made, where the channel is polled
}

// awaitCM takes the first event that fits from a channel, waiting for it in the
// channel's own way.
func awaitCM(s *core.Session, ctx context.Context, ec *EventChannel, timeout time.Duration, fits func(*arriving) bool) (awaited, error) {
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	wait := core.NewBackoff(timeout)
	for tries := 0; ; tries++ {
		e, came := ec.inbox.get(fits)
		if e != nil {
			takeRequest(s, e)
			return awaited{e, tries}, nil
		}
		if err := untilMore(s, ctx, ec, came, wait); err != nil {
			if outer.Err() == nil && errors.Is(err, core.ErrTimeUp) {
				err = context.DeadlineExceeded
			}
			return awaited{tries: tries}, err
		}
	}
}

// untilMore waits until a channel's inbox may have more.
func untilMore(s *core.Session, ctx context.Context, ec *EventChannel, came <-chan struct{}, wait *core.Backoff) error {
	switch ec.mode {
	case ModeSync:
		_, err := readEvent(s, ctx, ec)
		return err
	case ModePoll:
		if got, err := readEvent(s, ctx, ec); got || err != nil {
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
	c.Done.Call = "rdma_create_event_channel()"
	if mode == ModePoll {
		c.Done.Call += fmt.Sprintf("; fcntl(%s->fd, F_SETFL, O_NONBLOCK)", name)
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

// howRead says how events are waited for.
var howRead = map[Mode]string{
	ModeEvent: "a thread sleeps in rdma_get_cm_event until an event comes",
	ModePoll:  "rdma_get_cm_event never sleeps; it is called again until an event comes",
	ModeSync:  "each call waits for its event; events between calls are not read",
}

// startEvents reads a channel's events from now on, if anyone is to.
func startEvents(s *core.Session, ec *EventChannel) {
	if ec.mode == ModeEvent || ec.mode == ModePoll && s.Live.Load() {
		startReading(s, ec)
	}
}

// FollowLive starts or ends the reading of a channel that is polled.
func (ec *EventChannel) FollowLive(s *core.Session) {
	if ec.mode != ModePoll {
		return
	}
	if s.Live.Load() {
		startReading(s, ec)
	} else {
		ec.StopEvents()
	}
}

// openChannel opens a channel of the provider that the line asks for.
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

// managerOn is the provider whose connection manager to use: that of the named
// device, else the first with a device and a manager.
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
			if infos, _ := p.Devices(); len(infos) > 0 { // one that cannot be listed has none
				return p, cm, nil
			}
		}
	}
	return nil, nil, errors.New("no provider with a device has a connection manager")
}

// Reading reports whether its events are read without being asked.
func (ec *EventChannel) Reading() bool {
	ec.readMu.Lock()
	defer ec.readMu.Unlock()
	return ec.stop != nil
}
