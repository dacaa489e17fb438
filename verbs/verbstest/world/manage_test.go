package world

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/verbstest/sim"
)

// managed is a host's identifiers of the connection manager.
type managed struct {
	w       *world
	host    *host
	channel verbs.CMEventChannel
	ids     []*ident // not closed
}

// managedPatience is longer than any identifier may wait for its event: a peer may ask for 18 minutes.
const managedPatience = time.Hour

// Ports that hosts listen on.
const (
	tcpPort = 7471
	udpPort = 7472
)

// phase is the state of an identifier according to its events.
type phase int

const (
	fresh phase = iota
	resolving
	routing
	connecting // an event must follow
	responded  // CONNECT_RESPONSE came
	asked      // a request from a peer that was not answered yet
	accepted   // an event must follow
	listening
	up
	leaving // DISCONNECTED must follow
	left    // TIMEWAIT_EXIT must follow
	over
)

var phases = [...]string{"fresh", "resolving", "routing", "connecting", "responded", "asked", "accepted", "listening",
	"up", "leaving", "left", "over"}

// ident is an identifier.
type ident struct {
	m     *managed
	id    verbs.CMID
	space verbs.CMPortSpace
	phase phase
	since time.Duration
	dom   *domain
	end   *end
	tag   string // identifies its latest message, in the private data
	uc    bool   // its queue pair is UC, which the manager connects but does not move
}

func (w *world) newManaged(h *host) *managed {
	channel, err := h.provider.CreateEventChannel()
	w.Must("create_event_channel", err)
	m := &managed{w: w, host: h, channel: channel}
	m.listen(verbs.PortSpaceTCP, tcpPort)
	m.listen(verbs.PortSpaceUDP, udpPort)
	return m
}

func (m *managed) add(id verbs.CMID) *ident {
	i := &ident{m: m, id: id, space: id.PortSpace()}
	m.ids = append(m.ids, i)
	return i
}

func (i *ident) enter(p phase) {
	i.phase, i.since = p, i.m.w.Now()
}

// listen accepts requests, at one address or at all.
func (m *managed) listen(space verbs.CMPortSpace, port uint16) {
	w := m.w
	id, err := m.channel.CreateID(space)
	if !w.Must("create_id", err) {
		return
	}
	at := sim.Pick(w.Rng, m.host.addr, netip.IPv4Unspecified())
	i := m.add(id)
	w.Must("bind_addr", id.BindAddr(netip.AddrPortFrom(at, port)))
	w.Must("listen", id.Listen(sim.Pick(w.Rng, 0, 1, 4)))
	i.enter(listening)
}

// domains appends the domains of the identifiers.
func (m *managed) domains(all []*domain) []*domain {
	for _, i := range m.ids {
		if i.dom != nil && !i.dom.closed {
			all = append(all, i.dom)
		}
	}
	return all
}

// stepManage begins or ends a connection.
func (w *world) stepManage() {
	m := sim.Pick(w.Rng, w.hosts...).managed
	switch n := w.Rng.IntN(10); {
	case n < 5 && len(m.ids) < 8:
		m.connect()
	case n < 7:
		if i := m.some(up); i != nil {
			i.disconnect()
		}
	case n < 8:
		if i := m.some(resolving, routing, connecting, asked, accepted, up, leaving, left, over, responded); i != nil {
			i.close()
		}
	case n < 9:
		if i := m.some(asked); i != nil {
			i.reject()
		}
	default:
		if i := m.some(over, left); i != nil {
			i.close()
		}
	}
}

// some picks an identifier in one of the phases; nil if there is none.
func (m *managed) some(of ...phase) *ident {
	var some []*ident
	for _, i := range m.ids {
		if slices.Contains(of, i.phase) {
			some = append(some, i)
		}
	}
	if len(some) == 0 {
		return nil
	}
	return some[m.w.Rng.IntN(len(some))]
}

// connect begins a connection, or the resolution of a service.
func (m *managed) connect() {
	w := m.w
	space, port := verbs.PortSpaceTCP, uint16(tcpPort)
	if w.Chance(0.35) {
		space, port = verbs.PortSpaceUDP, udpPort
	}
	if w.Chance(0.1) {
		port++ // the next port has a listener only in another port space, or none
	}
	to := sim.Pick(w.Rng, w.hosts...)
	addr := to.addr
	switch {
	case w.Chance(0.15):
		addr = addr.Next() // the second device; only a listener at all addresses answers
	case w.Chance(0.05):
		addr = netip.AddrFrom4([4]byte{10, 9, 9, 9}) // no host
	}
	id, err := m.channel.CreateID(space)
	if !w.Must("create_id", err) {
		return
	}
	i := m.add(id)
	i.enter(resolving)
	w.Tracef("%s: resolve %s %s:%d", m.host.name, space, addr, port)
	w.Must("resolve_addr", id.ResolveAddr(netip.AddrPort{}, netip.AddrPortFrom(addr, port), time.Second))
}

// later calls do after a random time, unless the identifier has left its phase by then.
func (i *ident) later(mean time.Duration, do func()) {
	w, was := i.m.w, i.phase
	w.After(w.Gap(mean), func() {
		if i.phase == was && slices.Contains(i.m.ids, i) {
			do()
		}
	})
}

// events takes the channel's events.
func (m *managed) events() (n int) {
	for {
		ev, err := m.channel.GetEvent(ended)
		if err != nil {
			return n
		}
		n++
		m.w.Note(uint64(ev.Type)<<48 ^ uint64(uint16(ev.Status))<<16 ^ uint64(m.host.n))
		m.w.Tracef("%s: %s status %d", m.host.name, ev.Type, ev.Status)
		m.event(&ev)
	}
}

// follows lists the events that an identifier may get in each phase, and the phase that each leads to.
var follows = map[phase]map[verbs.CMEventType]phase{
	resolving: {verbs.CMAddrResolved: routing, verbs.CMAddrError: over},
	routing:   {verbs.CMRouteResolved: fresh, verbs.CMRouteError: over},
	connecting: {verbs.CMEstablished: up, verbs.CMRejected: over, verbs.CMUnreachable: over, verbs.CMConnectError: over,
		verbs.CMConnectResponse: responded},
	responded: {verbs.CMRejected: over, verbs.CMUnreachable: over, verbs.CMDisconnected: left},
	asked:     {verbs.CMRejected: over, verbs.CMUnreachable: over, verbs.CMDisconnected: left},
	accepted: {verbs.CMEstablished: up, verbs.CMRejected: over, verbs.CMUnreachable: over, verbs.CMConnectError: over,
		verbs.CMDisconnected: left},
	up:      {verbs.CMDisconnected: left, verbs.CMRejected: over},
	leaving: {verbs.CMDisconnected: left, verbs.CMRejected: over},
	left:    {verbs.CMTimewaitExit: over},
	over:    {verbs.CMTimewaitExit: over},
}

func (m *managed) event(ev *verbs.CMEvent) {
	w := m.w
	if ev.Type == verbs.CMConnectRequest {
		m.request(ev)
		return
	}
	at := slices.IndexFunc(m.ids, func(i *ident) bool { return i.id == ev.ID })
	if at < 0 {
		w.Fail("%s: %s of a closed identifier", m.host.name, ev.Type)
		return
	}
	i := m.ids[at]
	to, known := follows[i.phase][ev.Type]
	if !known {
		w.Fail("%s: %s, status %d, of an identifier that is %s", m.host.name, ev.Type, ev.Status, phases[i.phase])
		return
	}
	if asks := i.phase == connecting || i.phase == accepted; asks && ev.Type == verbs.CMUnreachable &&
		ev.Status == -int(syscall.ETIMEDOUT) && w.asks[i.tag] < 2 && !w.insecure() {
		w.Fail("%s: an identifier that is %s gives up after sending its message %d times", m.host.name,
			phases[i.phase], w.asks[i.tag])
	}
	i.enter(to)
	if i.end != nil && ev.Type != verbs.CMEstablished {
		i.end.spoil()
	}
	switch ev.Type {
	case verbs.CMAddrResolved:
		i.later(w.plan.pace, func() { w.Must("resolve_route", i.id.ResolveRoute(time.Second)) })
	case verbs.CMRouteResolved:
		i.later(w.plan.pace, i.request)
	case verbs.CMConnectResponse:
		i.later(w.plan.pace, i.establish)
	case verbs.CMEstablished:
		i.adopt(ev)
		if w.ending {
			i.later(w.plan.pace, i.disconnect)
		}
	case verbs.CMDisconnected:
		i.later(w.plan.pace, i.agree)
	}
}

// request handles a connection request from a peer.
func (m *managed) request(ev *verbs.CMEvent) {
	w := m.w
	listener := slices.ContainsFunc(m.ids, func(i *ident) bool { return i.id == ev.ListenID && i.phase == listening })
	if !listener {
		w.Fail("%s: a request without a listener", m.host.name)
	}
	i := m.add(ev.ID)
	i.enter(asked)
	offer := ev.Conn
	i.uc = bytes.Contains(offer.PrivateData, []byte(unreliable))
	switch {
	case w.Chance(0.75):
		i.later(5*w.plan.pace, func() { i.accept(&offer) })
	case w.Chance(0.6):
		i.later(5*w.plan.pace, i.reject)
	}
}

// equip makes a queue pair on the identifier.
func (i *ident) equip() bool {
	w := i.m.w
	i.dom = w.newDomain(i.m.host, i.id.Device(), w.plan.slot)
	typ := verbs.RC
	if i.space == verbs.PortSpaceUDP {
		typ = verbs.UD
	}
	if w.Failed() {
		return false
	}
	create := func(spec verbs.QPSpec) (verbs.QP, error) { return i.id.CreateQP(i.dom.pd, spec) }
	if i.uc {
		typ, create = verbs.UC, i.dom.pd.CreateQP
	}
	i.end = i.dom.newEnd(typ, create)
	if i.end == nil || i.uc && !i.move(verbs.QPInit) {
		return false
	}
	i.end.byManager, i.end.gidIndex, i.end.qkey = true, 1, managedQKey
	w.Tracef("%s: QP %s for %s", i.m.host.name, i.end.num, i.space)
	return true
}

// managedQKey is the Q_Key of datagrams in the IP port spaces.
const managedQKey = 0x01234567

func (i *ident) params() verbs.CMConnParam {
	w := i.m.w
	num := verbs.QPN(2 + w.Rng.IntN(1<<20))
	if i.uc && i.end != nil {
		num = i.end.num
	}
	return verbs.CMConnParam{
		ResponderResources: uint8(w.Rng.IntN(5)), InitiatorDepth: uint8(w.Rng.IntN(5)),
		RetryCount: uint8(1 + w.Rng.IntN(7)), RNRRetryCount: sim.Pick(w.Rng, uint8(7), 7, 3, 0),
		QPNum: num, PrivateData: i.tagged(w.Rng.IntN(48)),
	}
}

// tagged makes private data that starts with a unique tag, followed by more bytes.
func (i *ident) tagged(more int) []byte {
	w := i.m.w
	w.lastID++
	i.tag = fmt.Sprintf("ask %04x", w.lastID)
	if i.uc {
		return []byte(i.tag + unreliable)
	}
	return append([]byte(i.tag), make([]byte, more)...)
}

// countAsk counts how often a message was sent.
func (w *world) countAsk(p *packet) {
	if !p.IsMAD() {
		return
	}
	if at := bytes.Index(p.Data, []byte("ask ")); at >= 0 && at+tagLen <= len(p.Data) {
		w.asks[string(p.Data[at:at+tagLen])]++
	}
}

// tagLen is the length of a tag.
const tagLen = len("ask 0000")

// request sends the connection request.
func (i *ident) request() {
	w := i.m.w
	i.uc = i.space == verbs.PortSpaceTCP && w.Chance(0.25)
	if w.Chance(0.9) && !i.equip() {
		return
	}
	i.enter(connecting)
	w.Must("connect", i.id.Connect(i.params()))
}

// accept answers a request. The peer may have given up just before.
func (i *ident) accept(offer *verbs.CMConnParam) {
	w := i.m.w
	if w.Chance(0.9) && !i.equip() {
		return
	}
	if i.uc && i.end != nil && !i.moveUp() {
		i.reject()
		return
	}
	p := i.params()
	p.ResponderResources, p.InitiatorDepth = min(p.ResponderResources, offer.ResponderResources),
		min(p.InitiatorDepth, offer.InitiatorDepth)
	err := i.id.Accept(p)
	w.Tracef("%s: accept %v", i.m.host.name, err)
	switch {
	case err != nil:
		if !w.insecure() {
			w.Must("accept", err)
		}
		i.enter(over)
	case i.space == verbs.PortSpaceUDP:
		i.enter(over) // no more events
	default:
		i.enter(accepted)
	}
}

func (i *ident) reject() {
	w := i.m.w
	if err := i.id.Reject(make([]byte, w.Rng.IntN(30))); err != nil && !w.insecure() {
		w.Must("reject", err)
	}
	i.enter(over)
}

// disconnect ends a connection.
func (i *ident) disconnect() {
	w := i.m.w
	if i.end != nil {
		i.end.spoil()
	}
	if i.space == verbs.PortSpaceUDP {
		i.enter(over)
		return
	}
	w.Tracef("%s: disconnect", i.m.host.name)
	if err := i.id.Disconnect(); w.Must("disconnect", err) {
		i.enter(leaving)
	}
}

// agree confirms the peer's disconnect request.
func (i *ident) agree() { i.m.w.Must("disconnect", i.id.Disconnect()) }

// adopt pairs the queue pairs of a connection, as soon as both sides are known.
func (i *ident) adopt(*verbs.CMEvent) {
	w, e := i.m.w, i.end
	if e == nil || e.typ == verbs.UD || e.peer != nil {
		return
	}
	for _, other := range w.ends {
		if other.byManager && other.typ == e.typ && other.peer == nil && other != e && other.num == e.destination() &&
			other.destination() == e.num {
			e.peer, other.peer = other, e
			e.learn()
			other.learn()
			w.Tracef("connected %s %s - %s", e.typ, e.num, other.num)
			return
		}
	}
}

// destination returns the number of the queue pair that it is connected to; 0 if it is not connected.
func (e *end) destination() verbs.QPN {
	attr, _, err := e.qp.Query(verbs.AttrState | verbs.AttrDestQPN)
	if !e.w.Must("query_qp", err) || attr.QPState != verbs.QPRTS {
		return 0
	}
	return attr.DestQPNum
}

// learn reads the attributes that the connection manager has set.
func (e *end) learn() {
	attr, _, err := e.qp.Query(verbs.AttrState | verbs.AttrAccessFlags | verbs.AttrTimeout)
	e.w.Must("query_qp", err)
	e.access, e.mtu, e.reads = attr.QPAccessFlags, attr.PathMTU, attr.MaxRDAtomic
	e.timeout, e.retry, e.rnr = attr.Timeout, attr.RetryCnt, attr.RNRRetry
}

// close destroys the identifier and the objects made for it.
func (i *ident) close() {
	w := i.m.w
	w.Tracef("%s: close an identifier that is %s", i.m.host.name, phases[i.phase])
	if i.end != nil {
		i.end.spoil()
	}
	if i.dom != nil && !i.dom.closed {
		i.dom.closeAll()
	}
	w.Must("destroy_id", i.id.Close())
	i.m.ids = slices.DeleteFunc(i.m.ids, func(other *ident) bool { return other == i })
}

// finish disconnects all connections.
func (m *managed) finish() {
	for _, i := range slices.Clone(m.ids) {
		if i.phase == up {
			i.disconnect()
			// The timers of two that leave at the same instant would fire in any order.
			m.w.Run(m.w.Now()+1, func() bool { return false })
		}
	}
}

// waits reports whether an identifier waits for an event.
func (m *managed) waits() bool {
	return slices.ContainsFunc(m.ids, func(i *ident) bool { return i.waits() })
}

func (i *ident) waits() bool {
	return slices.Contains([]phase{resolving, routing, connecting, accepted, leaving, left}, i.phase)
}

// overdue fails for each identifier whose event did not arrive.
func (m *managed) overdue() {
	for _, i := range m.ids {
		if i.waits() {
			m.w.Fail("liveness: %s: an identifier from %s to %s is %s since %v without an event", m.host.name,
				i.id.LocalAddr(), i.id.PeerAddr(), phases[i.phase], i.since)
		}
	}
}

// closeAll closes every identifier and the channel.
func (m *managed) closeAll() {
	for len(m.ids) > 0 {
		m.ids[len(m.ids)-1].close()
	}
	m.w.Must("destroy_event_channel", m.channel.Close())
}
