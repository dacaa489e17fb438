package soft

import (
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// Linux's values of what means nothing on Ethernet.
const (
	anyRate  = 2 // 2.5 Gbit/s: rates are not used
	hopLimit = 64
)

// serviceID is what a request asks for, in IP port spaces; IBA annex A11.
func serviceID(space verbs.CMPortSpace, port uint16) uint64 { return uint64(space)<<16 | uint64(port) }

// serviceKey is its inverse.
func serviceKey(service uint64) portKey {
	return portKey{verbs.CMPortSpace(service >> 16), uint16(service)}
}

// maxPrivate is how many bytes of private data each call takes, of connections and of datagrams; what is left by the IP addressing header.
var maxPrivate = struct{ connect, accept, reject map[verbs.QPType]int }{
	connect: map[verbs.QPType]int{verbs.RC: wire.CMReqPrivateLen - wire.CMIPLen, verbs.UD: wire.CMSidrReqPrivateLen - wire.CMIPLen},
	accept:  map[verbs.QPType]int{verbs.RC: wire.CMRepPrivateLen, verbs.UD: wire.CMSidrRepPrivateLen},
	reject:  map[verbs.QPType]int{verbs.RC: wire.CMRejPrivateLen, verbs.UD: wire.CMSidrRepPrivateLen},
}

// checkParam refuses parameters that are out of range.
func (id *cmID) checkParam(p *verbs.CMConnParam, limits map[verbs.QPType]int) error {
	if p.ResponderResources > maxRDAtom || p.InitiatorDepth > maxRDAtom || id.qp == nil && !usable(uint32(p.QPNum)) {
		return syscall.EINVAL
	}
	return id.checkPrivate(p.PrivateData, limits)
}

func (id *cmID) checkPrivate(data []byte, limits map[verbs.QPType]int) error {
	if len(data) > limits[id.qpType()] {
		return syscall.EINVAL
	}
	return nil
}

// endpoint returns the queue pair that is connected, and whether it takes its RECVs from a shared queue.
func (id *cmID) endpoint(p *verbs.CMConnParam) (num uint32, shared bool) {
	if id.qp != nil {
		return uint32(id.qp.num), id.qp.srq != nil
	}
	return uint32(p.QPNum), p.SRQ
}

// Connect sends a request.
func (id *cmID) Connect(p verbs.CMConnParam) error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.fail("rdma_connect", id.connect(&p))
}

func (id *cmID) connect(p *verbs.CMConnParam) error {
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
	c.localQPN, c.mtu = num, c.adapter.mtu
	c.responder, c.initiator = p.ResponderResources, p.InitiatorDepth
	c.retryCount, c.rnrRetry = min(p.RetryCount, maxRetry), min(p.RNRRetryCount, maxRetry)
	c.timeout = ackTimeout(ackDelay, lifetime)
	req := &wire.CMReq{
		LocalCommID: c.localID, ServiceID: serviceID(id.space, id.peer.Port()), LocalCAGUID: c.adapter.guid, LocalQPN: num,
		ResponderResources: c.responder, InitiatorDepth: c.initiator,
		RemoteCMResponseTimeout: cmResponseTimeout, LocalCMResponseTimeout: cmResponseTimeout, MaxCMRetries: cmMaxRetries,
		TransportType: wire.CMTransportRC, FlowControl: p.FlowControl, StartingPSN: c.rqPSN,
		RetryCount: c.retryCount, RNRRetryCount: c.rnrRetry, PKey: fullPKey, PathMTU: uint8(c.mtu), SRQ: shared,
		Primary: wire.CMPath{
			LocalLID: wire.LIDPermissive, RemoteLID: wire.LIDPermissive, LocalGID: id.local.Addr().As16(), RemoteGID: id.peer.Addr().As16(),
			PacketRate: anyRate, TrafficClass: id.tos, HopLimit: hopLimit, LocalACKTimeout: c.timeout,
		},
	}
	ip := wire.CMIP{Src: id.local, Dst: id.peer.Addr()}
	copy(req.PrivateData[copy(req.PrivateData[:], ip.Append(nil)):], p.PrivateData)
	id.state = idConnecting
	c.ask(connREQSent, req, cmMaxRetries, 2*cmSpan(lifetime)+cmSpan(cmResponseTimeout))
	return nil
}

// Accept answers a request.
func (id *cmID) Accept(p verbs.CMConnParam) error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.fail("rdma_accept", id.accept(&p))
}

func (id *cmID) accept(p *verbs.CMConnParam) error {
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
	if c.state == connSIDRReceived {
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
		ResponderResources: c.responder, InitiatorDepth: c.initiator, TargetACKDelay: ackDelay, FlowControl: p.FlowControl,
		RNRRetryCount: min(p.RNRRetryCount, maxRetry), SRQ: shared, LocalCAGUID: c.adapter.guid,
	}
	copy(rep.PrivateData[:], p.PrivateData)
	c.ask(connREPSent, rep, c.left, c.period)
	return nil
}

// Reject refuses a request, or gives up one's own.
func (id *cmID) Reject(private []byte) error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.fail("rdma_reject", id.reject(private))
}

func (id *cmID) reject(private []byte) error {
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
	case connSIDRReceived:
		rep := &wire.CMSidrRep{Status: wire.CMSidrReject}
		copy(rep.PrivateData[:], private)
		c.answerSIDR(rep)
	case connREQSent, connREQAcknowledged, connREQReceived, connREPReceived:
		c.refuse(verbs.RejectConsumerDefined, nil, private)
		c.forget()
	case connREPSent, connREPAcknowledged:
		c.refuse(verbs.RejectConsumerDefined, nil, private)
		c.timewait()
	default:
		return syscall.EINVAL
	}
	return nil
}

// Disconnect moves the queue pair to ERR and asks the peer to end the connection, or agrees where the peer has asked.
func (id *cmID) Disconnect() error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.fail("rdma_disconnect", id.disconnect())
}

func (id *cmID) disconnect() error {
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
	case connEstablished:
		c.hangUp()
	case connDREQReceived:
		c.answerDREQ()
	}
	return nil
}

// Establish says that the connection is ready, for an identifier without a queue pair that has had a CONNECT_RESPONSE.
func (id *cmID) Establish() error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	c := id.conn
	switch {
	case id.state == idClosed:
		return id.fail("rdma_establish", verbs.ErrClosed)
	case id.qp != nil || c == nil || c.state != connREPReceived:
		return id.fail("rdma_establish", syscall.EINVAL)
	}
	c.ready()
	return nil
}

// Notify goes on where the peer has sent data before its RTU has come.
func (id *cmID) Notify(event verbs.EventType) error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	c := id.conn
	var err error
	switch {
	case id.state == idClosed:
		err = verbs.ErrClosed
	case c == nil || event != verbs.EventCommEst:
		err = syscall.EINVAL
	case c.state == connEstablished:
		err = syscall.EISCONN
	case c.is(connREPSent, connREPAcknowledged):
		c.establish()
	default:
		err = syscall.EINVAL
	}
	return id.fail("rdma_notify", err)
}
