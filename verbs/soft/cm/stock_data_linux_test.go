package cm_test

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// advertisement is rping's description of a buffer.
type advertisement struct {
	Addr         uint64
	RKey, Length uint32
}

// words sends and receives what rping calls info messages.
type words struct {
	*side
	in, out verbs.MR
}

const wordLen = 16

func wordsOf(s *cmSide, recvs int) *words {
	s.T.Helper()
	w := &words{side: &side{T: s.T, CQ: s.CQ, QP: s.QP, PD: s.PD}}
	w.in, w.out = w.NewMR(wordLen, everything), w.NewMR(wordLen, everything)
	for range recvs {
		w.Recv(verbs.RecvWR{WRID: 1, SGList: sge(w.in, 0, wordLen)})
	}
	return w
}

// say sends an advertisement, an empty one to say "go on", and waits until it has arrived.
func (w *words) say(a advertisement) {
	w.T.Helper()
	var b [wordLen]byte
	_, err := binary.Encode(b[:], binary.BigEndian, a)
	ok(w.T, err)
	fill(w.T, w.out, b[:], 0)
	w.do(verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SGList: sge(w.out, 0, wordLen)})
}

// do posts a signaled request; await takes its completion.
func (w *words) do(wr verbs.SendWR) {
	w.T.Helper()
	wr.SendFlags = verbs.SendSignaled
	w.Send(wr)
}

// await waits for n completions, which must succeed.
func (w *words) await(n int) {
	w.T.Helper()
	for _, wc := range w.Wait(n) {
		if wc.Status != verbs.WCSuccess {
			w.T.Fatalf("wr_id %d: %s", wc.WRID, wc.Status)
		}
	}
}

// heard returns the last message received.
func (w *words) heard() (a advertisement) {
	w.T.Helper()
	var b [wordLen]byte
	if _, err := w.in.ReadAt(b[:], 0); err != nil {
		w.T.Fatal(err)
	}
	_, err := binary.Decode(b[:], binary.BigEndian, &a)
	ok(w.T, err)
	return a
}

// TestStockRping plays rping, in both roles: the access flags and depths of the queue pairs are those set by the
// connection manager.
func TestStockRping(t *testing.T) {
	besideStock(t, func(t *testing.T, p *soft.Provider) {
		t.Run("client", func(t *testing.T) {
			program := server(t, "rping", "-s", "-a", rxe.String())
			var w *words
			s, _ := reach(t, p, verbs.PortSpaceTCP, 7174, func(s *cmSide) { w = wordsOf(s, 6) })
			from, to := w.NewMR(64, everything), w.NewMR(64, everything)
			for _, text := range []string{"one ping", "another, longer one", "a third"} {
				data := append([]byte(text), make([]byte, 64-len(text))...)
				fill(t, from, data, 0)
				w.say(advertisement{from.Addr(), from.RKey(), 64})
				w.await(2)
				w.say(advertisement{to.Addr(), to.RKey(), 64})
				w.await(2)
				wantBytes(t, to, append([]byte(text), 0), 0)
			}
			ok(t, s.ID.Disconnect())
			s.Event(verbs.CMDisconnected)
			program.end()
		})
		t.Run("server", func(t *testing.T) {
			const count = 3
			listener := newCMSide(t, p, verbs.PortSpaceTCP)
			listener.Listen(netip.AddrPortFrom(veth, 7174))
			program := stock(t, "rping", "-c", "-a", veth.String(), "-C", "3", "-V", "-S", "5000")
			s, ev := listener.Request()
			s.Equip()
			w := wordsOf(s, 2*count)
			ok(t, s.ID.Accept(verbs.CMConnParam{ResponderResources: ev.Conn.ResponderResources,
				InitiatorDepth: ev.Conn.InitiatorDepth}))
			s.Event(verbs.CMEstablished)
			data := w.NewMR(5000, everything)
			for range count {
				w.await(1)
				a := w.heard()
				w.do(verbs.SendWR{WRID: 3, Opcode: verbs.WRRDMARead, SGList: sge(data, 0, a.Length), RemoteAddr: a.Addr,
					RKey: a.RKey})
				w.await(1)
				w.say(advertisement{})
				w.await(2)
				a = w.heard()
				w.do(verbs.SendWR{WRID: 4, Opcode: verbs.WRRDMAWrite, SGList: sge(data, 0, a.Length),
					RemoteAddr: a.Addr, RKey: a.RKey})
				w.say(advertisement{})
				w.await(2)
			}
			s.Event(verbs.CMDisconnected)
			ok(t, s.ID.Disconnect())
			program.end()
		})
		nobodyLeft(t)
	})
}

// TestStockIPv6 connects both ways between IPv6 addresses.
func TestStockIPv6(t *testing.T) {
	rxe6, veth6 := netip.MustParseAddr("fd00:9::1"), netip.MustParseAddr("fd00:9::2")
	if os.Getenv(inPeer) == "" && os.Getenv("RDMATUI_VM") != "" {
		for _, line := range []string{"ip addr replace " + rxe6.String() + "/64 dev d0 nodad",
			"ip -n peer addr replace " + veth6.String() + "/64 dev d1 nodad"} {
			words := strings.Fields(line)
			if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", line, err, out)
			}
		}
		for !hasGID("fd00:0009:0000:0000:0000:0000:0000:0001") {
			time.Sleep(50 * time.Millisecond)
		}
	}
	besideStockAt(t, veth6, func(t *testing.T, p *soft.Provider) {
		program := server(t, "rdma_server", "-s", rxe6.String())
		s := newCMSide(t, p, verbs.PortSpaceTCP)
		s.Resolve(netip.AddrPortFrom(rxe6, 7471))
		s.Equip()
		s.Post(1, 16)
		ok(t, s.ID.Connect(cmParam))
		s.Event(verbs.CMEstablished)
		s.Messages(1, 16, nil)
		s.Finish(2)
		ok(t, s.ID.Disconnect())
		s.Event(verbs.CMDisconnected)
		program.end()

		listener := newCMSide(t, p, verbs.PortSpaceTCP)
		listener.Listen(netip.AddrPortFrom(netip.IPv6Unspecified(), 7471))
		program = stock(t, "rdma_client", "-s", veth6.String())
		r, _ := listener.Request()
		if r.ID.PeerAddr().Addr() != rxe6 || r.ID.LocalAddr() != netip.AddrPortFrom(veth6, 7471) {
			t.Errorf("from %s to %s", r.ID.PeerAddr(), r.ID.LocalAddr())
		}
		r.Equip()
		r.Post(1, 16)
		ok(t, r.ID.Accept(verbs.CMConnParam{ResponderResources: 1, InitiatorDepth: 1}))
		r.Event(verbs.CMEstablished)
		r.Finish(1)
		r.Messages(1, 16, nil)
		r.Finish(1)
		r.Event(verbs.CMDisconnected)
		ok(t, r.ID.Disconnect())
		program.end()
		nobodyLeft(t)
	})
}

// hasGID reports whether rxe0 has a GID, as sysfs writes it.
func hasGID(gid string) bool {
	files, _ := filepath.Glob("/sys/class/infiniband/rxe0/ports/1/gids/*")
	for _, f := range files {
		if b, _ := os.ReadFile(f); bytes.HasPrefix(b, []byte(gid)) {
			return true
		}
	}
	return false
}
