package soft

import (
	"errors"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// sighting summarizes one packet that a tap has shown.
type sighting struct {
	device   string
	outgoing bool
	opcode   wire.Opcode
}

// witness keeps what taps have shown, and fails on bytes that are no complete packet.
type witness struct {
	t    testing.TB
	mu   sync.Mutex
	seen []sighting
	raw  [][]byte
	path [][2]netip.AddrPort
}

func (w *witness) see(p verbs.Packet) {
	w.mu.Lock()
	defer w.mu.Unlock()
	icrc, err := wire.NewICRC(wire.Path{Src: p.Src, Dst: p.Dst, DF: true})
	if err != nil || !icrc.Verify(0, p.Data) || p.At.IsZero() {
		w.t.Errorf("packet %x from %v to %v at %v: %v", p.Data, p.Src, p.Dst, p.At, err)
	}
	got, err := wire.Parse(p.Data)
	if err != nil {
		w.t.Error(err)
	}
	w.seen = append(w.seen, sighting{p.Device, p.Outgoing, got.BTH.Opcode})
	w.raw = append(w.raw, slices.Clone(p.Data))
	w.path = append(w.path, [2]netip.AddrPort{p.Src, p.Dst})
}

// of lists the packets of one device in one direction.
func (w *witness) of(device string, outgoing bool) (ops []wire.Opcode) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.seen {
		if s.device == device && s.outgoing == outgoing {
			ops = append(ops, s.opcode)
		}
	}
	return ops
}

func tapBoth(t testing.TB, p *Provider) *witness {
	t.Helper()
	w := &witness{t: t}
	for _, device := range []string{"soft0", "soft1"} {
		ok(t, p.TapPackets(device, w.see))
	}
	return w
}

// TestTapShowsBothEnds sends a message of three packets: each end shows it completely, with a valid ICRC, when sent and
// when received.
func TestTapShowsBothEnds(t *testing.T) {
	p := New(Options{})
	w := tapBoth(t, p)
	a, b := connect(t, p, "soft0", "soft1", pairOptions{Timeout: patient})
	src, dst := a.NewMR(4096, everything), b.NewMR(4096, everything)
	b.Recv(verbs.RecvWR{SGList: sge(dst, 0, 4096)})
	a.Send(verbs.SendWR{Opcode: verbs.WRSend, SGList: sge(src, 0, 3000), SendFlags: verbs.SendSignaled})
	a.Want(0, verbs.WCSuccess)
	b.Want(0, verbs.WCSuccess)
	message := []wire.Opcode{wire.RCSendFirst, wire.RCSendMiddle, wire.RCSendLast}
	for _, tt := range []struct {
		device   string
		outgoing bool
		want     []wire.Opcode
	}{
		{"soft0", true, message}, {"soft1", false, message},
		{"soft1", true, []wire.Opcode{wire.RCAcknowledge}}, {"soft0", false, []wire.Opcode{wire.RCAcknowledge}},
	} {
		if got := w.of(tt.device, tt.outgoing); !slices.Equal(got, tt.want) {
			t.Errorf("%s outgoing %v: %v, want %v", tt.device, tt.outgoing, got, tt.want)
		}
	}
	ok(t, p.TapPackets("soft0", nil))
	ok(t, p.TapPackets("soft1", nil))
	n := len(w.seen)
	b.Recv(verbs.RecvWR{SGList: sge(dst, 0, 4096)})
	a.Send(verbs.SendWR{Opcode: verbs.WRSend, SGList: sge(src, 0, 1), SendFlags: verbs.SendSignaled})
	a.Want(0, verbs.WCSuccess)
	if len(w.seen) != n {
		t.Error("a removed tap still sees packets")
	}
	if err := p.TapPackets("soft9", w.see); !errors.Is(err, syscall.ENODEV) {
		t.Error(err)
	}
}

// TestTapAndFaults: a lost packet was sent and has not arrived; a duplicated one was sent once.
func TestTapAndFaults(t *testing.T) {
	for _, tt := range []struct {
		name          string
		faults        verbs.Faults
		counter       string
		sent, arrived int
	}{
		{"lost", verbs.Faults{Loss: 1}, "fault_lost", 1, 0},
		{"doubled", verbs.Faults{Duplicate: 1}, "fault_duplicated", 1, 2},
		{"damaged", verbs.Faults{Corrupt: 1}, "fault_corrupted", 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := New(Options{})
			w := tapBoth(t, p)
			a, b := connect(t, p, "soft0", "soft1", pairOptions{Typ: verbs.UC})
			ok(t, p.SetFaults("soft0", tt.faults))
			src, dst := a.NewMR(64, everything), b.NewMR(64, everything)
			b.Recv(verbs.RecvWR{SGList: sge(dst, 0, 64)})
			a.Send(verbs.SendWR{Opcode: verbs.WRSend, SGList: sge(src, 0, 64), SendFlags: verbs.SendSignaled})
			a.Want(0, verbs.WCSuccess)
			for counterOf(t, p, "soft0", tt.counter) == 0 { // the completion may arrive before the packet is gone
				time.Sleep(20 * time.Microsecond)
			}
			ok(t, p.SetFaults("soft0", verbs.Faults{}))
			b.Recv(verbs.RecvWR{SGList: sge(dst, 0, 64)})
			a.Send(verbs.SendWR{Opcode: verbs.WRSendWithImm, SGList: sge(src, 0, 1), SendFlags: verbs.SendSignaled})
			b.Wait(1 + min(tt.arrived, 1)) // the next message has arrived, and so have all packets before it
			count := func(device string, outgoing bool) (n int) {
				for _, op := range w.of(device, outgoing) {
					if op == wire.UCSendOnly {
						n++
					}
				}
				return n
			}
			if sent, arrived := count("soft0", true), count("soft1", false); sent != tt.sent || arrived != tt.arrived {
				t.Errorf("%d sent and %d arrived, want %d and %d", sent, arrived, tt.sent, tt.arrived)
			}
		})
	}
}
