package soft

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// answerRead makes the whole response to a short READ.
func (r *rawPeer) answerRead(psn wire.PSN, n int) *wire.Packet {
	h := r.request(wire.RCReadResponseOnly, psn, n)
	h.AETH.Syndrome = wire.ACKUnlimited
	return h
}

// TestReadLimitAndFence checks that max_rd_atomic and a fence delay the requests that they must delay, and no others.
func TestReadLimitAndFence(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{RDAtomic: 2})
		mr := r.NewMR(4096, everything)
		read := verbs.SendWR{Opcode: verbs.WRRDMARead, SGList: sge(mr, 0, 8), SendFlags: verbs.SendSignaled}
		write := verbs.SendWR{Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled}
		fenced := verbs.SendWR{Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendFence | verbs.SendSignaled}
		wantSent := func(want ...wire.Opcode) {
			t.Helper()
			synctest.Wait()
			var got []wire.Opcode
			for _, h := range r.answers() {
				got = append(got, h.BTH.Opcode)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("sent %v, want %v", got, want)
			}
		}
		r.Send(read, write, read, read, fenced)
		wantSent(wire.RCReadRequest, wire.RCWriteOnly, wire.RCReadRequest) // the third READ waits
		r.put(r.answerRead(200, 8))
		wantSent(wire.RCReadRequest)
		r.put(r.answerRead(202, 8))
		wantSent() // the fence waits for the last READ
		r.put(r.answerRead(203, 8))
		wantSent(wire.RCWriteOnly)
		for range 4 {
			r.Want(0, verbs.WCSuccess)
		}
		r.Nothing()
	})
}

// TestAcknowledgements sends single acknowledgements to a requester and checks what completes.
func TestAcknowledgements(t *testing.T) {
	type step struct {
		psn  wire.PSN
		s    wire.Syndrome
		done []uint64 // completed with success
		sent []wire.PSN
	}
	const ack = wire.ACKUnlimited
	gap := wire.NAK(wire.NAKPSNSequence)
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"one by one", []step{{200, ack, []uint64{0}, nil}, {201, ack, nil, nil}, {203, ack, []uint64{1}, nil},
			{204, ack, []uint64{2}, nil}}},
		{"all at once", []step{{204, ack, []uint64{0, 1, 2}, nil}}},
		{"of the past and of the future", []step{{199, ack, nil, nil}, {205, ack, nil, nil}, {0, ack, nil, nil},
			{200, ack, []uint64{0}, nil}, {200, ack, nil, nil}}},
		{"a gap in the middle of a message",
			[]step{{202, gap, []uint64{0}, []wire.PSN{202, 203, 204}}, {204, ack, []uint64{1, 2}, nil}}},
		{"a gap, and then an ACK of what was sent before",
			[]step{{201, gap, []uint64{0}, []wire.PSN{201, 202, 203, 204}}, {204, ack, []uint64{1, 2}, nil}}},
		{"a reserved syndrome",
			[]step{{200, 0x40, nil, nil}, {200, wire.NAK(31), nil, nil}, {204, ack, []uint64{0, 1, 2}, nil}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{})
				mr := r.NewMR(4096, everything)
				wr := verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled}
				long := wr
				long.WRID, long.SGList = 1, sge(mr, 0, 3000) // PSNs 201 to 203
				last := wr
				last.WRID = 2
				r.Send(wr, long, last)
				synctest.Wait()
				if got := len(r.answers()); got != 5 {
					t.Fatalf("%d packets", got)
				}
				for _, s := range tt.steps {
					h := r.request(wire.RCAcknowledge, s.psn, 0)
					h.AETH.Syndrome = s.s
					r.put(h)
					for _, id := range s.done {
						r.Want(id, verbs.WCSuccess)
					}
					r.Nothing()
					var sent []wire.PSN
					for _, h := range r.answers() {
						sent = append(sent, h.BTH.PSN)
					}
					if fmt.Sprint(sent) != fmt.Sprint(s.sent) {
						t.Errorf("after %s of %s it sent %v, want %v", s.s, s.psn, sent, s.sent)
					}
				}
			})
		})
	}
}

// TestReadWithoutResources sends a READ to a queue pair that allows none.
func TestReadWithoutResources(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{KeepZero: true, Timeout: 14, Retry: 7})
		mr := r.NewMR(64, everything)
		h := r.request(wire.RCReadRequest, 100, 0)
		h.RETH = wire.RETH{VA: mr.Addr(), RKey: mr.RKey(), DMALen: 8}
		r.put(h)
		r.wantAETH(100, wire.NAK(wire.NAKInvalidRequest))
	})
}

// TestUnreliableRecvFailures posts RECVs that cannot take their message on a UC queue pair: one that is too small is
// kept for the next message, one that may not be written takes the queue pair to ERR.
func TestUnreliableRecvFailures(t *testing.T) {
	a, b := connect(t, New(Options{}), "soft0", "soft1", pairOptions{Typ: verbs.UC})
	src, dst, shut := a.NewMR(64, everything), b.NewMR(64, everything), b.NewMR(64, 0)
	send := func(n uint32) {
		a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SGList: sge(src, 0, n), SendFlags: verbs.SendSignaled})
		a.Want(1, verbs.WCSuccess)
	}
	b.Recv(verbs.RecvWR{WRID: 2, SGList: sge(dst, 0, 8)}, verbs.RecvWR{WRID: 3, SGList: sge(shut, 0, 8)},
		verbs.RecvWR{WRID: 4})
	send(9)
	send(8)
	if wc := b.Want(2, verbs.WCSuccess); wc.ByteLen != 8 {
		t.Errorf("byte_len %d", wc.ByteLen)
	}
	send(8)
	b.Want(3, verbs.WCLocProtErr)
	b.Want(4, verbs.WCWRFlushErr)
	b.WaitState(verbs.QPErr)
}

// TestGapToldAgain repeats a sequence NAK: the packets are retransmitted only once, unless the timer has expired since.
func TestGapToldAgain(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		r.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		synctest.Wait()
		gap := r.request(wire.RCAcknowledge, 200, 0)
		gap.AETH.Syndrome = wire.NAK(wire.NAKPSNSequence)
		ring := func() { time.Sleep(4096 * time.Nanosecond << 14 * 3 / 2) }
		for i, step := range []struct {
			do   func()
			want int
		}{{func() {}, 1}, {func() { r.put(gap) }, 1}, {func() { r.put(gap) }, 0}, {ring, 1}, {func() { r.put(gap) }, 1},
			{func() { r.put(gap) }, 0}} {
			step.do()
			synctest.Wait()
			first := 0
			for _, h := range r.answers() {
				if h.BTH.PSN == 200 {
					first = 1
				}
			}
			if first != step.want {
				t.Errorf("step %d: sent %d, want %d", i, first, step.want)
			}
		}
	})
}

// TestLostResponse: an answer to a request behind a READ or an atomic shows that the response to that was lost. It is
// requested again at once, and what follows is sent again.
func TestLostResponse(t *testing.T) {
	for _, op := range []verbs.WROpcode{verbs.WRRDMARead, verbs.WRAtomicFetchAndAdd} {
		for _, tt := range []struct {
			psn  wire.PSN
			s    wire.Syndrome
			sent []wire.PSN
		}{
			{200, wire.NAK(wire.NAKPSNSequence), []wire.PSN{200, 201, 202}},
			{201, wire.ACKUnlimited, []wire.PSN{200, 201, 202}},
			{202, wire.NAK(wire.NAKPSNSequence), []wire.PSN{200, 201, 202}},
			{202, wire.ACKUnlimited, []wire.PSN{200, 201, 202}},
			{203, wire.ACKUnlimited, nil}, // of nothing that was sent
		} {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{})
				list := sge(r.NewMR(64, everything), 0, 8)
				r.Send(verbs.SendWR{Opcode: op, SGList: list},
					verbs.SendWR{Opcode: verbs.WRRDMAWrite, SGList: list}, verbs.SendWR{Opcode: verbs.WRSend})
				synctest.Wait()
				if got := len(r.answers()); got != 3 {
					t.Fatalf("%d packets", got)
				}
				r.put(r.acknowledge(tt.psn, tt.s))
				var sent []wire.PSN
				for _, h := range r.answers() {
					sent = append(sent, h.BTH.PSN)
				}
				if r.Nothing(); fmt.Sprint(sent) != fmt.Sprint(tt.sent) {
					t.Errorf("%s: after %s of %s it sent %v, want %v", op, tt.s, tt.psn, sent, tt.sent)
				}
			})
		}
	}
}
