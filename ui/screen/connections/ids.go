package connections

import (
	"cmp"
	"net/netip"
	"slices"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// idColumn is one column of the list of identifiers.
type idColumn struct {
	widget.TableColumn
	draw func(b *line.Buf, id *session.IDView, th *theme.Theme)
}

var idColumns = []idColumn{
	{widget.TableColumn{Title: "id", Space: widget.Space{Size: 11, Min: 9, Weight: 1}},
		func(b *line.Buf, id *session.IDView, th *theme.Theme) { b.Text(id.Name, th.Value) }},
	{widget.TableColumn{Title: "ps", Space: widget.Space{Size: 5, Drop: 6}},
		func(b *line.Buf, id *session.IDView, th *theme.Theme) { b.Text(id.PortSpace.String(), th.Dim) }},
	{widget.TableColumn{Title: "state", Space: widget.Space{Size: 14}},
		func(b *line.Buf, id *session.IDView, th *theme.Theme) {
			b.Text(id.State.String(), stateStyle(th, id.State))
		}},
	{widget.TableColumn{Title: "local address", Space: widget.Space{Size: 20, Min: 15, Weight: 1, Drop: 5}},
		func(b *line.Buf, id *session.IDView, th *theme.Theme) { drawAddr(b, id.Local, th) }},
	{widget.TableColumn{Title: "peer", Space: widget.Space{Size: 20, Min: 15, Weight: 1, Drop: 2}},
		func(b *line.Buf, id *session.IDView, th *theme.Theme) { drawAddr(b, id.Peer, th) }},
	{widget.TableColumn{Title: "device", Space: widget.Space{Size: 9, Min: 8, Drop: 4}},
		func(b *line.Buf, id *session.IDView, th *theme.Theme) { drawName(b, id.Device, th) }},
	{widget.TableColumn{Title: "qp", Space: widget.Space{Size: 5, Min: 3, Drop: 3}},
		func(b *line.Buf, id *session.IDView, th *theme.Theme) { drawName(b, id.QP, th) }},
}

func drawAddr(b *line.Buf, a netip.AddrPort, th *theme.Theme) {
	if !a.IsValid() {
		b.Text(th.Glyphs.Dash, th.Undefined)
		return
	}
	b.Text(addrText(a), th.Value)
}

// addrText formats an IPv4 address as such, however the provider stores it; "" for none.
func addrText(a netip.AddrPort) string {
	if !a.IsValid() {
		return ""
	}
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()).String()
}

func drawName(b *line.Buf, name string, th *theme.Theme) {
	if name == "" {
		b.Text(th.Glyphs.Dash, th.Undefined)
		return
	}
	b.Text(name, th.Value)
}

func stateStyle(th *theme.Theme, st session.IDState) theme.Style {
	switch st {
	case session.IDConnected, session.IDListening:
		return th.OK
	case session.IDRequest:
		return th.Warn
	case session.IDError:
		return th.Err
	case session.IDDisconnected:
		return th.Dim
	}
	return th.Accent
}

func tableColumns() []widget.TableColumn {
	out := make([]widget.TableColumn, len(idColumns))
	for i := range idColumns {
		out[i] = idColumns[i].TableColumn
	}
	return out
}

// idRows makes the identifiers a table's source; those that wait for an answer are
// marked.
type idRows struct{ s *Screen }

// Len implements widget.TableRows.
func (r idRows) Len() int { return len(r.s.snap.IDs) }

// Cell implements widget.TableRows.
func (r idRows) Cell(b *line.Buf, row, col int) {
	id := r.s.snap.IDs[row]
	if d := r.s.snap.Device(id.Device); d != nil {
		id.Device = cmp.Or(d.Info.Name, d.Name) // that the manager opened under another name
	}
	idColumns[col].draw(b, &id, r.s.th)
}

// Marked implements widget.TableMarks.
func (r idRows) Marked(row int) bool { return r.s.snap.IDs[row].State == session.IDRequest }

// sameFace reports whether two snapshots look the same here, so that traffic costs
// this screen nothing.
func sameFace(a, b *session.Snapshot) bool {
	return len(a.Objects) == len(b.Objects) && slices.EqualFunc(a.IDs, b.IDs, sameID) &&
		slices.EqualFunc(a.EventChannels, b.EventChannels, func(x, y session.EventChannelView) bool {
			return x.Name == y.Name && x.Mode == y.Mode
		}) &&
		slices.EqualFunc(a.QPs, b.QPs, func(x, y session.QPView) bool { return x.Name == y.Name && x.State == y.State })
}

func sameID(x, y session.IDView) bool {
	return x.Name == y.Name && x.State == y.State && x.Channel == y.Channel && x.Mode == y.Mode &&
		x.Device == y.Device && x.QP == y.QP &&
		x.Local == y.Local && x.Peer == y.Peer && x.Last == y.Last && slices.Equal(x.Steps, y.Steps) &&
		slices.Equal(x.Groups, y.Groups)
}

// meaning explains each state and what follows.
var meaning = map[session.IDState]string{
	session.IDIdle:          "IDLE: no address yet. A client resolves the peer's address (c); a server binds a local one (l).",
	session.IDBound:         "BOUND: it has a local address. A server listens next; a client resolves the peer's address.",
	session.IDAddrResolved:  "ADDR_RESOLVED: the device and the neighbour are known. Create the queue pair, then resolve the route.",
	session.IDRouteResolved: "ROUTE_RESOLVED: the path to the peer is known. Send the connection request.",
	session.IDListening:     "LISTENING: each request arrives as CONNECT_REQUEST with its own identifier.",
	session.IDRequest:       "A peer waits for an answer. Without one it times out with UNREACHABLE.",
	session.IDConnecting:    "CONNECTING: waiting for the peer's answer. The next event reports it.",
	session.IDConnected:     "CONNECTED: both ends can send. Post requests on 3; completions appear on 4.",
	session.IDDisconnected:  "DISCONNECTED: the connection has ended and outstanding requests were flushed. Destroy the objects.",
	session.IDError:         "The last step failed. The event says why.",
}

// Sequences of states.
var (
	clientWay = []session.IDState{session.IDIdle, session.IDAddrResolved, session.IDRouteResolved,
		session.IDConnecting, session.IDConnected, session.IDDisconnected}
	serverWay  = []session.IDState{session.IDIdle, session.IDBound, session.IDListening}
	requestWay = []session.IDState{session.IDRequest, session.IDConnecting, session.IDConnected, session.IDDisconnected}

	rejectedWay = []session.IDState{session.IDRequest, session.IDDisconnected}
)

// wasRejected reports whether an identifier is a request that was refused here.
func wasRejected(id *session.IDView) bool {
	return id.Listen != "" && id.State == session.IDDisconnected && id.Last != nil &&
		id.Last.Type == verbs.CMConnectRequest
}

// wayOf returns the sequence of states of an identifier.
func wayOf(id *session.IDView, serves bool) []session.IDState {
	switch {
	case wasRejected(id):
		return rejectedWay
	case id.Listen != "" || id.State == session.IDRequest:
		return requestWay
	case id.State == session.IDListening, serves, id.State == session.IDBound:
		return serverWay
	}
	return clientWay
}

// failedIn is the state in which each step fails.
var failedIn = map[string]session.IDState{
	"resolve_addr": session.IDIdle, "resolve_route": session.IDAddrResolved,
	"connect": session.IDConnecting, "accept": session.IDConnecting,
}

// reached returns the state that an identifier has reached; in ERROR, the one in
// which it failed.
func reached(id *session.IDView) session.IDState {
	if id.State != session.IDError {
		return id.State
	}
	for i := len(id.Steps) - 1; i >= 0; i-- {
		if st := &id.Steps[i]; st.Failed {
			if at, ok := failedIn[st.Name]; ok {
				return at
			}
		}
	}
	if id.Listen != "" {
		return session.IDRequest
	}
	return session.IDIdle
}

// mode is a way of waiting for events.
type mode struct{ name, doc string }

// modes are the ways of waiting for events offered for a new identifier.
var modes = []mode{
	{"event", "a thread blocks until an event arrives"},
	{"poll", "busy polling: uses one full core"},
	{"sync", "no channel: each call waits for its event"},
}

// space is a port space and its purpose.
type space struct{ name, doc string }

var spaces = []space{
	{"TCP", "reliable connections (RC)"},
	{"UDP", "datagrams (UD)"},
}

// comesOf says what each step under way waits for.
var comesOf = map[string]string{
	"resolve_addr":   "Resolving the neighbour. Expect ADDR_RESOLVED or ADDR_ERROR.",
	"resolve_route":  "Resolving the path. Expect ROUTE_RESOLVED or ROUTE_ERROR.",
	"connect":        "Request sent. The peer accepts, rejects or lets it time out.",
	"accept":         "Accepted. Expect ESTABLISHED.",
	"disconnect":     "Disconnect sent. DISCONNECTED follows when the peer disconnects or the request times out.",
	"join_multicast": "Joining. Expect MULTICAST_JOIN or MULTICAST_ERROR.",
}

func isCM(e *timeline.Event) bool { return e.CM != nil }

// chart draws an identifier's states: the past ones, [the current one], and those to
// come; a failure is marked where it happened.
type chart struct {
	th     *theme.Theme
	way    []session.IDState
	at     session.IDState
	failed bool
	tight  bool // no blanks around the arrows
}

// arrow is drawn between two states.
func (c *chart) arrow() string {
	if c.tight {
		return c.th.Glyphs.Right
	}
	return " " + c.th.Glyphs.Right + " "
}

func (c *chart) name(i int) string {
	if c.way[i] == c.at {
		return "[" + c.way[i].String() + "]"
	}
	return c.way[i].String()
}

// failure is drawn after the state in which a step failed.
func (c *chart) failure() string { return " " + c.th.Glyphs.Ban + " ERROR" }

// lines breaks the states into lines of w cells, and returns the first state of each.
func (c *chart) lines(w int) (starts []int) {
	used := w
	for i := range c.way {
		n := line.Width(c.name(i)) + line.Width(c.arrow())
		if c.failed && c.way[i] == c.at {
			n += line.Width(c.failure())
		}
		if used+n > w && (i == 0 || used > 0) {
			starts, used = append(starts, i), 1
		}
		used += n
	}
	return starts
}

// draw appends the states of a range; an arrow leads to the next.
func (c *chart) draw(b *line.Buf, from, to int) {
	now := slices.Index(c.way, c.at)
	b.Space(1)
	for i := from; i < to; i++ {
		st := c.th.Value
		switch {
		case i == now && c.failed:
			st = c.th.Warn
		case i == now:
			st = c.th.Accent
		case i > now:
			st = c.th.Undefined
		}
		b.Text(c.name(i), st)
		if i == now && c.failed {
			b.Text(c.failure(), c.th.Err)
		}
		if i < len(c.way)-1 {
			b.Text(c.arrow(), c.th.Frame)
		}
	}
}
