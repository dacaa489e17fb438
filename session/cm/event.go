package cm

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// came handles and records an event. The events of one channel are handled one at a
// time.
func came(s *core.Session, ec *EventChannel, e verbs.CMEvent) {
	at := time.Now()
	a := &arriving{id: idOf(s, e.ID), listen: idOf(s, e.ListenID)}
	isNew := e.Type == verbs.CMConnectRequest && a.id == nil && e.ID != nil
	if isNew {
		if !makeRoom(s, a.listen, e.ID) {
			turnAway(s, a.listen, e.ID)
			return
		}
		a.id = &ID{ID: e.ID, PS: e.ID.PortSpace(), ec: ec, From: a.listen, unrecorded: !mayRecord(s, a.listen)}
	}
	var seen bearings
	if a.id != nil {
		seen = bearingsOf(s, a.id)
	}
	a.Type, a.Status = e.Type, e.Status
	a.StatusText = statusText(e.Type, e.Status)
	a.Hint = hint(e.Type, e.Status)
	s.Mu.Lock()
	a.Channel = ec.shown()
	if a.listen != nil {
		a.Listen = a.listen.Name
	}
	if isNew { // so that it is first visible as a request, with everything known of it
		enterRequestLocked(s, a.id)
	}
	lapsed, recorded := false, true
	if a.id != nil {
		seen.noteLocked(a.id)
		waited := a.id.state == core.IDRequest
		reactLocked(s, a, &e, at)
		lapsed = waited && a.id.state != core.IDRequest && a.id.From != nil
		recorded = !a.id.unrecorded || a.id.state != core.IDRequest && !lapsed
	}
	s.Mu.Unlock()
	if recorded {
		told := a.CMEvent
		s.Emit(timeline.Event{Kind: timeline.KindCM, CM: &told})
	}
	if lapsed && claimed(s, a.id, byReader) && dropRequest(s, a.id) == nil {
		return
	}
	if a.id != nil {
		followQP(s, a.id, "event "+e.Type.String())
	}
	deliver(s, ec, a)
}

// deliver puts an event where commands look for it. While the event was read from ec, a
// command may have destroyed its identifier, which drops the event, or moved the
// identifier, or the listener of a request, to another channel.
func deliver(s *core.Session, ec *EventChannel, a *arriving) {
	s.Mu.RLock() // leaveID and rehome take it to change the registration
	defer s.Mu.RUnlock()
	ids := managerOf(s).ids
	switch {
	case a.id == nil:
	case ids[a.id.ID] != a.id:
		return
	case a.id.ec != ec:
		ec = a.id.ec
	case a.listen != nil && ids[a.listen.ID] == a.listen:
		ec = a.listen.ec
	}
	ec.inbox.put(a)
}

// reactLocked updates the identifier's state after an event, with Session.mu held.
func reactLocked(s *core.Session, a *arriving, e *verbs.CMEvent, at time.Time) {
	i := a.id
	a.ID, a.PS, a.Local, a.Peer = i.Name, i.PS, i.at.local, i.at.peer
	if i.dev != nil {
		a.Device = i.dev.Name
	}
	r := reactions[e.Type]
	if r.moves {
		i.moveLocked(r.to)
	}
	a.Step, a.Took = i.end(r.ends, at, e.Status != 0)
	switch {
	case tellsUD(i.PS, e.Type):
		ud := e.UD
		a.UD, i.ud = &ud, ud
	case tellsConn[e.Type]:
		conn := e.Conn
		a.Conn, i.conn = &conn, conn
	}
	if p := a.PrivateData(); p != nil {
		i.private = p
	}
	a.State = i.state.String()
	told := a.CMEvent
	i.last = &told
}

// tellsConn are the events with valid connection parameters.
var tellsConn = map[verbs.CMEventType]bool{
	verbs.CMConnectRequest: true, verbs.CMConnectResponse: true, verbs.CMEstablished: true,
	verbs.CMRejected: true, verbs.CMDisconnected: true,
}

// tellsUD reports whether an event has the parameters of a datagram peer.
func tellsUD(ps verbs.CMPortSpace, t verbs.CMEventType) bool {
	switch t {
	case verbs.CMMulticastJoin, verbs.CMMulticastError:
		return true
	case verbs.CMConnectRequest, verbs.CMEstablished:
		return ps.IsDatagram()
	}
	return false
}

// manager is the session state of the connection manager's commands.
type manager struct {
	seen    seenCMEvents
	ids     map[verbs.CMID]*ID            // guarded by Session.mu
	domains map[*device.Device]*core.Node // shared by the endpoints on a device; with the slot held
	binding sync.Mutex                    // one device of the connection manager is adopted at a time
}

func managerOf(s *core.Session) *manager {
	return core.Part(s, func() *manager {
		return &manager{ids: map[verbs.CMID]*ID{}, domains: map[*device.Device]*core.Node{}}
	})
}

// idOf returns the session's identifier for a provider's, nil if there is none or it
// was destroyed.
func idOf(s *core.Session, id verbs.CMID) *ID {
	if id == nil {
		return nil
	}
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return managerOf(s).ids[id]
}

// enterID registers an identifier, so that events find it.
func enterID(s *core.Session, i *ID) {
	s.Mu.Lock()
	enterIDLocked(s, i)
	s.Mu.Unlock()
	s.Changed()
}

// enterIDLocked is enterID with Session.mu held.
func enterIDLocked(s *core.Session, i *ID) {
	managerOf(s).ids[i.ID] = i
	if i.From != nil {
		i.From.children++
	}
	i.ec.members++
	i.release = func() { leaveID(s, i) }
	s.Graph.Add(i.Node)
}

// leaveID unregisters an identifier, and closes a channel that only it used.
func leaveID(s *core.Session, i *ID) {
	s.Mu.Lock()
	delete(managerOf(s).ids, i.ID)
	if i.From != nil {
		i.From.children--
		i.From.waiting = slices.DeleteFunc(i.From.waiting, func(w *ID) bool { return w == i })
	}
	ec := i.ec
	s.Mu.Unlock()
	ec.inbox.Forget(i)
	leaveChannel(s, ec)
}

// leaveChannel closes an implicit channel once no identifier uses it.
func leaveChannel(s *core.Session, ec *EventChannel) {
	s.Mu.Lock()
	ec.members--
	last := ec.own && ec.members == 0
	s.Mu.Unlock()
	if !last {
		return
	}
	if err := ec.Close(); err != nil {
		s.Note(timeline.LevelError, "the event channel could not be destroyed: %v", err)
	}
}

// enterRequestLocked names a request's identifier after its listener (NAME-1, NAME-2
// …) and registers it, with Session.mu held.
func enterRequestLocked(s *core.Session, i *ID) {
	name, stem := "", "request"
	if i.From != nil {
		i.listen, stem = i.From.Name, i.From.Name
	}
	for n := 1; name == ""; n++ {
		if i.From != nil {
			i.From.requests++
			n = i.From.requests
		}
		if free := fmt.Sprintf("%s-%d", stem, n); s.Graph.ByName[free] == nil {
			name = free
		}
	}
	i.Node = &core.Node{Name: name, Kind: command.KindID, Body: i}
	if !i.ec.own {
		i.Uses = []*core.Node{i.ec.Node}
	}
	enterIDLocked(s, i)
}

// bearings is where an identifier is bound, and the session's device for it.
type bearings struct {
	at  place
	dev *device.Device // nil if it is not bound, or the device cannot be read
	ok  bool           // the identifier still exists
}

// bearingsOf asks the provider where an identifier is bound, and adds its device to
// the session.
func bearingsOf(s *core.Session, i *ID) (b bearings) {
	if b.at, b.ok = i.whereabouts(); b.ok && b.at.device != nil {
		b.dev = adoptedDevice(s, i, b.at.device)
	}
	return b
}

// noteLocked stores them in the identifier, with Session.mu held.
func (b *bearings) noteLocked(i *ID) {
	if !b.ok {
		return
	}
	i.at = b.at
	if b.dev != nil {
		i.dev = b.dev
		if !slices.Contains(i.Uses, b.dev.Node) {
			i.Uses = append(slices.Clone(i.Uses), b.dev.Node)
		}
	}
}

// look updates where an identifier is bound.
func look(s *core.Session, i *ID) {
	b := bearingsOf(s, i)
	s.Mu.Lock()
	b.noteLocked(i)
	s.Mu.Unlock()
	s.Changed()
}

// adoptedDevice returns the session's node for a device that the manager opened, nil
// if the device cannot be read.
func adoptedDevice(s *core.Session, i *ID, dev verbs.Device) *device.Device {
	binding := &managerOf(s).binding
	binding.Lock() // events of two channels may name the same device
	defer binding.Unlock()
	s.Mu.RLock()
	d, p := device.Managed(s, dev), i.ec.provider
	s.Mu.RUnlock()
	if d != nil {
		return d
	}
	d, err := device.Adopt(s, dev, p)
	if err != nil {
		s.Note(timeline.LevelError, "a device of the connection manager is unreadable: %v", err)
		return nil
	}
	return d
}

// followQP reads the state of an identifier's queue pair after the manager may have
// changed it.
func followQP(s *core.Session, i *ID, cause string) {
	s.Mu.RLock()
	q := i.qp
	s.Mu.RUnlock()
	if q != nil && !q.Gone.Load() {
		queue.ReadState(s, q, cause)
	}
}
