package core

import (
	"net/netip"
	"slices"
	"sync"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/choice"
)

// Snapshot is the session at one moment. It holds values only and never
// changes; two with the same Version are the same.
type Snapshot struct {
	Version  uint64
	Live     bool
	Objects  []ObjectView // all, in the order in which they were made
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
}

// ObjectView is an object's place in the graph.
type ObjectView struct {
	Name   string
	Kind   command.ObjectKind
	Uses   []string // what it was made from
	UsedBy []string // what was made from it: while there is any it cannot be closed
}

// Has reports whether an object has the name.
func (v *Snapshot) Has(name string) bool {
	return slices.ContainsFunc(v.Objects, func(o ObjectView) bool { return o.Name == name })
}

// Alive counts the objects that are lost with the session. An open device, and what
// was learned of a peer or a name, is none.
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
	Port  choice.ChosenPort // what a line means that names none
	GID   choice.ChosenGID  // of that port, likewise; zero if it has none
	// Faults is what the provider does to the device's packets on purpose.
	Faults verbs.Faults
}

// PortAttr returns what was last read of a port; ok is false where the device has
// none of that number.
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
	Outstanding           int    // requests posted that will, or may, complete here
	Mode                  CQMode // how a live session takes them
	SolicitedOnly         bool   // with events: only solicited or failed ones raise one
	Stats                 CQStatsByMode
	Overruns              uint64 // CQ_ERR events: completions were lost
}

// SRQView is a shared receive queue.
type SRQView struct {
	Name, PD, Device string
	MaxWR, MaxSGE    uint32 // as granted
	Limit            uint32 // as armed; 0: no event is to come
	RecvPosted       int    // receive requests posted and not completed
}

// GroupView is a queue pair's place in a multicast group.
type GroupView struct {
	QP  string
	GID verbs.GID
	LID uint16
}

// QPView is a queue pair.
type QPView struct {
	Name, Device, PD string
	SendCQ, RecvCQ   string
	SRQ              string // "" if it has a receive queue of its own
	Num              verbs.QPN
	Type             verbs.QPType
	State            verbs.QPState
	Cap              verbs.QPCap // as granted
	SQSigAll         bool
	SendOps          verbs.SendOps // posted by ibv_wr_*
	Port             uint8         // that it is on, or will be
	PSN              verbs.PSN     // what peers are told
	Began            PSNs          // what modify_qp set
	GID              verbs.GID     // what peers are told; zero if the port has none
	Attr             verbs.QPAttr  // what was set or read last; Mask says which fields
	SendOutstanding  int           // send requests posted and not completed
	RecvPosted       int           // receive requests posted and not completed; with an SRQ, its
	RecvRoom         uint64        // bytes that the oldest of them has, which takes the next message; 0 where there is none
	PeerName         string        // what it was connected to, "" if unknown
	Sends            *SendsView    // its send requests that are not complete; nil: none
}

// PSNs are the packet sequence numbers that modify_qp set. A query returns others once packets have gone.
type PSNs struct {
	Mask   verbs.AttrMask // which of them were set
	SQ, RQ verbs.PSN
}

// AHView is an address handle.
type AHView struct {
	Name, PD, Device string
	Attr             verbs.AHAttr
}

// PeerView is what an exchange learned.
type PeerView struct {
	Name    string
	LID     uint16
	QPN     verbs.QPN
	PSN     verbs.PSN
	GID     verbs.GID
	Regions []RemoteRegion // that the peer lets in, as far as it has told
}

// RemoteRegion is memory of a peer. A Length or Access of 0 is unknown.
type RemoteRegion struct {
	Name         string // NAME.addr, NAME.rkey and NAME.length are fields of the peer
	Addr, Length uint64
	RKey         uint32
	Access       verbs.Access
}

// viewCache keeps the last snapshot, since most frames show what the last did.
type viewCache struct {
	mu   sync.Mutex
	last Snapshot
	have bool
}

// Snapshot returns the session as it is now. It is cheap: where nothing has
// changed since the last call it is that one.
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
		v.Objects = append(v.Objects, ObjectView{Name: n.Name, Kind: n.Kind, Uses: NodeNames(n.Uses), UsedBy: NodeNames(users[n])})
		n.Body.View(&v)
	}
	return v
}

// SnapshotOf views those objects that keep selects, and tells nothing of how objects
// depend on each other. It costs what these objects cost, and is made anew each time.
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

// NodeNames are the names of nodes, nil where there are none.
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

// MWView is a memory window. What it shows is as the session knows: of a binding
// that a peer has ended it learns by the completion of its RECV.
type MWView struct {
	Name, PD, Device string
	Type             verbs.MWType
	RKey             uint32
	MR               string // "": it shows nothing
	QP               string // that alone may use it; "": those of its domain
	Addr, Length     uint64
	Access           verbs.Access
}

// IDView is an identifier of the connection manager.
type IDView struct {
	Name, Channel string // Channel is "" where it has one of its own
	Provider      string
	Mode          string // how its events are waited for: "event", "poll", "sync"
	PortSpace     verbs.CMPortSpace
	State         IDState
	Listen        string // the identifier that it came in on, "" if it was made here
	Device        string // "" until it is bound to one
	PortNum       uint8
	QP            string // "" without one
	Local, Peer   netip.AddrPort
	PrivateData   []byte          // what the peer sent along last
	UD            verbs.CMUDParam // what was told last of a datagram peer or a group; QPNum is 0 where nothing was
	Groups        []netip.Addr
	Steps         []StepTime        // in the order in which they were begun
	Last          *timeline.CMEvent // nil before the first
}

// EventChannelView is a channel of the connection manager.
type EventChannelView struct {
	Name, Provider, Mode string
	Waiting              int // events that have come and were not asked for
}

// StepTime is how long one step of an identifier took.
type StepTime struct {
	Name  string        // "resolve_addr", "resolve_route", "connect", "accept", "disconnect", "join_multicast"
	Took  time.Duration // from the call to its event; while Pending 0
	Began time.Time
	// Pending says that the event has not come.
	Pending bool
	Failed  bool // the event told of a failure
}
