package session

import (
	"slices"
	"sync"

	"rdmatui/session/command"
	"rdmatui/verbs"
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
	Port  verbs.PortChoice // what a line means that names none
	GID   verbs.GIDChoice  // of that port, likewise; zero if it has none
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
	GID              verbs.GID     // what peers are told; zero if the port has none
	Attr             verbs.QPAttr  // what was set or read last; Mask says which fields
	SendOutstanding  int           // send requests posted and not completed
	RecvPosted       int           // receive requests posted and not completed; with an SRQ, its
	RecvRoom         uint64        // bytes that the oldest of them has, which takes the next message; 0 where there is none
	PeerName         string        // what it was connected to, "" if unknown
}

// AHView is an address handle.
type AHView struct {
	Name, PD, Device string
	Attr             verbs.AHAttr
}

// PeerView is what an exchange learned.
type PeerView struct {
	Name string
	LID  uint16
	QPN  verbs.QPN
	PSN  verbs.PSN
	GID  verbs.GID
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
	s.mu.RLock()
	defer s.mu.RUnlock()
	v := Snapshot{Version: version, Live: s.live.Load()}
	users := s.graph.users()
	for _, n := range s.graph.nodes {
		v.Objects = append(v.Objects, ObjectView{Name: n.name, Kind: n.kind, Uses: nodeNames(n.uses), UsedBy: nodeNames(users[n])})
		n.res.view(&v)
	}
	return v
}

func nodeNames(nodes []*node) []string {
	if len(nodes) == 0 {
		return nil
	}
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = n.name
	}
	return names
}

func (d *device) view(v *Snapshot) {
	view := DeviceView{
		Name: d.name, Info: d.info, Attr: d.attr, Ports: slices.Clone(d.ports), Port: d.usualPort(), GIDs: slices.Clone(d.gids.rows),
		Faults: d.faults(),
	}
	view.GID, _ = d.chooseGID(view.Port.PortNum, verbs.GID{}) // it stays zero
	v.Devices = append(v.Devices, view)
}

func (d *domain) view(v *Snapshot) { v.PDs = append(v.PDs, PDView{d.name, d.dev.name}) }

func (r *region) view(v *Snapshot) {
	spec := r.mr.Spec()
	v.MRs = append(v.MRs, MRView{
		Name: r.name, PD: r.pd.name, Device: r.pd.dev.name, Addr: r.mr.Addr(), Length: spec.Length,
		LKey: r.mr.LKey(), RKey: r.mr.RKey(), Access: spec.Access,
	})
}

func (ch *channel) view(v *Snapshot) {
	v.Channels = append(v.Channels, ChannelView{ch.name, ch.dev.name})
}

func (q *compQueue) view(v *Snapshot) {
	c := CQView{Name: q.name, Device: q.dev.name, CQE: q.cq.CQE(), Completed: q.completed.Load(), Failed: q.failed.Load()}
	if q.channel != nil {
		c.Channel = q.channel.name
	}
	c.Mode, c.SolicitedOnly, _ = q.taking.way()
	c.Stats, c.Overruns = q.taking.now(), q.taking.overrunsNow()
	v.CQs = append(v.CQs, c)
}

func (q *sharedQueue) view(v *Snapshot) {
	v.SRQs = append(v.SRQs, SRQView{
		Name: q.name, PD: q.pd.name, Device: q.pd.dev.name, MaxWR: q.attr.MaxWR, MaxSGE: q.attr.MaxSGE,
		Limit: q.attr.Limit, RecvPosted: q.recvs.len(),
	})
}

// view also counts the outstanding requests into the queues where they will
// complete, which come before it; those of a shared receive queue once into
// each.
func (q *queuePair) view(v *Snapshot) {
	view := QPView{
		Name: q.name, Device: q.pd.dev.name, PD: q.pd.name, SendCQ: q.sendCQ.name, RecvCQ: q.recvCQ.name,
		Num: q.num, Type: q.spec.QPType, State: q.stateNow(), Cap: q.limits, SQSigAll: q.spec.SQSigAll, SendOps: q.spec.SendOps,
		Port: q.port(), PSN: q.psn, Attr: q.attr, SendOutstanding: q.sends.len(), RecvPosted: q.receives().len(), PeerName: q.peer,
		RecvRoom: q.receives().room(),
	}
	if q.srq != nil {
		view.SRQ = q.srq.name
	}
	if e, err := q.ownGID(); err == nil {
		view.GID = e.GID
	}
	for _, g := range q.groups {
		v.Groups = append(v.Groups, GroupView{q.name, g.gid, g.lid})
	}
	counted := q.srq != nil && slices.ContainsFunc(v.QPs, func(o QPView) bool {
		return o.SRQ == view.SRQ && o.RecvCQ == view.RecvCQ
	})
	v.QPs = append(v.QPs, view)
	for i := range v.CQs {
		if v.CQs[i].Name == q.sendCQ.name {
			v.CQs[i].Outstanding += view.SendOutstanding
		}
		if v.CQs[i].Name == q.recvCQ.name && !counted {
			v.CQs[i].Outstanding += view.RecvPosted
		}
	}
}

func (a *addressHandle) view(v *Snapshot) {
	v.AHs = append(v.AHs, AHView{Name: a.name, PD: a.pd.name, Device: a.pd.dev.name, Attr: a.ah.Attr()})
}

func (p *peer) view(v *Snapshot) {
	v.Peers = append(v.Peers, PeerView{Name: p.name, LID: p.rec.LID, QPN: p.rec.QPN, PSN: p.rec.PSN, GID: p.rec.GID})
}
