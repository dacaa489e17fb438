package scenario_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/scenario"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	fabric "rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// rawClient is an address on the fabric that sends hand-made messages of the
// connection manager to a server on soft0, and reads the replies.
type rawClient struct {
	t    testing.TB
	port *fabric.Port
	path *fabric.Path
	comm uint32 // of the next request
	rep  *wire.CMRep
}

var (
	rawClientAddr = netip.MustParseAddr("127.0.0.77")
	hostileServer = netip.MustParseAddr("127.0.0.1")
)

func newRawClient(t testing.TB, p *soft.Provider) *rawClient {
	t.Helper()
	port, err := p.Fabric().Attach(func() {}, rawClientAddr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { port.Close() })
	path, err := fabric.NewPath(netip.AddrPortFrom(rawClientAddr, 0xc001), netip.AddrPortFrom(hostileServer, wire.Port))
	if err != nil {
		t.Fatal(err)
	}
	return &rawClient{t: t, port: port, path: path, comm: 0x1000}
}

// put sends one message and waits until it was processed.
func (r *rawClient) put(body wire.CMBody) {
	r.t.Helper()
	r.send(body)
	synctest.Wait()
}

// send sends one message.
func (r *rawClient) send(body wire.CMBody) {
	r.t.Helper()
	m := wire.NewCM(0x77, body)
	packet := &wire.Packet{
		BTH: wire.BTH{Opcode: wire.UDSendOnly, PKey: 0xffff, DestQP: 1}, DETH: wire.DETH{QKey: wire.QKeyGSI, SrcQP: 1},
		Payload: m.Append(nil),
	}
	k := r.port.Pool().Get(nil, 1)[0]
	k.Path = r.path
	k.Data = packet.Append(k.Data)
	r.port.Send([]*fabric.Packet{k})
}

// req sends a connection request and forgets earlier replies.
func (r *rawClient) req(private string) {
	r.t.Helper()
	m := r.request(private)
	r.rep = nil
	r.port.Receive(nil, 10_000)
	r.put(m)
}

// request returns the next connection request.
func (r *rawClient) request(private string) *wire.CMReq {
	r.comm++
	m := &wire.CMReq{
		LocalCommID: r.comm, ServiceID: uint64(verbs.PortSpaceTCP)<<16 | 7471, LocalCAGUID: [8]byte{7: 0x77},
		LocalQPN: 0x77, LocalCMResponseTimeout: 18, RemoteCMResponseTimeout: 18, MaxCMRetries: 3, PKey: 0xffff,
		PathMTU: 3, StartingPSN: 100, ResponderResources: 255, InitiatorDepth: 255,
		Primary: wire.CMPath{LocalGID: rawClientAddr.As16(), RemoteGID: hostileServer.As16(),
			LocalACKTimeout: 17, HopLimit: 64},
	}
	ip := wire.CMIP{Src: netip.AddrPortFrom(rawClientAddr, 999), Dst: hostileServer}
	copy(m.PrivateData[:], append(ip.Append(nil), private...))
	return m
}

// withdraw sends connection requests, each with a rejection right behind it, so that both are under way at once.
func (r *rawClient) withdraw(times int) {
	r.t.Helper()
	for range times {
		r.port.Receive(nil, 100)
		r.send(r.request(""))
		r.put(&wire.CMRej{LocalCommID: r.comm, Reason: uint16(verbs.RejectTimeout)})
	}
}

// answered waits for the server's REP.
func (r *rawClient) answered() *wire.CMRep {
	r.t.Helper()
	for range 1000 {
		for _, k := range r.port.Receive(nil, 100) {
			h, err := wire.Parse(k.Data)
			if err != nil || h.BTH.DestQP != 1 {
				continue
			}
			m, err := wire.ParseCM(h.Payload)
			if rep, ok := m.Body.(*wire.CMRep); ok && err == nil && rep.RemoteCommID == r.comm {
				r.rep = rep
				return rep
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	r.t.Fatal("the server sent no REP")
	return nil
}

func (r *rawClient) rtu() {
	r.put(&wire.CMRtu{LocalCommID: r.comm, RemoteCommID: r.answered().LocalCommID})
}

// remote returns the server's comm ID, 0 before its REP.
func (r *rawClient) remote() uint32 {
	if r.rep == nil {
		return 0
	}
	return r.rep.LocalCommID
}

func (r *rawClient) rej(message wire.CMResponse) {
	r.put(&wire.CMRej{LocalCommID: r.comm, RemoteCommID: r.remote(), Message: message,
		Reason: uint16(verbs.RejectTimeout)})
}

func (r *rawClient) dreq() {
	qpn := uint32(0)
	if r.rep != nil {
		qpn = r.rep.LocalQPN
	}
	r.put(&wire.CMDreq{LocalCommID: r.comm, RemoteCommID: r.remote(), RemoteQPN: qpn})
}

// rawAttacks are attacks with messages of the connection manager.
var rawAttacks = map[string]func(*rawClient){
	"REQ":                           func(r *rawClient) { r.req("") },
	"REQ, private data of all ones": func(r *rawClient) { r.req(strings.Repeat("\xff", 56)); r.rtu() },
	"REQ REJ":                       func(r *rawClient) { r.req(""); r.rej(wire.CMResponseREQ) },
	"REQ, REJ without a message":    func(r *rawClient) { r.req(""); r.rej(2) },
	"REQ DREQ":                      func(r *rawClient) { r.req(""); r.dreq() },
	"REQ, REJ after the REP":        func(r *rawClient) { r.req(""); r.answered(); r.rej(1) },
	"REQ, DREQ after the REP":       func(r *rawClient) { r.req(""); r.answered(); r.dreq() },
	"REQ RTU":                       func(r *rawClient) { r.req(""); r.rtu() },
	"REQ RTU REJ":                   func(r *rawClient) { r.req(""); r.rtu(); r.rej(1) },
	"REQ RTU DREQ":                  func(r *rawClient) { r.req(""); r.rtu(); r.dreq() },
	"REQ and REJ at once, often":    func(r *rawClient) { r.withdraw(1000) },
	"three REQs": func(r *rawClient) {
		for range 3 {
			r.req("")
		}
	},
}

// verbsClient is a client that follows the connection manager's rules but not the
// scenario's.
type verbsClient struct {
	t      testing.TB
	events verbs.CMEventChannel
	id     verbs.CMID
	pd     verbs.PD
	cq     verbs.CQ
	qp     verbs.QP
	mr     verbs.MR
}

const verbsClientRoom = 1 << 16

func (c *verbsClient) ok(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *verbsClient) event(want verbs.CMEventType) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 10*time.Minute)
	defer cancel()
	e, err := c.events.GetEvent(ctx)
	c.ok(err)
	if e.Type != want {
		c.t.Fatalf("got %s, status %d, want %s", e.Type, e.Status, want)
	}
}

// connected makes a connected client with posted RECVs.
func connected(t testing.TB, p verbs.CMProvider, private string, recvs int) *verbsClient {
	t.Helper()
	c := &verbsClient{t: t}
	var err error
	c.events, err = p.CreateEventChannel()
	c.ok(err)
	c.id, err = c.events.CreateID(verbs.PortSpaceTCP)
	c.ok(err)
	c.ok(c.id.ResolveAddr(netip.AddrPort{}, netip.AddrPortFrom(hostileServer, 7471), time.Second))
	c.event(verbs.CMAddrResolved)
	c.pd, err = c.id.Device().AllocPD()
	c.ok(err)
	c.cq, err = c.id.Device().CreateCQ(verbs.CQSpec{CQE: 64})
	c.ok(err)
	c.mr, err = c.pd.RegMR(verbs.MRSpec{
		Length: verbsClientRoom, Access: verbs.LocalWrite | verbs.RemoteRead | verbs.RemoteWrite,
	})
	c.ok(err)
	c.qp, err = c.id.CreateQP(c.pd, verbs.QPSpec{
		QPType: verbs.RC, SendCQ: c.cq,
		RecvCQ: c.cq, Cap: verbs.QPCap{MaxSendWR: 8, MaxRecvWR: 8, MaxSendSGE: 1, MaxRecvSGE: 1},
	})
	c.ok(err)
	for range recvs {
		_, err = c.qp.PostRecv(verbs.RecvWR{SGList: c.sge(verbsClientRoom)})
		c.ok(err)
	}
	c.ok(c.id.ResolveRoute(time.Second))
	c.event(verbs.CMRouteResolved)
	c.ok(c.id.Connect(verbs.CMConnParam{RetryCount: 7, RNRRetryCount: 7, PrivateData: []byte(private)}))
	c.event(verbs.CMEstablished)
	return c
}

func (c *verbsClient) sge(length int) []verbs.SGE {
	return []verbs.SGE{{Addr: c.mr.Addr(), Length: uint32(length), LKey: c.mr.LKey()}}
}

func (c *verbsClient) post(length int) {
	c.t.Helper()
	_, err := c.qp.PostSend(verbs.SendWR{Opcode: verbs.WRSend, SGList: c.sge(length), SendFlags: verbs.SendSignaled})
	c.ok(err)
}

func (c *verbsClient) send(length int) {
	c.t.Helper()
	c.post(length)
	time.Sleep(time.Second) // virtual time: the message is delivered
}

func (c *verbsClient) close() {
	for _, o := range []interface{ Close() error }{c.qp, c.cq, c.mr, c.pd, c.id, c.events} {
		c.ok(o.Close())
	}
}

// verbsAttacks are attacks on an established connection.
var verbsAttacks = map[string]func(testing.TB, *soft.Provider){
	"leaves at once": func(t testing.TB, p *soft.Provider) { connected(t, p, "", 1).close() },
	"is silent": func(t testing.TB, p *soft.Provider) {
		defer connected(t, p, "", 1).close()
		time.Sleep(11 * time.Minute) // a minute more than any server waits
	},
	"sends nothing":                       func(t testing.TB, p *soft.Provider) { misbehave(t, p, 1, 0) },
	"sends too much":                      func(t testing.TB, p *soft.Provider) { misbehave(t, p, 1, verbsClientRoom) },
	"sends twice":                         func(t testing.TB, p *soft.Provider) { misbehave(t, p, 4, 16, 16) },
	"does not read":                       func(t testing.TB, p *soft.Provider) { misbehave(t, p, 0, 16) },
	"sends sixteen zeros again and again": func(t testing.TB, p *soft.Provider) { misbehave(t, p, 8, 16, 16, 16, 16) },
}

func misbehave(t testing.TB, p *soft.Provider, recvs int, lengths ...int) {
	c := connected(t, p, "\xff\xfe garbage", recvs)
	for _, n := range lengths {
		c.send(n)
	}
	c.close()
}

// servedAfter runs a persistent server, attacks it with a client, and checks that the
// server still serves a well-behaved client.
func servedAfter(t *testing.T, server scenario.Params, client string, attack func(testing.TB, *soft.Provider)) {
	synctest.Test(t, func(t *testing.T) {
		p := soft.New(soft.Options{})
		s := session.New(core.Options{Providers: []verbs.Provider{p}})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := sessiontest.RunScenario(ctx, s, server, nil)
			ended <- err
		}()
		synctest.Wait()
		attack(t, p)
		as := scenario.DefaultParams(client)
		as.Address, as.Count, as.Port, as.Events = hostileServer.String(), 2, server.Port, server.Events
		good := session.New(core.Options{Providers: []verbs.Provider{p}})
		began := time.Now()
		var err error
		for err = errors.New("not tried"); err != nil && time.Since(began) < 2*time.Hour; time.Sleep(time.Second) {
			// a new one each time: the manager may give up while the other client keeps the server busy
			run, broken := good.NewScenarioRun(as)
			if broken != nil {
				t.Fatal(broken)
			}
			_, err = sessiontest.Walked(ctx, run, func(string) {})
			run.Destroy(ctx)
		}
		if err != nil {
			t.Error("the next client was not served:", err)
		}
		if err := good.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		select {
		case err := <-ended:
			t.Error("the server ended:", err)
			ended <- err
		default:
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error("server:", err)
		}
		nothingBut(t, s)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// nothingBut checks that a server waiting for its next client holds only the objects that it listens with.
func nothingBut(t *testing.T, s *session.Session) {
	t.Helper()
	for _, o := range s.Snapshot().Objects {
		if o.Name != "events" && o.Name != "listen" && !strings.HasPrefix(o.Name, "soft") {
			t.Errorf("%s of a former client is left", o.Name)
		}
	}
	for _, e := range s.Timeline().Snapshot() {
		if e.Kind == timeline.KindNote && strings.Contains(e.Note.Text, "could not be destroyed") {
			t.Error(e.Note.Text)
		}
	}
}

// stayingServers are the persistent servers with their clients.
var stayingServers = map[string]struct {
	client string
	change func(*scenario.Params)
}{
	"serve": {client: "hello"},
	"chat":  {client: "chat"},
	"rping": {client: "rping", change: func(p *scenario.Params) { p.Persistent = true }},
	"ping":  {client: "ping", change: func(p *scenario.Params) { p.Persistent, p.Events = true, true }},
	"ping --cm poll": {client: "ping", change: func(p *scenario.Params) {
		p.Persistent, p.Events, p.CM = true, true, "poll"
	}},
	"ping --cm sync": {client: "ping", change: func(p *scenario.Params) {
		p.Persistent, p.Events, p.CM = true, true, "sync"
	}},
}

// TestOneClientDoesNotEndAServer attacks the persistent servers.
func TestOneClientDoesNotEndAServer(t *testing.T) {
	for name, of := range stayingServers {
		program, _, _ := strings.Cut(name, " ")
		server := scenario.DefaultParams(program)
		server.Server, server.Port = true, 7471
		if of.change != nil {
			of.change(&server)
		}
		for what, attack := range rawAttacks {
			t.Run(name+", "+what, func(t *testing.T) {
				servedAfter(t, server, of.client, func(t testing.TB, p *soft.Provider) { attack(newRawClient(t, p)) })
			})
		}
		for what, attack := range verbsAttacks {
			t.Run(name+", a client that "+what, func(t *testing.T) {
				servedAfter(t, server, of.client, attack)
			})
		}
	}
}
