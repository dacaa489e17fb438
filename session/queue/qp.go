// Package queue holds the queues of a session: completion queues with their channels
// and pollers, shared receive queues, queue pairs with their outstanding requests,
// and the address handles and multicast groups that datagrams need. A completion is
// matched to a queue pair and a request, and these refer to the completion queue:
// therefore they share a package. Code that posts requests or makes connections
// belongs in the packages above.
package queue

import (
	"net/netip"
	"sync"
	"sync/atomic"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/region"
	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// QP is a queue pair with what the session knows of it.
type QP struct {
	*core.Node
	QP             verbs.QP
	PD             *region.PD
	SendCQ, RecvCQ *CQ
	SRQ            *SRQ       // nil: it has a receive queue of its own
	ID             identifier // identifier it was made on; nil: made by create_qp
	Dropped        func()     // tells the identifier that the queue pair is gone; nil without one
	Num            verbs.QPN
	Spec           verbs.QPSpec
	Limits         verbs.QPCap // as granted

	state atomic.Uint64 // StateAt
	Gone  atomic.Bool
	Sent  atomic.Int64 // post time of the send request that completed last; ns since the session started
	Sends Requests
	Recvs Requests

	flight  flight // progress of the oldest request in Sends
	numbers numbers

	Windows region.Windows // of type 2, bound on it

	// Guarded by Session.mu.
	Attr  verbs.QPAttr // as set by modify_qp or read by query_qp
	Began core.PSNs    // as set by modify_qp
	PSN   verbs.PSN    // sent to peers; becomes sq_psn
	spent bool         // a connection has begun with PSN
	SGID  int          // row of the GID table to send to peers, -1: the best one
	Told  ToldGID      // sent to the peer of the last exchange
	peer  string       // what it was connected to, "" if unknown
	other *QP          // the same, if it is of this session

	datagram *core.DatagramView // the last that a single request has sent

	portDown bool // its port was down at the last post, and a note said so

	groups []mcastGroup // attached groups
}

// identifier is an identifier of the connection manager, as queue pairs and address
// handles need it.
type identifier interface {
	core.Body
	Object() *core.Node
	LeaveMulticast(netip.Addr) error

	// Session.mu is held when the methods below are called.

	OnPort() uint8          // port of its device; 0: none yet
	ToldPath() verbs.AHAttr // destination of datagrams, from an event; zero: none
	Groups() []netip.Addr   // joined groups
	ForgetGroups()          // called before they are left
}

// ToldGID is the row of the own GID table that was sent to a peer.
type ToldGID struct {
	Own route.ChosenGID
	To  verbs.GID // the peer's; zero until it is known
}

// flight is the last observed progress of a send queue's oldest request.
type flight struct {
	mu     sync.Mutex
	posted int64 // when the request was posted, in ns since the session started
	began  verbs.Tries
	view   core.FlightView
}

// numbers is the destination of a queue pair's requests and the packet sequence number of the next one. It is guarded
// by messages.mu.
type numbers struct {
	peer  netip.Addr
	num   verbs.QPN
	mtu   uint64
	next  verbs.PSN
	known bool // next is valid
}

// mcastGroup is a multicast group that a queue pair is attached to.
type mcastGroup struct {
	gid verbs.GID
	lid uint16
}

// About returns the queue pair that a call concerns, nil if there is none.
func About(c *core.Call) *QP {
	q, _ := c.About.(*QP)
	return q
}

// Joins takes note of what it is being connected to: o, if that is of this session, or nil. Call it with the session's
// lock held.
func (q *QP) Joins(name string, o *QP) { q.peer, q.other = name, o }

// Peer names what it is connected to, "" if that is unknown or no longer there.
func (q *QP) Peer() string {
	if q.other != nil && q.other.Gone.Load() {
		return ""
	}
	return q.peer
}

// Close implements [core.Body].
func (q *QP) Close() error {
	if err := q.QP.Close(); err != nil {
		return err
	}
	q.PD.Device.QPs.Remove(q.Num)
	q.Gone.Store(true)
	if q.Dropped != nil {
		q.Dropped()
	}
	return nil
}

// CloseVerb returns the name of the C function that destroys it.
func (q *QP) CloseVerb() string {
	if q.ID != nil {
		return "rdma_destroy_qp"
	}
	return command.CloseVerb(command.KindQP)
}

// Receives returns the requests of its own or its shared receive queue.
func (q *QP) Receives() *Requests {
	if q.SRQ != nil {
		return &q.SRQ.Recvs
	}
	return &q.Recvs
}

// NamesGID reports whether the user chose the row of the GID table.
func (q *QP) NamesGID() bool { return q.SGID >= 0 || q.PD.Device.NamesGID(q.Port()) }

// OwnGID returns the row of the GID table that peers should use as destination.
func (q *QP) OwnGID() (route.ChosenGID, error) {
	if q.SGID >= 0 {
		return q.PD.Device.NamedGID(q.Port(), q.SGID)
	}
	return q.PD.Device.ChooseGID(q.Port(), verbs.GID{})
}

// invalidated handles a SEND_WITH_INV from the peer.
func (q *QP) invalidated(key uint32) {
	if w := q.Windows.Find(key); w != nil {
		w.Show(region.Binding{})
	}
}

// Naming counts the outstanding requests that use the region with these keys.
func (q *QP) Naming(lkey, rkey uint32) int {
	return q.Sends.naming(lkey, rkey) + q.Recvs.naming(lkey, rkey)
}
