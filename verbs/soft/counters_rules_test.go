package soft

import (
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// counted reads all counters of soft0 that are not 0, except for the numbers of packets.
func counted(t *testing.T, p *Provider) map[string]uint64 {
	t.Helper()
	all, err := p.HWCounters("soft0")
	ok(t, err)
	got := map[string]uint64{}
	for _, c := range all {
		if c.Value != 0 && !strings.HasSuffix(c.Name, "_pkts") {
			got[c.Name] = c.Value
		}
	}
	return got
}

// TestCounterOfEachRule provokes each of the transport's counters: it counts every occurrence once, and no other
// counter moves.
func TestCounterOfEachRule(t *testing.T) {
	type peer = rawPeer
	posted := func(n uint32) func(*peer, verbs.MR) {
		return func(r *peer, mr verbs.MR) { r.Recv(verbs.RecvWR{SGList: sge(mr, 0, n)}) }
	}
	request := func(op wire.Opcode, psn wire.PSN, n int, change func(r *peer, mr verbs.MR, h *wire.Packet)) func(*peer,
		verbs.MR) {
		return func(r *peer, mr verbs.MR) {
			h := r.request(op, psn, n)
			if change != nil {
				change(r, mr, h)
			}
			r.put(h)
		}
	}
	write := func(key uint32) func(*peer, verbs.MR, *wire.Packet) {
		return func(_ *peer, mr verbs.MR, h *wire.Packet) {
			h.RETH = wire.RETH{VA: mr.Addr(), RKey: mr.RKey() ^ key, DMALen: uint32(max(len(h.Payload), 8))}
		}
	}
	ask := func(n int, answers ...wire.Syndrome) func(*peer, verbs.MR) { // posts n SENDs, and answers the first
		return func(r *peer, _ verbs.MR) {
			for range n {
				r.Send(verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
			}
			synctest.Wait()
			for _, s := range answers {
				h := r.request(wire.RCAcknowledge, 200, 0)
				h.AETH.Syndrome = s
				r.put(h)
				// longer than the shortest RNR timer, shorter than the queue pair's timeout
				time.Sleep(time.Millisecond)
				synctest.Wait()
			}
		}
	}
	later := func(d time.Duration) func(*peer, verbs.MR) {
		return func(*peer, verbs.MR) { time.Sleep(d); synctest.Wait() }
	}
	const shortest = 1 // RNR timer: 10 µs
	rc, uc, ud := pairOptions{}, pairOptions{Typ: verbs.UC}, pairOptions{Typ: verbs.UD, QKey: 1}
	bounded := pairOptions{Retry: 1, RNRRetry: 1}
	for name, tt := range map[string]struct {
		pair  pairOptions
		steps []func(*peer, verbs.MR)
		want  map[string]uint64
	}{
		"SEND received": {rc, []func(*peer, verbs.MR){posted(64),
			request(wire.RCSendOnly, 100, 8, nil)}, map[string]uint64{"rdma_recvs": 1}},
		"SEND of two packets": {rc, []func(*peer, verbs.MR){posted(2048), request(wire.RCSendFirst, 100,
			1024, nil), request(wire.RCSendLast, 101, 8, nil)}, map[string]uint64{"rdma_recvs": 1}},
		"WRITE": {rc, []func(*peer, verbs.MR){request(wire.RCWriteOnly, 100, 8, write(0))},
			map[string]uint64{}},
		"WRITE with immediate data": {rc, []func(*peer, verbs.MR){posted(0),
			request(wire.RCWriteOnlyImm, 100, 8, write(0))}, map[string]uint64{"rdma_recvs": 1}},
		"SEND of UC received": {uc, []func(*peer, verbs.MR){posted(64),
			request(wire.UCSendOnly, 100, 8, nil)}, map[string]uint64{"rdma_recvs": 1}},
		"datagram received": {ud, []func(*peer, verbs.MR){posted(64),
			request(wire.UDSendOnly, 100, 8, nil)}, map[string]uint64{"rdma_recvs": 1}},
		"datagram, wrong Q_Key": {ud, []func(*peer, verbs.MR){posted(64), request(wire.UDSendOnly, 100, 8,
			func(_ *peer, _ verbs.MR, h *wire.Packet) { h.DETH.QKey++ })}, map[string]uint64{"qkey_violation": 1}},
		"datagram without RECV": {ud, []func(*peer, verbs.MR){request(wire.UDSendOnly, 100, 8, nil)},
			map[string]uint64{"dropped_messages": 1}},
		"datagram longer than its RECV": {ud, []func(*peer, verbs.MR){posted(40),
			request(wire.UDSendOnly, 100, 8, nil)}, map[string]uint64{"dropped_messages": 1}},
		"repeated SEND": {rc, []func(*peer, verbs.MR){posted(64), request(wire.RCSendOnly, 100, 8,
			nil), request(wire.RCSendOnly, 100, 8, nil)}, map[string]uint64{"rdma_recvs": 1, "duplicate_request": 1}},
		"early SEND": {rc, []func(*peer, verbs.MR){posted(64),
			request(wire.RCSendOnly, 102, 8, nil)}, map[string]uint64{"out_of_seq_request": 1}},
		"early SEND of UC": {uc, []func(*peer, verbs.MR){posted(64),
			request(wire.UCSendOnly, 102, 8, nil)}, map[string]uint64{"out_of_seq_request": 1, "rdma_recvs": 1}},
		"SEND without RECV": {rc, []func(*peer, verbs.MR){request(wire.RCSendOnly, 100, 8, nil)},
			map[string]uint64{"send_rnr_err": 1}},
		"SEND longer than its RECV": {rc, []func(*peer, verbs.MR){posted(7),
			request(wire.RCSendOnly, 100, 8, nil)}, map[string]uint64{"invalid_request": 1}},
		"SEND that invalidates an alien key": {rc, []func(*peer, verbs.MR){posted(64),
			request(wire.RCSendOnlyInvalidate, 100, 8, nil)}, map[string]uint64{"invalid_request": 1}},
		"MIDDLE without FIRST": {rc, []func(*peer, verbs.MR){request(wire.RCSendMiddle, 100, 1024, nil)},
			map[string]uint64{"invalid_request": 1}},
		"WRITE with a wrong key": {rc, []func(*peer, verbs.MR){request(wire.RCWriteOnly, 100, 8, write(1))},
			map[string]uint64{"access_err": 1}},
		"READ with a wrong key": {rc,
			[]func(*peer, verbs.MR){request(wire.RCReadRequest, 100, 0, write(1))}, map[string]uint64{"access_err": 1}},
		"WRITE of UC with a wrong key": {uc, []func(*peer, verbs.MR){request(wire.UCWriteOnly, 100, 8, write(1))},
			map[string]uint64{"dropped_messages": 1}},
		"reserved opcode": {rc, []func(*peer, verbs.MR){request(0x1f, 100, 4, nil)},
			map[string]uint64{"malformed": 1, "invalid_request": 1}},
		"unknown opcode": {rc, []func(*peer, verbs.MR){request(0xfe, 100, 4, nil)},
			map[string]uint64{"malformed": 1}},
		"unknown queue pair": {rc, []func(*peer, verbs.MR){request(wire.RCSendOnly, 100, 4,
			func(_ *peer, _ verbs.MR, h *wire.Packet) { h.BTH.DestQP ^= 1 })}, map[string]uint64{"unknown_qp": 1}},
		"another partition": {rc, []func(*peer, verbs.MR){request(wire.RCSendOnly, 100, 4,
			func(_ *peer, _ verbs.MR, h *wire.Packet) { h.BTH.PKey = 0x8001 })}, map[string]uint64{"wrong_peer": 1}},
		"queue pair in ERR": {rc, []func(*peer, verbs.MR){func(r *peer, _ verbs.MR) {
			ok(r.T, r.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}))
		}, request(wire.RCSendOnly, 100, 4, nil)}, map[string]uint64{"unknown_qp": 1}},

		"SEND done": {rc, []func(*peer, verbs.MR){ask(1, wire.ACKUnlimited)},
			map[string]uint64{"rdma_sends": 1}},
		"SEND of UC done": {uc, []func(*peer, verbs.MR){ask(1)}, map[string]uint64{"rdma_sends": 1}},
		"SEND NAKed": {rc, []func(*peer, verbs.MR){ask(1, wire.NAK(wire.NAKInvalidRequest))},
			map[string]uint64{}},
		"sequence NAK": {rc, []func(*peer, verbs.MR){ask(1, wire.NAK(wire.NAKPSNSequence))},
			map[string]uint64{"rcvd_seq_err": 1, "completer_retry_err": 1, "retransmits": 1}},
		"sequence NAK, twice": {rc,
			[]func(*peer, verbs.MR){ask(1, wire.NAK(wire.NAKPSNSequence), wire.NAK(wire.NAKPSNSequence))},
			map[string]uint64{"rcvd_seq_err": 2, "completer_retry_err": 1, "retransmits": 1}},
		"sequence NAK of three": {rc, []func(*peer, verbs.MR){ask(3, wire.NAK(wire.NAKPSNSequence))},
			map[string]uint64{"rcvd_seq_err": 1, "completer_retry_err": 1, "retransmits": 3}},
		"RNR NAK": {rc, []func(*peer, verbs.MR){ask(1, wire.RNRNAK(shortest))},
			map[string]uint64{"rcvd_rnr_err": 1, "retransmits": 1}},
		"RNR NAKs, too many": {bounded,
			[]func(*peer, verbs.MR){ask(1, wire.RNRNAK(shortest), wire.RNRNAK(shortest))},
			map[string]uint64{"rcvd_rnr_err": 2, "retransmits": 1, "retry_rnr_exceeded_err": 1}},
		"no answer for a while": {rc,
			[]func(*peer, verbs.MR){ask(1), later(100 * time.Millisecond), ask(0, wire.ACKUnlimited)},
			map[string]uint64{"timeouts": 1, "completer_retry_err": 1, "retransmits": 1, "rdma_sends": 1}},
		"no answer within retry": {bounded, []func(*peer, verbs.MR){ask(1), later(time.Minute)},
			map[string]uint64{"timeouts": 2, "completer_retry_err": 1, "retransmits": 1, "retry_exceeded_err": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, tt.pair)
				mr := r.NewMR(4096, everything)
				for _, step := range tt.steps {
					step(r, mr)
				}
				if got := counted(t, p); !maps.Equal(got, tt.want) {
					t.Errorf("got  %v\nwant %v", got, tt.want)
				}
			})
		})
	}
}
