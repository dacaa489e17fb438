package core

import (
	"net/netip"
	"slices"
	"sync"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// Snapshot is the state of a session at one moment. It holds values only and never
// changes; two with the same Version are equal.
type Snapshot struct {
	Version  uint64
	Live     bool
	Objects  []ObjectView // in the order in which they were made
	Devices  []DeviceView
	PDs      []PDView
	MRs      []MRView
	MWs      []MWView
	DMs      []DMView
	Channels []ChannelView
	CQs      []CQView
	SRQs     []SRQView
	QPs      []QPView
	Groups   []GroupView
	AHs      []AHView
	Peers    []PeerView

	EventChannels []EventChannelView
	IDs           []IDView

	Destroyed string // the object that undo would make again, "" if there is none
}

// ObjectView is an object with what it uses and what uses it.
type ObjectView struct {
	Name   string
	Kind   command.ObjectKind
	Uses   []string // the objects it was made from
	UsedBy []string // the objects made from it: while there are any it cannot be closed
}

// Has reports whether an object has the name.
func (v *Snapshot) Has(name string) bool {
	return slices.ContainsFunc(v.Objects, func(o ObjectView) bool { return o.Name == name })
}

// Provided returns the provider's name of a device. A session names a device that the connection manager opened
// otherwise, as in rxe0-cm.
func (v *Snapshot) Provided(device string) string {
	if d := v.Device(device); d != nil {
		return d.Info.Name
	}
	return device
}

// Alive counts the objects that are lost with the session. Open devices, peers and
// resolved names do not count.
func (v *Snapshot) Alive() (n int) {
	for i := range v.Objects {
		switch v.Objects[i].Kind {
		case command.KindDevice, command.KindPeer, command.KindAddrInfo:
		default:
			n++
		}
	}
	return n
}

// DeviceView is an open device with what was last read from it.
type DeviceView struct {
	Name  string
	Info  verbs.DeviceInfo
	Attr  verbs.DeviceAttr
	Ports []verbs.PortAttr
	GIDs  []verbs.GIDEntry
	Port  route.ChosenPort // default port
	GID   route.ChosenGID  // default GID of that port; zero if it has none
	// Faults are the faults that the provider injects into the device's packets.
	Faults verbs.Faults
}

// PortAttr returns the attributes of a port as last read; ok is false if the device
// has no such port.
func (d *DeviceView) PortAttr(num uint8) (p verbs.PortAttr, ok bool) {
	if num < 1 || int(num) > len(d.Ports) {
		return p, false
	}
	return d.Ports[num-1], true
}

// PDView is a protection domain.
type PDView struct{ Name, Device string }

// MRView is a memory region; its bytes are read with [Session.ReadMem].
type MRView struct {
	Name, PD, Device string
	Addr, Length     uint64
	LKey, RKey       uint32
	Access           verbs.Access
}

// DMView is memory of a device.
type DMView struct {
	Name, Device string
	Length       uint64
}

// ChannelView is a completion channel.
type ChannelView struct{ Name, Device string }

// CQView is a completion queue.
type CQView struct {
	Name, Device, Channel string
	CQE                   int
	Completed, Failed     uint64 // taken so far
	Outstanding           int    // posted requests that will, or may, complete here
	Mode                  CQMode // how a live session takes completions
	SolicitedOnly         bool   // in event mode: only solicited or failed ones raise events
	Armed                 Armed  // as commands have left it; of no meaning while a live session takes events
	Stats                 CQStatsByMode
	Overruns              uint64 // CQ_ERR events: completions were lost
}

// Armed says whether a completion queue raises an event.
type Armed uint8

// Whether a queue raises an event.
const (
	NeverArmed        Armed = iota
	NotArmed                // the event of the last request has come
	ArmedForAny             // at the next completion
	ArmedForSolicited       // at the next solicited or failed one
)

// SRQView is a shared receive queue.
type SRQView struct {
	Name, PD, Device string
	MaxWR, MaxSGE    uint32 // as granted
	Limit            uint32 // as armed; 0: no event will come
	RecvPosted       int    // receive requests posted but not completed
}

// GroupView is a queue pair's membership in a multicast group.
type GroupView struct {
	QP  string
	GID verbs.GID
	LID uint16
}

// QPView is a queue pair.
type QPView struct {
	Name, Device, PD string
	SendCQ, RecvCQ   string
	SRQ              string // "" if it has its own receive queue
	Num              verbs.QPN
	Type             verbs.QPType
	State            verbs.QPState
	Cap              verbs.QPCap // as granted
	SQSigAll         bool
	SendOps          verbs.SendOps // operations that are posted with ibv_wr_*
	Port             uint8         // current or future port
	PSN              verbs.PSN     // as sent to peers
	Began            PSNs          // as set by modify_qp
	GID              verbs.GID     // as sent to peers; zero if the port has none
	Attr             verbs.QPAttr  // as last set or read; Mask says which fields
	SendOutstanding  int           // send requests posted but not completed
	RecvPosted       int           // receive requests posted but not completed; with an SRQ, the SRQ's
	RecvRoom         uint64        // size of the oldest RECV, which takes the next message; 0 if there is none
	PeerName         string        // what it is connected to, "" if unknown
	Sends            *SendsView    // outstanding send requests; nil: none
	Datagram         *DatagramView // the last that a single request has sent; nil: none
}

// DatagramView is a datagram that was posted.
type DatagramView struct {
	To     verbs.AHAttr
	QPN    verbs.QPN
	QKey   uint32
	Length uint64
}

// PSNs are the packet sequence numbers that modify_qp set. A query returns other
// values once packets were sent.
type PSNs struct {
	Mask   verbs.AttrMask // which of them are set
	SQ, RQ verbs.PSN
}

// AHView is an address handle.
type AHView struct {
	Name, PD, Device string
	Attr             verbs.AHAttr
}

// PeerView is the result of an exchange.
type PeerView struct {
	Name    string
	LID     uint16
	QPN     verbs.QPN
	PSN     verbs.PSN
	GID     verbs.GID
	Regions []RemoteRegion // regions that the peer exposes, as far as known
}

// RemoteRegion is memory of a peer. Length or Access is 0 if unknown.
type RemoteRegion struct {
	Name         string // NAME.addr, NAME.rkey and NAME.length are fields of the peer
	Addr, Length uint64
	RKey         uint32
	Access       verbs.Access
}

// viewCache keeps the last snapshot, since most frames show the same one.
type viewCache struct {
	mu   sync.Mutex
	last Snapshot
	have bool
}

// Snapshot returns the session's current state. It is cheap: if nothing has changed
// it returns the last snapshot.
func (s *Session) Snapshot() Snapshot {
	s.views.mu.Lock()
	defer s.views.mu.Unlock()
	if v := s.version.Load(); !s.views.have || v != s.views.last.Version {
		s.views.last, s.views.have = s.takeSnapshot(v), true
	}
	return s.views.last
}

func (s *Session) takeSnapshot(version uint64) Snapshot {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	v := Snapshot{Version: version, Live: s.Live.Load()}
	users := s.Graph.Users()
	for _, n := range s.Graph.Nodes {
		v.Objects = append(v.Objects, ObjectView{
			Name: n.Name, Kind: n.Kind, Uses: NodeNames(n.Uses), UsedBy: NodeNames(users[n]),
		})
		n.Body.View(&v)
	}
	if d := s.lastDestroyed(); d != nil {
		v.Destroyed = d.Name
	}
	return v
}

// SnapshotOf views the objects that keep selects, without their dependencies. Its
// cost depends on these objects only, and it is not cached.
func (s *Session) SnapshotOf(keep func(*Node) bool) (v Snapshot) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, n := range s.Graph.Nodes {
		if keep(n) {
			n.Body.View(&v)
		}
	}
	return v
}

// NodeNames returns the names of nodes, nil if there are none.
func NodeNames(nodes []*Node) []string {
	if len(nodes) == 0 {
		return nil
	}
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = n.Name
	}
	return names
}

// MWView is a memory window as far as the session knows: it learns that a peer has
// invalidated a binding from the completion of its RECV.
type MWView struct {
	Name, PD, Device string
	Type             verbs.MWType
	RKey             uint32
	MR               string // "": not bound
	QP               string // the only queue pair that may use it; "": all of its domain
	Addr, Length     uint64
	Access           verbs.Access
}

// Start returns the address by which the peer accesses the window's first byte.
func (w *MWView) Start() uint64 {
	if w.Access&verbs.ZeroBased != 0 {
		return 0
	}
	return w.Addr
}

// IDView is an identifier of the connection manager.
type IDView struct {
	Name, Channel string // Channel is "" if the channel is its own
	Provider      string
	Mode          string // event mode: "event", "poll", "sync"
	PortSpace     verbs.CMPortSpace
	State         IDState
	Listen        string // the listener that the request arrived on, "" if made here
	Device        string // "" until it is bound to a device
	PortNum       uint8
	QP            string // "" if there is none
	Local, Peer   netip.AddrPort
	PrivateData   []byte          // what the peer sent last
	UD            verbs.CMUDParam // last event's parameters of a datagram peer or group; QPNum is 0 if there were none
	Groups        []netip.Addr
	Steps         []StepTime        // in the order in which they started
	Last          *timeline.CMEvent // nil before the first
}

// Pending reports whether a call of the identifier is unanswered.
func (v *IDView) Pending() bool {
	return slices.ContainsFunc(v.Steps, func(s StepTime) bool { return s.Pending })
}

// EventChannelView is a channel of the connection manager.
type EventChannelView struct {
	Name, Provider, Mode string
	Waiting              int // events that arrived and were not yet taken
}

// StepTime is how long one step of an identifier took.
type StepTime struct {
	Name  string        // "resolve_addr", "resolve_route", "connect", "accept", "disconnect", "join_multicast"
	Took  time.Duration // from the call to its event; 0 while Pending
	Began time.Time
	// Pending says that the event has not arrived.
	Pending bool
	Failed  bool // the event reported a failure
}
