package queue

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/region"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/route"
)

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
	c.Done.C = ccall.QP(c.Cmd, q.PD.Device.Name)
	if err := c.Time(func() (err error) { q.QP, err = q.PD.PD.CreateQP(q.Spec); return err }); err != nil {
		c.Done.Hint = overInline(c, q, err)
		return err
	}
	EnterQP(c, q, name)
	return nil
}

// overInline names the device's limit of inline data if a queue pair was refused for more; "" if it was not. No verb
// tells the limit, so smaller sizes are tried.
func overInline(c *core.Call, q *QP, err error) string {
	var no syscall.Errno
	asked := q.Spec.Cap.MaxInlineData
	if asked == 0 || len(c.Warnings) > 0 || !errors.As(err, &no) || no != syscall.EINVAL && no != syscall.ENOMEM {
		return ""
	}
	accepts := func(size uint32) bool {
		spec := q.Spec
		spec.Cap.MaxInlineData = size
		ok := false
		tried := c.S.Guard(c.Ctx, c.Done.C, func() error {
			qp, err := q.PD.PD.CreateQP(spec)
			if ok = err == nil; ok {
				err = qp.Close()
			}
			return err
		})
		return ok && tried == nil
	}
	if !accepts(0) {
		return ""
	}
	low, high := uint32(0), asked // accepted, and refused
	for high-low > 1 {
		if size := low + (high-low)/2; accepts(size) {
			low = size
		} else {
			high = size
		}
	}
	return fmt.Sprintf("max_inline_data %d is above what %s accepts, at most %d", asked, q.PD.Device.Name, low)
}

// Specify reads the attributes of the new queue pair from the line.
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

// EnterQP adds a queue pair that the provider has created to the session.
func EnterQP(c *core.Call, q *QP, name string) {
	q.Num, q.Limits = q.QP.Num(), q.QP.Cap()
	q.newPSN(c.S)
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
	q.RecordSteps(true)
	c.Enter(q.Node)
	g := q.Limits
	c.Done.Result = fmt.Sprintf(
		"qp_num %s, max_send_wr %d, max_recv_wr %d, max_send_sge %d, max_recv_sge %d, max_inline_data %d",
		q.Num, g.MaxSendWR, g.MaxRecvWR, g.MaxSendSGE, g.MaxRecvSGE, g.MaxInlineData)
}

// RecordSteps makes the device record the steps of single requests, if it can, or stops that: it slows down a measured
// loop.
func (q *QP) RecordSteps(on bool) {
	if r, ok := q.QP.(verbs.StepRecorder); ok {
		r.RecordSteps(on)
	}
}

// QPParts finds the objects that the queue pair is made from.
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
		c.WarnOf(nil, fmt.Sprintf("%s is in %s, the queue pair in %s: RECVs need regions of %s, on rxe of %s",
			q.SRQ.Name, q.SRQ.PD.Name, q.PD.Name, q.SRQ.PD.Name, q.PD.Name))
	}
	for _, name := range []string{"max_recv_wr", "max_recv_sge"} {
		if c.Cmd.Given(name) {
			c.Warn("%s is ignored: receive requests come from %s", name, q.SRQ.Name)
		}
	}
}

// ModifyQP carries out modify_qp with exactly the mask bits that the line names:
// users should be able to see what a missing one causes. It adds defaults only within
// the address vector, which is a single bit.
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
	c.Done.C = ccall.Modify(q.Name, attr)
	before := q.StateAt()
	if err := c.Time(func() error { return q.QP.Modify(attr) }); err != nil {
		ReadState(c.S, q, "modify_qp that failed")
		return err
	}
	Modified(c, q, before, &attr)
	c.Done.Result = q.StateNow().String()
	return nil
}

// Modified stores what a modify has set. before is the StateAt from before the call.
func Modified(c *core.Call, q *QP, before StateAt, attr *verbs.QPAttr) {
	c.S.Mu.Lock()
	if attr.Mask&verbs.AttrState != 0 && attr.QPState == verbs.QPReset {
		q.Attr, q.Began = verbs.QPAttr{}, core.PSNs{}
	}
	fields.Merge(&q.Attr, attr)
	q.begin(attr)
	q.renumber(c.S, attr)
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
	switch e, ok := q.moveTo(before, attr.QPState, "modify_qp"); {
	case !ok: // an event reader has stored a state, which may be newer
		ReadState(c.S, q, "modify_qp")
	case e.State != nil:
		c.After = append(c.After, e)
	}
	c.S.Changed()
}

// fillPath sets omitted parts of an address vector that have only one sensible value.
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

// SourceGID returns the row of the own GID table to use as source towards a peer.
func (q *QP) SourceGID(port uint8, peer verbs.GID) (route.ChosenGID, error) {
	if q.NamesGID() {
		return q.OwnGID()
	}
	if q.Told.To == peer && !peer.IsZero() {
		return q.Told.Own, nil // the peer accepts packets from this address only
	}
	return q.PD.Device.ChooseGID(port, peer)
}

// HopLimit returns 64, the usual IP default, or 1 for link-local destinations, which
// routers do not forward.
func HopLimit(dgid verbs.GID) string {
	if dgid.IsLinkLocal() {
		return "1"
	}
	return "64"
}

// allQPAttrs queries everything except the rate limit of raw packet QPs.
const allQPAttrs verbs.AttrMask = 1<<21 - 1

// QueryQP carries out query_qp.
func QueryQP(c *core.Call) error {
	q, err := core.ArgAs[*QP](c, "qp", nil)
	if err != nil {
		return err
	}
	var attr verbs.QPAttr
	var init verbs.QPInitAttr
	before := q.StateAt()
	if err := c.Time(func() (err error) { attr, init, err = q.QP.Query(allQPAttrs); return err }); err != nil {
		return err
	}
	c.S.Mu.Lock()
	q.Attr = attr
	c.S.Mu.Unlock()
	SetState(c.S, q, before, attr.QPState, "query_qp")
	c.Done.Result = describeQP(&attr, &init)
	return nil
}

// QueryQPDataInOrder carries out query_qp_data_in_order.
func QueryQPDataInOrder(c *core.Call) error {
	q, err := core.ArgAs[*QP](c, "qp", nil)
	if err != nil {
		return err
	}
	c.Done.C = ccall.Line(c.Cmd, nil)
	order, ok := q.QP.(verbs.DataInOrderQuerier)
	if !ok {
		return &verbs.UnsupportedError{Feature: "ibv_query_qp_data_in_order"}
	}
	flags := c.Cmd.DataInOrderFlags("flags")
	var got verbs.DataInOrder
	ask := func() (err error) { got, err = order.QueryDataInOrder(c.Cmd.Opcode("op"), flags); return err }
	if err := c.Time(ask); err != nil {
		return err
	}
	answer := fmt.Sprint(uint32(got))
	if flags&verbs.InOrderReturnCaps != 0 {
		answer = got.String()
	}
	c.Done.Result = answer + ": " + orderMeans(got)
	return nil
}

func orderMeans(order verbs.DataInOrder) string {
	switch {
	case order&verbs.InOrderWholeMsg != 0:
		return "in order: the last byte of a message is written last"
	case order&verbs.InOrder128ByteParts != 0:
		return "in order within each aligned block of 128 bytes"
	}
	return "the order is not guaranteed; wait for the completion"
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
