//go:build linux

package cm

import (
	"errors"
	"net/netip"
	"sync"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
)

// TestCMEventsThatFindDevices: only an event for an identifier that is not bound, or a connection
// request, may make C look for devices.
func TestCMEventsThatFindDevices(t *testing.T) {
	f := newFakeCM(t)
	ch, other := f.channel(), f.channel()
	var id, second *ID
	for _, step := range []struct {
		name        string
		do          func() error
		here, there bool // whether the next event of ch, and of other, may
	}{
		{"nothing", func() error { return nil }, false, false},
		{"new", func() error { id = f.id(ch, verbs.PortSpaceTCP); return nil }, true, false},
		{"another", func() error { second = f.id(ch, verbs.PortSpaceTCP); return nil }, true, false},
		{"one bound", func() error { f.bindTo(id); return nil }, true, false},
		{"both bound", func() error { f.bindTo(second); return nil }, false, false},
		{"moved", func() error { return second.moveTo(other) }, false, false},
		{"listening", func() error { return second.Listen(1) }, false, true},
		{"a listener moved", func() error { return second.moveTo(ch) }, true, false},
		{"a listener closed", func() error { return second.Close() }, false, false},
		{"unbound", func() error { second = f.id(ch, verbs.PortSpaceTCP); return nil }, true, false},
		{"unbound moved", func() error { return second.moveTo(other) }, false, true},
		{"unbound closed", func() error { return second.Close() }, false, false},
	} {
		if err := step.do(); err != nil {
			t.Fatal(step.name, err)
		}
		for _, c := range []struct {
			ch   *Channel
			want bool
		}{{ch, step.here}, {other, step.there}} {
			f.take(c.ch, abi.CMEvent{})
			if found := f.calls[len(f.calls)-2].name == "seek_event"; found != c.want {
				t.Errorf("%s: may find a device: %t, want %t", step.name, found, c.want)
			}
		}
	}
}

// TestCMAgainstClose closes identifiers during other calls, for the race detector and
// to find deadlocks.
func TestCMAgainstClose(t *testing.T) {
	f := newFakeCM(t)
	from, to := f.channel(), f.channel()
	for range 20 {
		id := f.id(from, verbs.PortSpaceTCP)
		f.bindTo(id)
		f.event = abi.CMEvent{ID: id.ptr, Event: uint32(verbs.CMDisconnected)}
		var users sync.WaitGroup
		use := func(call func() error) {
			users.Go(func() {
				for !errors.Is(call(), verbs.ErrClosed) {
				}
			})
		}
		use(func() error { return id.Connect(verbs.CMConnParam{PrivateData: []byte("x")}) })
		use(func() error { return id.BindAddr(netip.MustParseAddrPort("10.9.0.1:1")) })
		use(func() error { return id.LeaveMulticast(netip.MustParseAddr("239.1.1.1")) })
		use(func() error { return errors.Join(id.moveTo(to), id.moveTo(from)) })
		ended := make(chan struct{})
		var takers sync.WaitGroup
		for _, ch := range []*Channel{from, to} {
			takers.Go(func() {
				for {
					select {
					case <-ended:
						return
					default:
						_, err := ch.takeEvent()
						_, _, _, _ = id.LocalAddr(), id.Device(), id.QP(), id.PortNum()
						if err != nil {
							t.Error(err)
							return
						}
					}
				}
			})
		}
		pd, err := id.Device().AllocPD()
		if err != nil {
			t.Fatal(err)
		}
		qp, err := id.CreateQP(pd, verbs.QPSpec{QPType: verbs.RC})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(qp.Close(), pd.Close(), id.Close()); err != nil {
			t.Error(err)
		}
		users.Wait()
		close(ended)
		takers.Wait()
	}
	if len(f.cm.devices) != 0 || f.lists != 0 {
		t.Errorf("%d devices and %d lists left", len(f.cm.devices), f.lists)
	}
}
