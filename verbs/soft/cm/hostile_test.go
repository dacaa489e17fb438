package cm_test

import (
	"math/rand/v2"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// rawCM is an address on the fabric that sends hand-made messages of the connection manager and reads the answers.
type rawCM struct {
	t    testing.TB
	p    *soft.Provider
	port *link.Port
	path *link.Path // to soft1

	probes []wire.Packet // received
}

var rawAddr = netip.MustParseAddr("127.0.0.77")

func newRawCM(t testing.TB, p *soft.Provider) *rawCM {
	t.Helper()
	r := &rawCM{t: t, p: p, port: must(p.Fabric().Attach(func() {}, rawAddr))(t)}
	closeAtEnd(t, r.port)
	r.path = must(link.NewPath(netip.AddrPortFrom(rawAddr, 0xc001), netip.AddrPortFrom(soft1.Addr(), wire.Port)))(t)
	return r
}

// putPacket sends a packet and waits until it has been processed.
func (r *rawCM) putPacket(h *wire.Packet) {
	r.t.Helper()
	r.send(h)
	synctest.Wait()
}

func (r *rawCM) send(h *wire.Packet) {
	k := r.port.Pool().Get(nil, 1)[0]
	k.Path = r.path
	k.Data = h.Append(k.Data)
	r.port.Send([]*link.Packet{k})
}

// put sends messages.
func (r *rawCM) put(bodies ...wire.CMBody) {
	r.t.Helper()
	for _, b := range bodies {
		m := wire.NewCM(0x77, b)
		r.putPacket(madPacket(m.Append(nil)))
	}
}

// answers takes the messages that were received, and keeps probes.
func (r *rawCM) answers() (got []wire.CMBody) {
	r.t.Helper()
	for _, k := range r.port.Receive(nil, 10000) {
		if m, is := madOf(r.t, k); is {
			got = append(got, m.Body)
			continue
		}
		h, err := wire.Parse(k.Data)
		if err != nil || h.BTH.Opcode != wire.RCSendOnly || len(h.Payload) != 0 {
			r.t.Fatalf("neither a message nor a probe: %+v", h)
		}
		r.probes = append(r.probes, h)
	}
	return got
}

// answer takes the only message that was received.
func answer[T wire.CMBody](r *rawCM) (m T) {
	r.t.Helper()
	got := r.answers()
	if len(got) != 1 {
		r.t.Fatalf("%d answers: %+v", len(got), got)
	}
	m, is := got[0].(T)
	if !is {
		r.t.Fatalf("answer %+v", got[0])
	}
	return m
}

// req returns a correct request, which a test then changes.
func (r *rawCM) req() *wire.CMReq {
	req := &wire.CMReq{
		LocalCommID: 0x1001, ServiceID: cm.ServiceID(verbs.PortSpaceTCP, cmPort), LocalCAGUID: [8]byte{7: 0x77},
		LocalQPN: rawQPN, LocalCMResponseTimeout: 18, RemoteCMResponseTimeout: 18, MaxCMRetries: 3,
		PKey: object.FullPKey, PathMTU: 3, StartingPSN: 100, ResponderResources: 255, InitiatorDepth: 255,
		Primary: wire.CMPath{LocalGID: rawAddr.As16(), RemoteGID: soft1.Addr().As16(),
			LocalACKTimeout: 17, HopLimit: 64},
	}
	ip := wire.CMIP{Src: netip.AddrPortFrom(rawAddr, 999), Dst: soft1.Addr()}
	copy(req.PrivateData[:], ip.Append(nil))
	return req
}

// TestCMWrongRequests sends requests with one mistake: each is rejected with its reason, and no event is reported.
func TestCMWrongRequests(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(m *wire.CMReq)
		reason verbs.CMRejectReason
	}{
		{"another service", func(m *wire.CMReq) { m.ServiceID++ }, verbs.RejectInvalidServiceID},
		{"a service of more bits", func(m *wire.CMReq) { m.ServiceID |= 1 << 40 }, verbs.RejectInvalidServiceID},
		{"a service that begins like this one", func(m *wire.CMReq) { m.ServiceID |= 1 << 48 },
			verbs.RejectInvalidServiceID},
		{"no IP header", func(m *wire.CMReq) { m.PrivateData[0] = 1 }, verbs.RejectInvalidServiceID},
		{"an IP header of version 5", func(m *wire.CMReq) { m.PrivateData[1] = 5 << 4 }, verbs.RejectInvalidServiceID},
		{"to another address", func(m *wire.CMReq) { m.PrivateData[35]++ }, verbs.RejectInvalidServiceID},
		{"unreliable", func(m *wire.CMReq) { m.TransportType = wire.CMTransportUC }, verbs.RejectInvalidTransportType},
		{"from another GID", func(m *wire.CMReq) { m.Primary.LocalGID[15]++ }, verbs.RejectInvalidGID},
		{"to another GID", func(m *wire.CMReq) { m.Primary.RemoteGID[15]++ }, verbs.RejectInvalidGID},
		{"MTU code 0", func(m *wire.CMReq) { m.PathMTU = 0 }, verbs.RejectInvalidMTU},
		{"MTU code 6", func(m *wire.CMReq) { m.PathMTU = 6 }, verbs.RejectInvalidMTU},
		{"queue pair 0", func(m *wire.CMReq) { m.LocalQPN = 0 }, verbs.RejectNoQP},
		{"queue pair 1", func(m *wire.CMReq) { m.LocalQPN = 1 }, verbs.RejectNoQP},
		{"the multicast queue pair", func(m *wire.CMReq) { m.LocalQPN = 0xffffff }, verbs.RejectNoQP},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *soft.Provider) {
				listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
				listener.Listen(soft1)
				req := r.req()
				tt.change(req)
				r.put(req)
				want := wire.CMRej{
					RemoteCommID: req.LocalCommID, Message: wire.CMResponseREQ, Reason: uint16(tt.reason),
				}
				if tt.reason == verbs.RejectInvalidMTU { // a valid value
					want.InfoLen, want.Info[0] = 1, uint8(verbs.MTU4096)<<4
				}
				if rej := answer[*wire.CMRej](r); *rej != want {
					t.Errorf("%+v, want %+v", rej, want)
				}
				listener.Quiet()
			})
		})
	}
}

// TestCMDropped sends packets that are not valid messages: they are counted and dropped.
func TestCMDropped(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(h *wire.Packet)
		counter string
	}{
		{"another Q_Key", func(h *wire.Packet) { h.DETH.QKey++ }, "qkey_violation"},
		{"another P_Key", func(h *wire.Packet) { h.BTH.PKey = 0x8001 }, "dropped_mads"},
		{"too short", func(h *wire.Packet) { h.Payload = h.Payload[:255] }, "dropped_mads"},
		{"too long", func(h *wire.Packet) { h.Payload = append(h.Payload, 0) }, "dropped_mads"},
		{"with immediate data", func(h *wire.Packet) { h.BTH.Opcode = wire.UDSendOnlyImm }, "dropped_mads"},
		{"of a connection", func(h *wire.Packet) { h.BTH.Opcode = wire.RCSendOnly }, "dropped_mads"},
		{"of another class", func(h *wire.Packet) { h.Payload[1] = 4 }, "dropped_mads"},
		{"without communication ID", func(h *wire.Packet) { copy(h.Payload[24:28], make([]byte, 4)) }, "dropped_mads"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *soft.Provider) {
				listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
				listener.Listen(soft1)
				m := wire.NewCM(1, r.req())
				h := madPacket(m.Append(nil))
				tt.change(h)
				r.putPacket(h)
				if got := counterOf(t, p, "soft1", tt.counter); got != 1 || len(r.answers()) != 0 {
					t.Errorf("%s is %d, want 1 and no answer", tt.counter, got)
				}
				listener.Quiet()
			})
		})
	}
}

// TestCMDuplicates sends each message of the active side twice, and late messages: the answers let the peer continue.
func TestCMDuplicates(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		listener.Listen(soft1)
		r.put(r.req())
		b, _ := listener.Request()
		b.Equip()
		if got := r.answers(); len(got) != 0 {
			t.Fatalf("answered %+v", got)
		}
		r.put(r.req())
		mra := answer[*wire.CMMra](r)
		if mra.Message != wire.CMResponseREQ || mra.RemoteCommID != 0x1001 || mra.ServiceTimeout != cm.ServiceTimeout {
			t.Errorf("%+v", mra)
		}
		another := r.req()
		another.LocalCommID++
		r.put(another) // the same queue pair
		if rej := answer[*wire.CMRej](r); rej.Reason != uint16(verbs.RejectStaleConn) || rej.RemoteCommID != 0x1002 {
			t.Errorf("%+v", rej)
		}
		ok(t, b.ID.Accept(verbs.CMConnParam{ResponderResources: 128, InitiatorDepth: 128}))
		synctest.Wait()
		rep := answer[*wire.CMRep](r)
		r.put(r.req())
		if again := answer[*wire.CMRep](r); *again != *rep {
			t.Errorf("%+v, then %+v", rep, again)
		}
		rtu := &wire.CMRtu{LocalCommID: 0x1001, RemoteCommID: rep.LocalCommID}
		r.put(rtu, rtu, r.req())
		b.Event(verbs.CMEstablished)
		b.Quiet()
		dreq := &wire.CMDreq{LocalCommID: 0x1001, RemoteCommID: rep.LocalCommID, RemoteQPN: rep.LocalQPN + 1}
		r.put(dreq) // another queue pair
		b.Quiet()
		dreq.RemoteQPN = rep.LocalQPN
		r.put(dreq, dreq)
		b.Event(verbs.CMDisconnected)
		if got := r.answers(); len(got) != 0 {
			t.Errorf("answered %+v", got)
		}
		ok(t, b.ID.Disconnect())
		synctest.Wait()
		answer[*wire.CMDrep](r)
		r.put(dreq)
		answer[*wire.CMDrep](r)
		r.put(r.req())
		if rej := answer[*wire.CMRej](r); rej.Reason != uint16(verbs.RejectStaleConn) {
			t.Errorf("%+v", rej)
		}
		b.Event(verbs.CMTimewaitExit)
		r.put(dreq)
		if drep := answer[*wire.CMDrep](r); drep.RemoteCommID != 0x1001 || drep.LocalCommID != rep.LocalCommID {
			t.Errorf("%+v", drep)
		}
		r.put(r.req())
		listener.Request()
	})
}

// TestCMRestartedPeer connects from a queue pair that already has a connection here: the old connection does not answer
// probes and is ended; then the new one is established.
func TestCMRestartedPeer(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		listener.Listen(soft1)
		r.put(r.req())
		b, _ := listener.Request()
		b.Equip()
		ok(t, b.ID.Accept(verbs.CMConnParam{}))
		synctest.Wait()
		rep := answer[*wire.CMRep](r)
		r.put(&wire.CMRtu{LocalCommID: 0x1001, RemoteCommID: rep.LocalCommID})
		b.Event(verbs.CMEstablished)
		again := r.req()
		again.LocalCommID++
		r.put(again)
		if rej := answer[*wire.CMRej](r); rej.Reason != uint16(verbs.RejectStaleConn) {
			t.Errorf("%+v", rej)
		}
		time.Sleep((cm.StaleProbes - 1) * cm.ProbeTime)
		r.put(again) // a restarted peer repeats its request
		answer[*wire.CMRej](r)
		time.Sleep(cm.ProbeTime)
		synctest.Wait()
		if dreq := answer[*wire.CMDreq](r); dreq.RemoteQPN != rawQPN || dreq.RemoteCommID != 0x1001 {
			t.Errorf("%+v", dreq)
		}
		if len(r.probes) != cm.StaleProbes || r.probes[0].BTH.DestQP != rawQPN ||
			r.probes[0].BTH.PSN != r.req().StartingPSN.Add(-1) {
			t.Errorf("probed with %+v", r.probes)
		}
		r.put(&wire.CMDrep{LocalCommID: 0x1001, RemoteCommID: rep.LocalCommID})
		b.Event(verbs.CMDisconnected)
		b.Event(verbs.CMTimewaitExit)
		r.put(again)
		listener.Request()
	})
}

// TestCMStaleReply receives a REP from a queue pair that has a connection here.
func TestCMStaleReply(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, a, r := newCMSide(t, p, verbs.PortSpaceTCP), newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		listener.Listen(soft1)
		r.put(r.req())
		listener.Request()
		connectRaw(a)
		req := answer[*wire.CMReq](r)
		r.put(&wire.CMRep{LocalCommID: 0x2001, RemoteCommID: req.LocalCommID, LocalQPN: rawQPN,
			LocalCAGUID: r.req().LocalCAGUID})
		if rej := answer[*wire.CMRej](r); rej.Reason != uint16(verbs.RejectStaleConn) ||
			rej.Message != wire.CMResponseREP || rej.RemoteCommID != 0x2001 {
			t.Errorf("%+v", rej)
		}
		a.Quiet()
	})
}

// connectRaw sends a request from soft1 to the raw peer.
func connectRaw(s *cmSide) {
	s.T.Helper()
	ok(s.T, s.ID.BindAddr(netip.AddrPortFrom(soft1.Addr(), 0)))
	s.Resolve(netip.AddrPortFrom(rawAddr, 5))
	s.Equip()
	ok(s.T, s.ID.Connect(cmParam))
	synctest.Wait()
}

// TestCMSomebodyElse sends every message of a connection from another address than its peer's: none has an effect.
func TestCMSomebodyElse(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		r := newRawCM(t, p)
		a, b := cmConnect(t, p)
		c := connectionOf(b)
		local, remote := c.LocalID, c.RemoteID
		r.put(&wire.CMRej{LocalCommID: remote, RemoteCommID: local, Message: wire.CMResponseOther},
			&wire.CMRej{LocalCommID: remote, RemoteCommID: local, Message: wire.CMResponseREQ},
			&wire.CMDreq{LocalCommID: remote, RemoteCommID: local, RemoteQPN: c.LocalQPN},
			&wire.CMDrep{LocalCommID: remote, RemoteCommID: local},
			&wire.CMMra{LocalCommID: remote, RemoteCommID: local, Message: wire.CMResponseREP})
		req := r.req()
		req.LocalCAGUID, req.LocalQPN = c.RemoteGUID, c.RemoteQPN
		r.put(req) // the GUID and the queue pair of a connection, but from another address: another connection
		ok(t, b.Event(verbs.CMConnectRequest).ID.Close())
		a.Quiet()
		b.Quiet()
		cmTalk(t, a, b)
		ok(t, a.ID.Disconnect())
		b.Event(verbs.CMDisconnected)
	})
}

// TestCMNoise sends 20,000 messages with random fields, mostly of existing connections: nothing fails and no state is
// left.
func TestCMNoise(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		random := rand.New(rand.NewPCG(3, 4))
		listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		listener.Listen(soft1)
		datagrams := newCMSide(t, p, verbs.PortSpaceUDP)
		datagrams.Listen(soft1)
		attrs := []wire.CMAttribute{wire.CMAttrREQ, wire.CMAttrMRA, wire.CMAttrREJ, wire.CMAttrREP, wire.CMAttrRTU,
			wire.CMAttrDREQ, wire.CMAttrDREP, wire.CMAttrSIDRREQ, wire.CMAttrSIDRREP}
		var ids []verbs.CMID
		for range 20000 {
			attr := attrs[random.IntN(len(attrs))]
			body := make([]byte, wire.CMBodyLen)
			for i := range body {
				body[i] = byte(random.IntN(4)) // few values, so that names repeat
			}
			if attr == wire.CMAttrREQ && random.IntN(2) == 0 {
				req := r.req()
				req.LocalCommID, req.LocalQPN = 1+random.Uint32N(4), 2+random.Uint32N(4)
				body = req.Append(nil)
			}
			for _, c := range managerOf(p).Connections() {
				if local := c.LocalID; random.IntN(2) == 0 {
					body[4], body[5], body[6], body[7] = byte(local>>24), byte(local>>16), byte(local>>8), byte(local)
					break
				}
			}
			m := wire.NewCM(1, new(wire.CMRtu))
			m.Header.Attribute = attr
			r.putPacket(madPacket(append(m.Header.Append(nil), body...)))
			r.answers()
			for _, s := range []*cmSide{listener, datagrams} {
				if ev, is := s.Channel.(*cm.Channel).Undelivered(); is && ev.Type == verbs.CMConnectRequest {
					ids = append(ids, ev.ID)
					if random.IntN(2) == 0 {
						ev.ID.Accept(verbs.CMConnParam{QPNum: 99})
					}
				}
			}
			if len(ids) > 8 {
				i := random.IntN(len(ids))
				ok(t, ids[i].Close())
				ids = append(ids[:i], ids[i+1:]...)
			}
		}
		for _, id := range ids {
			ok(t, id.Close())
		}
		ok(t, listener.ID.Close())
		ok(t, datagrams.ID.Close())
		time.Sleep(time.Hour)
		nothingKept(t, p)
	})
}
