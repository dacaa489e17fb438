package session

import (
	"fmt"
	"strings"

	"rdmatui/verbs"
)

// reregMR changes what a line names of a region, and nothing else.
func reregMR(c *call) error {
	r, err := argAs[*region](c, "mr", nil)
	if err != nil {
		return err
	}
	var change verbs.MRChange
	pd := r.pd
	names := [3]string{"NULL", "NULL, 0", "0"} // domain, memory, rights
	if c.cmd.Has("pd") {
		if pd, err = argAs[*domain](c, "pd", nil); err != nil {
			return err
		}
		change.Flags, change.PD, names[0] = change.Flags|verbs.ReregPD, pd.pd, pd.name
	}
	if c.cmd.Has("length") {
		change.Flags, change.Length = change.Flags|verbs.ReregTranslation, c.cmd.Uint("length")
		names[1] = fmt.Sprintf("buf, %d", change.Length)
	}
	if c.cmd.Has("access") {
		change.Flags, change.Access = change.Flags|verbs.ReregAccess, c.cmd.Access("access")
		names[2] = verbs.AccessFlags.CName(change.Access)
	}
	if change.Flags == 0 {
		c.warn("none of pd, length and access is given: nothing changes")
	}
	if err := pd.dev.lackOfMR(change.Access, change.Length); err != nil {
		return err
	}
	checkUnused(c, r, "the keys may change")
	c.done.Call = fmt.Sprintf("ibv_rereg_mr(%s, %s, %s)", r.name, verbs.ReregFlagNames.CName(change.Flags), strings.Join(names[:], ", "))
	if err := c.time(func() error { return r.mr.Rereg(change) }); err != nil {
		return c.s.usersByName(r.node, "ibv_rereg_mr", err)
	}
	c.s.mu.Lock()
	r.pd, r.uses = pd, []*node{pd.node} // device memory cannot be changed
	c.s.mu.Unlock()
	c.s.changed()
	spec := r.mr.Spec()
	c.done.Result = fmt.Sprintf("addr 0x%x, lkey 0x%x, rkey 0x%x, %d bytes, %s", r.mr.Addr(), r.mr.LKey(), r.mr.RKey(), spec.Length, spec.Access)
	return nil
}

// checkUnused tells which requests that are posted name a region that is to go, or
// to change.
func checkUnused(c *call, r *region, why string) {
	lkey, rkey := r.mr.LKey(), r.mr.RKey()
	var users []string
	note := func(n int, name string) {
		if n > 0 {
			users = append(users, fmt.Sprintf("%d of %s", n, name))
		}
	}
	c.s.mu.RLock()
	for _, n := range c.s.graph.nodes {
		switch body := n.res.(type) {
		case *queuePair:
			note(body.sends.naming(lkey, rkey)+body.recvs.naming(lkey, rkey), n.name)
		case *sharedQueue:
			note(body.recvs.naming(lkey, rkey), n.name)
		}
	}
	c.s.mu.RUnlock()
	if len(users) > 0 {
		c.warn("requests that are posted name %s: %s; %s", r.name, strings.Join(users, ", "), why)
	}
}
