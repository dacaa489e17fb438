package cm

import (
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/wire"
)

// anyRate is Linux's value of a field that has no meaning on Ethernet: 2.5 Gbit/s.
const anyRate = 2

// ServiceID returns the service ID of a port in an IP port space; IBA annex A11.
func ServiceID(space verbs.CMPortSpace, port uint16) uint64 { return uint64(space)<<16 | uint64(port) }

// serviceKey is the inverse of ServiceID.
func serviceKey(service uint64) portKey {
	return portKey{verbs.CMPortSpace(service >> 16), uint16(service)}
}

// maxPrivate is the maximum private data of each call in bytes, by queue pair type: the message's field without the IP
// addressing header.
var maxPrivate = struct{ connect, accept, reject map[verbs.QPType]int }{
	connect: map[verbs.QPType]int{verbs.RC: wire.CMReqPrivateLen - wire.CMIPLen,
		verbs.UD: wire.CMSidrReqPrivateLen - wire.CMIPLen},
	accept: map[verbs.QPType]int{verbs.RC: wire.CMRepPrivateLen, verbs.UD: wire.CMSidrRepPrivateLen},
	reject: map[verbs.QPType]int{verbs.RC: wire.CMRejPrivateLen, verbs.UD: wire.CMSidrRepPrivateLen},
}

// checkParam checks that the parameters are in range.
func (id *ID) checkParam(p *verbs.CMConnParam, limits map[verbs.QPType]int) error {
	if p.ResponderResources > object.MaxRDAtomic || p.InitiatorDepth > object.MaxRDAtomic || id.qp == nil &&
		!usable(uint32(p.QPNum)) {
		return syscall.EINVAL
	}
	return id.checkPrivate(p.PrivateData, limits)
}

func (id *ID) checkPrivate(data []byte, limits map[verbs.QPType]int) error {
	if len(data) > limits[id.qpType()] {
		return syscall.EINVAL
	}
	return nil
}

// endpoint returns the queue pair to connect, and whether it uses a shared receive queue.
func (id *ID) endpoint(p *verbs.CMConnParam) (num uint32, shared bool) {
	if id.qp != nil {
		return uint32(id.qp.Num()), id.qp.SharesRecvs()
	}
	return uint32(p.QPNum), p.SRQ
}

// Connect sends a connection request.
func (id *ID) Connect(p verbs.CMConnParam) error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.fail("rdma_connect", id.connect(&p))
}

func (id *ID) connect(p *verbs.CMConnParam) error {
	switch {
	case id.state == idClosed:
		return verbs.ErrClosed
	case id.state != idRouteResolved:
		return syscall.EINVAL
	}
	if id.datagrams() {
		return id.askService(p)
	}
	if err := id.checkParam(p, maxPrivate.connect); err != nil {
		return err
	}
	c, err := id.manager.newConn(id, id.peer.Addr())
	if err != nil {
		return err
	}
	lifetime := uint8(packetLifetime)
	if id.ownTimeout && id.timeout > 0 {
		lifetime = id.timeout - 1
	}
	num, shared := id.endpoint(p)
	c.tid = id.manager.agent | uint64(c.localID)
	c.localQPN, c.mtu = num, c.device.MTU()
	c.responder, c.initiator = p.ResponderResources, p.InitiatorDepth
	c.retryCount, c.rnrRetry = min(p.RetryCount, object.MaxRetry), min(p.RNRRetryCount, object.MaxRetry)
	c.timeout = ackTimeout(object.AckDelay, lifetime)
	req := &wire.CMReq{
		LocalCommID: c.localID, ServiceID: ServiceID(id.space, id.peer.Port()), LocalCAGUID: c.device.GUID(),
		LocalQPN: num, ResponderResources: c.responder, InitiatorDepth: c.initiator,
		RemoteCMResponseTimeout: responseTimeout, LocalCMResponseTimeout: responseTimeout,
		MaxCMRetries: MaxRetries, TransportType: wire.CMTransportRC, FlowControl: p.FlowControl,
		StartingPSN: c.rqPSN, RetryCount: c.retryCount, RNRRetryCount: c.rnrRetry, PKey: object.FullPKey,
		PathMTU: uint8(c.mtu), SRQ: shared,
		Primary: wire.CMPath{
			LocalLID: wire.LIDPermissive, RemoteLID: wire.LIDPermissive, LocalGID: id.local.Addr().As16(),
			RemoteGID: id.peer.Addr().As16(), PacketRate: anyRate, TrafficClass: id.tos,
			HopLimit: hopLimit, LocalACKTimeout: c.timeout,
		},
	}
	ip := wire.CMIP{Src: id.local, Dst: id.peer.Addr()}
	copy(req.PrivateData[copy(req.PrivateData[:], ip.Append(nil)):], p.PrivateData)
	id.state = idConnecting
	c.ask(StateREQSent, req, MaxRetries, 2*Span(lifetime)+Span(responseTimeout))
	return nil
}

// Accept accepts a request.
func (id *ID) Accept(p verbs.CMConnParam) error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.fail("rdma_accept", id.accept(&p))
}

func (id *ID) accept(p *verbs.CMConnParam) error {
	c := id.conn
	switch {
	case id.state == idClosed:
		return verbs.ErrClosed
	case c == nil || !c.state.unanswered():
		return syscall.EINVAL
	}
	if err := id.checkParam(p, maxPrivate.accept); err != nil {
		return err
	}
	num, shared := id.endpoint(p)
	if c.state == StateSIDRReceived {
		rep := &wire.CMSidrRep{QPN: num, QKey: id.qkey()}
		copy(rep.PrivateData[:], p.PrivateData)
		c.answerSIDR(rep)
		return nil
	}
	c.localQPN, c.responder, c.initiator = num, p.ResponderResources, p.InitiatorDepth
	if err := id.moveUp(); err != nil {
		return err
	}
	rep := &wire.CMRep{
		LocalCommID: c.localID, RemoteCommID: c.remoteID, LocalQPN: num, StartingPSN: c.rqPSN,
		ResponderResources: c.responder, InitiatorDepth: c.initiator, TargetACKDelay: object.AckDelay,
		FlowControl: p.FlowControl, RNRRetryCount: min(p.RNRRetryCount, object.MaxRetry),
		SRQ: shared, LocalCAGUID: c.device.GUID(),
	}
	copy(rep.PrivateData[:], p.PrivateData)
	c.ask(StateREPSent, rep, c.left, c.period)
	return nil
}

// Reject refuses a request, or abandons one of our own.
func (id *ID) Reject(private []byte) error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.fail("rdma_reject", id.reject(private))
}

func (id *ID) reject(private []byte) error {
	c := id.conn
	switch {
	case id.state == idClosed:
		return verbs.ErrClosed
	case c == nil:
		return syscall.EINVAL
	}
	if err := id.checkPrivate(private, maxPrivate.reject); err != nil {
		return err
	}
	switch c.state {
	case StateSIDRReceived:
		rep := &wire.CMSidrRep{Status: wire.CMSidrReject}
		copy(rep.PrivateData[:], private)
		c.answerSIDR(rep)
	case StateREQSent, StateREQAcknowledged, StateREQReceived, StateREPReceived:
		c.refuse(verbs.RejectConsumerDefined, nil, private)
		c.forget()
	case StateREPSent, StateREPAcknowledged:
		c.refuse(verbs.RejectConsumerDefined, nil, private)
		c.timewait()
	default:
		return syscall.EINVAL
	}
	return nil
}

// Disconnect moves the queue pair to ERR and asks the peer to disconnect, or confirms the peer's request.
func (id *ID) Disconnect() error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.fail("rdma_disconnect", id.disconnect())
}

func (id *ID) disconnect() error {
	c := id.conn
	switch {
	case id.state == idClosed:
		return verbs.ErrClosed
	case c == nil:
		return syscall.EINVAL
	}
	if err := id.toError(); err != nil {
		return err
	}
	switch c.state {
	case StateEstablished:
		c.hangUp()
	case StateDREQReceived:
		c.answerDREQ()
	}
	return nil
}

// Establish completes the connection of an identifier without a queue pair after CONNECT_RESPONSE.
func (id *ID) Establish() error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	c := id.conn
	switch {
	case id.state == idClosed:
		return id.fail("rdma_establish", verbs.ErrClosed)
	case id.qp != nil || c == nil || c.state != StateREPReceived:
		return id.fail("rdma_establish", syscall.EINVAL)
	}
	c.ready()
	return nil
}

// Notify establishes the connection if the peer has sent data before its RTU arrived.
func (id *ID) Notify(event verbs.EventType) error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	c := id.conn
	var err error
	switch {
	case id.state == idClosed:
		err = verbs.ErrClosed
	case c == nil || event != verbs.EventCommEst:
		err = syscall.EINVAL
	case c.state == StateEstablished:
		err = syscall.EISCONN
	case c.is(StateREPSent, StateREPAcknowledged):
		c.establish()
	default:
		err = syscall.EINVAL
	}
	return id.fail("rdma_notify", err)
}
