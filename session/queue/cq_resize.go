package queue

import (
	"fmt"

	"rdmatui/session/ccall"
	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// ResizeCQ carries out resize_cq.
func ResizeCQ(c *core.Call) error {
	q, err := core.ArgAs[*CQ](c, "cq", nil)
	if err != nil {
		return err
	}
	cqe := c.Cmd.Int("cqe")
	c.Done.C = ccall.Line(c.Cmd, nil)
	if cqe < 1 {
		c.Warn("cqe must be at least 1")
	}
	if limit := int(q.dev.Attr.MaxCQE); cqe > limit {
		c.Warn("cqe is more than max_cqe %d", limit)
	}
	if f, ok := q.CQ.(verbs.FillTeller); ok {
		if waiting, _ := f.Fill(); cqe < waiting {
			c.Warn("the queue holds %s, more than cqe", format.Counted(waiting, "completion"))
		}
	}
	r, ok := q.CQ.(verbs.CQResizer)
	if !ok {
		return &verbs.UnsupportedError{Feature: "ibv_resize_cq"}
	}
	if err := c.Time(func() error { return r.Resize(cqe) }); err != nil {
		return err
	}
	c.Done.Result = fmt.Sprintf("%s with %s", q.Name, format.Counted(q.CQ.CQE(), "entry"))
	return nil
}
