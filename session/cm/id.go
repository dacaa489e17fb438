// Package cm is the connection manager in a session: event channels, identifiers,
// their events and states, requests that come in, and the names that are resolved.
// Queue pairs are made here on identifiers, and live in package queue. Traffic and
// scenarios never come here.
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
)

// ID is an identifier of the connection manager. Its name may change, under
// Session.mu with the slot held: a request is named when it is taken.
type ID struct {
	*core.Node
	ID     verbs.CMID
	PS     verbs.CMPortSpace
	listen string // the identifier that it came in on, "" if it was made here
	From   *ID    // likewise; nil

	use    sync.Mutex // held while the provider is asked, so that it is not asked of what is gone
	closed bool       // guarded by use

	// Guarded by Session.mu.
	ec         *EventChannel
	at         place
	state      core.IDState
	dev        *device.Device // nil until it is bound to one
	qp         *queue.QP      // made by rdma_create_qp; nil without one
	steps      []core.StepTime
	last       *timeline.CMEvent
	conn       verbs.CMConnParam // what was told last
	ud         verbs.CMUDParam
	private    []byte // what the peer sent along last
	attrs      map[verbs.QPState]verbs.QPAttr
	requests   int       // that came in
	waiting    []*ID     // of those, the ones in REQUEST, the oldest first
	children   int       // of those, the ones that are still there
	full       bool      // requests were turned away, and that was told
	record     allowance // of requests on the time line
	missed     int       // requests that are not on it, since that was last told
	taken      bool      // of a request: a command has taken it from its channel
	unrecorded bool      // of a request: it is not on the time line
	groups     []netip.Addr

	release func() // takes it off the session's list; gives back a channel of its own
}

// place is where an identifier is, as last read from the provider.
type place struct {
	local, peer netip.AddrPort
	device      verbs.Device // nil until it is bound to one
	port        uint8
}

// whereabouts asks the provider; ok is false where the identifier is gone.
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
		i.release() // without use: a channel's reader may want it before it ends
	}
	return err
}

// closeOnce reports whether this call has closed it: the peer may have given up while
// a command was about to close it.
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

// StopEvents ends the reader of its channel.
func (i *ID) StopEvents() { i.ec.StopEvents() }

// FollowLive starts or ends the reading of its channel.
func (i *ID) FollowLive(s *core.Session) { i.ec.FollowLive(s) }

// HangUp is the call that ends its connection, nil where it has none.
func (i *ID) HangUp(s *core.Session) func() error {
	if StateOf(s, i) != core.IDConnected || IsDatagram(i.PS) {
		return nil
	}
	return i.ID.Disconnect
}

// begin notes that a step was begun.
func (i *ID) begin(step string, at time.Time) {
	i.Forget(step)
	i.steps = append(i.steps, core.StepTime{Name: step, Began: at, Pending: true})
}

// Forget takes back a step whose call failed, or an earlier one of the name.
func (i *ID) Forget(step string) {
	var kept []core.StepTime // snapshots share the old one
	for _, st := range i.steps {
		if st.Name != step {
			kept = append(kept, st)
		}
	}
	i.steps = kept
}

// end notes that the first of the steps that is under way has ended.
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

// Fields are read with Session.mu held.
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
		fs = append(fs, core.Field{Name: "event", Text: text(i.last.Type.String())}, core.Field{Name: "status", Text: text(fmt.Sprint(i.last.Status))})
	}
	return append(fs, i.attrFields()...)
}

// attrFields are what rdma_init_qp_attr has shown: RTR.rq_psn.
func (i *ID) attrFields() (fs []core.Field) {
	for state, attr := range i.attrs {
		for n := range fields.QP {
			if f := &fields.QP[n]; attr.Mask&f.Bit != 0 && f.Bit != verbs.AttrState {
				fs = append(fs, core.Field{Name: state.String() + "." + f.Name, Text: func() (string, error) { return f.Format(&attr), nil }})
			}
		}
	}
	return fs
}

// FieldAt reads private_data.be32.0: a number in what the peer sent along; and
// private_data.pair.0: the first of two that are both be64 or both be32.
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
		return "", true, fmt.Errorf("%s has %d bytes of private data: there is no %s", i.Name, len(i.private), rest)
	}
	return fmt.Sprint(n), true, nil
}

// pairPlace is where one of two numbers lies that fill the beginning of private
// data, as be64 or as be32. Nothing says which: the manager pads private data with
// zeros. But of two that are be64 and not 0 something lies in the second 8 bytes.
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

// addrGID is the GID that an address has on RoCE.
func addrGID(a netip.AddrPort) (string, error) {
	if !a.IsValid() {
		return "", errAddrUnknown
	}
	return verbs.GIDFromAddr(a.Addr()).String(), nil
}

// View implements [core.Body].
func (ec *EventChannel) View(v *core.Snapshot) {
	v.EventChannels = append(v.EventChannels, core.EventChannelView{Name: ec.Name, Provider: ec.provider.Name(), Mode: string(ec.mode), Waiting: ec.inbox.Len()})
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

// BoundDevice is the device that the identifier is bound to.
func (i *ID) BoundDevice(s *core.Session) (*device.Device, error) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	if i.dev == nil {
		return nil, notBound(i)
	}
	return i.dev, nil
}

// Object is its place in the graph.
func (i *ID) Object() *core.Node { return i.Node }

// OnPort is the device's port that it is on, 0: none yet. Session.mu is held.
func (i *ID) OnPort() uint8 { return i.at.port }

// Groups are the multicast groups that it has joined. Session.mu is held.
func (i *ID) Groups() []netip.Addr { return i.groups }

// ForgetGroups is for who leaves them all. Session.mu is held.
func (i *ID) ForgetGroups() { i.groups = nil }

// LeaveMulticast leaves a group.
func (i *ID) LeaveMulticast(group netip.Addr) error { return i.ID.LeaveMulticast(group) }

// ToldPath is where datagrams go, as it was told; zero: nowhere. Session.mu is held.
func (i *ID) ToldPath() verbs.AHAttr { return i.ud.AH }
