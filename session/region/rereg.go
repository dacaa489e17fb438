package region

import (
	"fmt"
	"strings"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// ReregMR changes what a line names of a region, and nothing else.
func ReregMR(c *core.Call) error {
	r, err := core.ArgAs[*MR](c, "mr", nil)
	if err != nil {
		return err
	}
	var change verbs.MRChange
	pd := r.PD
	names := [3]string{"NULL", "NULL, 0", "0"} // domain, memory, rights
	if c.Cmd.Has("pd") {
		if pd, err = core.ArgAs[*PD](c, "pd", nil); err != nil {
			return err
		}
		change.Flags, change.PD, names[0] = change.Flags|verbs.ReregPD, pd.PD, pd.Name
	}
	if c.Cmd.Has("length") {
		change.Flags, change.Length = change.Flags|verbs.ReregTranslation, c.Cmd.Uint("length")
		names[1] = fmt.Sprintf("buf, %d", change.Length)
	}
	if c.Cmd.Has("access") {
		change.Flags, change.Access = change.Flags|verbs.ReregAccess, c.Cmd.Access("access")
		names[2] = verbs.AccessFlags.CName(change.Access)
	}
	if change.Flags == 0 {
		c.Warn("nothing to change: give pd, length or access")
	}
	if err := lackOfMR(pd.Device, change.Access, change.Length); err != nil {
		return err
	}
	CheckUnused(c, r, "the keys may change")
	c.Done.Call = fmt.Sprintf("ibv_rereg_mr(%s, %s, %s)", r.Name, verbs.ReregFlagNames.CName(change.Flags), strings.Join(names[:], ", "))
	if err := c.Time(func() error { return r.MR.Rereg(change) }); err != nil {
		return c.S.UsersByName(r.Node, "ibv_rereg_mr", err)
	}
	c.S.Mu.Lock()
	r.PD, r.Uses = pd, []*core.Node{pd.Node} // device memory cannot be changed
	c.S.Mu.Unlock()
	c.S.Changed()
	spec := r.MR.Spec()
	c.Done.Result = fmt.Sprintf("addr 0x%x, lkey 0x%x, rkey 0x%x, %d bytes, %s", r.MR.Addr(), r.MR.LKey(), r.MR.RKey(), spec.Length, spec.Access)
	return nil
}

// requester is a body that requests are posted to.
type requester interface {
	// Naming counts the requests under way that need the region of these keys.
	Naming(lkey, rkey uint32) int
}

// CheckUnused tells which requests that are posted name a region that is to go, or
// to change.
func CheckUnused(c *core.Call, r *MR, why string) {
	lkey, rkey := r.MR.LKey(), r.MR.RKey()
	var users []string
	note := func(n int, name string) {
		if n > 0 {
			users = append(users, fmt.Sprintf("%d of %s", n, name))
		}
	}
	c.S.Mu.RLock()
	for _, n := range c.S.Graph.Nodes {
		if q, ok := n.Body.(requester); ok {
			note(q.Naming(lkey, rkey), n.Name)
		}
	}
	c.S.Mu.RUnlock()
	if len(users) > 0 {
		c.Warn("requests that are posted name %s: %s; %s", r.Name, strings.Join(users, ", "), why)
	}
}
