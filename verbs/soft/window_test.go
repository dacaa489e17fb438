package soft

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/transport"
	"rdmatui/verbs/wire"
)

// sentPSNs takes the packets that the device has sent and returns their PSNs.
func (r *rawPeer) sentPSNs() (psns []wire.PSN) {
	r.T.Helper()
	synctest.Wait()
	for _, h := range r.answers() {
		psns = append(psns, h.BTH.PSN)
	}
	return psns
}

// acknowledge makes an acknowledgement with a syndrome.
func (r *rawPeer) acknowledge(psn wire.PSN, s wire.Syndrome) *wire.Packet {
	h := r.request(wire.RCAcknowledge, psn, 0)
	h.AETH.Syndrome = s
	return h
}

// span returns the PSNs from one up to but not including another.
func span(from, to wire.PSN) (psns []wire.PSN) {
	for psn := from; psn != to; psn = psn.Add(1) {
		psns = append(psns, psn)
	}
	return psns
}

// TestRetriesSendOnce gets no answer: each retry sends each packet once, as a NIC does.
func TestRetriesSendOnce(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		wr := verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled}
		r.Send(wr, wr)
		if got := r.sentPSNs(); !slices.Equal(got, []wire.PSN{200, 201}) {
			t.Fatal(got)
		}
		for retry := range 5 {
			time.Sleep(verbs.AckTimeout(14))
			if got := r.sentPSNs(); !slices.Equal(got, []wire.PSN{200, 201}) {
				t.Fatalf("retry %d sent %v", retry+1, got)
			}
		}
		r.put(r.acknowledge(200, wire.ACKUnlimited))
		r.Want(0, verbs.WCSuccess)
		time.Sleep(verbs.AckTimeout(14))
		// retries start again
		if got := r.sentPSNs(); !slices.Equal(got, []wire.PSN{201}) {
			t.Errorf("sent %v", got)
		}
	})
}

// TestCopiesAreAnswered sends the same packet several times at once: it is executed once, and one answer covers all.
func TestCopiesAreAnswered(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		mr := r.NewMR(64, everything)
		r.Recv(verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 64)}, verbs.RecvWR{WRID: 2, SGList: sge(mr, 0, 64)})
		for _, n := range []int{3, 1, 6} { // only the first packet is new
			h := r.request(wire.RCSendOnly, 100, 8)
			r.putTogether(slices.Repeat([]*wire.Packet{h}, n)...)
			if got := r.sentPSNs(); !slices.Equal(got, []wire.PSN{100}) {
				t.Errorf("%d copies were answered %v", n, got)
			}
		}
		r.Want(1, verbs.WCSuccess)
		r.Nothing()
		read := r.read(101, mr, 0, 8)
		r.putTogether(read, read, read)
		if got := r.sentPSNs(); !slices.Equal(got, []wire.PSN{101}) {
			t.Errorf("copies of a READ were answered %v", got)
		}
		// Duplicates of different packets are not copies: one acknowledgement covers all.
		r.put(r.request(wire.RCSendOnly, 102, 8))
		r.answers()
		r.putTogether(r.request(wire.RCSendOnly, 100, 8), r.request(wire.RCSendOnly, 102, 8))
		if got := r.sentPSNs(); !slices.Equal(got, []wire.PSN{102}) {
			t.Errorf("duplicates were answered %v", got)
		}
	})
}

// TestWindow checks how many packets are outstanding: all at first, half as many after each loss, at least one, and
// more with each ACK.
func TestWindow(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{MTU: verbs.MTU256, Timeout: 14})
		mr := r.NewMR(1<<20, everything)
		r.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite, SGList: sge(mr, 0, 1<<20),
			SendFlags: verbs.SendSignaled})
		if got := r.sentPSNs(); !slices.Equal(got, span(200, 200+transport.MaxWindow)) {
			t.Fatalf("%d packets at first", len(got))
		}
		una := wire.PSN(200)
		lose := func(upTo wire.PSN, window int) { // a NAK for the packet after upTo
			t.Helper()
			una = upTo
			r.put(r.acknowledge(una, wire.NAK(wire.NAKPSNSequence)))
			want := span(una, una.Add(window))
			if got := r.sentPSNs(); !slices.Equal(got, want) {
				t.Fatalf("after a loss %v was sent, want %v", got, want)
			}
		}
		lose(una, 128)
		lose(una.Add(1), 64) // 129 halved
		lose(una.Add(1), 32)
		lose(una.Add(1), 16)
		lose(una.Add(1), 8)
		lose(una.Add(1), 4)
		lose(una.Add(1), 4)
		r.put(r.acknowledge(una.Add(3), wire.ACKUnlimited)) // all four: now eight
		if got := r.sentPSNs(); !slices.Equal(got, span(una.Add(4), una.Add(12))) {
			t.Errorf("sent %v", got)
		}
	})
}

// TestReorderedInABatch reorders packets within a batch: only packets that are missing are NAKed.
func TestReorderedInABatch(t *testing.T) {
	for _, tt := range []struct {
		psns []wire.PSN
		want string
	}{
		{[]wire.PSN{101, 100}, "[0x000065 NAK PSN sequence error]"}, // 100 has arrived
		{[]wire.PSN{101, 100, 101}, "[0x000065 ACK]"},
		{[]wire.PSN{102, 101, 100, 101}, "[0x000066 NAK PSN sequence error]"},
		{[]wire.PSN{101, 102, 100, 101}, "[0x000066 NAK PSN sequence error]"},
	} {
		t.Run(fmt.Sprint(tt.psns), func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{})
				var ps []*wire.Packet
				for _, psn := range tt.psns {
					h := r.request(wire.RCWriteOnly, psn, 0)
					ps = append(ps, h)
				}
				r.putTogether(ps...)
				var got []string
				for _, h := range r.answers() {
					got = append(got, h.BTH.PSN.String()+" "+h.AETH.Syndrome.String())
				}
				if fmt.Sprint(got) != tt.want {
					t.Errorf("said %v, want %s", got, tt.want)
				}
			})
		})
	}
}

// TestPSNWindow sends requests from both edges of the window: half of all PSNs lie ahead, half behind.
func TestPSNWindow(t *testing.T) {
	for _, tt := range []struct {
		away int
		want wire.Syndrome
		psn  wire.PSN
	}{
		{1<<23 - 1, wire.NAK(wire.NAKPSNSequence), 100},
		{-1 << 23, wire.ACKUnlimited, 99},
		{-1, wire.ACKUnlimited, 99},
		{1, wire.NAK(wire.NAKPSNSequence), 100},
	} {
		t.Run(fmt.Sprint(tt.away), func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{})
				mr := r.NewMR(64, everything)
				r.Recv(verbs.RecvWR{SGList: sge(mr, 0, 64)})
				r.put(r.request(wire.RCSendOnly, wire.PSN(100).Add(tt.away), 8))
				r.wantAETH(tt.psn, tt.want)
				r.put(r.add(wire.PSN(100).Add(tt.away), mr))
				r.answers()
				r.Nothing()
				wantBytes(t, mr, make([]byte, 64), 0)
			})
		})
	}
}

// TestReservedOpcodeOutOfTurn: a reserved opcode is refused only with the expected PSN, and otherwise dropped.
func TestReservedOpcodeOutOfTurn(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		r.put(r.request(0x1f, 101, 4), r.request(0x15, 99, 4))
		if got := r.answers(); len(got) != 0 {
			t.Errorf("%+v", got)
		}
		if got := r.State(); got != verbs.QPRTS {
			t.Errorf("state %s", got)
		}
	})
}
