package connections

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/command/syntax"
	"rdmatui/ui/screen/steps"
	"rdmatui/verbs"
)

// todo is a command line to run next, and why.
type todo struct {
	line, why string
	waits     bool // an event follows, on which the next lines depend
}

const (
	whyChannel  = "An event channel delivers the connection manager's events."
	whyID       = "An identifier (rdma_cm_id) is to RDMA what a socket is to TCP."
	whyResolve  = "Resolves the address to a device and a neighbour. Expect ADDR_RESOLVED or ADDR_ERROR."
	whyPD       = "The device is known now. Regions and queue pairs work together only within one protection domain."
	whyMR       = "Registers memory to send from."
	whyOpenMR   = "Registers memory that the peer may write and read. Accepting tells it where."
	whyCQ       = "The queue pair reports finished requests to a completion queue."
	whyQP       = "The queue pair belongs to the identifier; the manager moves it through its states."
	whyRoute    = "Resolves the path to the peer. Expect ROUTE_RESOLVED or ROUTE_ERROR."
	whyConnect  = "Sends the connection request. Expect ESTABLISHED, REJECTED or UNREACHABLE. P adds private data."
	whyBind     = "Binds a local address; without one, a port on every device."
	whyListen   = "Starts accepting connection requests."
	whyRequest  = "In sync mode a call must wait for the request."
	whyAccept   = "Accepts the request. Expect ESTABLISHED. Post the RECVs that the peer needs first (3)."
	whyEstab    = "The peer has accepted. Bring the queue pair to RTS (2), then establish."
	whyAH       = "Datagrams need an address handle. A SEND (3) also takes remote_qpn=%[1]s.remote_qpn and remote_qkey=%[1]s.remote_qkey."
	whyQuery    = "Reads which queue pair of the peer the manager has connected this one to."
	whyRegion   = "Names the peer's region, so that Post (3) fills in its address and rkey."
	whyDisc     = "The peer disconnected. Disconnect this end, which flushes its requests."
	whyDropQP   = "Destroy the queue pair before its identifier."
	whyDropID   = "Destroys the identifier."
	whyAgain    = "Resolve the address again, or e edits the line."
	requestWait = "1m" // how long a line of this screen waits for a request
)

// creation returns the lines that make an identifier.
func creation(snap *session.Snapshot, w *wish, c choice) (list []todo) {
	args := " ps=" + c.space
	provider := ""
	if c.device != "" {
		provider = " device=" + steps.Word(c.device)
	}
	if c.mode == "sync" {
		return []todo{{line: "rdma_create_id " + w.name + args + " mode=sync" + provider, why: whyID}}
	}
	channel := sharedChannel(snap, c)
	if channel == "" {
		channel = steps.FreeName(snap, "events")
		text := "rdma_create_event_channel " + channel + provider
		if c.mode != "event" {
			text += " mode=" + c.mode
		}
		list = append(list, todo{line: text, why: whyChannel})
	}
	return append(list, todo{line: "rdma_create_id " + w.name + " channel=" + channel + args, why: whyID})
}

// sharedChannel returns a channel of the chosen mode and provider.
func sharedChannel(snap *session.Snapshot, c choice) string {
	for i := range snap.EventChannels {
		if e := &snap.EventChannels[i]; e.Mode == c.mode && (c.provider == "" || e.Provider == c.provider) {
			return e.Name
		}
	}
	return ""
}

// onward returns the next lines of each state; the wish is never nil.
var onward = map[session.IDState]func(*session.Snapshot, *session.IDView, *wish) []todo{
	session.IDIdle:          fromIdle,
	session.IDBound:         fromBound,
	session.IDAddrResolved:  fromAddrResolved,
	session.IDRouteResolved: fromRouteResolved,
	session.IDListening:     fromListening,
	session.IDRequest:       fromRequest,
	session.IDConnecting:    fromConnecting,
	session.IDConnected:     fromConnected,
	session.IDDisconnected:  fromDisconnected,
	session.IDError:         fromError,
}

func fromIdle(_ *session.Snapshot, id *session.IDView, w *wish) []todo {
	switch {
	case id.Pending() || !w.known:
		return nil
	case w.serves:
		return []todo{{line: "rdma_bind_addr " + id.Name + w.peer(), why: whyBind}, listen(id)}
	}
	return []todo{resolve(id, w, whyResolve)}
}

func resolve(id *session.IDView, w *wish, why string) todo {
	return todo{"rdma_resolve_addr " + id.Name + w.peer(), why, true}
}

func listen(id *session.IDView) todo { return todo{line: "rdma_listen " + id.Name, why: whyListen} }

func fromBound(_ *session.Snapshot, id *session.IDView, w *wish) []todo {
	if id.Pending() {
		return nil
	}
	if w.known && !w.serves {
		return []todo{resolve(id, w, whyResolve)}
	}
	return []todo{listen(id)}
}

func fromAddrResolved(snap *session.Snapshot, id *session.IDView, _ *wish) []todo {
	if id.Pending() {
		return nil
	}
	return append(preparation(snap, id), todo{"rdma_resolve_route " + id.Name, whyRoute, true})
}

func fromRouteResolved(snap *session.Snapshot, id *session.IDView, w *wish) []todo {
	return append(preparation(snap, id), todo{"rdma_connect " + id.Name + w.data(), whyConnect, true})
}

func fromListening(_ *session.Snapshot, id *session.IDView, _ *wish) []todo {
	if id.Mode == "sync" {
		return []todo{{"rdma_get_request " + id.Name + " timeout=" + requestWait, whyRequest, true}}
	}
	return nil
}

func fromRequest(snap *session.Snapshot, id *session.IDView, w *wish) []todo {
	list := preparation(snap, id)
	return append(list, todo{"rdma_accept " + id.Name + acceptData(snap, id, w, list), whyAccept, true})
}

func fromConnecting(_ *session.Snapshot, id *session.IDView, _ *wish) []todo {
	if id.Last != nil && id.Last.Type == verbs.CMConnectResponse {
		return []todo{{line: "rdma_establish " + id.Name, why: whyEstab}}
	}
	return nil
}

// fromConnected records the region that was pasted or that the peer has sent, and for a datagram peer makes an address
// handle to send to.
func fromConnected(snap *session.Snapshot, id *session.IDView, w *wish) []todo {
	q := snap.QP(id.QP)
	if list := toldRegion(snap, id, q, w); list != nil {
		return list
	}
	if q == nil || q.Type != verbs.UD || id.Listen != "" || len(snap.AHs) > 0 {
		return nil
	}
	return []todo{{line: "create_ah " + steps.FreeName(snap, "ah") + " pd=" + q.PD + " id=" + id.Name,
		why: fmt.Sprintf(whyAH, id.Name)}}
}

func fromDisconnected(snap *session.Snapshot, id *session.IDView, _ *wish) []todo {
	var list []todo
	if q := snap.QP(id.QP); q != nil && q.State != verbs.QPErr &&
		q.State != verbs.QPReset && q.Type != verbs.UD {
		list = append(list, todo{line: "rdma_disconnect " + id.Name, why: whyDisc})
	}
	return append(list, cleanUp(id)...)
}

func fromError(_ *session.Snapshot, id *session.IDView, w *wish) []todo {
	if id.Last != nil && id.Last.Type == verbs.CMAddrError && w.known && !w.serves && !id.Pending() {
		return append([]todo{resolve(id, w, whyAgain)}, cleanUp(id)...)
	}
	return cleanUp(id)
}

// cleanUp returns the lines that destroy an identifier and its queue pair.
func cleanUp(id *session.IDView) (list []todo) {
	if id.QP != "" {
		list = append(list, todo{line: "rdma_destroy_qp " + id.QP, why: whyDropQP})
	}
	return append(list, todo{line: "rdma_destroy_id " + id.Name, why: whyDropID})
}

// preparation returns the lines that make the identifier's queue pair and what it needs, and a region for its requests.
func preparation(snap *session.Snapshot, id *session.IDView) (list []todo) {
	if id.QP != "" || id.Device == "" {
		return nil
	}
	pd, cq := "", ""
	for i := range snap.PDs {
		if snap.PDs[i].Device == id.Device {
			pd = snap.PDs[i].Name
		}
	}
	for i := range snap.CQs {
		if snap.CQs[i].Device == id.Device {
			cq = snap.CQs[i].Name
		}
	}
	if pd == "" {
		pd = steps.FreeName(snap, "pd")
		list = append(list, todo{line: "alloc_pd " + pd + " id=" + id.Name, why: whyPD})
	}
	if cq == "" {
		cq = steps.FreeName(snap, "cq")
		list = append(list, todo{line: "create_cq " + cq + " id=" + id.Name + " cqe=64", why: whyCQ})
	}
	list = append(list, registration(snap, id, pd)...)
	text := "rdma_create_qp " + id.Name + " " + steps.Numbered(snap, "qp") + " pd=" + pd + " send_cq=" +
		cq + " recv_cq=" + cq +
		" max_send_wr=16 max_recv_wr=16"
	return append(list, todo{line: text, why: whyQP})
}

// upToEvent cuts a list after the first line that an event follows.
func upToEvent(list []todo) (lines []string) {
	for i := range list {
		lines = append(lines, list[i].line)
		if list[i].waits {
			break
		}
	}
	return lines
}

// nameFor returns a name for a new identifier.
func nameFor(snap *session.Snapshot, serves bool) string {
	if serves {
		return steps.Numbered(snap, "listener")
	}
	return steps.Numbered(snap, "conn")
}

// defaultPort is the port of librdmacm's examples.
const defaultPort = "7471"

// wish is what the user wants of an identifier.
type wish struct {
	name    string // of the identifier
	serves  bool   // it listens; otherwise it connects
	addr    string // of the peer, or its own; "": any
	port    string
	private string // the argument private_data of the next step, "" for none
	known   bool   // the address has been asked for
	region  string // of the peer, as arguments of peer; "" for none
	all     bool   // "run all" goes on after each event
}

// setAddress parses "host", "host:port", "host port", and for a server also "port".
func (w *wish) setAddress(text string) {
	w.known, w.addr, w.port = true, strings.TrimSpace(text), defaultPort
	if host, port, ok := strings.Cut(w.addr, " "); ok {
		w.addr, w.port = host, strings.TrimSpace(port)
		return
	}
	if a, err := netip.ParseAddrPort(w.addr); err == nil {
		w.addr, w.port = a.Addr().String(), strconv.Itoa(int(a.Port()))
		return
	}
	if _, err := strconv.ParseUint(w.addr, 10, 16); err == nil && w.serves {
		w.addr, w.port = "", w.addr
		return
	}
	if host, port, ok := strings.Cut(w.addr, ":"); ok && !strings.Contains(port, ":") {
		w.addr, w.port = host, port
	}
}

// address formats the address as setAddress takes it.
func (w *wish) address() string {
	switch {
	case !w.known:
		return ""
	case w.addr == "":
		return w.port
	}
	return w.addr + " " + w.port
}

// peer returns the end of a line that names an address.
func (w *wish) peer() string {
	if w.addr == "" {
		return " port=" + steps.Word(w.port)
	}
	return " " + steps.Word(w.addr) + " port=" + steps.Word(w.port)
}

// data returns the end of a line that sends private data.
func (w *wish) data() string {
	if w.private == "" {
		return ""
	}
	return " private_data=" + w.private
}

// privateArg makes typed text an argument: numbers, hex and patterns keep the syntax
// of the command language, everything else is text.
func privateArg(text string) string {
	form, _, found := strings.Cut(text, ":")
	switch {
	case text == "":
		return ""
	case strings.HasPrefix(text, `"`), strings.HasPrefix(text, "0x"),
		found && (form == "pattern" || command.NumberSize(form) > 0):
		return text
	}
	return syntax.Quote(text)
}

// Private data that names a region: the mark, addr, rkey and length, big-endian. The manager pads it with zeros.
const (
	regionMark  = 0x72646d61 // "rdma"
	regionBytes = 4 + 8 + 4 + 8
	regionData  = " private_data=be32:0x%x,be64:%[2]s.addr,be32:%[2]s.rkey,be64:%[2]s.length"
)

// regionPeerMay is what the peer may do with the region that it is told.
const regionPeerMay = verbs.RemoteWrite | verbs.RemoteRead

// registration returns the line that registers memory for a connection where its protection domain has none: for a
// server memory open to the peer, for a client memory to send from.
func registration(snap *session.Snapshot, id *session.IDView, pd string) []todo {
	has := func(m session.MRView) bool { return m.PD == pd }
	name, access, why := "src", "LOCAL_WRITE", whyMR
	if id.Listen != "" {
		has = func(m session.MRView) bool { return m.PD == pd && m.Access&regionPeerMay == regionPeerMay }
		name, access, why = "dst", "LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ", whyOpenMR
	}
	if id.PortSpace != verbs.PortSpaceTCP || slices.ContainsFunc(snap.MRs, has) {
		return nil
	}
	return []todo{{line: "reg_mr " + steps.FreeName(snap, name) + " pd=" + pd + " length=4096 access=" + access,
		why: why}}
}

// acceptData returns the private data of an acceptance: what the user wants to send, or else where the peer finds the
// region that is open to it. before are the lines that run first.
func acceptData(snap *session.Snapshot, id *session.IDView, w *wish, before []todo) string {
	if w.private != "" || id.PortSpace != verbs.PortSpaceTCP {
		return w.data()
	}
	pd := ""
	if q := snap.QP(id.QP); q != nil {
		pd = q.PD
	}
	for _, t := range before {
		words := strings.Fields(t.line)
		switch {
		case words[0] == "reg_mr":
			return fmt.Sprintf(regionData, regionMark, words[1])
		case words[0] == "rdma_create_qp":
			pd = strings.TrimPrefix(words[3], "pd=")
		}
	}
	for i := range snap.MRs {
		if m := &snap.MRs[i]; m.PD == pd && m.Access&regionPeerMay == regionPeerMay {
			return fmt.Sprintf(regionData, regionMark, m.Name)
		}
	}
	return ""
}

// sentRegion returns the region that private data names, as arguments of peer; "" for other data.
func sentRegion(p []byte) string {
	if len(p) < regionBytes || binary.BigEndian.Uint32(p) != regionMark ||
		slices.ContainsFunc(p[regionBytes:], func(b byte) bool { return b != 0 }) {
		return ""
	}
	return fmt.Sprintf(" addr=0x%x rkey=0x%x length=%d", binary.BigEndian.Uint64(p[4:]),
		binary.BigEndian.Uint32(p[12:]), binary.BigEndian.Uint64(p[16:]))
}

// toldRegion records the peer's region, so that requests can be posted to it. The queue
// pair's destination is read first, because the manager has set it.
func toldRegion(snap *session.Snapshot, id *session.IDView, q *session.QPView, w *wish) (list []todo) {
	region := w.region
	if region == "" && !endsHere(snap, id) {
		region = sentRegion(id.PrivateData)
	}
	if region == "" || q == nil || snap.ConnectedTo(q) != "" {
		return nil
	}
	num, at := q.Attr.DestQPNum, " gid="+q.Attr.AH.GRH.DGID.String()
	if q.Attr.AH.GRH.DGID.IsZero() {
		at = fmt.Sprintf(" lid=%d", q.Attr.AH.DLID)
	}
	if q.Attr.Mask&verbs.AttrDestQPN == 0 {
		list = append(list, todo{line: "query_qp " + q.Name, why: whyQuery})
		if num, at = sentNumber(snap, id); num == 0 {
			return list
		}
	}
	return append(list, todo{
		line: "peer " + steps.FreeName(snap, "peer") + " qp_num=" + num.String() + at + region, why: whyRegion,
	})
}

// endsHere reports whether the peer is another identifier of this session.
func endsHere(snap *session.Snapshot, id *session.IDView) bool {
	return slices.ContainsFunc(snap.IDs, func(o session.IDView) bool { return o.Name != id.Name && o.Local == id.Peer })
}

// sentNumber returns the peer's queue pair number and GID as the last event and the address tell them, 0 where they do
// not.
func sentNumber(snap *session.Snapshot, id *session.IDView) (num verbs.QPN, at string) {
	if !onEthernet(snap, id) || id.Last == nil || id.Last.Conn == nil {
		return 0, ""
	}
	return id.Last.Conn.QPNum, " gid=" + verbs.GID(id.Peer.Addr().As16()).String()
}
