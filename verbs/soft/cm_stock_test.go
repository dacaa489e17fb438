package soft

import (
	"bytes"
	"context"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"rdmatui/verbs"
	vmtest "rdmatui/verbs/verbstest/vm"
	"rdmatui/verbs/wire"
)

// The tests of this file hold the connection manager, over UDP in the network namespace "peer" of the virtual machine, against stock
// programs on the kernel's rxe0.

const inPeer = "RDMATUI_IN_PEER"

var (
	rxe  = netip.MustParseAddr("10.9.0.1")
	veth = netip.MustParseAddr("10.9.0.2")
)

// besideStock runs a test in the namespace "peer", as a process of its own.
func besideStock(t *testing.T, test func(t *testing.T, p *Provider)) {
	vmtest.Need(t)
	if os.Getenv(inPeer) == "" {
		cmd := exec.Command("ip", "netns", "exec", "peer", os.Args[0], "-test.v", "-test.run", "^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), inPeer+"=1")
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	p := New(Options{UDP: &UDPOptions{Addrs: []netip.Addr{veth}}})
	for _, note := range p.Notes() {
		if strings.Contains(note, "in memory") {
			t.Fatal(note)
		}
	}
	ok(t, p.TapPackets("soft0", func(k verbs.Packet) { checkMAD(t, &k) }))
	test(t, p)
}

// checkMAD holds the codec against every message that the kernel sends: it decodes, and the same bytes come of it.
func checkMAD(t *testing.T, k *verbs.Packet) {
	h, err := wire.Parse(k.Data)
	if err != nil || h.BTH.DestQP != gsiQPN {
		return
	}
	m, err := wire.ParseCM(h.Payload)
	if err != nil {
		t.Errorf("%v: % x", err, h.Payload)
		return
	}
	t.Logf("%s to %s: %s", k.Src, k.Dst, m.String())
	if k.Outgoing {
		return
	}
	if back := m.Append(nil); !bytes.Equal(back, h.Payload) {
		t.Errorf("came back as\n%x\nwas\n%x", back, h.Payload)
	}
	if os.Getenv("RDMATUI_SHOW_MADS") != "" {
		t.Logf("MAD %s %x", m.Header.Attribute, h.Payload)
	}
}

// stock starts a program in the namespace that rxe0 is in; the function that it returns waits for its end, which must be a good one.
func stock(t *testing.T, command ...string) (end func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	cmd := exec.CommandContext(ctx, "nsenter", append([]string{"-t", "1", "-n", "--"}, command...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	ok(t, cmd.Start())
	return func() {
		t.Helper()
		defer cancel()
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v: %v: %s", command, err, out.String())
		}
	}
}

// reach connects to a port of rxe0's. It tries again while nobody listens there yet.
func reach(t *testing.T, p *Provider, space verbs.CMPortSpace, port uint16, prepare func(s *cmSide)) (*cmSide, verbs.CMEvent) {
	t.Helper()
	for range 100 {
		s := newCMSide(t, p, space)
		s.resolve(netip.AddrPortFrom(rxe, port))
		s.equip()
		prepare(s)
		ok(t, s.id.Connect(cmParam))
		ev := must(s.channel.GetEvent(t.Context()))(t)
		if ev.Type == verbs.CMEstablished {
			return s, ev
		}
		if ev.Type != verbs.CMRejected && ev.Type != verbs.CMUnreachable || ev.Status != int(verbs.RejectInvalidServiceID) && ev.Status != 1 {
			t.Fatalf("event %s, status %d", ev.Type, ev.Status)
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("nobody listens")
	return nil, verbs.CMEvent{}
}

// post posts n RECVs of a region's start.
func (s *cmSide) post(n int, length uint32) *side {
	s.t.Helper()
	mr := must(s.pd.RegMR(verbs.MRSpec{Length: 4096, Access: everything}))(s.t)
	closeAtEnd(s.t, mr)
	half := &side{t: s.t, cq: s.cq, qp: s.qp, pd: s.pd}
	for range n {
		half.recv(verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, length)})
	}
	return half
}

// messages sends n messages.
func (s *cmSide) messages(n int, length uint32, change func(wr *verbs.SendWR)) {
	s.t.Helper()
	mr := must(s.pd.RegMR(verbs.MRSpec{Length: 4096, Access: everything}))(s.t)
	closeAtEnd(s.t, mr)
	half := &side{t: s.t, cq: s.cq, qp: s.qp}
	for range n {
		wr := verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(mr, 0, length)}
		if change != nil {
			change(&wr)
		}
		half.send(wr)
	}
}

// finish waits for completions, all of which must be good.
func (s *cmSide) finish(n int) []verbs.WC {
	s.t.Helper()
	half := &side{t: s.t, cq: s.cq, qp: s.qp}
	all := half.wait(n)
	for _, wc := range all {
		if wc.Status != verbs.WCSuccess {
			s.t.Fatalf("wr_id %d: %s", wc.WRID, wc.Status)
		}
	}
	return all
}

// TestStockServers connects to programs that listen on rxe0.
func TestStockServers(t *testing.T) {
	besideStock(t, func(t *testing.T, p *Provider) {
		t.Run("rdma_server", func(t *testing.T) {
			end := stock(t, "rdma_server")
			s, ev := reach(t, p, verbs.PortSpaceTCP, 7471, func(s *cmSide) { s.post(1, 16) })
			if ev.Conn.QPNum == 0 {
				t.Errorf("parameters %+v", ev.Conn)
			}
			s.messages(1, 16, nil)
			s.finish(2)
			ok(t, s.id.Disconnect())
			s.event(verbs.CMDisconnected)
			end()
			s.event(verbs.CMTimewaitExit)
		})
		t.Run("ucmatose", func(t *testing.T) {
			end := stock(t, "ucmatose")
			s, _ := reach(t, p, verbs.PortSpaceTCP, 7471, func(s *cmSide) { s.post(10, 100) })
			s.finish(10)
			s.messages(10, 100, nil)
			s.finish(10)
			s.event(verbs.CMDisconnected)
			ok(t, s.id.Disconnect())
			end()
		})
		t.Run("udaddy", func(t *testing.T) {
			end := stock(t, "udaddy")
			s, ev := reach(t, p, verbs.PortSpaceUDP, 7174, func(s *cmSide) { s.post(10, 140) })
			ah := must(s.pd.CreateAH(ev.UD.AH))(t)
			closeAtEnd(t, ah)
			s.messages(10, 100, func(wr *verbs.SendWR) {
				wr.Opcode, wr.ImmData = verbs.WRSendWithImm, uint32(s.qp.Num())
				wr.AH, wr.RemoteQPN, wr.RemoteQKey = ah, ev.UD.QPNum, ev.UD.QKey
			})
			s.finish(20)
			end()
		})
	})
}

// TestStockClients is connected to by programs on rxe0.
func TestStockClients(t *testing.T) {
	besideStock(t, func(t *testing.T, p *Provider) {
		serve := func(t *testing.T, space verbs.CMPortSpace, port uint16, n int, length uint32, command ...string) (*cmSide, verbs.CMEvent, func()) {
			listener := newCMSide(t, p, space)
			listener.listen(netip.AddrPortFrom(veth, port))
			end := stock(t, command...)
			s, ev := listener.request()
			s.equip()
			s.post(n, length)
			ok(t, s.id.Accept(verbs.CMConnParam{ResponderResources: ev.Conn.ResponderResources, InitiatorDepth: ev.Conn.InitiatorDepth, RNRRetryCount: 7}))
			if s.id.PeerAddr().Addr() != rxe || s.id.LocalAddr() != netip.AddrPortFrom(veth, port) {
				t.Errorf("from %s to %s", s.id.PeerAddr(), s.id.LocalAddr())
			}
			return s, ev, end
		}
		t.Run("rdma_client", func(t *testing.T) {
			s, _, end := serve(t, verbs.PortSpaceTCP, 7471, 1, 16, "rdma_client", "-s", veth.String())
			s.event(verbs.CMEstablished)
			s.finish(1)
			s.messages(1, 16, nil)
			s.finish(1)
			s.event(verbs.CMDisconnected)
			ok(t, s.id.Disconnect())
			end()
		})
		t.Run("ucmatose", func(t *testing.T) {
			s, _, end := serve(t, verbs.PortSpaceTCP, 7471, 10, 100, "ucmatose", "-s", veth.String())
			s.event(verbs.CMEstablished)
			s.messages(10, 100, nil)
			s.finish(20)
			ok(t, s.id.Disconnect())
			s.event(verbs.CMDisconnected)
			end()
		})
		t.Run("udaddy", func(t *testing.T) {
			s, _, end := serve(t, verbs.PortSpaceUDP, 7174, 10, 140, "udaddy", "-s", veth.String())
			wc := s.finish(10)[0]
			ah := must(s.pd.CreateAH(s.id.(*cmID).ah(rxe)))(t)
			closeAtEnd(t, ah)
			s.messages(10, 100, func(wr *verbs.SendWR) {
				wr.Opcode, wr.ImmData = verbs.WRSendWithImm, uint32(s.qp.Num())
				wr.AH, wr.RemoteQPN, wr.RemoteQKey = ah, wc.SrcQP, udpQKey
			})
			s.finish(10)
			end()
		})
	})
}
