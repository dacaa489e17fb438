package traffic

import (
	"context"
	"fmt"
	"strings"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/oob"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// openRegions returns the regions that a queue pair's peer can access: those of its domain with
// a remote right.
func openRegions(c *core.Call, q *queue.QP) []oob.Region {
	c.S.Mu.RLock()
	defer c.S.Mu.RUnlock()
	list, taken, left := []oob.Region{}, map[string]bool{}, 0
	for _, n := range c.S.Graph.ByKind[command.KindMR] {
		r := n.Body.(*region.MR)
		access := r.MR.Spec().Access
		if r.PD != q.PD || access&(verbs.RemoteWrite|verbs.RemoteRead|verbs.RemoteAtomic) == 0 {
			continue
		}
		name := oob.RegionName(n.Name)
		if len(list) == oob.MaxRegions || taken[name] {
			left++
			continue
		}
		taken[name] = true
		list = append(list, oob.Region{
			Name: name, Addr: r.MR.Addr(), Length: r.MR.Spec().Length, RKey: r.MR.RKey(), Access: access,
		})
	}
	if left > 0 {
		c.Warn("%s not sent: there is room for %d of different names", format.Counted(left, "region"), oob.MaxRegions)
	}
	return list
}

// end sends or receives the last message, which carries the regions of both ends.
func (p *peer) end(ctx context.Context, c *core.Call) (err error) {
	var theirs []oob.Region
	switch {
	case p.tell == nil && p.server:
		return p.conn.ReceiveDone(ctx)
	case p.tell == nil:
		return p.conn.SendDone(ctx)
	case p.server:
		theirs, _, err = p.conn.EndAsServer(ctx, p.tell)
	default:
		theirs, _, err = p.conn.EndAsClient(ctx, p.tell)
	}
	c.S.Mu.Lock()
	p.regions = theirs
	c.S.Mu.Unlock()
	return err
}

// describeRegions lists the regions that the peer exposes, "" if there are none.
func (p *peer) describeRegions() string {
	if len(p.regions) == 0 {
		return ""
	}
	words := make([]string, len(p.regions))
	for i, r := range p.regions {
		words[i] = fmt.Sprintf("%s (%s, rkey 0x%x)", r.Name, format.Size(r.Length), r.RKey)
	}
	return "; regions: " + strings.Join(words, ", ")
}
