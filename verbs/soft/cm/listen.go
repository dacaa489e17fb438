package cm

import (
	"cmp"
	"errors"
	"net/netip"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/wire"
)

// defaultBacklog is the backlog if Listen does not specify one, as on Linux.
const defaultBacklog = 1024

// Listen accepts incoming requests.
func (id *ID) Listen(backlog int) error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.fail("rdma_listen", id.listen(backlog))
}

func (id *ID) listen(backlog int) error {
	if id.state == idIdle {
		if err := id.bind(netip.AddrPortFrom(netip.IPv4Unspecified(), 0)); err != nil {
			return err
		}
	}
	switch {
	case id.state == idClosed:
		return verbs.ErrClosed
	case id.state != idBound:
		return syscall.EINVAL
	}
	if err := id.manager.ports.check(id, portKey{id.space, id.local.Port()}, false); err != nil {
		return err
	}
	if id.context == nil {
		for _, a := range id.manager.Devices() {
			c, err := id.manager.context(a)
			if err != nil {
				id.letOthersGo()
				return err
			}
			id.others = append(id.others, c)
		}
	}
	if id.backlog = backlog; backlog <= 0 || backlog > defaultBacklog {
		id.backlog = defaultBacklog
	}
	id.state = idListening
	return nil
}

func (id *ID) letOthersGo() {
	for _, c := range id.others {
		c.Release()
	}
	id.others = nil
}

// reversed returns the endpoints of the reverse path, from our port.
func reversed(in *incoming) (src, dst netip.AddrPort) {
	return netip.AddrPortFrom(in.from.Dst.Addr(), in.device.SourcePort()),
		netip.AddrPortFrom(in.from.Src.Addr(), wire.Port)
}

// receiveREQ handles a connection request.
func (m *Manager) receiveREQ(in *incoming, req *wire.CMReq) error {
	if req.LocalCommID == 0 {
		return errUnexpected
	}
	from := in.from.Src.Addr()
	if c := m.byRemote[remoteID{from, req.LocalCAGUID, req.LocalCommID}]; c != nil {
		return c.repeatedREQ(in)
	}
	rej := wire.CMRej{RemoteCommID: req.LocalCommID, Message: wire.CMResponseREQ}
	if other := m.byQP[remoteQP{from, req.LocalCAGUID, req.LocalQPN}]; other != nil {
		return m.stale(in, other, rej)
	}
	ip, listener, reason := m.wanted(in, req)
	if reason != 0 {
		rej.Reason = uint16(reason)
		if reason == verbs.RejectInvalidMTU { // the MTU that would be acceptable
			rej.InfoLen, rej.Info[0] = 1, uint8(in.device.MTU())<<4
		}
		return m.reply(in, &rej)
	}
	return m.admit(in, req, ip, listener)
}

// wanted finds the listener for a request, and checks that the request can be fulfilled.
func (m *Manager) wanted(in *incoming, req *wire.CMReq) (ip wire.CMIP, listener *ID, reason verbs.CMRejectReason) {
	headed := ip.Decode(req.PrivateData[:]) == nil
	if listener = m.ports.listener(serviceKey(req.ServiceID), ip.Dst); !headed || listener == nil {
		return ip, nil, verbs.RejectInvalidServiceID
	}
	own := in.from.Dst.Addr()
	for _, c := range []struct {
		bad    bool
		reason verbs.CMRejectReason
	}{
		{listener.datagrams() || req.ServiceID>>32 != 0, verbs.RejectInvalidServiceID},
		{req.TransportType != wire.CMTransportRC, verbs.RejectInvalidTransportType},
		{!usable(req.LocalQPN), verbs.RejectNoQP},
		{ip.Dst != own || listener.context != nil && listener.device != in.device, verbs.RejectInvalidServiceID},
		{req.Primary.LocalGID != in.from.Src.Addr().As16() || req.Primary.RemoteGID != own.As16(),
			verbs.RejectInvalidGID},
		{req.PathMTU < uint8(verbs.MTU256) || req.PathMTU > uint8(in.device.MTU()), verbs.RejectInvalidMTU},
	} {
		if c.bad {
			return ip, nil, c.reason
		}
	}
	return ip, listener, 0
}

// newRequest creates the identifier and the connection of a request. Unless the listener sets a type of service, the
// request's applies in both directions, as in the kernel.
func (m *Manager) newRequest(in *incoming, listener *ID, ip *wire.CMIP, tos uint8) (*conn, error) {
	if err := m.makeRoom(in, listener); err != nil {
		return nil, err
	}
	id, err := m.newID(listener.channel, listener.space)
	if err != nil {
		return nil, err
	}
	id.tos, id.ownTimeout, id.timeout = cmp.Or(listener.tos, tos), listener.ownTimeout, listener.timeout
	id.state = idConnecting
	// the address that the message claims may be another host's
	id.peer = netip.AddrPortFrom(in.from.Src.Addr().WithZone(""), ip.Src.Port())
	err = id.attach(in.device, in.from.Dst.Addr())
	if err == nil {
		id.local = netip.AddrPortFrom(in.from.Dst.Addr(), listener.local.Port())
		var c *conn
		if c, err = m.newConn(id, in.from.Src.Addr()); err == nil {
			c.tid = in.tid
			return c, nil
		}
	}
	id.close()
	return nil, err
}

// admit creates an identifier for a request and notifies the listener.
func (m *Manager) admit(in *incoming, req *wire.CMReq, ip wire.CMIP, listener *ID) error {
	c, err := m.newRequest(in, listener, &ip, req.Primary.TrafficClass)
	if err != nil {
		return err
	}
	c.remember(req.LocalCAGUID, req.LocalCommID, req.LocalQPN)
	c.enter(StateREQReceived)
	c.sqPSN, c.mtu = req.StartingPSN, verbs.MTU(req.PathMTU)
	c.responder, c.initiator = min(req.InitiatorDepth, object.MaxRDAtomic),
		min(req.ResponderResources, object.MaxRDAtomic)
	c.retryCount, c.rnrRetry = req.RetryCount, req.RNRRetryCount
	c.timeout = ackTimeout(object.AckDelay, max(req.Primary.LocalACKTimeout, 1)-1)
	c.left, c.period = int(req.MaxCMRetries), Span(min(req.LocalCMResponseTimeout, maxReplyTimeout))
	spacing := Span(min(req.RemoteCMResponseTimeout, maxAskTimeout)) +
		Span(min(req.Primary.LocalACKTimeout, maxAskTimeout))
	c.await(int(req.MaxCMRetries), spacing, 0)
	listener.announce(c, verbs.CMEvent{Conn: verbs.CMConnParam{
		PrivateData: req.PrivateData[wire.CMIPLen:], ResponderResources: req.InitiatorDepth,
		InitiatorDepth: req.ResponderResources, FlowControl: req.FlowControl, RetryCount: req.RetryCount,
		RNRRetryCount: req.RNRRetryCount, SRQ: req.SRQ,
		QPNum: verbs.QPN(req.LocalQPN),
	}})
	return nil
}

// announce delivers the event of a request.
func (id *ID) announce(c *conn, ev verbs.CMEvent) {
	id.waiting++
	c.id.listener = id
	ev.Type, ev.ListenID = verbs.CMConnectRequest, id
	c.id.tell(ev)
}

// repeatedREQ answers a duplicate request.
func (c *conn) repeatedREQ(in *incoming) error {
	if c.device != in.device {
		return errUnexpected
	}
	switch c.state {
	case StateREQReceived: // the program has not answered yet
		if !c.awaitMore(Span(ServiceTimeout)) {
			return errUnexpected
		}
		c.send(&wire.CMMra{LocalCommID: c.localID, RemoteCommID: c.remoteID, Message: wire.CMResponseREQ,
			ServiceTimeout: ServiceTimeout})
	case StateREPSent: // the REP was lost
		c.send(c.message)
	case StateTimewait:
		c.send(&wire.CMRej{LocalCommID: c.localID, RemoteCommID: c.remoteID, Message: wire.CMResponseREQ,
			Reason: uint16(verbs.RejectStaleConn)})
	default:
		return errUnexpected
	}
	return nil
}

// errnoOf returns the errno in err, EINVAL if there is none.
func errnoOf(err error) int {
	var no syscall.Errno
	if errors.As(err, &no) {
		return int(no)
	}
	return int(syscall.EINVAL)
}
