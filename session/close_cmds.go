package session

func closeObject(c *call) error {
	n, err := c.objectArg("object", nil)
	if err != nil {
		return err
	}
	if closeVerb(n) != "" {
		c.done.Call = closeCall(n)
	}
	if err := heldByWindows(c.s, n); err != nil {
		return err
	}
	if r, ok := n.res.(*region); ok {
		checkUnused(c, r, "they end in an error")
	}
	if err := c.time(func() error { return c.s.destroy(n) }); err != nil {
		hintAttached(c, n)
		return err
	}
	c.done.Result = n.name + " is gone"
	return nil
}
