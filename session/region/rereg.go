package region

import (
	"fmt"
	"strings"

	"rdmatui/session/ccall"
	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// ReregMR changes what a line names of a region, and nothing else.
func ReregMR(c *core.Call) error {
	r, err := core.ArgAs[*MR](c, "mr", nil)
	if err != nil {
		return err
	}
	var change verbs.MRChange
	pd := r.PD
	own := map[string]string{"pd": "NULL", "addr": "NULL", "length": "0", "access": "0"}
	if c.Cmd.Has("pd") {
		if pd, err = core.ArgAs[*PD](c, "pd", nil); err != nil {
			return err
		}
		change.Flags, change.PD, own["pd"] = change.Flags|verbs.ReregPD, pd.PD, pd.Name
	}
	if c.Cmd.Has("length") {
		change.Flags, change.Length = change.Flags|verbs.ReregTranslation, c.Cmd.Uint("length")
		own["addr"], own["length"] = "buf", fmt.Sprint(change.Length)
	}
	if c.Cmd.Has("access") {
		change.Flags, change.Access = change.Flags|verbs.ReregAccess, c.Cmd.Access("access")
		own["access"] = verbs.AccessFlags.CName(change.Access)
	}
	if change.Flags == 0 {
		c.Warn("nothing to change: give pd, length or access")
	}
	if err := lackOfMR(pd.Device, change.Access, change.Length); err != nil {
		return err
	}
	CheckUnused(c, r, "the keys may change")
	c.Done.C = ccall.Line(c.Cmd, own)
	before := c.S.ViewOf(r.Node)
	if err := c.Time(func() error { return r.MR.Rereg(change) }); err != nil {
		return c.S.UsersByName(r.Node, "ibv_rereg_mr", err)
	}
	c.S.Mu.Lock()
	if m := &before.MRs[0]; m.LKey != r.MR.LKey() || m.RKey != r.MR.RKey() {
		c.S.Depart(before)
	}
	r.PD, r.Uses = pd, []*core.Node{pd.Node} // device memory cannot be changed
	c.S.Mu.Unlock()
	spec := r.MR.Spec()
	c.Done.Result = fmt.Sprintf("addr 0x%x, lkey 0x%x, rkey 0x%x, %s, %s", r.MR.Addr(), r.MR.LKey(), r.MR.RKey(),
		format.Counted(spec.Length, "byte"), spec.Access)
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
		c.Warn("posted requests use %s: %s; %s", r.Name, strings.Join(users, ", "), why)
	}
}

// sender is a body whose requests use memory until they are carried out.
type sender interface{ InFlight() []core.RequestView }

// checkInUse tells of a request under way that reads or writes bytes which are to be overwritten.
func checkInUse(c *core.Call, r *MR, off, n uint64) {
	c.S.Mu.RLock()
	defer c.S.Mu.RUnlock()
	for _, node := range c.S.Graph.Nodes {
		q, ok := node.Body.(sender)
		if !ok || node.Device() != r.Device() {
			continue
		}
		for _, w := range q.InFlight() {
			if w.Uses(r.MR.LKey(), r.MR.RKey(), r.MR.Addr()+off, n) {
				c.Warn("wr %d of %s (%s) still uses these bytes: its data is undefined", w.WRID, node.Name, w.Opcode)
				return
			}
		}
	}
}
