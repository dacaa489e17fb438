package cm_test

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// TestCMParallel lets several programs, each with a channel of its own, connect to one server and disconnect at the
// same time.
func TestCMParallel(t *testing.T) {
	const programs, times = 8, 20
	p := soft.New(soft.Options{})
	listener := newCMSide(t, p, verbs.PortSpaceTCP)
	listener.Listen(soft1)
	var running sync.WaitGroup
	running.Go(func() { serveAll(t, listener, programs*times) })
	for i := range programs {
		running.Go(func() {
			for j := range times {
				if err := connectOnce(p, verbs.QPN(2+i*times+j)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
}

// serveAll accepts requests and disconnects when the peer does, until n connections have ended.
func serveAll(t *testing.T, s *cmSide, n int) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for n > 0 {
		ev, err := s.Channel.GetEvent(ctx)
		switch {
		case err != nil:
			t.Error(err)
			return
		case ev.Type == verbs.CMConnectRequest:
			err = ev.ID.Accept(verbs.CMConnParam{QPNum: 0x1000 + ev.Conn.QPNum})
		case ev.Type == verbs.CMDisconnected:
			err = ev.ID.Close()
			n--
		case ev.Type != verbs.CMEstablished:
			err = fmt.Errorf("event %s, status %d", ev.Type, ev.Status)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// connectOnce makes a connection with a queue pair's number, and ends it.
func connectOnce(p *soft.Provider, num verbs.QPN) error {
	channel, err := p.CreateEventChannel()
	if err != nil {
		return err
	}
	defer channel.Close()
	id, err := channel.CreateID(verbs.PortSpaceTCP)
	if err != nil {
		return err
	}
	defer id.Close()
	s := &cmSide{Channel: channel, ID: id}
	for _, step := range []struct {
		do   func() error
		want verbs.CMEventType
	}{
		{func() error { return id.ResolveAddr(netip.AddrPort{}, soft1, 0) }, verbs.CMAddrResolved},
		{func() error { return id.ResolveRoute(0) }, verbs.CMRouteResolved},
		{func() error { return id.Connect(verbs.CMConnParam{QPNum: num}) }, verbs.CMConnectResponse},
		{id.Establish, verbs.CMDisconnected},
	} {
		if err := step.do(); err != nil {
			return err
		}
		if step.want == verbs.CMDisconnected {
			if err := id.Disconnect(); err != nil {
				return err
			}
		}
		if err := s.Next(step.want); err != nil {
			return err
		}
	}
	return nil
}
