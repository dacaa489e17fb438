package screen

import (
	"slices"

	"rdmatui/session"
	"rdmatui/session/command"
)

// Hand holds the queue pair in hand: the one that the title names and that the screens show and act on, and the memory
// region in use at each end. What the user makes, connects, accepts, registers or chooses on one screen is in hand on
// all. It is for the event loop.
type Hand struct {
	qp      string
	regions map[string]string // by queue pair, shared receive queue or remote peer
}

// TakeRegion makes a region the one in use at an end: a queue pair, a shared receive queue or a remote peer.
func (h *Hand) TakeRegion(end, region string) {
	if h.regions == nil {
		h.regions = map[string]string{}
	}
	h.regions[end] = region
}

// Region returns the region that the user has chosen or registered for an end, nil if there is none.
func (h *Hand) Region(s *session.Snapshot, end string) *session.MRView {
	if h == nil || h.regions[end] == "" {
		return nil
	}
	return s.MR(h.regions[end])
}

// Take puts a queue pair in hand.
func (h *Hand) Take(qp string) { h.qp = qp }

// In names the queue pair in hand: the first there is if it is gone, "" if there is none. It forgets nothing, since a
// snapshot may be older than what is in hand.
func (h *Hand) In(s *session.Snapshot) string {
	switch {
	case len(s.QPs) == 0:
		return ""
	case s.QP(h.qp) == nil:
		return s.QPs[0].Name
	}
	return h.qp
}

// Turn puts the next queue pair in hand, or for by = -1 the previous one.
func (h *Hand) Turn(s *session.Snapshot, by int) {
	at := slices.IndexFunc(s.QPs, func(q session.QPView) bool { return q.Name == h.In(s) })
	if n := len(s.QPs); n > 0 {
		h.qp = s.QPs[(at+by+n)%n].Name
	}
}

// Ran puts the queue pair in hand that commands of the user have made or connected, the first of several, and then the
// region that they have registered for it, if it is one.
func (h *Hand) Ran(s *session.Snapshot, cmds ...command.Command) {
	h.connected(s, cmds)
	h.registered(s, cmds)
}

func (h *Hand) connected(s *session.Snapshot, cmds []command.Command) {
	for i := range cmds {
		if of := connects[cmds[i].Spec]; of != nil {
			if qp := of(s, &cmds[i]); s.QP(qp) != nil {
				h.qp = qp
				return
			}
		}
	}
}

// registered puts a region in use at the end whose protection domain it has, first that of the queue pair in hand.
func (h *Hand) registered(s *session.Snapshot, cmds []command.Command) {
	var region *session.MRView
	for _, cmd := range cmds {
		if cmd.Spec == nil || !makesRegion(cmd.Spec) || len(s.MRs) == 0 {
			continue
		}
		if region != nil { // several are the ends' own
			return
		}
		if region = &s.MRs[len(s.MRs)-1]; cmd.Has("name") {
			region = s.MR(cmd.String("name"))
		}
	}
	q := s.QP(h.In(s))
	if region == nil || q == nil {
		return
	}
	peer, _ := s.LikelyPeer(q)
	for _, end := range []*session.QPView{q, s.QP(peer)} {
		if end != nil && end.PD == region.PD {
			h.TakeRegion(end.Name, region.Name)
			return
		}
	}
}

// makesRegion reports whether a command registers a region under a new name.
func makesRegion(spec *command.Spec) bool {
	return slices.ContainsFunc(spec.Args, func(a command.Arg) bool {
		return a.Type == command.NewName && slices.Contains(a.Objects, command.KindMR)
	})
}

// connects says which queue pair a command makes or connects.
var connects = map[*command.Spec]func(*session.Snapshot, *command.Command) string{
	command.CreateQP:     made,
	command.ConnectQPs:   named,
	command.Exchange:     named,
	command.RDMACreateQP: managed,
	command.RDMACreateEP: endpoint,
	command.RDMAConnect:  managed,
	command.RDMAAccept:   managed,
	command.Undo:         madeAgain,
}

// made returns the queue pair of a name, or if that was left out the newest.
func made(s *session.Snapshot, c *command.Command) string {
	if n := len(s.QPs); !c.Has("name") && n > 0 {
		return s.QPs[n-1].Name
	}
	return c.String("name")
}

// madeAgain returns the queue pair that undo has made, the newest object.
func madeAgain(s *session.Snapshot, _ *command.Command) string {
	if n := len(s.Objects); n > 0 && s.Objects[n-1].Kind == command.KindQP {
		return s.Objects[n-1].Name
	}
	return ""
}

func named(_ *session.Snapshot, c *command.Command) string { return c.String("qp") }

// managed returns the queue pair of an identifier.
func managed(s *session.Snapshot, c *command.Command) string { return queuePairOf(s, c.String("id")) }

// endpoint returns the queue pair of an identifier that was made with it.
func endpoint(s *session.Snapshot, c *command.Command) string {
	return queuePairOf(s, c.String("name"))
}

func queuePairOf(s *session.Snapshot, name string) string {
	if id := s.ID(name); id != nil {
		return id.QP
	}
	return ""
}
