// Package queue is the queues of a session: completion queues with their channels
// and pollers, shared receive queues, queue pairs, what was posted to them and what
// completed, and the address handles and multicast groups that datagrams need. A
// completion is matched with the queue pair and the request that it ends, and these
// name the queue where they end: therefore they live together. What posts requests
// and what makes connections stands above and never comes here.
package queue

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/region"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/choice"
	"rdmatui/verbs/fields"
)

// QP is a queue pair and what is known of it.
type QP struct {
	*core.Node
	QP             verbs.QP
	PD             *region.PD
	SendCQ, RecvCQ *CQ
	SRQ            *SRQ       // nil: it has a receive queue of its own
	ID             identifier // that it was made on; nil: by create_qp
	Dropped        func()     // tells that of its end; nil without one
	Num            verbs.QPN
	Spec           verbs.QPSpec
	Limits         verbs.QPCap // what was granted

	State atomic.Uint32 // verbs.QPState
	Gone  atomic.Bool
	Sent  atomic.Int64 // when the send request was posted that ended last; ns since the session began
	Sends Requests
	Recvs Requests

	flight flight // how the oldest of Sends fares

	Windows region.Windows // of type 2, bound on it

	// Guarded by Session.mu.
	Attr  verbs.QPAttr // what modify_qp set, or query_qp read
	Began core.PSNs    // what modify_qp set
	PSN   verbs.PSN    // what peers are told; becomes sq_psn
	SGID  int          // row of the GID table that peers are told, -1: the best one
	Told  ToldGID      // what the peer of the last exchange was told
	Peer  string       // what it was connected to, "" if unknown

	portDown bool // its port was when it was last posted to, which was noted

	groups []mcastGroup // that it is attached to
}

// identifier is one of the connection manager's, as queue pairs and address handles know it.
type identifier interface {
	core.Body
	Object() *core.Node
	LeaveMulticast(netip.Addr) error

	// The methods below are called with Session.mu held.

	OnPort() uint8          // of its device; 0: none yet
	ToldPath() verbs.AHAttr // where datagrams go, as it was told; zero: nowhere
	Groups() []netip.Addr   // that it has joined
	ForgetGroups()          // they are about to be left
}

// About is the queue pair concerned, nil where there is none.
func About(c *core.Call) *QP {
	q, _ := c.About.(*QP)
	return q
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

// CloseVerb is the C function that gives it back.
func (q *QP) CloseVerb() string {
	if q.ID != nil {
		return "rdma_destroy_qp"
	}
	return command.CloseVerb(command.KindQP)
}

// Receives is the requests that its messages go into.
func (q *QP) Receives() *Requests {
	if q.SRQ != nil {
		return &q.SRQ.Recvs
	}
	return &q.Recvs
}

// StateNow is the state that was seen last.
func (q *QP) StateNow() verbs.QPState { return verbs.QPState(q.State.Load()) }

// NamesGID reports whether the row of the own GID table was named.
func (q *QP) NamesGID() bool { return q.SGID >= 0 || q.PD.Device.NamesGID(q.Port()) }

// OwnGID is the row of the GID table that a peer should address.
func (q *QP) OwnGID() (choice.ChosenGID, error) {
	if q.SGID >= 0 {
		return q.PD.Device.NamedGID(q.Port(), q.SGID)
	}
	return q.PD.Device.ChooseGID(q.Port(), verbs.GID{})
}

// Fields implements [core.Body].
func (q *QP) Fields() []core.Field {
	text := func(s string) func() (string, error) { return func() (string, error) { return s, nil } }
	fs := []core.Field{
		{Name: "qp_num", Text: text(q.Num.String())},
		{Name: "psn", Text: text(q.PSN.String())},
		{Name: "gid", Text: func() (string, error) {
			e, err := q.OwnGID()
			return e.GID.String(), err
		}},
		{Name: "lid", Text: text(fmt.Sprint(q.PD.Device.Port(q.Port()).LID))},
		{Name: "qp_type", Text: text(q.Spec.QPType.String())},
		{Name: "qp_state", Text: text(q.StateNow().String())},
		{Name: "state", Text: text(q.StateNow().String())},
	}
	for i := range fields.QP {
		f := &fields.QP[i]
		switch {
		case f.Bit == verbs.AttrState:
		case f.Bit == verbs.AttrSQPSN && q.Attr.Mask&f.Bit == 0:
			fs = append(fs, core.Field{Name: f.Name, Text: text(q.PSN.String())})
		default:
			fs = append(fs, core.Field{Name: f.Name, Text: func() (string, error) { return f.Format(&q.Attr), nil }})
		}
	}
	return fs
}

// CreateQP carries out create_qp.
func CreateQP(c *core.Call) error {
	q := &QP{SGID: -1}
	if err := QPParts(c, q); err != nil {
		return err
	}
	name, err := c.NewName(command.KindQP)
	if err != nil {
		return err
	}
	q.Specify(c)
	if err := q.Lack(); err != nil {
		return err
	}
	c.Done.Call = q.CreateCall()
	if err := c.Time(func() (err error) { q.QP, err = q.PD.PD.CreateQP(q.Spec); return err }); err != nil {
		return err
	}
	EnterQP(c, q, name)
	return nil
}

// Specify reads from the line what the queue pair is to be.
func (q *QP) Specify(c *core.Call) {
	q.Spec = verbs.QPSpec{
		QPType: c.Cmd.QPType("qp_type"), SendCQ: q.SendCQ.CQ, RecvCQ: q.RecvCQ.CQ, SQSigAll: c.Cmd.Bool("sq_sig_all"),
		Cap: verbs.QPCap{
			MaxSendWR: uint32(c.Cmd.Uint("max_send_wr")), MaxRecvWR: uint32(c.Cmd.Uint("max_recv_wr")),
			MaxSendSGE: uint32(c.Cmd.Uint("max_send_sge")), MaxRecvSGE: uint32(c.Cmd.Uint("max_recv_sge")),
			MaxInlineData: uint32(c.Cmd.Uint("max_inline_data")),
		},
	}
	if c.Cmd.Spec.Arg("send_ops_flags") != nil {
		q.Spec.SendOps = c.Cmd.SendOps("send_ops_flags")
		checkSendOps(c, q)
	}
	checkQPCap(c, q)
	if q.SRQ != nil {
		q.Spec.SRQ = q.SRQ.SRQ
	}
}

// NewPSN chooses a PSN to begin at.
func NewPSN(s *core.Session) verbs.PSN { return verbs.PSN(s.Opts.Rand()) & verbs.MaxPSN }

// EnterQP makes a queue pair that the provider has created one of the session's.
func EnterQP(c *core.Call, q *QP, name string) {
	q.Num, q.Limits = q.QP.Num(), q.QP.Cap()
	q.PSN = NewPSN(c.S)
	uses := []*core.Node{q.PD.Node, q.SendCQ.Node}
	if q.RecvCQ != q.SendCQ {
		uses = append(uses, q.RecvCQ.Node)
	}
	if q.SRQ != nil {
		uses = append(uses, q.SRQ.Node)
	}
	if q.ID != nil {
		uses = append(uses, q.ID.Object())
	}
	q.Node = &core.Node{Name: name, Kind: command.KindQP, Uses: uses, Body: q}
	q.Windows.Of = q.Node
	q.PD.Device.QPs.Add(q.Num, q)
	c.Enter(q.Node)
	g := q.Limits
	c.Done.Result = fmt.Sprintf("qp_num %s, max_send_wr %d, max_recv_wr %d, max_send_sge %d, max_recv_sge %d, max_inline_data %d",
		q.Num, g.MaxSendWR, g.MaxRecvWR, g.MaxSendSGE, g.MaxRecvSGE, g.MaxInlineData)
}

// QPParts finds what the queue pair is to be made from.
func QPParts(c *core.Call, q *QP) (err error) {
	if q.PD, err = core.ArgAs[*region.PD](c, "pd", nil); err != nil {
		return err
	}
	sameDevice := func(n *core.Node) bool { return n.Body.(*CQ).dev == q.PD.Device }
	if q.SendCQ, err = core.ArgAs[*CQ](c, "send_cq", sameDevice); err != nil {
		return err
	}
	if !c.Cmd.Has("recv_cq") {
		c.Choose("recv_cq", q.SendCQ.Name)
	}
	if q.RecvCQ, err = core.ArgAs[*CQ](c, "recv_cq", nil); err != nil || !c.Cmd.Has("srq") {
		return err
	}
	q.SRQ, err = core.ArgAs[*SRQ](c, "srq", nil)
	return err
}

func checkQPCap(c *core.Call, q *QP) {
	a := &q.PD.Device.Attr
	for _, limit := range []struct {
		name     string
		asked    uint32
		max      int32
		maxField string
	}{
		{"max_send_wr", q.Spec.Cap.MaxSendWR, a.MaxQPWR, "max_qp_wr"},
		{"max_recv_wr", q.Spec.Cap.MaxRecvWR, a.MaxQPWR, "max_qp_wr"},
		{"max_send_sge", q.Spec.Cap.MaxSendSGE, a.MaxSGE, "max_sge"},
		{"max_recv_sge", q.Spec.Cap.MaxRecvSGE, a.MaxSGE, "max_sge"},
	} {
		if uint64(limit.asked) > uint64(max(limit.max, 0)) {
			c.Warn("%s is more than the device's %s %d", limit.name, limit.maxField, limit.max)
		}
	}
	if q.SRQ == nil {
		return
	}
	if q.SRQ.PD != q.PD {
		c.Warn("%s is of %s, the queue pair of %s", q.SRQ.Name, q.SRQ.PD.Name, q.PD.Name)
	}
	for _, name := range []string{"max_recv_wr", "max_recv_sge"} {
		if c.Cmd.Given(name) {
			c.Warn("%s is ignored: receive requests come from %s", name, q.SRQ.Name)
		}
	}
}

// ModifyQP makes the call with exactly the mask bits that the line names: to
// see what a missing one leads to is part of learning. Only inside the address
// vector, which is one bit, is what was left out filled in.
func ModifyQP(c *core.Call) error {
	q, err := core.ArgAs[*QP](c, "qp", nil)
	if err != nil {
		return err
	}
	c.About = q
	attr, err := c.Cmd.QPAttr()
	if err != nil {
		return err
	}
	if attr.Mask&verbs.AttrAV != 0 {
		if err := fillPath(c, q, &attr); err != nil {
			c.Warn("%v", err)
		}
		if attr, err = c.Cmd.QPAttr(); err != nil {
			return err
		}
	}
	if err := lackOfModify(q, &attr); err != nil {
		return err
	}
	checkModify(c, q, &attr)
	c.Done.Call = ccall.ModifyQP(q.Name, ccall.QPAttr(&attr), attr.Mask).Short()
	if err := c.Time(func() error { return q.QP.Modify(attr) }); err != nil {
		ReadState(c.S, q, "modify_qp that failed")
		return err
	}
	Modified(c, q, &attr)
	c.Done.Result = q.StateNow().String()
	return nil
}

// Modified takes note of what a modify has set.
func Modified(c *core.Call, q *QP, attr *verbs.QPAttr) {
	c.S.Mu.Lock()
	if attr.Mask&verbs.AttrState != 0 && attr.QPState == verbs.QPReset {
		q.Attr, q.Began = verbs.QPAttr{}, core.PSNs{}
	}
	MergeAttr(&q.Attr, attr)
	q.begin(attr)
	c.S.Mu.Unlock()
	if attr.Mask&verbs.AttrState == 0 {
		c.S.Changed()
		return
	}
	if attr.QPState == verbs.QPReset {
		q.Sends.Clear()
		q.Windows.Release()
		q.Recvs.Clear()
	}
	if e, moved := q.moveTo(attr.QPState, "modify_qp"); moved {
		c.After = append(c.After, e)
	}
	c.S.Changed()
}

// begin keeps the PSNs that a modify has set.
func (q *QP) begin(attr *verbs.QPAttr) {
	if attr.Mask&verbs.AttrSQPSN != 0 {
		q.Began.SQ = attr.SQPSN
	}
	if attr.Mask&verbs.AttrRQPSN != 0 {
		q.Began.RQ = attr.RQPSN
	}
	q.Began.Mask |= attr.Mask & (verbs.AttrSQPSN | verbs.AttrRQPSN)
}

// MergeAttr copies the fields that src names.
func MergeAttr(dst, src *verbs.QPAttr) {
	for i := range fields.QP {
		if f := &fields.QP[i]; src.Mask&f.Bit != 0 {
			_ = f.Set(dst, f.Format(src)) // what it wrote it reads
		}
	}
}

// fillPath chooses the parts of an address vector that were left out and can
// only sensibly be one thing.
func fillPath(c *core.Call, q *QP, attr *verbs.QPAttr) error {
	c.S.Mu.RLock()
	defer c.S.Mu.RUnlock()
	choose := func(name, text string) {
		if !c.Cmd.Has(name) {
			c.Choose(name, text)
		}
	}
	port := q.Port()
	if c.Cmd.Has("ah_port_num") {
		port = attr.AH.PortNum
	}
	choose("ah_port_num", fmt.Sprint(port))
	if q.PD.Device.NeedsGRH(port) || c.Cmd.Has("dgid") {
		choose("is_global", "1")
	}
	if !c.Cmd.Bool("is_global") {
		return nil
	}
	choose("hop_limit", HopLimit(attr.AH.GRH.DGID))
	if c.Cmd.Has("sgid_index") {
		return nil
	}
	e, err := q.SourceGID(port, attr.AH.GRH.DGID)
	if err == nil {
		choose("sgid_index", fmt.Sprint(e.Index))
	}
	return err
}

// SourceGID is the row of the own GID table from which to reach a peer.
func (q *QP) SourceGID(port uint8, peer verbs.GID) (choice.ChosenGID, error) {
	if q.NamesGID() {
		return q.OwnGID()
	}
	if q.Told.To == peer && !peer.IsZero() {
		return q.Told.Own, nil // it takes packets from no other address
	}
	return q.PD.Device.ChooseGID(port, peer)
}

// HopLimit is 64, the usual one of IP, except to link-local addresses, which no
// router passes on.
func HopLimit(dgid verbs.GID) string {
	if dgid.IsLinkLocal() {
		return "1"
	}
	return "64"
}

// allQPAttrs asks a query for everything but the rate limit of raw packet QPs.
const allQPAttrs verbs.AttrMask = 1<<21 - 1

// QueryQP carries out query_qp.
func QueryQP(c *core.Call) error {
	q, err := core.ArgAs[*QP](c, "qp", nil)
	if err != nil {
		return err
	}
	c.Done.Call = fmt.Sprintf("ibv_query_qp(%s, &attr, (1 << 21) - 1, &init_attr)", q.Name)
	var attr verbs.QPAttr
	var init verbs.QPInitAttr
	if err := c.Time(func() (err error) { attr, init, err = q.QP.Query(allQPAttrs); return err }); err != nil {
		return err
	}
	c.S.Mu.Lock()
	q.Attr = attr
	c.S.Mu.Unlock()
	SetState(c.S, q, attr.QPState, "query_qp")
	c.Done.Result = describeQP(&attr, &init)
	return nil
}

func describeQP(a *verbs.QPAttr, init *verbs.QPInitAttr) string {
	parts := []string{"qp_type=" + init.QPType.String()}
	for i := range fields.QP {
		f := &fields.QP[i]
		if a.Mask&f.Bit != 0 && f.Bit != verbs.AttrAltPath {
			parts = append(parts, f.Name+"="+f.Format(a))
		}
	}
	return strings.Join(parts, " ")
}

// View also counts the outstanding requests into the queues where they will
// complete, which come before it; those of a shared receive queue once into
// each.
func (q *QP) View(v *core.Snapshot) {
	view := core.QPView{
		Name: q.Name, Device: q.PD.Device.Name, PD: q.PD.Name, SendCQ: q.SendCQ.Name, RecvCQ: q.RecvCQ.Name,
		Num: q.Num, Type: q.Spec.QPType, State: q.StateNow(), Cap: q.Limits, SQSigAll: q.Spec.SQSigAll, SendOps: q.Spec.SendOps,
		Port: q.Port(), PSN: q.PSN, Began: q.Began, Attr: q.Attr, SendOutstanding: q.Sends.Len(), RecvPosted: q.Receives().Len(), PeerName: q.Peer,
		RecvRoom: q.Receives().room(), Sends: q.sendsView(),
	}
	if q.SRQ != nil {
		view.SRQ = q.SRQ.Name
	}
	if e, err := q.OwnGID(); err == nil {
		view.GID = e.GID
	}
	for _, g := range q.groups {
		v.Groups = append(v.Groups, core.GroupView{QP: q.Name, GID: g.gid, LID: g.lid})
	}
	counted := q.SRQ != nil && slices.ContainsFunc(v.QPs, func(o core.QPView) bool {
		return o.SRQ == view.SRQ && o.RecvCQ == view.RecvCQ
	})
	v.QPs = append(v.QPs, view)
	for i := range v.CQs {
		if v.CQs[i].Name == q.SendCQ.Name {
			v.CQs[i].Outstanding += view.SendOutstanding
		}
		if v.CQs[i].Name == q.RecvCQ.Name && !counted {
			v.CQs[i].Outstanding += view.RecvPosted
		}
	}
}

// ToldGID is the row of the own GID table that a peer was told.
type ToldGID struct {
	Own choice.ChosenGID
	To  verbs.GID // the peer's; zero as long as it is not known
}

// invalidated takes note of a SEND_WITH_INV of the peer's.
func (q *QP) invalidated(key uint32) {
	if w := q.Windows.Find(key); w != nil {
		w.Show(region.Binding{})
	}
}

// AsyncCame looks for the state that an event has led to.
func (q *QP) AsyncCame(s *core.Session, e *verbs.AsyncEvent, told *timeline.AsyncEvent) (after func()) {
	told.QP = q.Name
	cause := "event " + e.Type.String()
	return func() { ReadState(s, q, cause) }
}

// Naming counts the requests under way that need the region of these keys.
func (q *QP) Naming(lkey, rkey uint32) int {
	return q.Sends.naming(lkey, rkey) + q.Recvs.naming(lkey, rkey)
}
