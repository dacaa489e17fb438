package session

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
	qp             verbs.QP
	pd             *region.PD
	sendCQ, recvCQ *CQ
	srq            *SRQ       // nil: it has a receive queue of its own
	id             identifier // that it was made on; nil: by create_qp
	dropped        func()     // tells that of its end; nil without one
	num            verbs.QPN
	spec           verbs.QPSpec
	limits         verbs.QPCap // what was granted

	state atomic.Uint32 // verbs.QPState
	gone  atomic.Bool
	sent  atomic.Int64 // when the send request was posted that ended last; ns since the session began
	sends requestQueue
	recvs requestQueue

	windows region.Windows // of type 2, bound on it

	// Guarded by Session.mu.
	attr verbs.QPAttr // what modify_qp set, or query_qp read
	psn  verbs.PSN    // what peers are told; becomes sq_psn
	sgid int          // row of the GID table that peers are told, -1: the best one
	told toldGID      // what the peer of the last exchange was told
	peer string       // what it was connected to, "" if unknown

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

// qp is the queue pair concerned, nil where there is none.
func qp(c *core.Call) *QP {
	q, _ := c.About.(*QP)
	return q
}

// Close implements [core.Body].
func (q *QP) Close() error {
	if err := q.qp.Close(); err != nil {
		return err
	}
	q.pd.Device.QPs.Remove(q.num)
	q.gone.Store(true)
	if q.dropped != nil {
		q.dropped()
	}
	return nil
}

// CloseVerb is the C function that gives it back.
func (q *QP) CloseVerb() string {
	if q.id != nil {
		return "rdma_destroy_qp"
	}
	return command.CloseVerb(command.KindQP)
}

// receives is the requests that its messages go into.
func (q *QP) receives() *requestQueue {
	if q.srq != nil {
		return &q.srq.recvs
	}
	return &q.recvs
}

func (q *QP) stateNow() verbs.QPState { return verbs.QPState(q.state.Load()) }

// NamesGID reports whether the row of the own GID table was named.
func (q *QP) NamesGID() bool { return q.sgid >= 0 || q.pd.Device.NamesGID(q.Port()) }

// ownGID is the row of the GID table that a peer should address.
func (q *QP) ownGID() (choice.ChosenGID, error) {
	if q.sgid >= 0 {
		return q.pd.Device.NamedGID(q.Port(), q.sgid)
	}
	return q.pd.Device.ChooseGID(q.Port(), verbs.GID{})
}

// Fields implements [core.Body].
func (q *QP) Fields() []core.Field {
	text := func(s string) func() (string, error) { return func() (string, error) { return s, nil } }
	fs := []core.Field{
		{Name: "qp_num", Text: text(q.num.String())},
		{Name: "psn", Text: text(q.psn.String())},
		{Name: "gid", Text: func() (string, error) {
			e, err := q.ownGID()
			return e.GID.String(), err
		}},
		{Name: "lid", Text: text(fmt.Sprint(q.pd.Device.Port(q.Port()).LID))},
		{Name: "qp_type", Text: text(q.spec.QPType.String())},
		{Name: "qp_state", Text: text(q.stateNow().String())},
		{Name: "state", Text: text(q.stateNow().String())},
	}
	for i := range fields.QP {
		f := &fields.QP[i]
		switch {
		case f.Bit == verbs.AttrState:
		case f.Bit == verbs.AttrSQPSN && q.attr.Mask&f.Bit == 0:
			fs = append(fs, core.Field{Name: f.Name, Text: text(q.psn.String())})
		default:
			fs = append(fs, core.Field{Name: f.Name, Text: func() (string, error) { return f.Format(&q.attr), nil }})
		}
	}
	return fs
}

func createQP(c *core.Call) error {
	q := &QP{sgid: -1}
	if err := qpParts(c, q); err != nil {
		return err
	}
	name, err := c.NewName(command.KindQP)
	if err != nil {
		return err
	}
	q.specify(c)
	if err := q.lack(); err != nil {
		return err
	}
	c.Done.Call = q.createCall()
	if err := c.Time(func() (err error) { q.qp, err = q.pd.PD.CreateQP(q.spec); return err }); err != nil {
		return err
	}
	enterQP(c, q, name)
	return nil
}

// specify reads from the line what the queue pair is to be.
func (q *QP) specify(c *core.Call) {
	q.spec = verbs.QPSpec{
		QPType: c.Cmd.QPType("qp_type"), SendCQ: q.sendCQ.cq, RecvCQ: q.recvCQ.cq, SQSigAll: c.Cmd.Bool("sq_sig_all"),
		Cap: verbs.QPCap{
			MaxSendWR: uint32(c.Cmd.Uint("max_send_wr")), MaxRecvWR: uint32(c.Cmd.Uint("max_recv_wr")),
			MaxSendSGE: uint32(c.Cmd.Uint("max_send_sge")), MaxRecvSGE: uint32(c.Cmd.Uint("max_recv_sge")),
			MaxInlineData: uint32(c.Cmd.Uint("max_inline_data")),
		},
	}
	if c.Cmd.Spec.Arg("send_ops_flags") != nil {
		q.spec.SendOps = c.Cmd.SendOps("send_ops_flags")
		checkSendOps(c, q)
	}
	checkQPCap(c, q)
	if q.srq != nil {
		q.spec.SRQ = q.srq.srq
	}
}

// enterQP makes a queue pair that the provider has created one of the session's.
func enterQP(c *core.Call, q *QP, name string) {
	q.num, q.limits = q.qp.Num(), q.qp.Cap()
	q.psn = verbs.PSN(c.S.Opts.Rand()) & verbs.MaxPSN
	uses := []*core.Node{q.pd.Node, q.sendCQ.Node}
	if q.recvCQ != q.sendCQ {
		uses = append(uses, q.recvCQ.Node)
	}
	if q.srq != nil {
		uses = append(uses, q.srq.Node)
	}
	if q.id != nil {
		uses = append(uses, q.id.Object())
	}
	q.Node = &core.Node{Name: name, Kind: command.KindQP, Uses: uses, Body: q}
	q.windows.Of = q.Node
	q.pd.Device.QPs.Add(q.num, q)
	c.Enter(q.Node)
	g := q.limits
	c.Done.Result = fmt.Sprintf("qp_num %s, max_send_wr %d, max_recv_wr %d, max_send_sge %d, max_recv_sge %d, max_inline_data %d",
		q.num, g.MaxSendWR, g.MaxRecvWR, g.MaxSendSGE, g.MaxRecvSGE, g.MaxInlineData)
}

// qpParts finds what the queue pair is to be made from.
func qpParts(c *core.Call, q *QP) (err error) {
	if q.pd, err = core.ArgAs[*region.PD](c, "pd", nil); err != nil {
		return err
	}
	sameDevice := func(n *core.Node) bool { return n.Body.(*CQ).dev == q.pd.Device }
	if q.sendCQ, err = core.ArgAs[*CQ](c, "send_cq", sameDevice); err != nil {
		return err
	}
	if !c.Cmd.Has("recv_cq") {
		c.Choose("recv_cq", q.sendCQ.Name)
	}
	if q.recvCQ, err = core.ArgAs[*CQ](c, "recv_cq", nil); err != nil || !c.Cmd.Has("srq") {
		return err
	}
	q.srq, err = core.ArgAs[*SRQ](c, "srq", nil)
	return err
}

func checkQPCap(c *core.Call, q *QP) {
	a := &q.pd.Device.Attr
	for _, limit := range []struct {
		name     string
		asked    uint32
		max      int32
		maxField string
	}{
		{"max_send_wr", q.spec.Cap.MaxSendWR, a.MaxQPWR, "max_qp_wr"},
		{"max_recv_wr", q.spec.Cap.MaxRecvWR, a.MaxQPWR, "max_qp_wr"},
		{"max_send_sge", q.spec.Cap.MaxSendSGE, a.MaxSGE, "max_sge"},
		{"max_recv_sge", q.spec.Cap.MaxRecvSGE, a.MaxSGE, "max_sge"},
	} {
		if uint64(limit.asked) > uint64(max(limit.max, 0)) {
			c.Warn("%s is more than the device's %s %d", limit.name, limit.maxField, limit.max)
		}
	}
	if q.srq == nil {
		return
	}
	if q.srq.pd != q.pd {
		c.Warn("%s is of %s, the queue pair of %s", q.srq.Name, q.srq.pd.Name, q.pd.Name)
	}
	for _, name := range []string{"max_recv_wr", "max_recv_sge"} {
		if c.Cmd.Given(name) {
			c.Warn("%s does not count: receive requests come from %s", name, q.srq.Name)
		}
	}
}

// modifyQP makes the call with exactly the mask bits that the line names: to
// see what a missing one leads to is part of learning. Only inside the address
// vector, which is one bit, is what was left out filled in.
func modifyQP(c *core.Call) error {
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
	c.Done.Call = ccall.ModifyQP(q.Name, &attr)
	if err := c.Time(func() error { return q.qp.Modify(attr) }); err != nil {
		readState(c.S, q, "modify_qp that failed")
		return err
	}
	modified(c, q, &attr)
	c.Done.Result = q.stateNow().String()
	return nil
}

// modified takes note of what a modify has set.
func modified(c *core.Call, q *QP, attr *verbs.QPAttr) {
	c.S.Mu.Lock()
	if attr.Mask&verbs.AttrState != 0 && attr.QPState == verbs.QPReset {
		q.attr = verbs.QPAttr{}
	}
	mergeAttr(&q.attr, attr)
	c.S.Mu.Unlock()
	if attr.Mask&verbs.AttrState == 0 {
		c.S.Changed()
		return
	}
	if attr.QPState == verbs.QPReset {
		q.sends.clear()
		q.windows.Release()
		q.recvs.clear()
	}
	if e, moved := q.moveTo(attr.QPState, "modify_qp"); moved {
		c.After = append(c.After, e)
	}
	c.S.Changed()
}

// mergeAttr copies the fields that src names.
func mergeAttr(dst, src *verbs.QPAttr) {
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
	if q.pd.Device.NeedsGRH(port) || c.Cmd.Has("dgid") {
		choose("is_global", "1")
	}
	if !c.Cmd.Bool("is_global") {
		return nil
	}
	choose("hop_limit", hopLimit(attr.AH.GRH.DGID))
	if c.Cmd.Has("sgid_index") {
		return nil
	}
	e, err := q.sourceGID(port, attr.AH.GRH.DGID)
	if err == nil {
		choose("sgid_index", fmt.Sprint(e.Index))
	}
	return err
}

// sourceGID is the row of the own GID table from which to reach a peer.
func (q *QP) sourceGID(port uint8, peer verbs.GID) (choice.ChosenGID, error) {
	if q.NamesGID() {
		return q.ownGID()
	}
	if q.told.to == peer && !peer.IsZero() {
		return q.told.own, nil // it takes packets from no other address
	}
	return q.pd.Device.ChooseGID(port, peer)
}

// hopLimit is 64, the usual one of IP, except to link-local addresses, which no
// router passes on.
func hopLimit(dgid verbs.GID) string {
	if dgid.IsLinkLocal() {
		return "1"
	}
	return "64"
}

// allQPAttrs asks a query for everything but the rate limit of raw packet QPs.
const allQPAttrs verbs.AttrMask = 1<<21 - 1

func queryQP(c *core.Call) error {
	q, err := core.ArgAs[*QP](c, "qp", nil)
	if err != nil {
		return err
	}
	c.Done.Call = fmt.Sprintf("ibv_query_qp(%s, &attr, (1 << 21) - 1, &init_attr)", q.Name)
	var attr verbs.QPAttr
	var init verbs.QPInitAttr
	if err := c.Time(func() (err error) { attr, init, err = q.qp.Query(allQPAttrs); return err }); err != nil {
		return err
	}
	c.S.Mu.Lock()
	q.attr = attr
	c.S.Mu.Unlock()
	setState(c.S, q, attr.QPState, "query_qp")
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
		Name: q.Name, Device: q.pd.Device.Name, PD: q.pd.Name, SendCQ: q.sendCQ.Name, RecvCQ: q.recvCQ.Name,
		Num: q.num, Type: q.spec.QPType, State: q.stateNow(), Cap: q.limits, SQSigAll: q.spec.SQSigAll, SendOps: q.spec.SendOps,
		Port: q.Port(), PSN: q.psn, Attr: q.attr, SendOutstanding: q.sends.len(), RecvPosted: q.receives().len(), PeerName: q.peer,
		RecvRoom: q.receives().room(),
	}
	if q.srq != nil {
		view.SRQ = q.srq.Name
	}
	if e, err := q.ownGID(); err == nil {
		view.GID = e.GID
	}
	for _, g := range q.groups {
		v.Groups = append(v.Groups, core.GroupView{QP: q.Name, GID: g.gid, LID: g.lid})
	}
	counted := q.srq != nil && slices.ContainsFunc(v.QPs, func(o core.QPView) bool {
		return o.SRQ == view.SRQ && o.RecvCQ == view.RecvCQ
	})
	v.QPs = append(v.QPs, view)
	for i := range v.CQs {
		if v.CQs[i].Name == q.sendCQ.Name {
			v.CQs[i].Outstanding += view.SendOutstanding
		}
		if v.CQs[i].Name == q.recvCQ.Name && !counted {
			v.CQs[i].Outstanding += view.RecvPosted
		}
	}
}

// toldGID is the row of the own GID table that a peer was told.
type toldGID struct {
	own choice.ChosenGID
	to  verbs.GID // the peer's; zero as long as it is not known
}

// invalidated takes note of a SEND_WITH_INV of the peer's.
func (q *QP) invalidated(key uint32) {
	if w := q.windows.Find(key); w != nil {
		w.Show(region.Binding{})
	}
}

// AsyncCame looks for the state that an event has led to.
func (q *QP) AsyncCame(s *core.Session, e *verbs.AsyncEvent, told *timeline.AsyncEvent) (after func()) {
	told.QP = q.Name
	cause := "event " + e.Type.String()
	return func() { readState(s, q, cause) }
}

// Naming counts the requests under way that need the region of these keys.
func (q *QP) Naming(lkey, rkey uint32) int {
	return q.sends.naming(lkey, rkey) + q.recvs.naming(lkey, rkey)
}
