package post

import (
	"fmt"

	"rdmatui/session/ccall"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// BindMW carries out bind_mw.
func BindMW(c *core.Call) error {
	q, err := core.ArgAs[*queue.QP](c, "qp", nil)
	if err != nil {
		return err
	}
	c.About = q
	w, b, err := bindingArgs(c, q, verbs.MWType1)
	if err != nil {
		return err
	}
	id, flags := workRequestID(c), c.Cmd.SendFlags("send_flags")
	b.RKey = verbs.NextRKey(w.MW.RKey())
	checkBind(c, q, w, &b)
	var raw ccall.Struct
	raw.Set("wr_id", fmt.Sprint(id))
	raw.Set("send_flags", verbs.SendFlagNames.CName(flags))
	raw.Set("bind_info", b.CInfo())
	c.Done.Call = fmt.Sprintf("ibv_bind_mw(%s, %s, %s)", q.Name, w.Name, raw.String())
	r := queue.Request{WRID: id, Opcode: verbs.WRBindMW, Signaled: flags&verbs.SendSignaled != 0 || q.Spec.SQSigAll, Undo: w.Show(b)}
	if err := postRequest(c, q, r, func() error { return q.QP.BindMW(w.MW, id, flags, b.Verbs()) }); err != nil {
		return err
	}
	c.Done.Result = fmt.Sprintf("posted, rkey 0x%x, %d outstanding", w.MW.RKey(), q.Sends.Len())
	return nil
}

// postRequest enters a request, since its completion may be seen before the post
// has returned, posts it, and takes it back where that fails.
func postRequest(c *core.Call, q *queue.QP, r queue.Request, post func() error) error {
	r.At, r.Command = Now(c.S), c.Done.Number
	q.Sends.Push(r)
	if err := c.TimeHere(post); err != nil {
		q.Sends.Unpush(1)
		if r.Undo != nil {
			r.Undo()
		}
		return err
	}
	q.SendCQ.Posted()
	c.S.Changed()
	return nil
}

// bindingArgs reads what a window of the type is to show, and chooses what the
// line leaves out: the whole region, and the next key.
func bindingArgs(c *core.Call, q *queue.QP, typ verbs.MWType) (*region.MW, region.Binding, error) {
	b := region.Binding{Length: c.Cmd.Uint("length"), Addr: c.Cmd.Uint("addr"), Access: c.Cmd.Access("mw_access_flags")}
	w, err := core.ArgAs[*region.MW](c, "mw", func(n *core.Node) bool { return n.Body.(*region.MW).MW.Type() == typ })
	if err != nil {
		return nil, b, err
	}
	if typ == verbs.MWType2 {
		b.On = &q.Windows
	}
	if c.Cmd.Has("length") && b.Length == 0 && !c.Cmd.Has("mr") {
		b.From = w.Now().MR
		return w, b, nil // the binding is taken away
	}
	r, err := core.ArgAs[*region.MR](c, "mr", func(n *core.Node) bool {
		r := n.Body.(*region.MR)
		return r.PD == w.PD && r.MR.Spec().Access&verbs.MWBind != 0
	})
	if err != nil {
		return nil, b, err
	}
	b.MR = r
	if !c.Cmd.Has("addr") {
		b.Addr = r.MR.Addr()
		c.Choose("addr", ccall.Hex(b.Addr))
	}
	if !c.Cmd.Has("length") {
		b.Length = r.MR.Spec().Length - min(b.Addr-r.MR.Addr(), r.MR.Spec().Length)
		c.Choose("length", fmt.Sprint(b.Length))
	}
	return w, b, nil
}

// bindRequest fills in a BIND_MW, and takes note of it.
func bindRequest(c *core.Call, q *queue.QP, wr *verbs.SendWR) (*region.MW, region.Binding, error) {
	w, b, err := bindingArgs(c, q, verbs.MWType2)
	if err != nil {
		return nil, b, err
	}
	if !c.Cmd.Has("rkey") {
		c.Choose("rkey", ccall.Hex(verbs.NextRKey(w.MW.RKey())))
	}
	b.RKey = uint32(c.Cmd.Uint("rkey"))
	wr.RKey = 0
	wr.Bind = &verbs.BindWR{MW: w.MW, RKey: b.RKey, MWBinding: b.Verbs()}
	checkBind(c, q, w, &b)
	return w, b, nil
}

// noteWindow takes note of a request that changes what a window shows. The result
// undoes that, nil where there is none.
func noteWindow(q *queue.QP, wr *verbs.SendWR, w *region.MW, b region.Binding) (undo func()) {
	switch {
	case w != nil:
		return w.Show(b)
	case wr.Opcode != verbs.WRLocalInv:
		return nil
	}
	if w = q.Windows.Find(wr.InvalidateKey); w == nil {
		return nil
	}
	return w.Show(region.Binding{})
}

// checkBind holds a binding against what the session knows; IBA 10.6.7.2.
func checkBind(c *core.Call, q *queue.QP, w *region.MW, b *region.Binding) {
	typ := w.MW.Type()
	if before := w.Now(); typ == verbs.MWType2 && before.MR != nil {
		c.Warn("%s shows %s: a window of type 2 is bound anew only after LOCAL_INV or the peer's SEND_WITH_INV", w.Name, before.MR.Name)
	}
	if typ == verbs.MWType1 && b.Access&verbs.ZeroBased != 0 {
		c.Warn("only a window of type 2 can be ZERO_BASED")
	}
	if b.RKey>>8 != w.MW.RKey()>>8 {
		c.Warn("of the rkey only the low 8 bits can be chosen: %s has 0x%x", w.Name, w.MW.RKey())
	}
	if q.PD != w.PD {
		c.Warn("%s is of %s, the queue pair of %s", w.Name, w.PD.Name, q.PD.Name)
	}
	if b.MR == nil {
		return
	}
	if b.MR.PD != w.PD {
		c.Warn("%s is of %s, %s of %s", b.MR.Name, b.MR.PD.Name, w.Name, w.PD.Name)
	}
	has := b.MR.MR.Spec().Access
	if has&verbs.MWBind == 0 {
		c.Warn("%s lacks MW_BIND", b.MR.Name)
	}
	if b.Access&(verbs.RemoteWrite|verbs.RemoteAtomic) != 0 && has&verbs.LocalWrite == 0 {
		c.Warn("REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE, which %s lacks", b.MR.Name)
	}
	if !region.Inside(b.MR, b.Addr, b.Length) {
		c.Warn("%d bytes at 0x%x are not inside %s", b.Length, b.Addr, b.MR.Name)
	}
}

// checkInvalidate holds the key of LOCAL_INV, and of SEND_WITH_INV to an own queue
// pair, against the windows that are bound on it.
func checkInvalidate(c *core.Call, q *queue.QP, wr *verbs.SendWR) {
	on := q
	if wr.Opcode == verbs.WRSendWithInv {
		other, ours := localPeer(c.S, q)
		if !ours {
			return
		}
		on = other
	}
	if on.Windows.Find(wr.InvalidateKey) == nil {
		c.Warn("invalidate_rkey 0x%x is of no window that is bound on %s", wr.InvalidateKey, on.Name)
	}
}

// checkThroughWindow holds an operation against a window of the peer's, which is
// the session's own.
func checkThroughWindow(c *core.Call, w *region.MW, other *queue.QP, wr *verbs.SendWR) {
	b := w.Now()
	if b.MR == nil {
		c.Warn("%s shows nothing", w.Name)
		return
	}
	if b.On != nil && b.On != &other.Windows {
		c.Warn("%s is bound on %s, the peer is %s", w.Name, b.On.Of.Name, other.Name)
	}
	if w.PD != other.PD {
		c.Warn("%s is of %s, the peer's queue pair of %s", w.Name, w.PD.Name, other.PD.Name)
	}
	if missing := rightsFor(wr) &^ b.Access; missing != 0 {
		c.Warn("%s lacks %s", w.Name, missing)
	}
	first := b.Start()
	if n := region.TotalLength(wr.SGList); wr.RemoteAddr < first || wr.RemoteAddr-first > b.Length || n > b.Length-(wr.RemoteAddr-first) {
		c.Warn("%d bytes at 0x%x are not inside %s", n, wr.RemoteAddr, w.Name)
	}
}
