package queue

import (
	"fmt"

	"rdmatui/session/ccall"
	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// ModifyCQ carries out modify_cq.
func ModifyCQ(c *core.Call) error {
	q, err := core.ArgAs[*CQ](c, "cq", nil)
	if err != nil {
		return err
	}
	m := verbs.CQModeration{Count: uint16(c.Cmd.Uint("cq_count")), Period: uint16(c.Cmd.Uint("cq_period"))}
	c.Done.C = ccall.Line(c.Cmd, nil)
	if q.Channel == nil {
		c.Warn("the queue has no channel, so it raises no events")
	}
	if caps, ok := moderationCaps(q); ok {
		checkModeration(c, m, caps)
	}
	r, ok := q.CQ.(verbs.CQModerator)
	if !ok {
		return &verbs.UnsupportedError{Feature: "ibv_modify_cq"}
	}
	if err := c.Time(func() error { return r.Moderate(m) }); err != nil {
		return err
	}
	c.Done.Result = "each completion raises an event"
	if m.Count > 1 && m.Period > 0 {
		c.Done.Result = fmt.Sprintf("one event for %s, or after %d µs",
			format.Counted(int(m.Count), "completion"), m.Period)
	}
	return nil
}

// moderationCaps returns what the device can moderate; ok is false if it does not say.
func moderationCaps(q *CQ) (caps verbs.CQModCaps, ok bool) {
	ex, err := q.dev.Dev.QueryDeviceEx()
	return ex.CQModCaps, err == nil
}

func checkModeration(c *core.Call, m verbs.CQModeration, caps verbs.CQModCaps) {
	switch {
	case caps.MaxCQCount == 0:
		c.Warn("the device has no CQ moderation: max_cq_count is 0")
	case m.Count > caps.MaxCQCount:
		c.Warn("cq_count is more than max_cq_count %d", caps.MaxCQCount)
	case m.Period > caps.MaxCQPeriod:
		c.Warn("cq_period is more than max_cq_period %d", caps.MaxCQPeriod)
	}
}
