package connections

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
	"rdmatui/verbs"
)

// pair is a connection that is brought to CONNECTED without further keys: the identifier here that asks, the one that
// is asked, or both. Each end tells the other its region in private data.
type pair struct {
	client   string
	listener string
	accepted string // the request of the listener
}

// next returns the lines for what the connection's identifiers are in; none once it is made.
func (p *pair) next(s *Screen) func(*session.Snapshot) []string {
	return func(snap *session.Snapshot) []string {
		for i := range snap.IDs {
			if id := &snap.IDs[i]; id.Listen == p.listener && id.State == session.IDRequest && p.listener != "" {
				p.accepted = id.Name
				return append(upToEvent(fromRequest(snap, id, s.wishFor(id.Name))), p.established(id.Name)...)
			}
		}
		if id := snap.ID(p.client); id != nil && id.State != session.IDConnected {
			return p.ask(s, snap, id)
		}
		if p.client == "" && p.accepted == "" {
			return []string{"expect cm CONNECT_REQUEST id=" + p.listener + " timeout=" + steps.MeetTimeout}
		}
		for _, name := range []string{p.client, p.accepted} {
			if id := snap.ID(name); id != nil && id.State == session.IDConnected {
				if list := toldRegion(snap, id, snap.QP(id.QP), s.wishFor(name)); list != nil {
					return upToEvent(list)
				}
			}
		}
		return nil
	}
}

// eventWait is how long an event of a step may take.
const eventWait = " timeout=10s"

// established waits for the connection at the ends that are here.
func (p *pair) established(server string) (lines []string) {
	for _, name := range []string{server, p.client} {
		if name != "" {
			lines = append(lines, "expect cm ESTABLISHED id="+name+eventWait)
		}
	}
	return lines
}

// follows is the event after each state of a client.
var follows = map[session.IDState]verbs.CMEventType{
	session.IDIdle: verbs.CMAddrResolved, session.IDBound: verbs.CMAddrResolved,
	session.IDAddrResolved: verbs.CMRouteResolved, session.IDRouteResolved: verbs.CMEstablished,
}

// ask takes the client one step further.
func (p *pair) ask(s *Screen, snap *session.Snapshot, id *session.IDView) (lines []string) {
	w := s.wishFor(id.Name)
	q := snap.QP(id.QP)
	if id.State == session.IDRouteResolved && q != nil && w.private == "" {
		m := openRegion(snap, q.PD)
		if m == "" {
			m = steps.FreeName(snap, "dst")
			lines = append(lines, "reg_mr "+m+" pd="+steps.Word(q.PD)+
				" length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ")
		}
		w.private = strings.TrimPrefix(fmt.Sprintf(regionData, regionMark, m), " private_data=")
	}
	lines = append(lines, upToEvent(onward[id.State](snap, id, w))...)
	event, known := follows[id.State]
	switch {
	case len(lines) == 0 || !known:
		return nil
	case event == verbs.CMEstablished && p.listener != "":
		return append(lines, "expect cm CONNECT_REQUEST id="+p.listener+eventWait)
	}
	return append(lines, "expect cm "+event.String()+" id="+id.Name+eventWait)
}

// openRegion returns a region of a domain that the peer may write and read, "" for none.
func openRegion(snap *session.Snapshot, pd string) string {
	at := slices.IndexFunc(snap.MRs, func(m session.MRView) bool {
		return m.PD == pd && m.Access&regionPeerMay == regionPeerMay
	})
	if at < 0 {
		return ""
	}
	return snap.MRs[at].Name
}

// toWrite goes to Post, where enter posts an RDMA_WRITE to the other end.
var toWrite = screen.Send(screen.GotoMsg{To: screen.Post, Item: verbs.WRRDMAWrite.String()})

// serve listens, accepts the first request, and then goes to Post.
func serve(s *Screen) tea.Cmd {
	if s.start.none() {
		return screen.Warn(s.advice())
	}
	listening := slices.IndexFunc(s.snap.IDs, func(id session.IDView) bool {
		return id.State == session.IDListening && id.PortSpace == verbs.PortSpaceTCP && id.Mode != "sync"
	})
	if listening >= 0 {
		name := s.snap.IDs[listening].Name
		s.selectID(name)
		return s.runner.StartMore((&pair{listener: name}).next(s), toWrite)
	}
	s.draft = &wish{name: nameFor(&s.snap, true), serves: true}
	s.draft.setAddress(defaultPort)
	return s.runner.StartMore((&pair{listener: s.draft.name}).next(s), toWrite, lines(s.todo())...)
}

// lines returns the lines of a list.
func lines(list []todo) (out []string) {
	for i := range list {
		out = append(out, list[i].line)
	}
	return out
}

// askJoin asks for the address of the instance that waits.
func askJoin(s *Screen) tea.Cmd {
	return s.Entry.Ask(steps.Meeting(func(address string) tea.Cmd { return join(s, address) }), "")
}

// join connects to a listener, and then goes to Post.
func join(s *Screen, address string) tea.Cmd {
	if s.start.none() {
		return screen.Warn(s.advice())
	}
	s.draft = &wish{name: nameFor(&s.snap, false)}
	s.draft.setAddress(strings.TrimPrefix(address, steps.ByManager))
	first := creation(&s.snap, s.draft, s.start.choice())
	return s.runner.StartMore((&pair{client: s.draft.name}).next(s), toWrite, lines(first)...)
}

// Pick implements screen.Picker: it connects to the instance at an address, or makes the connection of an identifier
// anew.
func (s *Screen) Pick(item string) tea.Cmd {
	id, again := strings.CutPrefix(item, steps.Anew)
	if !again {
		return join(s, item)
	}
	s.draft = nil
	s.pick(id)
	return fixThen(s, screen.Flash("connected anew; the Journal (8) has all lines"))
}

// joinLine is what the other instance takes to connect to a listener; "" if the address is not known.
func joinLine(s *Screen, id *session.IDView) string {
	if !id.Local.IsValid() {
		return ""
	}
	host := id.Local.Addr().Unmap().String()
	if id.Local.Addr().IsUnspecified() {
		if len(s.start.addresses) == 0 {
			return ""
		}
		host, _, _ = strings.Cut(s.start.addresses[0], " ")
	}
	return fmt.Sprintf("%s%s %d", steps.ByManager, host, id.Local.Port())
}

// fixed is how the key Fix resolves what is wrong: a request that waits, or a connection that has ended.
func fixed(s *Screen) (m steps.Mend, p *pair) {
	id := s.current()
	if id == nil || s.draft != nil {
		return m, nil
	}
	c, m := steps.ManagedOf(&s.snap, id)
	switch {
	case m.Else != "" && c.Client == nil:
		return steps.Mend{Else: m.Else + "; " + keymap.Connections.Destroy.Help().Key + " destroys this end"}, nil
	case m.Else != "":
		return steps.Mend{Else: m.Else + "; then " + keymap.Meet.Join.Help().Key + " connects anew"}, nil
	case !m.Can():
		return m, nil
	}
	client := c.Client
	for _, end := range []*session.IDView{client, c.Server} {
		if end != nil {
			m.Lines = append(m.Lines, lines(cleanUp(end))...)
		}
	}
	create := "rdma_create_id " + client.Name + " ps=TCP"
	if client.Channel != "" {
		create += " channel=" + client.Channel
	} else {
		create += " mode=" + client.Mode
	}
	m.Lines = append(m.Lines, create)
	return m, &pair{client: client.Name, listener: c.Listener}
}

// fix resolves what is wrong.
func fix(s *Screen) tea.Cmd { return fixThen(s, nil) }

func fixThen(s *Screen, then tea.Cmd) tea.Cmd {
	m, p := fixed(s)
	if !m.Can() {
		return screen.Flash("nothing to fix here")
	}
	client := s.snap.ID(p.client)
	s.draft = nil
	s.wishes[p.client] = &wish{name: p.client, known: true, addr: client.Peer.Addr().Unmap().String(),
		port: fmt.Sprint(client.Peer.Port())}
	w := s.wishes[p.client]
	next := p.next(s)
	return s.runner.StartMore(func(snap *session.Snapshot) []string {
		s.wishes[p.client] = w // a frame between two lines may have dropped it with the old identifier
		return next(snap)
	}, then, m.Lines...)
}

func canFix(s *Screen) bool { m, _ := fixed(s); return m.Can() }
