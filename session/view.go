package session

import "rdmatui/verbs"

// Snapshot is what a session looks like from outside: values, copied at once.
// Objects are in the order in which they were made.
type Snapshot struct {
	Version  uint64 // grows whenever something in the snapshot changed
	Live     bool   // completions are polled without being asked
	Devices  []DeviceView
	PDs      []PDView
	MRs      []MRView
	Channels []ChannelView
	CQs      []CQView
	QPs      []QPView
	AHs      []AHView
	Peers    []PeerView
}

// DeviceView is an open device.
type DeviceView struct {
	Name string // what the user calls it
	Info verbs.DeviceInfo
	Attr verbs.DeviceAttr
	Port verbs.PortAttr // port 1
	GIDs []verbs.GIDEntry
	GID  verbs.GIDEntry // the one that is chosen when none is named; zero if none is usable
}

// PDView is a protection domain.
type PDView struct {
	Name, Device string
	Users        []string // names of what was made from it
}

// MRView is a memory region.
type MRView struct {
	Name, PD, Device string
	Addr             uint64
	Length           uint64
	LKey, RKey       uint32
	Access           verbs.Access
}

// ChannelView is a completion channel.
type ChannelView struct{ Name, Device string }

// CQView is a completion queue with what has been taken from it.
type CQView struct {
	Name, Device, Channel string
	CQE                   int
	OK, Failed            uint64
}

// QPView is a queue pair.
type QPView struct {
	Name, Device, PD, SendCQ, RecvCQ string
	Num                              verbs.QPN
	Type                             verbs.QPType
	State                            verbs.QPState
	PSN                              verbs.PSN // what the session proposes as sq_psn
	Cap                              verbs.QPCap
	SQSigAll                         bool
	Attr                             verbs.QPAttr // as last set or queried; Mask says what is known
	SendOutstanding                  int          // requests posted whose end is not known yet
	RecvPosted                       int
	Peer                             string // the QP or peer that it was connected to, "" if none
}

// AHView is an address handle.
type AHView struct {
	Name, PD string
	Attr     verbs.AHAttr
}

// PeerView is what is known of a queue pair somewhere else.
type PeerView struct {
	Name  string
	LID   uint16
	QPN   verbs.QPN
	PSN   verbs.PSN
	GID   verbs.GID
	Addr  uint64 // of its memory, where the exchange told
	RKey  uint32
	Where string // how it was learned: "pingpong 10.9.0.2:18515", "by hand"
}

// Need says what a transition makes of an attribute.
type Need uint8

// Needs.
const (
	Required Need = iota
	Optional
	NotAllowed
)

// PlanRow is one attribute of a transition that is about to be made.
type PlanRow struct {
	Field   *verbs.QPField
	Need    Need
	Value   string // as it would be typed; "" leaves the attribute out
	Source  string // where the value came from: "from b", "default", "port 1: active_mtu 1024"
	Decoded string // what an encoded value stands for, "" if the text says it all
}

// Plan is a transition that is about to be made, prefilled.
type Plan struct {
	QP       string
	Type     verbs.QPType
	From, To verbs.QPState
	Valid    bool // the table has such a move
	Rows     []PlanRow
	Line     string // the command with the prefilled values
	Call     string // the C call that it would make
}
