// Package cm is the connection manager in a session: event channels, identifiers with
// their events and states, incoming requests, and resolved names. Queue pairs made on
// identifiers belong to package queue. Traffic and scenarios are elsewhere.
package cm

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/format"
)

// ID is an identifier of the connection manager. Its name may change, under
// Session.mu with the slot held: a request gets its name when a command takes it.
type ID struct {
	*core.Node
	ID     verbs.CMID
	PS     verbs.CMPortSpace
	listen string // the listener that the request arrived on, "" if made here
	From   *ID    // the same as an identifier; nil if made here

	use    sync.Mutex // held while the provider is called, so that the identifier is not destroyed meanwhile
	closed bool       // guarded by use

	// Guarded by Session.mu.
	ec         *EventChannel
	at         place
	state      core.IDState
	dev        *device.Device // nil until it is bound
	qp         *queue.QP      // made by rdma_create_qp; nil if there is none
	steps      []core.StepTime
	last       *timeline.CMEvent
	conn       verbs.CMConnParam // as last received
	ud         verbs.CMUDParam
	private    []byte // private data that the peer sent last
	attrs      map[verbs.QPState]verbs.QPAttr
	requests   int       // requests received
	waiting    []*ID     // of these, those in REQUEST, oldest first
	children   int       // of these, those that still exist
	full       bool      // requests were refused, and a note said so
	record     allowance // limits the requests on the time line
	missed     int       // requests not on the time line since the last note of their number
	claim      claim     // request: who has it
	unrecorded bool      // request: it is not on the time line
	groups     []netip.Addr

	// Of an endpoint; with the slot held.
	forRequests *command.Command // of a listener: rdma_create_ep with the attributes of its requests' queue pairs
	made        []*core.Node     // channels and completion queues created with its queue pair, oldest first

	release func() // unregisters it and closes an implicit channel
}

// place is where an identifier is bound, as last read from the provider.
type place struct {
	local, peer netip.AddrPort
	device      verbs.Device // nil until it is bound
	port        uint8
}

// whereabouts asks the provider; ok is false if the identifier was destroyed.
func (i *ID) whereabouts() (p place, ok bool) {
	i.use.Lock()
	defer i.use.Unlock()
	if i.closed {
		return p, false
	}
	return place{i.ID.LocalAddr(), i.ID.PeerAddr(), i.ID.Device(), i.ID.PortNum()}, true
}

// Close implements [core.Body].
func (i *ID) Close() error {
	first, err := i.closeOnce()
	if first {
		i.release() // without use: a channel's reader may need it before it ends
	}
	return err
}

// closeOnce reports whether this call destroyed it: the peer may have given up just
// before a command destroys it.
func (i *ID) closeOnce() (first bool, err error) {
	i.use.Lock()
	defer i.use.Unlock()
	if i.closed {
		return false, nil
	}
	if err := i.ID.Close(); err != nil {
		return false, err
	}
	i.closed = true
	return true, nil
}

// StopEvents stops the reader of its channel.
func (i *ID) StopEvents() { i.ec.StopEvents() }

// FollowLive starts or stops reading its channel.
func (i *ID) FollowLive(s *core.Session) { i.ec.FollowLive(s) }

// HangUp returns the call that ends its connection, nil if there is none.
func (i *ID) HangUp(s *core.Session) func() error {
	if StateOf(s, i) != core.IDConnected || i.PS.IsDatagram() {
		return nil
	}
	return i.ID.Disconnect
}

// begin records the start of a step.
func (i *ID) begin(step string, at time.Time) {
	i.Forget(step)
	i.steps = append(i.steps, core.StepTime{Name: step, Began: at, Pending: true})
}

// Forget removes a step whose call failed, or an earlier one with that name.
func (i *ID) Forget(step string) {
	var kept []core.StepTime // snapshots share the old slice
	for _, st := range i.steps {
		if st.Name != step {
			kept = append(kept, st)
		}
	}
	i.steps = kept
}

// end records the end of the first of the steps that is pending.
func (i *ID) end(steps []string, at time.Time, failed bool) (name string, took time.Duration) {
	for _, step := range steps {
		for n, st := range i.steps {
			if st.Name == step && st.Pending {
				fresh := append([]core.StepTime(nil), i.steps...)
				fresh[n].Took, fresh[n].Pending, fresh[n].Failed = at.Sub(st.Began), false, failed
				i.steps = fresh
				return step, fresh[n].Took
			}
		}
	}
	return "", 0
}

// Fields implements [core.Body]. Session.mu is held when they are read.
func (i *ID) Fields() []core.Field {
	text := func(s string) func() (string, error) { return func() (string, error) { return s, nil } }
	number := func(n uint64) func() (string, error) { return text(fmt.Sprint(n)) }
	fs := []core.Field{
		{Name: "state", Text: text(i.state.String())},
		{Name: "ps", Text: text(i.PS.String())},
		{Name: "local_addr", Text: func() (string, error) { return knownAddr(i.at.local) }},
		{Name: "peer_addr", Text: func() (string, error) { return knownAddr(i.at.peer) }},
		{Name: "port", Text: number(uint64(i.at.local.Port()))},
		{Name: "peer_port", Text: number(uint64(i.at.peer.Port()))},
		{Name: "gid", Text: func() (string, error) { return addrGID(i.at.local) }},
		{Name: "peer_gid", Text: func() (string, error) { return addrGID(i.at.peer) }},
		{Name: "port_num", Text: number(uint64(i.at.port))},
		{Name: "qp_num", Text: func() (string, error) {
			if i.qp == nil {
				return "", fmt.Errorf("%s has no queue pair: rdma_create_qp %s", i.Name, i.Name)
			}
			return i.qp.Num.String(), nil
		}},
		{Name: "device", Text: func() (string, error) {
			if i.dev == nil {
				return "", notBound(i)
			}
			return i.dev.Name, nil
		}},
		{Name: "private_data", Text: text(fmt.Sprintf("0x%x", i.private))},
		{Name: "peer_qp_num", Text: text(i.conn.QPNum.String())},
		{Name: "responder_resources", Text: number(uint64(i.conn.ResponderResources))},
		{Name: "initiator_depth", Text: number(uint64(i.conn.InitiatorDepth))},
		{Name: "remote_qpn", Text: text(i.ud.QPNum.String())},
		{Name: "remote_qkey", Text: text(ccall.Hex(i.ud.QKey))},
	}
	if i.last != nil {
		fs = append(fs, core.Field{Name: "event", Text: text(i.last.Type.String())},
			core.Field{Name: "status", Text: text(fmt.Sprint(i.last.Status))})
	}
	return append(fs, i.attrFields()...)
}

// attrFields returns the attributes that rdma_init_qp_attr has shown: RTR.rq_psn.
func (i *ID) attrFields() (fs []core.Field) {
	for state, attr := range i.attrs {
		for n := range fields.QP {
			if f := &fields.QP[n]; attr.Mask&f.Bit != 0 && f.Bit != verbs.AttrState {
				fs = append(fs, core.Field{Name: state.String() + "." + f.Name, Text: func() (string, error) {
					return f.Format(&attr), nil
				}})
			}
		}
	}
	return fs
}

// FieldAt reads private_data.be32.0, a number in the peer's private data, or
// private_data.pair.0, the first of two numbers that are both be64 or both be32.
func (i *ID) FieldAt(name string) (text string, known bool, err error) {
	rest, ok := strings.CutPrefix(name, "private_data.")
	if !ok {
		return "", false, nil
	}
	if which, ok := strings.CutPrefix(rest, "pair."); ok && (which == "0" || which == "1") {
		rest = pairPlace(i.private, which == "1")
	}
	form, offset, ok := core.CutNumber(rest)
	if !ok {
		return "", false, nil
	}
	if offset > len(i.private) {
		offset = len(i.private)
	}
	n, ok := command.ReadNumber(form, i.private[offset:])
	if !ok {
		return "", true, fmt.Errorf("%s has %s of private data: there is no %s", i.Name,
			format.Counted(len(i.private), "byte"), rest)
	}
	return fmt.Sprint(n), true, nil
}

// pairPlace returns where the first or second of two numbers at the beginning of the
// private data is, as be64 or be32. The format is not marked, and the manager pads
// private data with zeros; but if the numbers are be64 and nonzero, the second 8
// bytes are not all zero.
func pairPlace(private []byte, second bool) string {
	wide := len(private) >= 16 && !bytes.Equal(private[8:16], make([]byte, 8))
	switch {
	case wide && second:
		return "be64.8"
	case wide:
		return "be64.0"
	case second:
		return "be32.4"
	}
	return "be32.0"
}

func notBound(i *ID) error {
	return fmt.Errorf("%s is not bound to a device: rdma_resolve_addr, or rdma_bind_addr to a device's address", i.Name)
}

var errAddrUnknown = errors.New("the address is not known yet")

func knownAddr(a netip.AddrPort) (string, error) {
	if !a.IsValid() {
		return "", errAddrUnknown
	}
	return a.String(), nil
}

// addrGID returns the RoCE GID of an address.
func addrGID(a netip.AddrPort) (string, error) {
	if !a.IsValid() {
		return "", errAddrUnknown
	}
	return verbs.GIDFromAddr(a.Addr()).String(), nil
}

// View implements [core.Body].
func (ec *EventChannel) View(v *core.Snapshot) {
	v.EventChannels = append(v.EventChannels, core.EventChannelView{
		Name: ec.Name, Provider: ec.provider.Name(), Mode: string(ec.mode), Waiting: ec.inbox.Len(),
	})
}

// View implements [core.Body].
func (i *ID) View(v *core.Snapshot) {
	view := core.IDView{
		Name: i.Name, Channel: i.ec.shown(), Provider: i.ec.provider.Name(), Mode: string(i.ec.mode), PortSpace: i.PS,
		State: i.state, Listen: i.listen, PortNum: i.at.port, Local: i.at.local, Peer: i.at.peer,
		PrivateData: i.private, UD: i.ud, Groups: i.groups, Steps: i.steps, Last: i.last,
	}
	if i.dev != nil {
		view.Device = i.dev.Name
	}
	if i.qp != nil {
		view.QP = i.qp.Name
	}
	v.IDs = append(v.IDs, view)
}

// BoundDevice returns the device that the identifier is bound to.
func (i *ID) BoundDevice(s *core.Session) (*device.Device, error) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	if i.dev == nil {
		return nil, notBound(i)
	}
	return i.dev, nil
}

// Object returns its node in the graph.
func (i *ID) Object() *core.Node { return i.Node }

// OnPort returns the device's port that it is bound to, 0: none yet. Session.mu is
// held.
func (i *ID) OnPort() uint8 { return i.at.port }

// Groups returns the multicast groups that it has joined. Session.mu is held.
func (i *ID) Groups() []netip.Addr { return i.groups }

// ForgetGroups clears the list before all groups are left. Session.mu is held.
func (i *ID) ForgetGroups() { i.groups = nil }

// LeaveMulticast leaves a group.
func (i *ID) LeaveMulticast(group netip.Addr) error { return i.ID.LeaveMulticast(group) }

// ToldPath returns the destination of datagrams from an event; zero: none. Session.mu
// is held.
func (i *ID) ToldPath() verbs.AHAttr { return i.ud.AH }

// ToldQKey returns the Q_Key that came with it. Session.mu is held.
func (i *ID) ToldQKey() uint32 { return i.ud.QKey }
