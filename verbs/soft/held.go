package soft

import "fmt"

// Held lists what the provider's devices and its connection manager hold: open devices, objects by kind, connections,
// ports. It is empty before anything is made and again once everything is closed and the time-wait of every connection
// is over.
func (p *Provider) Held() []string {
	held := p.heldByManager()
	for _, a := range p.devices() {
		held = append(held, a.held()...)
	}
	return held
}

func (a *adapter) held() (held []string) {
	a.mu.Lock()
	opens := a.opens
	a.mu.Unlock()
	numbers, groups := a.transport.Tables()
	keys, windows := a.transport.Regions.Keys()
	q := &a.transport.Quota
	return appendHeld(held, a.name+": ", []tallied{
		{"contexts", opens}, {"queue pair numbers", numbers}, {"region keys", keys}, {"window keys", windows},
		{"multicast groups", groups},
		{"QPs", int(q.QP.Load())}, {"CQs", int(q.CQ.Load())}, {"MRs", int(q.MR.Load())}, {"MWs", int(q.MW.Load())},
		{"PDs", int(q.PD.Load())}, {"AHs", int(q.AH.Load())}, {"SRQs", int(q.SRQ.Load())}, {"DMs", int(q.DM.Load())},
	})
}

func (p *Provider) heldByManager() []string {
	t := p.manager.Tables()
	return appendHeld(nil, "connection manager: ", []tallied{
		{"communication IDs", t.Connections}, {"peers by ID", t.PeersByID}, {"peers by QP", t.PeersByQP},
		{"SIDR requests", t.SIDR}, {"ports", t.Ports}, {"unanswered requests", t.Pending},
		{"connections in time-wait", t.Resting},
	})
}

// tallied is the number of objects of one kind.
type tallied struct {
	kind string
	n    int
}

// appendHeld appends a line for each kind with a non-zero count.
func appendHeld(held []string, prefix string, kinds []tallied) []string {
	for _, k := range kinds {
		if k.n != 0 {
			held = append(held, fmt.Sprintf("%s%d %s", prefix, k.n, k.kind))
		}
	}
	return held
}
