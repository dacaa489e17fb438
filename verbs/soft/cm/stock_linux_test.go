package cm_test

import (
	"bytes"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/internal/object"
	vmtest "rdmatui/verbs/verbstest/vm"
	"rdmatui/verbs/wire"
)

// The tests of this file check the connection manager, over UDP in the network namespace "peer" of the virtual machine,
// against stock programs on the kernel's rxe0.

const inPeer = "RDMATUI_IN_PEER"

var (
	rxe  = netip.MustParseAddr("10.9.0.1")
	veth = netip.MustParseAddr("10.9.0.2")
)

// besideStock runs a test in the namespace "peer", in a separate process.
func besideStock(t *testing.T, test func(t *testing.T, p *soft.Provider)) {
	besideStockAt(t, veth, test)
}

// besideStockAt does so with the device at another address.
func besideStockAt(t *testing.T, at netip.Addr, test func(t *testing.T, p *soft.Provider)) {
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
	p := soft.New(soft.Options{UDP: &soft.UDPOptions{Addrs: []netip.Addr{at}}})
	for _, note := range p.Notes() {
		if strings.Contains(note.Text, "in memory") {
			t.Fatal(note)
		}
	}
	ok(t, p.TapPackets("soft0", func(k verbs.Packet) { checkMAD(t, &k) }))
	test(t, p)
}

// checkMAD checks the codec with every message that the kernel sends: decoding and encoding it yields the same bytes.
func checkMAD(t *testing.T, k *verbs.Packet) {
	h, err := wire.Parse(k.Data)
	if err != nil || h.BTH.DestQP != object.GSIQPN {
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

// program is a stock program in rxe0's namespace.
type program struct {
	t   *testing.T
	cmd *exec.Cmd
	out bytes.Buffer
}

// besideRxe returns a command in that namespace.
func besideRxe(t *testing.T, command ...string) *exec.Cmd {
	return exec.CommandContext(t.Context(), "nsenter", append([]string{"-t", "1", "-n", "--"}, command...)...)
}

func stock(t *testing.T, command ...string) *program {
	t.Helper()
	s := &program{t: t, cmd: besideRxe(t, command...)}
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.out
	ok(t, s.cmd.Start())
	return s
}

// server starts a program and waits until it listens.
func server(t *testing.T, command ...string) *program {
	t.Helper()
	s := stock(t, command...)
	for range 600 {
		ids, err := besideRxe(t, "rdma", "resource", "show", "cm_id").CombinedOutput()
		ok(t, err)
		if strings.Contains(string(ids), "LISTEN") {
			return s
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%v does not listen", command)
	return nil
}

// end waits for the program to exit, which must be with status 0.
func (s *program) end() {
	s.t.Helper()
	if err := s.cmd.Wait(); err != nil {
		s.t.Fatalf("%v: %v: %s", s.cmd.Args, err, s.out.String())
	}
}

// reach connects to a port of rxe0.
func reach(t *testing.T, p *soft.Provider, space verbs.CMPortSpace, port uint16,
	prepare func(s *cmSide)) (*cmSide, verbs.CMEvent) {
	t.Helper()
	s := newCMSide(t, p, space)
	s.Resolve(netip.AddrPortFrom(rxe, port))
	s.Equip()
	prepare(s)
	ok(t, s.ID.Connect(cmParam))
	return s, s.Event(verbs.CMEstablished)
}

// nobodyLeft fails if the kernel still has an identifier.
func nobodyLeft(t *testing.T) {
	t.Helper()
	ids, err := besideRxe(t, "rdma", "resource", "show", "cm_id").CombinedOutput()
	if ok(t, err); len(bytes.TrimSpace(ids)) > 0 {
		t.Errorf("the kernel still has %s", ids)
	}
}

// TestStockServers connects to programs that listen on rxe0.
func TestStockServers(t *testing.T) {
	besideStock(t, func(t *testing.T, p *soft.Provider) {
		t.Run("rdma_server", func(t *testing.T) {
			program := server(t, "rdma_server")
			s, ev := reach(t, p, verbs.PortSpaceTCP, 7471, func(s *cmSide) { s.Post(1, 16) })
			if ev.Conn.QPNum == 0 {
				t.Errorf("parameters %+v", ev.Conn)
			}
			s.Messages(1, 16, nil)
			s.Finish(2)
			ok(t, s.ID.Disconnect())
			s.Event(verbs.CMDisconnected)
			program.end()
			s.Event(verbs.CMTimewaitExit)
		})
		t.Run("ucmatose", func(t *testing.T) {
			program := server(t, "ucmatose")
			s, _ := reach(t, p, verbs.PortSpaceTCP, 7471, func(s *cmSide) { s.Post(10, 100) })
			s.Finish(10)
			s.Messages(10, 100, nil)
			s.Finish(10)
			s.Event(verbs.CMDisconnected)
			ok(t, s.ID.Disconnect())
			program.end()
		})
		t.Run("ucmatose, several", func(t *testing.T) {
			program := server(t, "ucmatose", "-c", "4")
			var all []*cmSide
			for range 4 {
				s := newCMSide(t, p, verbs.PortSpaceTCP)
				s.Resolve(netip.AddrPortFrom(rxe, 7471))
				s.Equip()
				s.Post(10, 100)
				ok(t, s.ID.Connect(cmParam))
				all = append(all, s)
			}
			for _, s := range all {
				s.Event(verbs.CMEstablished)
			}
			for _, s := range all {
				s.Finish(10)
				s.Messages(10, 100, nil)
			}
			for _, s := range all {
				s.Finish(10)
				s.Event(verbs.CMDisconnected)
				ok(t, s.ID.Disconnect())
			}
			program.end()
		})
		t.Run("udaddy", func(t *testing.T) {
			program := server(t, "udaddy")
			s, ev := reach(t, p, verbs.PortSpaceUDP, 7174, func(s *cmSide) { s.Post(10, 140) })
			ah := must(s.PD.CreateAH(ev.UD.AH))(t)
			closeAtEnd(t, ah)
			s.Messages(10, 100, func(wr *verbs.SendWR) {
				wr.Opcode, wr.ImmData = verbs.WRSendWithImm, uint32(s.QP.Num())
				wr.AH, wr.RemoteQPN, wr.RemoteQKey = ah, ev.UD.QPNum, ev.UD.QKey
			})
			s.Finish(20)
			program.end()
		})
		nobodyLeft(t)
	})
}

// TestStockTroubles connects to programs that are slow, exit, or do not run.
func TestStockTroubles(t *testing.T) {
	besideStock(t, func(t *testing.T, p *soft.Provider) {
		connect := func(t *testing.T) *cmSide {
			s := newCMSide(t, p, verbs.PortSpaceTCP)
			s.Resolve(netip.AddrPortFrom(rxe, 7471))
			s.Equip()
			s.Post(1, 16)
			ok(t, s.ID.Connect(cmParam))
			return s
		}
		t.Run("nobody listens", func(t *testing.T) {
			if ev := connect(t).Event(verbs.CMRejected); ev.Status != int(verbs.RejectInvalidServiceID) {
				t.Errorf("status %d", ev.Status)
			}
		})
		t.Run("no device on the way", func(t *testing.T) {
			s := newCMSide(t, p, verbs.PortSpaceTCP)
			ok(t, s.ID.ResolveAddr(netip.AddrPort{}, netip.MustParseAddrPort("127.0.0.1:5"), time.Second))
			if ev := s.Event(verbs.CMAddrError); ev.Status != -int(syscall.ENODEV) {
				t.Errorf("status %d", ev.Status)
			}
			wantErr(t, "no way", s.ID.ResolveAddr(netip.AddrPort{}, netip.MustParseAddrPort("192.0.2.1:5"),
				time.Second), syscall.ENETUNREACH)
			wantErr(t, "an address without device",
				newCMSide(t, p, verbs.PortSpaceTCP).ID.BindAddr(netip.MustParseAddrPort("127.0.0.1:5")), syscall.ENODEV)
			wantErr(t, "somebody else's address",
				newCMSide(t, p, verbs.PortSpaceTCP).ID.BindAddr(netip.AddrPortFrom(rxe, 5)), syscall.EADDRNOTAVAIL)
		})
		t.Run("a server that takes its time, and is killed", func(t *testing.T) {
			program := server(t, "rping", "-s", "-a", rxe.String())
			ok(t, program.cmd.Process.Signal(syscall.SIGSTOP))
			s := newCMSide(t, p, verbs.PortSpaceTCP)
			s.Resolve(netip.AddrPortFrom(rxe, 7174))
			s.Equip()
			w := wordsOf(s, 1)
			ok(t, s.ID.Connect(cmParam))
			for connectionOf(s).State == cm.StateREQSent { // until the kernel answers the second REQ
				time.Sleep(50 * time.Millisecond)
			}
			if connectionOf(s).State != cm.StateREQAcknowledged {
				t.Error("no MRA arrived")
			}
			ok(t, program.cmd.Process.Signal(syscall.SIGCONT))
			s.Event(verbs.CMEstablished)
			from := w.NewMR(64, everything)
			w.say(advertisement{from.Addr(), from.RKey(), 64})
			w.await(2) // now it has seen the connection established
			ok(t, program.cmd.Process.Kill())
			program.cmd.Wait()
			if ev := s.Event(verbs.CMDisconnected); ev.Status != 0 {
				t.Errorf("status %d", ev.Status)
			}
			ok(t, s.ID.Disconnect())
			s.Event(verbs.CMTimewaitExit)
		})
		t.Run("a client is refused", func(t *testing.T) {
			listener := newCMSide(t, p, verbs.PortSpaceTCP)
			listener.Listen(netip.AddrPortFrom(veth, 7471))
			program := stock(t, "ucmatose", "-s", veth.String())
			s, _ := listener.Request()
			ok(t, s.ID.Reject([]byte("no")))
			program.cmd.Wait()
			if out := program.out.String(); !strings.Contains(out, "RDMA_CM_EVENT_REJECTED, error: 28") {
				t.Errorf("ucmatose says %s", out)
			}
		})
		t.Run("a client closes in mid-air", func(t *testing.T) {
			listener := newCMSide(t, p, verbs.PortSpaceTCP)
			listener.Listen(netip.AddrPortFrom(veth, 7471))
			program := stock(t, "rdma_client", "-s", veth.String())
			s, _ := listener.Request()
			ok(t, program.cmd.Process.Kill())
			program.cmd.Wait()
			if ev := s.Event(verbs.CMRejected); ev.Status != int(verbs.RejectTimeout) {
				t.Errorf("status %d", ev.Status)
			}
		})
		nobodyLeft(t)
	})
}

// TestStockClients accepts connections from programs on rxe0.
func TestStockClients(t *testing.T) {
	besideStock(t, func(t *testing.T, p *soft.Provider) {
		serve := func(t *testing.T, space verbs.CMPortSpace, port uint16, n int, length uint32,
			command ...string) (*cmSide, *program) {
			listener := newCMSide(t, p, space)
			listener.Listen(netip.AddrPortFrom(veth, port))
			program := stock(t, command...)
			s, ev := listener.Request()
			s.Equip()
			s.Post(n, length)
			ok(t, s.ID.Accept(verbs.CMConnParam{ResponderResources: ev.Conn.ResponderResources,
				InitiatorDepth: ev.Conn.InitiatorDepth, RNRRetryCount: 7}))
			if s.ID.PeerAddr().Addr() != rxe || s.ID.LocalAddr() != netip.AddrPortFrom(veth, port) {
				t.Errorf("from %s to %s", s.ID.PeerAddr(), s.ID.LocalAddr())
			}
			return s, program
		}
		t.Run("rdma_client", func(t *testing.T) {
			s, program := serve(t, verbs.PortSpaceTCP, 7471, 1, 16, "rdma_client", "-s", veth.String())
			s.Event(verbs.CMEstablished)
			s.Finish(1)
			s.Messages(1, 16, nil)
			s.Finish(1)
			s.Event(verbs.CMDisconnected)
			ok(t, s.ID.Disconnect())
			program.end()
		})
		t.Run("ucmatose", func(t *testing.T) {
			s, program := serve(t, verbs.PortSpaceTCP, 7471, 10, 100, "ucmatose", "-s", veth.String())
			s.Event(verbs.CMEstablished)
			s.Messages(10, 100, nil)
			s.Finish(20)
			ok(t, s.ID.Disconnect())
			s.Event(verbs.CMDisconnected)
			program.end()
		})
		t.Run("udaddy", func(t *testing.T) {
			s, program := serve(t, verbs.PortSpaceUDP, 7174, 10, 140, "udaddy", "-s", veth.String())
			wc := s.Finish(10)[0]
			ah := must(s.PD.CreateAH(s.ID.(*cm.ID).AddressVector(rxe)))(t)
			closeAtEnd(t, ah)
			s.Messages(10, 100, func(wr *verbs.SendWR) {
				wr.Opcode, wr.ImmData = verbs.WRSendWithImm, uint32(s.QP.Num())
				wr.AH, wr.RemoteQPN, wr.RemoteQKey = ah, wc.SrcQP, cm.UDPQKey
			})
			s.Finish(10)
			program.end()
		})
	})
}
