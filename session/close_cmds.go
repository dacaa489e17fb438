package session

func (s *Session) closeObject(c *call) error {
	n, err := s.objectArg(c, "object", nil)
	if err != nil {
		return err
	}
	if closeVerb(n) != "" {
		c.done.Call = closeCall(n)
	}
	if err := s.heldByWindows(n); err != nil {
		return err
	}
	if r, ok := n.res.(*region); ok {
		s.checkUnused(c, r, "they end in an error")
	}
	if err := c.time(func() error { return s.destroy(n) }); err != nil {
		s.hintAttached(c, n)
		return err
	}
	c.done.Result = n.name + " is gone"
	return nil
}
