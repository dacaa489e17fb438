package native_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/native"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// vmAddr is the address of vmDevice.
var vmAddr = netip.MustParseAddr("10.9.0.1")

// cmRig is a provider's connection manager with helpers for tests. At the end it closes
// all that was made through it, in the right order.
type cmRig struct {
	testing.TB
	provider *native.Provider
}

func openCM(tb testing.TB) *cmRig { return &cmRig{TB: tb, provider: cmProvider} }

var cmProvider = native.New()

func (r *cmRig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *cmRig) closeAtEnd(c interface{ Close() error }) {
	r.Cleanup(func() {
		if err := c.Close(); err != nil {
			r.Errorf("closing %T: %v", c, err)
		}
	})
}

func (r *cmRig) channel() verbs.CMEventChannel {
	r.Helper()
	ch, err := r.provider.CreateEventChannel()
	r.must(err)
	r.closeAtEnd(ch)
	return ch
}

func (r *cmRig) id(ch verbs.CMEventChannel, ps verbs.CMPortSpace) verbs.CMID {
	r.Helper()
	id, err := ch.CreateID(ps)
	r.must(err)
	r.closeAtEnd(id)
	return id
}

func (r *cmRig) next(ch verbs.CMEventChannel) verbs.CMEvent {
	r.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	event, err := ch.GetEvent(ctx)
	r.must(err)
	return event
}

func (r *cmRig) want(ch verbs.CMEventChannel, typ verbs.CMEventType, id verbs.CMID) verbs.CMEvent {
	r.Helper()
	event := r.next(ch)
	if event.Type != typ || event.ID != id || event.Status != 0 {
		r.Fatalf("%s, status %d, of %v; want %s of %v", event.Type, event.Status, event.ID, typ, id)
	}
	return event
}

// listener listens on a port of vmAddr that the kernel chooses.
func (r *cmRig) listener(ps verbs.CMPortSpace) (verbs.CMEventChannel, verbs.CMID) {
	r.Helper()
	ch := r.channel()
	id := r.id(ch, ps)
	r.must(id.BindAddr(netip.AddrPortFrom(vmAddr, 0)))
	r.must(id.Listen(8))
	if id.LocalAddr().Addr() != vmAddr || id.LocalAddr().Port() == 0 || id.Device() == nil || id.PortNum() != 1 {
		r.Fatalf("listens at %v, device %v, port %d", id.LocalAddr(), id.Device(), id.PortNum())
	}
	return ch, id
}

// resolved returns an identifier with its address and route to dst resolved.
func (r *cmRig) resolved(ps verbs.CMPortSpace, dst netip.AddrPort) (verbs.CMEventChannel, verbs.CMID) {
	r.Helper()
	ch := r.channel()
	id := r.id(ch, ps)
	if id.Device() != nil || id.PortNum() != 0 || id.LocalAddr().IsValid() || id.PeerAddr().IsValid() {
		r.Fatal("a new identifier has addresses or a device already")
	}
	r.must(id.ResolveAddr(netip.AddrPort{}, dst, 2*time.Second))
	r.want(ch, verbs.CMAddrResolved, id)
	r.must(id.ResolveRoute(2 * time.Second))
	r.want(ch, verbs.CMRouteResolved, id)
	if id.PeerAddr() != dst || id.LocalAddr().Addr() != vmAddr || id.Device() == nil || id.PortNum() != 1 {
		r.Fatalf("%v to %v by port %d of %v", id.LocalAddr(), id.PeerAddr(), id.PortNum(), id.Device())
	}
	return ch, id
}

// endpoint is an identifier with its queue pair and memory.
type endpoint struct {
	verbs.CMID
	pd verbs.PD
	qp verbs.QP
	cq verbs.CQ
	mr verbs.MR
}

func (r *cmRig) endpoint(id verbs.CMID) *endpoint {
	r.Helper()
	e := r.bare(id)
	qp, err := id.CreateQP(e.pd, e.spec())
	r.must(err)
	r.closeAtEnd(qp)
	if id.QP() != qp {
		r.Fatalf("the identifier has %v, want %v", id.QP(), qp)
	}
	e.qp = qp
	return e
}

// bare returns an endpoint without a queue pair.
func (r *cmRig) bare(id verbs.CMID) *endpoint {
	r.Helper()
	e := &endpoint{CMID: id}
	var err error
	e.pd, err = id.Device().AllocPD()
	r.must(err)
	r.closeAtEnd(e.pd)
	e.cq, err = id.Device().CreateCQ(verbs.CQSpec{CQE: 16})
	r.must(err)
	r.closeAtEnd(e.cq)
	e.mr, err = e.pd.RegMR(verbs.MRSpec{Length: 4096, Access: verbs.LocalWrite})
	r.must(err)
	r.closeAtEnd(e.mr)
	return e
}

func (e *endpoint) spec() verbs.QPSpec {
	typ := verbs.RC
	if e.PortSpace() == verbs.PortSpaceUDP {
		typ = verbs.UD
	}
	return verbs.QPSpec{
		QPType: typ, SendCQ: e.cq,
		RecvCQ: e.cq, Cap: verbs.QPCap{MaxSendWR: 8, MaxRecvWR: 8, MaxSendSGE: 1, MaxRecvSGE: 1},
	}
}

func (r *cmRig) receive(e *endpoint) {
	r.Helper()
	_, err := e.qp.PostRecv(verbs.RecvWR{WRID: 1, SGList: sge(e.mr, 0, 1024)})
	r.must(err)
}

func (r *cmRig) completion(e *endpoint) verbs.WC {
	r.Helper()
	wc := (&rig{TB: r.TB}).completions(e.cq, 1)[0]
	if wc.Failed() {
		r.Fatalf("%s %s", wc.Opcode, wc.Status)
	}
	return wc
}

// message sends text from one end to the other.
func (r *cmRig) message(from, to *endpoint, text string) {
	r.Helper()
	_, err := from.mr.WriteAt([]byte(text), 2048)
	r.must(err)
	_, err = from.qp.PostSend(verbs.SendWR{
		Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(from.mr, 2048, uint32(len(text))),
	})
	r.must(err)
	r.completion(from)
	wc := r.completion(to)
	got := make([]byte, wc.ByteLen)
	_, err = to.mr.ReadAt(got, 0)
	r.must(err)
	if string(got) != text {
		r.Errorf("received %q, sent %q", got, text)
	}
}

// text returns private data without the zeros that pad the message.
func text(b []byte) string { return strings.TrimRight(string(b), "\x00") }

// connection has both ends of one connection.
type connection struct {
	client, server     *endpoint
	clients, listeners verbs.CMEventChannel
	listener           verbs.CMID
}

func (r *cmRig) connection() *connection {
	r.Helper()
	c := &connection{}
	c.listeners, c.listener = r.listener(verbs.PortSpaceTCP)
	var id verbs.CMID
	c.clients, id = r.resolved(verbs.PortSpaceTCP, c.listener.LocalAddr())
	c.client = r.endpoint(id)
	r.receive(c.client)
	r.must(id.Connect(verbs.CMConnParam{
		PrivateData: []byte("from the client"), ResponderResources: 1, InitiatorDepth: 2,
		RetryCount: 7, RNRRetryCount: 6,
	}))

	request := r.next(c.listeners)
	if request.Type != verbs.CMConnectRequest || request.Status != 0 || request.ListenID != c.listener ||
		request.ID == nil || request.ID == c.listener {
		r.Fatalf("%+v", request)
	}
	r.closeAtEnd(request.ID)
	if p := request.Conn; text(p.PrivateData) != "from the client" || len(p.PrivateData) != 56 ||
		p.ResponderResources != 2 ||
		p.InitiatorDepth != 1 || p.RetryCount != 7 || p.RNRRetryCount != 6 || p.QPNum != c.client.qp.Num() {
		r.Errorf("requested is %+v", p)
	}
	if request.ID.PeerAddr() != id.LocalAddr() || request.ID.LocalAddr() != c.listener.LocalAddr() ||
		request.ID.Device() != id.Device() {
		r.Errorf("the request is from %v to %v", request.ID.PeerAddr(), request.ID.LocalAddr())
	}
	c.server = r.endpoint(request.ID)
	r.receive(c.server)
	r.must(request.ID.Accept(verbs.CMConnParam{PrivateData: []byte("from the server"), ResponderResources: 2,
		InitiatorDepth: 1, RNRRetryCount: 7}))
	if event := r.want(c.clients, verbs.CMEstablished, id); text(event.Conn.PrivateData) != "from the server" ||
		event.Conn.QPNum != c.server.qp.Num() {
		r.Errorf("established with %+v", event.Conn)
	}
	r.want(c.listeners, verbs.CMEstablished, request.ID)
	return c
}

func TestCMConnection(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	c := r.connection()
	r.message(c.client, c.server, "hello")
	r.message(c.server, c.client, "hello yourself")

	var busy *verbs.BusyError
	if err := c.client.Close(); !errors.As(err, &busy) || !strings.Contains(err.Error(), c.client.qp.Num().String()) {
		t.Errorf("closing an identifier with a queue pair: %v", err)
	}
	if err := c.clients.Close(); !errors.As(err, &busy) {
		t.Errorf("closing a channel with an identifier: %v", err)
	}
	if err := c.client.Device().Close(); !errors.As(err, &busy) {
		t.Errorf("closing a device with objects: %v", err)
	}
	if _, err := c.client.CreateQP(nil,
		verbs.QPSpec{QPType: verbs.RC, SendCQ: c.client.cq, RecvCQ: c.client.cq}); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a second queue pair: %v", err)
	}

	r.must(c.client.Disconnect())
	r.want(c.listeners, verbs.CMDisconnected, c.server.CMID)
	r.must(c.server.Disconnect())
	r.want(c.clients, verbs.CMDisconnected, c.client.CMID)
	attr, _, err := c.client.qp.Query(verbs.AttrState)
	r.must(err)
	if attr.QPState != verbs.QPErr {
		t.Errorf("the queue pair is in %s after disconnect", attr.QPState)
	}
	r.must(c.client.qp.Close())
	r.must(c.client.qp.Close())
	if c.client.QP() != nil {
		t.Error("the identifier has a closed queue pair")
	}
	r.must(c.client.Close())
	if err := c.client.Disconnect(); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("disconnecting a closed identifier: %v", err)
	}
}

func TestCMTimewait(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	c := r.connection()
	r.must(c.client.Disconnect())
	r.want(c.listeners, verbs.CMDisconnected, c.server.CMID)
	r.must(c.server.Disconnect())
	r.want(c.clients, verbs.CMDisconnected, c.client.CMID)
	r.want(c.clients, verbs.CMTimewaitExit, c.client.CMID)
}

func TestCMReject(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	listeners, listener := r.listener(verbs.PortSpaceTCP)
	clients, client := r.resolved(verbs.PortSpaceTCP, listener.LocalAddr())
	r.endpoint(client)
	r.must(client.Connect(verbs.CMConnParam{}))
	request := r.next(listeners)
	if request.Type != verbs.CMConnectRequest {
		t.Fatalf("%+v", request)
	}
	r.must(request.ID.Reject([]byte("not you")))
	event := r.next(clients)
	if event.Type != verbs.CMRejected || verbs.CMRejectReason(event.Status) != verbs.RejectConsumerDefined ||
		text(event.Conn.PrivateData) != "not you" {
		t.Errorf("%s, status %d, %q", event.Type, event.Status, event.Conn.PrivateData)
	}
	r.must(request.ID.Close())
}

func TestCMUnansweredRequestIsRejectedByClose(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	listeners, listener := r.listener(verbs.PortSpaceTCP)
	clients, client := r.resolved(verbs.PortSpaceTCP, listener.LocalAddr())
	r.endpoint(client)
	r.must(client.Connect(verbs.CMConnParam{}))
	r.must(r.next(listeners).ID.Close())
	if event := r.next(clients); event.Type != verbs.CMRejected {
		t.Errorf("%s, status %d", event.Type, event.Status)
	}
}

func TestCMNobodyListens(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	clients, client := r.resolved(verbs.PortSpaceTCP, netip.AddrPortFrom(vmAddr, 9))
	r.endpoint(client)
	r.must(client.Connect(verbs.CMConnParam{}))
	if event := r.next(clients); event.Type != verbs.CMRejected ||
		verbs.CMRejectReason(event.Status) != verbs.RejectInvalidServiceID || event.ID != client {
		t.Errorf("%s, status %d", event.Type, event.Status)
	}
}

func TestCMUnreachableAddress(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	ch := r.channel()
	id := r.id(ch, verbs.PortSpaceTCP)
	// The address is on the link, but unused: nobody answers ARP.
	r.must(id.ResolveAddr(netip.AddrPort{}, netip.MustParseAddrPort("10.9.0.77:1"), 200*time.Millisecond))
	if event := r.next(ch); event.Type != verbs.CMAddrError || event.Status >= 0 {
		t.Errorf("%s, status %d", event.Type, event.Status)
	}
	if id.Device() != nil {
		t.Error("bound by a failed resolution")
	}
}

func TestCMWrongUse(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	ch := r.channel()
	id := r.id(ch, verbs.PortSpaceTCP)
	_, qpErr := id.CreateQP(nil, verbs.QPSpec{})
	_, attrErr := id.InitQPAttr(verbs.QPInit)
	for name, err := range map[string]error{
		"resolve_route": id.ResolveRoute(time.Second), "connect": id.Connect(verbs.CMConnParam{}),
		"accept": id.Accept(verbs.CMConnParam{}), "create_qp": qpErr,
		"init_qp_attr": attrErr, "disconnect": id.Disconnect(),
		"bind to no address":  id.BindAddr(netip.AddrPort{}),
		"an option too large": id.SetOption(verbs.CMOptTOS, 256),
		"private data":        id.Reject(make([]byte, 256)),
	} {
		if !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s on a new identifier: %v, want EINVAL", name, err)
		}
	}
	if _, err := ch.CreateID(77); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("an unknown port space: %v", err)
	}
	if err := id.BindAddr(netip.MustParseAddrPort("192.0.2.1:1")); !errors.Is(err, syscall.EADDRNOTAVAIL) &&
		!errors.Is(err, syscall.ENODEV) {
		t.Errorf("an address of another host: %v", err)
	}
	r.must(id.SetOption(verbs.CMOptTOS, 32))
	r.must(id.SetOption(verbs.CMOptReuseAddr, 1))
	r.must(id.SetOption(verbs.CMOptAFOnly, 1))
	r.must(id.SetOption(verbs.CMOptACKTimeout, 14))
}

func TestCMPrivateDataLimit(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	listeners, listener := r.listener(verbs.PortSpaceTCP)
	_, client := r.resolved(verbs.PortSpaceTCP, listener.LocalAddr())
	r.endpoint(client)
	if err := client.Connect(verbs.CMConnParam{PrivateData: make([]byte, 57)}); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("57 bytes of private data: %v", err)
	}
	_, client = r.resolved(verbs.PortSpaceTCP, listener.LocalAddr())
	r.endpoint(client)
	data := []byte(strings.Repeat("x", 56))
	r.must(client.Connect(verbs.CMConnParam{PrivateData: data}))
	request := r.next(listeners)
	if string(request.Conn.PrivateData) != string(data) {
		t.Errorf("received %q", request.Conn.PrivateData)
	}
	r.must(request.ID.Close())
}

func TestCMIPv6(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	ch := r.channel()
	id := r.id(ch, verbs.PortSpaceTCP)
	r.must(id.BindAddr(netip.MustParseAddrPort("[::]:0")))
	r.must(id.Listen(1))
	if a := id.LocalAddr(); a.Addr() != netip.IPv6Unspecified() || a.Port() == 0 || id.Device() != nil {
		t.Errorf("listens at %v, device %v", a, id.Device())
	}
	clients, client := r.resolved(verbs.PortSpaceTCP, netip.AddrPortFrom(vmAddr, id.LocalAddr().Port()))
	r.endpoint(client)
	r.must(client.Connect(verbs.CMConnParam{}))
	request := r.next(ch)
	if request.Type != verbs.CMConnectRequest || request.ID.Device() == nil ||
		request.ID.PeerAddr().Port() != client.LocalAddr().Port() {
		t.Errorf("%s from %v", request.Type, request.ID.PeerAddr())
	}
	r.must(request.ID.Close())
	if event := r.next(clients); event.Type != verbs.CMRejected {
		t.Errorf("%s", event.Type)
	}
}

// TestCMHundredConnections leaves nothing behind.
func TestCMHundredConnections(t *testing.T) {
	vmtest.Need(t)
	t.Run("warm up", func(t *testing.T) { openCM(t).connection() })
	files := openFiles(t)
	start := time.Now()
	for i := range 100 {
		t.Run(fmt.Sprint(i), func(t *testing.T) { openCM(t).connection() })
	}
	t.Logf("%v for each", time.Since(start)/100)
	if left := append(resources(t), cmResources(t)...); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if now := openFiles(t); now != files {
		t.Errorf("%d open files, were %d", now, files)
	}
}

func cmResources(t *testing.T) (lines []string) {
	t.Helper()
	for line := range strings.Lines(run(t, "rdma", "resource", "show", "cm_id")) {
		if strings.Contains(line, " pid ") {
			lines = append(lines, "cm_id: "+strings.TrimSpace(line))
		}
	}
	return lines
}
