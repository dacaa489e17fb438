package queue

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/ring"
)

// KeptMessages is how many posted send requests of a session are remembered.
const KeptMessages = 4096

// Message is a posted send request with the packet sequence numbers that it takes. It is remembered after its
// completion, so that packets can be related to it.
type Message struct {
	At             time.Duration // of the post
	Command, Index uint64        // as in Request
	WRID           uint64
	Opcode         verbs.WROpcode
	Length         uint64 // bytes
	// Device is the provider's name: one that the connection manager opened has another in the session
	QP, Device  string
	Type        verbs.QPType
	Num         verbs.QPN
	Peer        netip.Addr // invalid: unknown
	PeerNum     verbs.QPN  // 0: unknown
	First, Last verbs.PSN  // valid if Numbered
	Numbered    bool       // the session has set sq_psn and posted every request since
}

// OnWire reports whether a request sends packets.
func (m *Message) OnWire() bool { return !m.Opcode.Traits().Local() }

// messages holds the newest messages of a session.
type messages struct {
	mu   sync.Mutex
	kept ring.Ring[Message]
}

func messagesOf(s *core.Session) *messages { return core.Part[messages](s, nil) }

// Messages returns the remembered send requests of a session, oldest first.
func Messages(s *core.Session) []Message {
	all := messagesOf(s)
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.kept.AppendTo(nil, 0, all.kept.Len())
}

// PushSend records a send request before it is posted, and numbers its packets. It returns how many are outstanding
// with it.
func (q *QP) PushSend(s *core.Session, r Request) (outstanding int) {
	all := messagesOf(s)
	all.mu.Lock()
	n := &q.numbers
	m := all.kept.Keep(KeptMessages)
	*m = Message{
		At: time.Duration(r.At), Command: r.Command, Index: r.Index, WRID: r.WRID, Opcode: r.Opcode,
		Length: verbs.TotalLength(r.List), QP: q.Name, Device: q.PD.Device.Info.Name, Type: q.Spec.QPType,
		Num: q.Num, Peer: n.peer, PeerNum: n.num, First: n.next, Numbered: n.known,
	}
	if q.Spec.QPType == verbs.UD && r.Posted != nil && r.Posted.WR != nil {
		m.PeerNum = r.Posted.WR.RemoteQPN
	}
	if m.OnWire() {
		n.next = (n.next + verbs.PSN(n.packets(m))) & verbs.MaxPSN
	}
	m.Last = (n.next - 1) & verbs.MaxPSN
	all.mu.Unlock()
	return q.Sends.Push(r)
}

// UnpushSends removes the newest k requests, which the provider refused.
func (q *QP) UnpushSends(s *core.Session, k int) {
	q.Sends.Unpush(k)
	all := messagesOf(s)
	all.mu.Lock()
	defer all.mu.Unlock()
	if k = min(k, all.kept.Len()); k > 0 {
		q.numbers.next = all.kept.At(all.kept.Len() - k).First
		all.kept.DropNewest(k)
	}
}

// packets is how many packet sequence numbers a request takes: one for each packet, of a READ for each packet of its
// answer; IBA 9.7.
func (n *numbers) packets(m *Message) uint64 {
	if m.Type == verbs.UD || m.Opcode.Traits().Atomic || m.Opcode.Traits().Flush || n.mtu == 0 {
		return 1
	}
	return max(1, (m.Length+n.mtu-1)/n.mtu)
}

// renumber takes the destination and the numbering that a modify has set; it changed the given attributes. Session.mu
// is held.
func (q *QP) renumber(s *core.Session, attr *verbs.QPAttr) {
	all := messagesOf(s)
	all.mu.Lock()
	defer all.mu.Unlock()
	n := &q.numbers
	if attr.Mask&verbs.AttrState != 0 && (attr.QPState != verbs.QPRTS || q.StateNow() == verbs.QPSQE) {
		n.known = n.known && attr.QPState == verbs.QPSQD // elsewhere requests are flushed, or the numbers begin anew
	}
	if n.peer = (netip.Addr{}); q.Attr.Mask&verbs.AttrAV != 0 {
		n.peer = q.Attr.AH.GRH.DGID.Addr()
	}
	n.num, n.mtu = q.Attr.DestQPNum, uint64(q.Attr.PathMTU.Bytes())
	if attr.Mask&verbs.AttrSQPSN != 0 {
		n.next, n.known = attr.SQPSN&verbs.MaxPSN, n.mtu > 0 || q.Spec.QPType == verbs.UD
	}
}

// Locate asks the devices where the queue pairs send that the connection manager has connected, and fills in the
// destinations of their messages.
func Locate(ctx context.Context, s *core.Session) {
	var managed []*QP
	s.Mu.RLock()
	for _, n := range s.Graph.ByKind[command.KindQP] {
		if q := n.Body.(*QP); q.ID != nil && q.Spec.QPType != verbs.UD {
			managed = append(managed, q)
		}
	}
	s.Mu.RUnlock()
	for _, q := range managed {
		var attr verbs.QPAttr
		err := s.Guard(ctx, ccall.Text("ibv_query_qp("+q.Name+")"), func() (err error) {
			attr, _, err = q.QP.Query(verbs.AttrDestQPN | verbs.AttrAV)
			return err
		})
		if err == nil && attr.DestQPNum != 0 {
			messagesOf(s).locate(q, &attr)
		}
	}
}

func (all *messages) locate(q *QP, attr *verbs.QPAttr) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for i := range all.kept.Len() {
		if m := all.kept.At(i); m.PeerNum == 0 && m.QP == q.Name && m.Num == q.Num {
			m.Peer, m.PeerNum = attr.AH.GRH.DGID.Addr(), attr.DestQPNum
		}
	}
}

// Unnumber forgets the numbering of a queue pair on which requests are posted that are not recorded one by one.
func (q *QP) Unnumber(s *core.Session) {
	all := messagesOf(s)
	all.mu.Lock()
	defer all.mu.Unlock()
	q.numbers.known = false
}
