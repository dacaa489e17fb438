// Package objects is the picture of a session's objects: what was made from what, and what is connected with what. It
// is a pane of Home, and lies over any screen.
//
// Objects stand in columns from left to right: each is a piece of a row, the lines between two columns run through the
// gap between them. The cursor walks from object to object.
package objects

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/ui/theme"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// The columns of the picture.
const (
	layerDevice = iota
	layerDomain
	layerQueuePair
	layerQueue
	layerChannel
)

// shown is where a kind of object is drawn, and by which word.
type shown struct {
	layer int
	word  string
}

var kinds = map[command.ObjectKind]shown{
	command.KindDevice: {layerDevice, "dev"}, command.KindEvents: {layerDevice, "events"},
	command.KindAddrInfo: {layerDevice, "addrinfo"}, command.KindPD: {layerDomain, "PD"},
	command.KindDM: {layerDomain, "DM"}, command.KindID: {layerDomain, "cm_id"},
	command.KindMR: {layerQueuePair, "MR"}, command.KindMW: {layerQueuePair, "MW"},
	command.KindAH: {layerQueuePair, "AH"}, command.KindQP: {layerQueuePair, "QP"},
	command.KindCQ: {layerQueue, "CQ"}, command.KindSRQ: {layerQueue, "SRQ"},
	command.KindPeer: {layerQueue, "peer"}, command.KindChannel: {layerChannel, "channel"},
}

// remote is the key of a peer that only an address tells.
func remote(qp string) string { return "peer of " + qp }

// picture is made from a snapshot.
type picture struct {
	th    *theme.Theme
	s     *session.Snapshot
	hand  string
	nodes []Node
	edges []Edge
	peers map[string]string // of the queue pairs that have one
	layer map[string]int    // of the objects that are drawn
}

// draw lists the objects and what joins them.
func draw(th *theme.Theme, s *session.Snapshot, hand string) *picture {
	p := &picture{th: th, s: s, hand: hand, peers: map[string]string{}, layer: map[string]int{}}
	for i := range s.QPs {
		if peer := PeerOf(s, &s.QPs[i]); peer != "" {
			p.peers[s.QPs[i].Name] = peer
		}
	}
	for i := range s.IDs {
		if id := &s.IDs[i]; id.QP != "" {
			p.edges = append(p.edges, Edge{From: id.Name, To: id.QP})
		}
	}
	says := p.says()
	for i := range s.Objects {
		o := &s.Objects[i]
		at, known := kinds[o.Kind]
		if !known {
			continue
		}
		p.nodes = append(p.nodes, Node{Key: o.Name, Kind: at.word, Name: o.Name, Layer: at.layer,
			InHand: o.Kind == command.KindQP && o.Name == hand, Parts: says[o.Name],
			About: about(o, at.word, says[o.Name])})
		p.layer[o.Name] = at.layer
		p.joinUsed(o)
	}
	p.joinPeers()
	return p
}

// about describes an object in a line.
func about(o *session.ObjectView, word string, parts []Part) string {
	text := word + " " + o.Name
	for _, part := range parts {
		text += " · " + part.Text
	}
	if len(o.Uses) > 0 {
		text += " · uses " + strings.Join(slices.Compact(slices.Clone(o.Uses)), ", ")
	}
	if n := len(o.UsedBy); n > 0 {
		text += " · used by " + strings.Join(o.UsedBy[:min(n, maxNamed)], ", ")
		if n > maxNamed {
			text += fmt.Sprintf(" and %s more", format.Count(uint64(n-maxNamed)))
		}
	}
	return text
}

// maxNamed is how many users of an object are named.
const maxNamed = 8

// joinUsed joins an object with those it was made from.
func (p *picture) joinUsed(o *session.ObjectView) {
	for _, used := range o.Uses {
		switch layer, drawn := p.layer[used]; {
		case !drawn:
		case layer <= p.layer[o.Name]:
			p.edges = append(p.edges, Edge{From: used, To: o.Name})
		default:
			p.edges = append(p.edges, Edge{From: o.Name, To: used})
		}
	}
}

// joinPeers joins each queue pair with its peer: another queue pair, what an exchange learned, or an address.
func (p *picture) joinPeers() {
	for i := range p.s.QPs {
		q := &p.s.QPs[i]
		peer := p.peers[q.Name]
		if _, drawn := p.layer[peer]; drawn {
			p.edges = append(p.edges, Edge{From: q.Name, To: peer})
		} else if peer != "" {
			key := remote(q.Name)
			p.nodes = append(p.nodes, Node{Key: key, Kind: kinds[command.KindPeer].word, Name: peer,
				Layer: layerQueue, About: key + " · " + peer})
			p.edges = append(p.edges, Edge{From: q.Name, To: key})
		}
	}
}

// PeerOf names what a queue pair is connected to, or gives its address; "" for nothing.
func PeerOf(s *session.Snapshot, q *session.QPView) string {
	if name := s.ConnectedTo(q); name != "" {
		return name
	}
	for i := range s.IDs {
		if id := &s.IDs[i]; id.QP == q.Name && id.Peer.IsValid() {
			return id.Peer.String()
		}
	}
	if at := q.Attr.AH.GRH.DGID; q.Attr.Mask&verbs.AttrDestQPN != 0 && !at.IsZero() {
		return fmt.Sprintf("%s:0x%x", at.Addr(), q.Attr.DestQPNum)
	}
	return ""
}

// StateStyle is how the state of a queue pair is drawn.
func StateStyle(th *theme.Theme, state verbs.QPState) *theme.Style {
	switch state {
	case verbs.QPRTS:
		return &th.OK
	case verbs.QPErr, verbs.QPSQE:
		return &th.Err
	}
	return &th.Accent
}

// says lists what there is to say of each object, the most important first.
func (p *picture) says() map[string][]Part {
	th, s, says := p.th, p.s, map[string][]Part{}
	add := func(name string, style *theme.Style, text string, values ...any) {
		if len(values) > 0 {
			text = fmt.Sprintf(text, values...)
		}
		says[name] = append(says[name], Part{Text: text, Style: style})
	}
	for i := range s.Devices {
		d := &s.Devices[i]
		if port, ok := d.PortAttr(d.Port.PortNum); ok {
			st := &th.OK
			if port.State != verbs.PortActive {
				st = &th.Warn
			}
			add(d.Name, st, port.State.String())
		}
	}
	for i := range s.QPs {
		q := &s.QPs[i]
		add(q.Name, StateStyle(th, q.State), q.State.String())
		if peer := p.peers[q.Name]; peer != "" {
			add(q.Name, &th.Theirs, th.Glyphs.Peers+" "+peer)
		}
		add(q.Name, &th.Dim, "%s 0x%06x", q.Type, uint32(q.Num))
		add(q.Name, &th.Dim, "%d sent, %d posted", q.SendOutstanding, q.RecvPosted)
	}
	for i := range s.MRs {
		m := &s.MRs[i]
		add(m.Name, &th.Dim, format.Size(m.Length))
		add(m.Name, &th.Dim, "rkey 0x%x", m.RKey)
		add(m.Name, &th.Dim, cmp.Or(m.Access.String(), "read locally"))
	}
	for i := range s.MWs {
		w := &s.MWs[i]
		add(w.Name, &th.Dim, cmp.Or(w.MR, "not bound"))
		add(w.Name, &th.Dim, "rkey 0x%x", w.RKey)
	}
	p.saysQueues(add)
	p.saysOthers(add)
	return says
}

// adder adds a text about an object.
type adder func(name string, style *theme.Style, text string, values ...any)

func (p *picture) saysQueues(add adder) {
	th, s := p.th, p.s
	for i := range s.CQs {
		c := &s.CQs[i]
		switch {
		case c.Overruns > 0:
			add(c.Name, &th.Err, "overrun")
		case c.Failed > 0:
			add(c.Name, &th.Err, "%s failed", format.Count(c.Failed))
		case c.Completed > 0:
			add(c.Name, &th.OK, "%s ok", format.Count(c.Completed))
		}
		add(c.Name, &th.Dim, "%d awaited", c.Outstanding)
		add(c.Name, &th.Dim, "cqe %s", format.Count(uint64(c.CQE)))
	}
	for i := range s.SRQs {
		q := &s.SRQs[i]
		add(q.Name, &th.Dim, "%d posted", q.RecvPosted)
		add(q.Name, &th.Dim, "max_wr %s", format.Count(uint64(q.MaxWR)))
	}
}

func (p *picture) saysOthers(add adder) {
	th, s := p.th, p.s
	for i := range s.AHs {
		add(s.AHs[i].Name, &th.Theirs, th.Glyphs.Right+" "+s.AHs[i].Attr.GRH.DGID.Addr().String())
	}
	for i := range s.DMs {
		add(s.DMs[i].Name, &th.Dim, format.Size(s.DMs[i].Length))
	}
	for i := range s.Peers {
		add(s.Peers[i].Name, &th.Theirs, "%s:0x%x", s.Peers[i].GID.Addr(), uint32(s.Peers[i].QPN))
	}
	for i := range s.IDs {
		id := &s.IDs[i]
		st := &th.Accent
		switch id.State {
		case session.IDConnected:
			st = &th.OK
		case session.IDError:
			st = &th.Err
		}
		add(id.Name, st, id.State.String())
		if id.Peer.IsValid() {
			add(id.Name, &th.Theirs, th.Glyphs.Right+" "+id.Peer.String())
		}
	}
	for i := range s.EventChannels {
		if n := s.EventChannels[i].Waiting; n > 0 {
			add(s.EventChannels[i].Name, &th.Info, "%d waiting", n)
		}
	}
}
