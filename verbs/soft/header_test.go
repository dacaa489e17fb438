package soft

import (
	"net/netip"
	"slices"
	"sync"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/wire"
)

// headerWatch collects the IP headers of packets that a device sends and receives.
type headerWatch struct {
	mu   sync.Mutex
	seen map[bool][]verbs.IPHeader // by Outgoing, without repetition
	port map[uint16]bool           // UDP source ports of the packets sent
	keep func(verbs.Packet) bool
}

func watchHeaders(t testing.TB, p *Provider, device string, keep func(verbs.Packet) bool) *headerWatch {
	w := &headerWatch{seen: map[bool][]verbs.IPHeader{}, port: map[uint16]bool{}, keep: keep}
	ok(t, p.TapPackets(device, w.see))
	t.Cleanup(func() { p.TapPackets(device, nil) })
	return w
}

func (w *headerWatch) see(p verbs.Packet) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.keep != nil && !w.keep(p) {
		return
	}
	if !slices.Contains(w.seen[p.Outgoing], p.IP) {
		w.seen[p.Outgoing] = append(w.seen[p.Outgoing], p.IP)
	}
	if p.Outgoing {
		w.port[p.Src.Port()] = true
	}
}

func (w *headerWatch) want(t *testing.T, out, in verbs.IPHeader) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if got := w.seen[true]; len(got) != 1 || got[0] != out {
		t.Errorf("sent with %+v, want %+v", got, out)
	}
	if got := w.seen[false]; len(got) != 1 || got[0] != in {
		t.Errorf("received with %+v, want %+v", got, in)
	}
}

// TestPathHeader connects queue pairs whose address vectors name traffic class, hop limit and flow label, different on
// each side, and checks every packet: requests and answers carry those of their sender.
func TestPathHeader(t *testing.T) {
	const classA, classB = 184, 0x21
	run := func(t *testing.T, p *Provider, gidIndex int, hopsA, arrives uint8, flowA, flowSeen uint32) {
		o := pairOptions{GIDIndex: gidIndex, Timeout: patient}.WithDefaults()
		a, b := newSide(t, p, "soft0", o), newSide(t, p, "soft1", o)
		w := watchHeaders(t, p, "soft0", nil)
		ok(t, a.ToInit(o))
		ok(t, b.ToInit(o))
		rtr := a.RtrAttr(o, b.GID.GID, b.QP.Num(), 5)
		rtr.AH.GRH.TrafficClass, rtr.AH.GRH.HopLimit, rtr.AH.GRH.FlowLabel = classA, hopsA, flowA
		ok(t, a.QP.Modify(rtr))
		rtr = b.RtrAttr(o, a.GID.GID, a.QP.Num(), 5)
		rtr.AH.GRH.TrafficClass, rtr.AH.GRH.HopLimit = classB, 7
		ok(t, b.QP.Modify(rtr))
		ok(t, a.QP.Modify(rtsAttr(o, 5)))
		ok(t, b.QP.Modify(rtsAttr(o, 5)))
		src, dst := a.NewMR(8192, everything), b.NewMR(8192, everything)
		b.Recv(verbs.RecvWR{WRID: 1, SGList: sge(dst, 0, 8192)})
		a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SGList: sge(src, 0, 5000), SendFlags: verbs.SendSignaled},
			verbs.SendWR{WRID: 2, Opcode: verbs.WRRDMARead, SGList: sge(src, 0, 5000), RemoteAddr: dst.Addr(),
				RKey: dst.RKey(), SendFlags: verbs.SendSignaled})
		a.Want(1, verbs.WCSuccess)
		a.Want(2, verbs.WCSuccess)
		b.Want(1, verbs.WCSuccess)
		w.want(t, verbs.IPHeader{TrafficClass: classA, HopLimit: arrives, FlowLabel: flowSeen},
			verbs.IPHeader{TrafficClass: classB, HopLimit: 7, FlowLabel: 0})
		const port = 0xc000 | (0x54321&0x3fff ^ 0x54321>>14) // rdma_flow_label_to_udp_sport
		if p.adapter("soft0").source == 0 && !w.port[port] {
			t.Errorf("UDP source ports %v; flow label 0x54321 makes 0x%x", w.port, port)
		}
	}
	t.Run("IPv4", func(t *testing.T) {
		virtual(t, func(t *testing.T, p *Provider) { run(t, p, 1, 3, 3, 0x54321, 0) })
	})
	t.Run("IPv6", func(t *testing.T) {
		virtual(t, func(t *testing.T, p *Provider) { run(t, p, -1, 0, 64, 0x54321, 0x54321) })
	})
	t.Run("UDP", func(t *testing.T) { run(t, loopbackProvider(t), -1, 3, 3, 0x54321, 0) })
}

// TestCMTypeOfService sets the type of service of an identifier. Its own messages and its queue pair's carry it, and so
// do those of the side that accepts, which learns it from the request.
func TestCMTypeOfService(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		w := watchHeaders(t, p, "soft0", nil)
		listener := newCMSide(t, p, verbs.PortSpaceTCP)
		listener.Listen(soft1)
		active := newCMSide(t, p, verbs.PortSpaceTCP)
		ok(t, active.ID.SetOption(verbs.CMOptTOS, 104))
		active.Resolve(listener.ID.LocalAddr())
		active.Equip()
		ok(t, active.ID.Connect(cmParam))
		passive, _ := listener.Request()
		passive.Equip()
		ok(t, passive.ID.Accept(cmParam))
		active.Event(verbs.CMEstablished)
		passive.Event(verbs.CMEstablished)
		cmTalk(t, active, passive)
		ok(t, active.ID.Disconnect())
		passive.Event(verbs.CMDisconnected)
		w.want(t, verbs.IPHeader{TrafficClass: 104, HopLimit: 64, FlowLabel: 0},
			verbs.IPHeader{TrafficClass: 104, HopLimit: 64, FlowLabel: 0})
	})
}

// TestCMRefusalHasRequestsTypeOfService: an answer about an unknown connection carries the type of service of the
// message it answers.
func TestCMRefusalHasRequestsTypeOfService(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		w := watchHeaders(t, p, "soft0", func(k verbs.Packet) bool {
			h, err := wire.Parse(k.Data)
			return err == nil && h.BTH.DestQP == object.GSIQPN
		})
		dev := must(p.Open("soft1"))(t)
		closeAtEnd(t, dev)
		active := newCMSide(t, p, verbs.PortSpaceTCP)
		ok(t, active.ID.SetOption(verbs.CMOptTOS, 104))
		active.Resolve(netip.AddrPortFrom(soft1.Addr(), 9))
		active.Equip()
		ok(t, active.ID.Connect(cmParam))
		active.Event(verbs.CMRejected)
		w.want(t, verbs.IPHeader{TrafficClass: 104, HopLimit: 64, FlowLabel: 0},
			verbs.IPHeader{TrafficClass: 104, HopLimit: 64, FlowLabel: 0})
	})
}
