package session

import (
	"fmt"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

func bindMW(c *core.Call) error {
	q, err := core.ArgAs[*QP](c, "qp", nil)
	if err != nil {
		return err
	}
	c.About = q
	w, b, err := bindingArgs(c, q, verbs.MWType1)
	if err != nil {
		return err
	}
	id, flags := workRequestID(c), c.Cmd.SendFlags("send_flags")
	b.rkey = verbs.NextRKey(w.mw.RKey())
	checkBind(c, q, w, &b)
	var raw cStruct
	raw.set("wr_id", fmt.Sprint(id))
	raw.set("send_flags", verbs.SendFlagNames.CName(flags))
	raw.set("bind_info", b.cInfo())
	c.Done.Call = fmt.Sprintf("ibv_bind_mw(%s, %s, %s)", q.Name, w.Name, raw.String())
	r := request{wrID: id, opcode: verbs.WRBindMW, signaled: flags&verbs.SendSignaled != 0 || q.spec.SQSigAll, undo: w.show(b)}
	if err := postRequest(c, q, r, func() error { return q.qp.BindMW(w.mw, id, flags, b.verbs()) }); err != nil {
		return err
	}
	c.Done.Result = fmt.Sprintf("posted, rkey 0x%x, %d outstanding", w.mw.RKey(), q.sends.len())
	return nil
}

// postRequest enters a request, since its completion may be seen before the post
// has returned, posts it, and takes it back where that fails.
func postRequest(c *core.Call, q *QP, r request, post func() error) error {
	r.at, r.command = now(c.S), c.Done.Number
	q.sends.push(r)
	if err := c.TimeHere(post); err != nil {
		q.sends.unpush(1)
		if r.undo != nil {
			r.undo()
		}
		return err
	}
	q.sendCQ.posted()
	c.S.Changed()
	return nil
}

// bindingArgs reads what a window of the type is to show, and chooses what the
// line leaves out: the whole region, and the next key.
func bindingArgs(c *core.Call, q *QP, typ verbs.MWType) (*MW, binding, error) {
	b := binding{length: c.Cmd.Uint("length"), addr: c.Cmd.Uint("addr"), access: c.Cmd.Access("mw_access_flags")}
	w, err := core.ArgAs[*MW](c, "mw", func(n *core.Node) bool { return n.Body.(*MW).mw.Type() == typ })
	if err != nil {
		return nil, b, err
	}
	if typ == verbs.MWType2 {
		b.on = &q.windows
	}
	if c.Cmd.Has("length") && b.length == 0 && !c.Cmd.Has("mr") {
		b.from = w.now().mr
		return w, b, nil // the binding is taken away
	}
	r, err := core.ArgAs[*MR](c, "mr", func(n *core.Node) bool {
		r := n.Body.(*MR)
		return r.pd == w.pd && r.mr.Spec().Access&verbs.MWBind != 0
	})
	if err != nil {
		return nil, b, err
	}
	b.mr = r
	if !c.Cmd.Has("addr") {
		b.addr = r.mr.Addr()
		c.Choose("addr", cHex(b.addr))
	}
	if !c.Cmd.Has("length") {
		b.length = r.mr.Spec().Length - min(b.addr-r.mr.Addr(), r.mr.Spec().Length)
		c.Choose("length", fmt.Sprint(b.length))
	}
	return w, b, nil
}

// bindRequest fills in a BIND_MW, and takes note of it.
func bindRequest(c *core.Call, q *QP, wr *verbs.SendWR) (*MW, binding, error) {
	w, b, err := bindingArgs(c, q, verbs.MWType2)
	if err != nil {
		return nil, b, err
	}
	if !c.Cmd.Has("rkey") {
		c.Choose("rkey", cHex(verbs.NextRKey(w.mw.RKey())))
	}
	b.rkey = uint32(c.Cmd.Uint("rkey"))
	wr.RKey = 0
	wr.Bind = &verbs.BindWR{MW: w.mw, RKey: b.rkey, MWBinding: b.verbs()}
	checkBind(c, q, w, &b)
	return w, b, nil
}

// noteWindow takes note of a request that changes what a window shows. The result
// undoes that, nil where there is none.
func noteWindow(q *QP, wr *verbs.SendWR, w *MW, b binding) (undo func()) {
	switch {
	case w != nil:
		return w.show(b)
	case wr.Opcode != verbs.WRLocalInv:
		return nil
	}
	if w = q.windows.find(wr.InvalidateKey); w == nil {
		return nil
	}
	return w.show(binding{})
}

// checkBind holds a binding against what the session knows; IBA 10.6.7.2.
func checkBind(c *core.Call, q *QP, w *MW, b *binding) {
	typ := w.mw.Type()
	if before := w.now(); typ == verbs.MWType2 && before.mr != nil {
		c.Warn("%s shows %s: a window of type 2 is bound anew only after LOCAL_INV or the peer's SEND_WITH_INV", w.Name, before.mr.Name)
	}
	if typ == verbs.MWType1 && b.access&verbs.ZeroBased != 0 {
		c.Warn("only a window of type 2 can be ZERO_BASED")
	}
	if b.rkey>>8 != w.mw.RKey()>>8 {
		c.Warn("of the rkey only the low 8 bits can be chosen: %s has 0x%x", w.Name, w.mw.RKey())
	}
	if q.pd != w.pd {
		c.Warn("%s is of %s, the queue pair of %s", w.Name, w.pd.Name, q.pd.Name)
	}
	if b.mr == nil {
		return
	}
	if b.mr.pd != w.pd {
		c.Warn("%s is of %s, %s of %s", b.mr.Name, b.mr.pd.Name, w.Name, w.pd.Name)
	}
	has := b.mr.mr.Spec().Access
	if has&verbs.MWBind == 0 {
		c.Warn("%s lacks MW_BIND", b.mr.Name)
	}
	if b.access&(verbs.RemoteWrite|verbs.RemoteAtomic) != 0 && has&verbs.LocalWrite == 0 {
		c.Warn("REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE, which %s lacks", b.mr.Name)
	}
	if !inside(b.mr, b.addr, b.length) {
		c.Warn("%d bytes at 0x%x are not inside %s", b.length, b.addr, b.mr.Name)
	}
}

// checkInvalidate holds the key of LOCAL_INV, and of SEND_WITH_INV to an own queue
// pair, against the windows that are bound on it.
func checkInvalidate(c *core.Call, q *QP, wr *verbs.SendWR) {
	on := q
	if wr.Opcode == verbs.WRSendWithInv {
		other, ours := localPeer(c.S, q)
		if !ours {
			return
		}
		on = other
	}
	if on.windows.find(wr.InvalidateKey) == nil {
		c.Warn("invalidate_rkey 0x%x is of no window that is bound on %s", wr.InvalidateKey, on.Name)
	}
}

// checkThroughWindow holds an operation against a window of the peer's, which is
// the session's own.
func checkThroughWindow(c *core.Call, w *MW, other *QP, wr *verbs.SendWR) {
	b := w.now()
	if b.mr == nil {
		c.Warn("%s shows nothing", w.Name)
		return
	}
	if b.on != nil && b.on != &other.windows {
		c.Warn("%s is bound on %s, the peer is %s", w.Name, b.on.of.Name, other.Name)
	}
	if w.pd != other.pd {
		c.Warn("%s is of %s, the peer's queue pair of %s", w.Name, w.pd.Name, other.pd.Name)
	}
	if missing := rightsFor(wr) &^ b.access; missing != 0 {
		c.Warn("%s lacks %s", w.Name, missing)
	}
	first := b.start()
	if n := totalLength(wr.SGList); wr.RemoteAddr < first || wr.RemoteAddr-first > b.length || n > b.length-(wr.RemoteAddr-first) {
		c.Warn("%d bytes at 0x%x are not inside %s", n, wr.RemoteAddr, w.Name)
	}
}
