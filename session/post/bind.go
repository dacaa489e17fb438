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
	values := b.Values()
	c.Done.C = ccall.BindMW(q.Name, w.Name, func(member string) ccall.Node {
		switch member {
		case "wr_id":
			return ccall.Dec(id)
		case "send_flags":
			return ccall.Flags(verbs.SendFlagNames.CName(flags))
		}
		return values(member)
	})
	r := queue.Request{
		WRID: id, At: Now(c.S), Opcode: verbs.WRBindMW, Signaled: flags&verbs.SendSignaled != 0 || q.Spec.SQSigAll,
		Undo: w.Show(b), Posted: &queue.Posted{Line: c.Cmd.Full(), Check: c.Done.Check},
	}
	p := record(c, q, r)
	if err := p.end(q.QP.BindMW(w.MW, id, flags, b.Verbs())); err != nil {
		return err
	}
	c.Done.Result = fmt.Sprintf("posted, rkey 0x%x, %d outstanding", w.MW.RKey(), p.outstanding)
	return nil
}

// bindingArgs parses the parameters of a binding; omitted ones default to the whole
// region and the next key.
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
		return w, b, nil // unbinds
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

// bindRequest fills in a BIND_MW.
func bindRequest(c *core.Call, q *queue.QP, wr *sendWR) (err error) {
	if wr.mw, wr.shows, err = bindingArgs(c, q, verbs.MWType2); err != nil {
		return err
	}
	if !c.Cmd.Has("rkey") {
		c.Choose("rkey", ccall.Hex(verbs.NextRKey(wr.mw.MW.RKey())))
	}
	wr.shows.RKey = uint32(c.Cmd.Uint("rkey"))
	wr.RKey = 0
	wr.Bind = &verbs.BindWR{MW: wr.mw.MW, RKey: wr.shows.RKey, MWBinding: wr.shows.Verbs()}
	return nil
}

// noteWindow records how a request changes a window. The returned function undoes
// that; nil if there is no change.
func noteWindow(q *queue.QP, wr *sendWR) (undo func()) {
	switch {
	case wr.mw != nil:
		return wr.mw.Show(wr.shows)
	case !wr.Opcode.Traits().Local():
		return nil
	}
	if w := q.Windows.Find(wr.InvalidateKey); w != nil {
		return w.Show(region.Binding{})
	}
	return nil
}
