package objects

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/ui/screen"
)

// View shows the session's objects, as they are in each frame.
type View struct {
	*Graph
	env   *screen.Env
	snap  session.Snapshot
	hand  string
	seen  bool
	drawn uint64 // the version that is drawn
}

// New makes the view.
func New(env *screen.Env) *View {
	v := &View{Graph: NewGraph(env.Theme, layerQueue), env: env}
	v.Empty = "No objects yet."
	return v
}

// SetSize implements widget.Block. It looks at the session.
func (v *View) SetSize(w, h int) {
	v.look()
	v.Graph.SetSize(w, h)
}

func (v *View) look() {
	snap := v.env.Session.Snapshot()
	hand := v.env.Hand.In(&snap)
	if v.seen && snap.Version == v.drawn && hand == v.hand {
		return
	}
	turned := hand != v.hand
	v.seen, v.snap, v.drawn, v.hand = true, snap, snap.Version, hand
	p := draw(v.env.Theme, &v.snap, hand)
	if v.Set(p.nodes, p.edges); turned {
		v.Choose(hand)
	}
}

// Title names the picture with the number of objects.
func (v *View) Title() string { return fmt.Sprintf("objects: %d", len(v.snap.Objects)) }

// Any reports whether there are objects besides open devices.
func (v *View) Any() bool {
	v.look()
	return v.snap.Alive() > 0
}

// Open puts the object under the cursor in hand, and returns the work of going to its screen.
func (v *View) Open() tea.Cmd {
	n, ok := v.At()
	if !ok {
		return nil
	}
	to := screen.BringUp // that of a queue pair, and of the peer of one
	item := ""
	kind := command.KindPeer
	if i := slices.IndexFunc(v.snap.Objects, func(o session.ObjectView) bool { return o.Name == n.Key }); i >= 0 {
		kind = v.snap.Objects[i].Kind
	}
	switch kind {
	case command.KindDevice:
		to, item = screen.Devices, v.snap.Provided(n.Key)
	case command.KindID:
		to, item = screen.Connections, n.Key
	case command.KindEvents, command.KindAddrInfo:
		to = screen.Connections
	case command.KindCQ, command.KindChannel:
		to = screen.Completions
	case command.KindMR, command.KindMW, command.KindAH, command.KindSRQ, command.KindDM:
		to = screen.Post
	}
	if q := v.queuePair(n.Key); q != nil {
		v.env.Hand.Take(q.Name)
		if kind == command.KindMR {
			v.env.Hand.TakeRegion(q.Name, n.Key)
		}
	}
	return screen.Send(screen.GotoMsg{To: to, Item: item})
}

// queuePair returns the queue pair that an object is used with: first the one in hand, nil if there is none.
func (v *View) queuePair(name string) *session.QPView {
	with := func(q *session.QPView) bool { return slices.Contains(v.usedWith(q), name) }
	if q := v.snap.QP(v.hand); q != nil && with(q) && v.snap.QP(name) == nil {
		return q
	}
	if q := v.snap.QP(name); q != nil {
		return q
	}
	for i := range v.snap.QPs {
		if with(&v.snap.QPs[i]) {
			return &v.snap.QPs[i]
		}
	}
	return nil
}

// usedWith lists the objects that a queue pair is used with.
func (v *View) usedWith(q *session.QPView) []string {
	list := []string{q.PD, q.SendCQ, q.RecvCQ, q.SRQ, q.PeerName, v.snap.ConnectedTo(q), remote(q.Name)}
	for i := range v.snap.CQs {
		if c := &v.snap.CQs[i]; c.Name == q.SendCQ || c.Name == q.RecvCQ {
			list = append(list, c.Channel)
		}
	}
	for i := range v.snap.IDs {
		if v.snap.IDs[i].QP == q.Name {
			list = append(list, v.snap.IDs[i].Name)
		}
	}
	for i := range v.snap.Objects {
		if o := &v.snap.Objects[i]; o.Kind != command.KindQP && slices.Contains(o.Uses, q.PD) {
			list = append(list, o.Name)
		}
	}
	return list
}
