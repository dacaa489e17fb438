package cm

import (
	"net/netip"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/queue"
)

// request is an identifier of the provider, of a connection request.
type request struct {
	providersID
	peer   netip.AddrPort
	closed bool
}

func (r *request) PeerAddr() netip.AddrPort { return r.peer }
func (r *request) Close() error             { r.closed = true; return nil }

// listened is a listener of a session, with requests to it.
type listened struct {
	*ID
	s    *core.Session
	ec   *EventChannel
	come []*ID
}

func newListened(t *testing.T) *listened {
	s := core.New(core.Options{}, core.Wiring{
		Record: func(*core.Session) core.Recorder { return nil },
		Close:  func(*core.Session) error { return nil },
	})
	ec := &EventChannel{Node: &core.Node{Name: "events"}, provider: &lister{}}
	l := &listened{ID: &ID{Node: &core.Node{Name: "l"}, ID: &request{}, ec: ec}, s: s, ec: ec}
	t.Cleanup(func() {
		s.Graph = core.Graph{}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// from lets requests of a host arrive.
func (l *listened) from(host byte, n int) {
	for range n {
		r := &request{peer: netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, host}), uint16(len(l.come)))}
		i := &ID{ID: r, From: l.ID, ec: l.ec, at: place{peer: r.peer}}
		l.s.Mu.Lock()
		enterRequestLocked(l.s, i)
		i.moveLocked(core.IDRequest)
		l.s.Mu.Unlock()
		l.come = append(l.come, i)
	}
}

// dropped lists which of the requests were destroyed.
func (l *listened) dropped() (list []int) {
	for n, i := range l.come {
		if i.ID.(*request).closed {
			list = append(list, n)
		}
	}
	return list
}

// TestMakeRoom: a listener with as many unanswered requests as it may have drops the oldest of the host with the most,
// but none that a command has taken or is accepting, and none for another of that same host.
func TestMakeRoom(t *testing.T) {
	take := func(from, to int) func(*listened) {
		return func(l *listened) {
			for _, i := range l.come[from:to] {
				i.claim = byCommand
			}
		}
	}
	for _, tt := range []struct {
		name     string
		busy     int // requests of host 1; host 2 has the rest
		change   func(*listened)
		all      int
		newcomer byte
		room     bool
		drops    int // the request that is dropped; -1: none
	}{
		{"there is room", 255, nil, 255, 3, true, -1},
		{"full", 200, nil, 256, 3, true, 0},
		{"the oldest is of another", 100, nil, 256, 3, true, 100},
		{"the newcomer has the most", 200, nil, 256, 1, false, -1},
		{"the newcomer has fewer", 200, nil, 256, 2, true, 0},
		{"the oldest is taken", 200, take(0, 5), 256, 3, true, 5},
		{"those of the busy host are taken", 200, take(0, 200), 256, 3, true, 200},
		{"all are taken", 256, take(0, 256), 256, 3, false, -1},
		{"the oldest is being accepted", 200, func(l *listened) { l.come[0].qp = &queue.QP{Node: l.Node} }, 256, 3,
			true, 1},
		{"one is answered", 200, func(l *listened) { l.come[9].moveLocked(core.IDConnected) }, 256, 3, true, -1},
		{"as many as may ever exist", 200, func(l *listened) { l.children = maxChildren }, 255, 3, false, -1},
		{"nearly as many", 200, func(l *listened) { l.children = maxChildren - 1 }, 255, 3, true, -1},
	} {
		l := newListened(t)
		l.from(1, tt.busy)
		l.from(2, tt.all-tt.busy)
		if tt.change != nil {
			tt.change(l)
		}
		room := makeRoom(l.s, l.ID, &request{
			peer: netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, tt.newcomer}), 1)})
		dropped := l.dropped()
		if got := append(dropped, -1)[0]; room != tt.room || got != tt.drops || len(dropped) > 1 {
			t.Errorf("%s: room %v, dropped %v", tt.name, room, dropped)
		}
		if tt.drops >= 0 && (l.children != 255 || len(l.waiting) != 255) {
			t.Errorf("%s: %d requests exist, %d wait", tt.name, l.children, len(l.waiting))
		}
	}
	if !makeRoom(nil, nil, &request{}) {
		t.Error("a request of no listener is refused")
	}
}

// TestChildrenLeave: requests that were destroyed do not count among those that a listener may have.
func TestChildrenLeave(t *testing.T) {
	l := newListened(t)
	for range 3 * maxChildren / 250 {
		l.from(1, 250)
		for _, i := range l.come {
			if err := l.s.Destroy(i.Node); err != nil {
				t.Fatal(err)
			}
		}
		l.come = nil
		if !makeRoom(l.s, l.ID, &request{}) || len(l.waiting) != 0 {
			t.Fatalf("the listener refuses a request; %d wait", len(l.waiting))
		}
	}
}
