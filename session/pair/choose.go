package pair

import "rdmatui/session/agent"

// chooseGIDs selects for each end the row of its GID table that fits the other end: both of one type and family, RoCE
// v2 before others, the usual rows first. Without such a pair each end has its usual row, and a check says what
// differs.
func (x *examination) chooseGIDs() {
	best := 0
	rows := func(e *end) []agent.GID {
		if e.facts.Device == nil {
			return nil
		}
		return e.facts.Device.GIDs
	}
	for i := range rows(x.a) {
		for j := range rows(x.b) {
			a, b := &x.a.facts.Device.GIDs[i], &x.b.facts.Device.GIDs[j]
			if rank := rankPair(a, b); rank > best {
				x.a.gid, x.b.gid, best = a, b, rank
			}
		}
	}
	if x.matched = best > 0; x.matched {
		return
	}
	for _, e := range x.ends() {
		for i, g := range rows(e) {
			if g.Usual || e.gid == nil && g.Here {
				e.gid = &e.facts.Device.GIDs[i]
			}
		}
	}
}

// rankPair orders pairs of rows; 0: packets cannot go between them.
func rankPair(a, b *agent.GID) int {
	linkLocal := a.Addr.IsLinkLocalUnicast()
	if !a.Here || !b.Here || a.Type != b.Type || a.Addr.Is4() != b.Addr.Is4() ||
		linkLocal != b.Addr.IsLinkLocalUnicast() {
		return 0
	}
	rank := 1
	for _, better := range []struct {
		is    bool
		worth int
	}{{a.Type == roceV2, 16}, {!linkLocal, 8}, {a.Usual, 2}, {b.Usual, 2}} {
		if better.is {
			rank += better.worth
		}
	}
	return rank
}

// Texts of the enums that agents send.
const (
	roceV2       = "ROCE_V2"
	portActive   = "ACTIVE"
	portInit     = "INIT"
	linkEthernet = "ETHERNET"
)
