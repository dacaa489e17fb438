package queue

import (
	"rdmatui/session/core"
	"rdmatui/session/region"
)

// CloseObject carries out close, for an object of any kind.
func CloseObject(c *core.Call) error {
	n, err := c.ObjectArg("object", nil)
	if err != nil {
		return err
	}
	if core.CloseVerb(n) != "" {
		c.Done.C = core.CloseCall(n)
	}
	if err := region.HeldByWindows(c.S, n); err != nil {
		return err
	}
	if r, ok := n.Body.(*region.MR); ok {
		region.CheckUnused(c, r, "they will fail")
	}
	gone := destroyed(c.S, n)
	if err := c.Time(func() error { return c.S.Destroy(n) }); err != nil {
		hintAttached(c, n)
		return err
	}
	c.S.KeepDestroyed(gone)
	c.Done.Result = n.Name + " is gone"
	return nil
}
