package soft

import (
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// response makes one packet of a READ response.
func (r *rawPeer) response(op wire.Opcode, psn wire.PSN, n int) *wire.Packet {
	h := r.request(op, psn, n)
	h.AETH.Syndrome = wire.ACKUnlimited
	return h
}

// wantRead takes the copies of one READ request that the device has sent.
func (r *rawPeer) wantRead(copies int, psn wire.PSN, va uint64, n uint32) {
	r.T.Helper()
	synctest.Wait()
	got := r.answers()
	if len(got) != copies {
		r.T.Fatalf("%d packets, want %d", len(got), copies)
	}
	for _, h := range got {
		if h.BTH.Opcode != wire.RCReadRequest || h.BTH.PSN != psn || h.RETH.VA != va || h.RETH.DMALen != n {
			r.T.Fatalf("%+v; want a READ %s of %d bytes at 0x%x", h, psn, n, va)
		}
	}
}

// TestReadInParts loses packets of a READ response: the READ is repeated from the gap, in parts with fixed ends, since
// the peer may take a part for a new request; once nothing is lost any more, all the rest is requested at once.
func TestReadInParts(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		const mtu, packets, far = 256, 600, 0x10000
		r := newRawPeer(t, p, pairOptions{MTU: verbs.MTU256})
		mr := r.NewMR(packets*mtu+64, everything)
		at := func(psn wire.PSN) (va uint64, left uint32) {
			off := psn.Sub(200) * mtu
			return far + uint64(off), uint32(packets*mtu - off)
		}
		r.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMARead, SGList: sge(mr, 0, packets*mtu), RemoteAddr: far,
			SendFlags: verbs.SendSignaled})
		r.wantRead(1, 200, far, packets*mtu)

		r.put(r.response(wire.RCReadResponseFirst, 200, mtu), r.response(wire.RCReadResponseMiddle, 202, mtu))
		va, _ := at(201)
		r.wantRead(1, 201, va, 16*mtu) // a part of the window of 128: up to 216
		r.put(r.response(wire.RCReadResponseMiddle, 203, mtu))
		if got := r.answers(); len(got) != 0 {
			t.Fatalf("the same gap was requested twice: %+v", got)
		}
		time.Sleep(verbs.AckTimeout(14))
		r.wantRead(1, 201, va, 16*mtu) // the window is smaller, but the part is the same
		r.put(r.response(wire.RCReadResponseFirst, 201, mtu))
		time.Sleep(verbs.AckTimeout(14))
		va, _ = at(202)
		r.wantRead(1, 202, va, 15*mtu) // still up to 216
		for psn := wire.PSN(202); psn != 217; psn = psn.Add(1) {
			op := wire.RCReadResponseMiddle
			if psn == 216 {
				op = wire.RCReadResponseLast // of the part
			}
			r.put(r.response(op, psn, mtu))
		}
		va, _ = at(217)
		// an eighth of the window, which has halved three times, to 32, and grown by the 15 packets that arrived
		r.wantRead(1, 217, va, 5*mtu)
		next := wire.PSN(222)
		for psn := wire.PSN(217); psn != 200+packets; psn = psn.Add(1) {
			op := wire.RCReadResponseMiddle
			if psn == 200+packets-1 {
				op = wire.RCReadResponseLast
			}
			r.put(r.response(op, psn, mtu))
			for _, h := range r.answers() { // the next part only when one is complete
				if psn.Add(1) != next || h.BTH.PSN != next {
					t.Fatalf("at %s a READ of %s was sent, before the part up to %s was complete", psn, h.BTH.PSN, next)
				}
				next = next.Add(int(h.RETH.DMALen) / mtu)
			}
		}
		if next != 200+packets {
			t.Errorf("requested up to %s", next)
		}
		r.Want(1, verbs.WCSuccess)
		for i := range packets {
			wantBytes(t, mr, pattern(mtu, byte(200+i)), int64(i*mtu))
		}
		wantBytes(t, mr, make([]byte, 64), packets*mtu)
	})
}

// TestRepeatedReadMakesRoom repeats a READ, as a peer does when its timer expires while the response is in flight, and
// then sends the next one, since it has the response: the repetition takes no resource, whatever max_dest_rd_atomic is.
func TestRepeatedReadMakesRoom(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{RDAtomic: 1})
		mr := r.NewMR(1<<16, everything)
		r.put(r.read(100, mr, 0, 5000))
		if got := len(r.answers()); got != 5 {
			t.Fatalf("%d packets", got)
		}
		r.putTogether(r.read(100, mr, 0, 5000), r.read(105, mr, 0, 4), r.request(wire.RCWriteOnly, 106, 0))
		got := r.answers()
		if len(got) != 2 || got[0].BTH.Opcode != wire.RCReadResponseOnly || got[0].BTH.PSN != 105 ||
			got[1].BTH.PSN != 106 || got[1].AETH.Syndrome != wire.ACKUnlimited {
			t.Errorf("%+v", got)
		}
		if got := r.State(); got != verbs.QPRTS {
			t.Errorf("state %s", got)
		}
	})
}

// TestWrongAnswers gives a requester answers that no responder sends: for the oldest request they are fatal, otherwise
// they are ignored.
func TestWrongAnswers(t *testing.T) {
	nak := func(h *wire.Packet) *wire.Packet { h.AETH.Syndrome = wire.NAK(wire.NAKRemoteAccess); return h }
	for _, tt := range []struct {
		name string
		op   verbs.WROpcode
		make func(r *rawPeer) *wire.Packet
		want verbs.WCStatus // WCSuccess: nothing happens
	}{
		{"data for a SEND", verbs.WRSend,
			func(r *rawPeer) *wire.Packet { return r.response(wire.RCReadResponseFirst, 200, 1024) },
			verbs.WCBadRespErr},
		{"data for a later packet of a SEND", verbs.WRSend,
			func(r *rawPeer) *wire.Packet { return r.response(wire.RCReadResponseFirst, 201, 1024) }, verbs.WCSuccess},
		{"data for an atomic", verbs.WRAtomicFetchAndAdd,
			func(r *rawPeer) *wire.Packet { return r.response(wire.RCReadResponseOnly, 200, 8) }, verbs.WCBadRespErr},
		{"an atomic's for a WRITE", verbs.WRRDMAWrite,
			func(r *rawPeer) *wire.Packet { return r.response(wire.RCAtomicAcknowledge, 200, 0) }, verbs.WCBadRespErr},
		{"data that is a NAK", verbs.WRRDMARead,
			func(r *rawPeer) *wire.Packet { return nak(r.response(wire.RCReadResponseFirst, 200, 1024)) },
			verbs.WCBadRespErr},
		{"a result that is a NAK", verbs.WRAtomicFetchAndAdd,
			func(r *rawPeer) *wire.Packet { return nak(r.response(wire.RCAtomicAcknowledge, 200, 0)) },
			verbs.WCBadRespErr},
		{"data without end", verbs.WRRDMARead, func(r *rawPeer) *wire.Packet {
			r.put(r.response(wire.RCReadResponseFirst, 200, 1024))
			return r.response(wire.RCReadResponseMiddle, 201, 1024)
		}, verbs.WCBadRespErr},
		{"more data than asked for", verbs.WRRDMARead,
			func(r *rawPeer) *wire.Packet { return r.response(wire.RCReadResponseFirst, 200, 1028) },
			verbs.WCBadRespErr},
		{"a reserved NAK code", verbs.WRSend, func(r *rawPeer) *wire.Packet { return r.acknowledge(200, wire.NAK(9)) },
			verbs.WCSuccess},
		{"an invalid request", verbs.WRSend,
			func(r *rawPeer) *wire.Packet { return r.acknowledge(200, wire.NAK(wire.NAKInvalidRequest)) },
			verbs.WCRemInvReqErr},
		{"an access error", verbs.WRRDMARead,
			func(r *rawPeer) *wire.Packet { return r.acknowledge(200, wire.NAK(wire.NAKRemoteAccess)) },
			verbs.WCRemAccessErr},
		{"an operational error", verbs.WRSend,
			func(r *rawPeer) *wire.Packet { return r.acknowledge(200, wire.NAK(wire.NAKRemoteOperational)) },
			verbs.WCRemOpErr},
		{"an access error in a READ's middle", verbs.WRRDMARead, func(r *rawPeer) *wire.Packet {
			r.put(r.response(wire.RCReadResponseFirst, 200, 1024))
			return r.acknowledge(201, wire.NAK(wire.NAKRemoteAccess))
		}, verbs.WCRemAccessErr},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{})
				mr := r.NewMR(4096, everything)
				// unsignaled, but a failure is reported
				r.Send(verbs.SendWR{WRID: 1, Opcode: tt.op, SGList: sge(mr, 0, 2048)})
				synctest.Wait()
				r.answers()
				r.put(tt.make(r))
				if tt.want == verbs.WCSuccess {
					r.Nothing()
					if got := r.State(); got != verbs.QPRTS {
						t.Errorf("state %s", got)
					}
				} else {
					r.Want(1, tt.want)
					r.WaitState(verbs.QPErr)
				}
				wantBytes(t, mr, make([]byte, 3072), 1024)
			})
		})
	}
}

// TestSecondSequenceNAK repeats a NAK: the packets it requests are already in flight.
func TestSecondSequenceNAK(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{KeepZero: true, Timeout: 14, Retry: 1, RDAtomic: 1})
		wr := verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled}
		r.Send(wr, wr)
		r.sentPSNs()
		nak := r.acknowledge(200, wire.NAK(wire.NAKPSNSequence))
		r.put(nak)
		if got := r.sentPSNs(); len(got) != 2 {
			t.Fatalf("sent %v", got)
		}
		r.put(nak, nak, nak)
		if got := r.sentPSNs(); len(got) != 0 {
			t.Errorf("sent %v", got)
		}
		r.put(r.acknowledge(201, wire.ACKUnlimited))
		r.Want(0, verbs.WCSuccess)
		r.Want(0, verbs.WCSuccess)
	})
}

// TestNotReadyIsAnAnswer sends an RNR NAK between timeouts: the peer is alive, so retry_cnt starts again.
func TestNotReadyIsAnAnswer(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{Retry: 2})
		r.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		for range 5 {
			time.Sleep(2 * verbs.AckTimeout(14))
			synctest.Wait()
			r.Nothing()
			r.put(r.acknowledge(200, wire.RNRNAK(1)))
			time.Sleep(verbs.RNRTimer(1))
			synctest.Wait()
			r.answers()
		}
		time.Sleep(3*verbs.AckTimeout(14) - time.Nanosecond)
		synctest.Wait()
		r.Nothing()
		time.Sleep(time.Nanosecond)
		r.Want(1, verbs.WCRetryExcErr)
	})
}
