package program

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"rdmatui/verbs"
)

// Many connections are made through the verbs interfaces, both ends alike: a script
// would spend most of its time printing.

// ending is one end of a connection and the objects made for it.
type ending struct {
	id   verbs.CMID
	made []interface{ Close() error }
}

// equip makes a queue pair on the identifier.
func (e *ending) equip(pd verbs.PD, cq verbs.CQ) error {
	qp, err := e.id.CreateQP(pd, verbs.QPSpec{
		QPType: verbs.RC, SendCQ: cq,
		RecvCQ: cq, Cap: verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1},
	})
	if err == nil {
		e.made = append(e.made, qp)
	}
	return err
}

// own is equip with a separate protection domain, completion channel and completion
// queue.
func (e *ending) own() error {
	dev := e.id.Device()
	pd, err := dev.AllocPD()
	if err != nil {
		return err
	}
	e.made = append(e.made, pd)
	ch, err := dev.CreateCompChannel()
	if err != nil {
		return err
	}
	e.made = append(e.made, ch)
	cq, err := dev.CreateCQ(verbs.CQSpec{CQE: 2, Channel: ch})
	if err != nil {
		return err
	}
	e.made = append(e.made, cq)
	return e.equip(pd, cq)
}

// close closes the end and the objects made for it.
func (e *ending) close() error {
	var errs []error
	for _, c := range slices.Backward(e.made) {
		errs = append(errs, c.Close())
	}
	return errors.Join(append(errs, e.id.Close())...)
}

// fleet is a set of connections set up together, one step at a time.
type fleet struct {
	channel verbs.CMEventChannel
	ends    []*ending
}

// newFleet makes n identifiers on one new channel.
func newFleet(m verbs.CMProvider, n int) (*fleet, error) {
	ch, err := m.CreateEventChannel()
	f := &fleet{channel: ch}
	for err == nil && len(f.ends) < n {
		var id verbs.CMID
		if id, err = ch.CreateID(verbs.PortSpaceTCP); err == nil {
			f.ends = append(f.ends, &ending{id: id})
		}
	}
	return f, err
}

func (f *fleet) each(do func(*ending) error) error {
	for _, e := range f.ends {
		if err := do(e); err != nil {
			return err
		}
	}
	return nil
}

// step begins an operation on each and waits until each has reported it. Events are
// taken while the others are begun.
func (f *fleet) step(want verbs.CMEventType, begin func(*ending) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	begun, told := make(chan error, 1), make(chan error, 1)
	go func() {
		err := f.each(begin)
		if err != nil {
			cancel()
		}
		begun <- err
	}()
	go func() { told <- f.events(ctx, want) }()
	return errors.Join(<-begun, <-told)
}

// events takes one event of each.
func (f *fleet) events(ctx context.Context, want verbs.CMEventType) error {
	for n := 0; n < len(f.ends); {
		switch ev, err := f.channel.GetEvent(ctx); {
		case err != nil:
			return err
		case ev.Type == want && ev.Status == 0:
			n++
		case ev.Type != verbs.CMTimewaitExit: // an end that is disconnected already
			return fmt.Errorf("%s, status %d, want %s", ev.Type, ev.Status, want)
		}
	}
	return nil
}

func (f *fleet) resolveAddr(dst netip.AddrPort) error {
	return f.step(verbs.CMAddrResolved, func(e *ending) error {
		return e.id.ResolveAddr(netip.AddrPort{}, dst, 5*time.Second)
	})
}

func (f *fleet) resolveRoute() error {
	return f.step(verbs.CMRouteResolved, func(e *ending) error { return e.id.ResolveRoute(5 * time.Second) })
}

// manyParam are cmtime's parameters.
var manyParam = verbs.CMConnParam{ResponderResources: 1, InitiatorDepth: 1, RetryCount: 2}

func (f *fleet) connect() error {
	return f.step(verbs.CMEstablished, func(e *ending) error { return e.id.Connect(manyParam) })
}

func (f *fleet) disconnect() error {
	return f.step(verbs.CMDisconnected, func(e *ending) error { return e.id.Disconnect() })
}

// close closes the whole fleet.
func (f *fleet) close() error {
	return errors.Join(f.each((*ending).close), f.channel.Close())
}

// connectAll makes n connections at once, and ends them when all are established.
func connectAll(m verbs.CMProvider, dst netip.AddrPort, n int) error {
	f, err := newFleet(m, n)
	if err != nil {
		return err
	}
	for _, do := range []func() error{
		func() error { return f.resolveAddr(dst) }, f.resolveRoute,
		func() error { return f.each((*ending).own) }, f.connect, f.disconnect,
	} {
		if err = do(); err != nil {
			break
		}
	}
	return errors.Join(err, f.close())
}

// host listens and accepts every request.
type host struct {
	channel  verbs.CMEventChannel
	listener verbs.CMID
	live     map[verbs.CMID]*ending
	most     int // the highest live so far
}

func newHost(m verbs.CMProvider, at netip.AddrPort) (*host, error) {
	ch, err := m.CreateEventChannel()
	if err != nil {
		return nil, err
	}
	h := &host{channel: ch, live: map[verbs.CMID]*ending{}}
	if h.listener, err = ch.CreateID(verbs.PortSpaceTCP); err == nil {
		if err = h.listener.BindAddr(at); err == nil {
			err = h.listener.Listen(128)
		}
	}
	return h, err
}

// serve accepts requests and closes ended connections until n have come and gone. The first may take long: its client
// may have other connections to make before.
func (h *host) serve(n int) error {
	wait := 20 * patience
	for n > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		ev, err := h.channel.GetEvent(ctx)
		cancel()
		wait = patience
		switch {
		case err != nil:
		case ev.Type == verbs.CMConnectRequest:
			e := &ending{id: ev.ID}
			h.live[ev.ID] = e
			h.most = max(h.most, len(h.live))
			if err = e.own(); err == nil {
				err = e.id.Accept(verbs.CMConnParam{ResponderResources: 1, InitiatorDepth: 1})
			}
		case ev.Type == verbs.CMDisconnected:
			err = errors.Join(ev.ID.Disconnect(), h.live[ev.ID].close())
			delete(h.live, ev.ID)
			n--
		case ev.Type != verbs.CMEstablished && ev.Type != verbs.CMTimewaitExit:
			err = fmt.Errorf("%s, status %d", ev.Type, ev.Status)
		}
		if err != nil {
			return fmt.Errorf("with %d to come: %w", n, err)
		}
	}
	return nil
}

func (h *host) close() error {
	var errs []error
	for _, e := range h.live {
		errs = append(errs, e.close())
	}
	return errors.Join(append(errs, h.listener.Close(), h.channel.Close())...)
}
