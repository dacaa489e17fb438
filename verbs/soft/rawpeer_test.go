package soft

import (
	"math/rand/v2"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/transport"
	"rdmatui/verbs/wire"
)

// rawPeer is an address on the fabric that sends hand-made packets and reads the answers.
type rawPeer struct {
	*side
	port *link.Port
	path *link.Path
	qkey uint32
}

// newRawPeer connects a queue pair of soft0 to a raw peer. The queue pair expects PSN 100 and sends from 200. Datagrams
// carry its Q_Key.
func newRawPeer(t *testing.T, p *Provider, o pairOptions) *rawPeer {
	t.Helper()
	o = o.WithDefaults()
	r := &rawPeer{side: newSide(t, p, "soft0", o), qkey: o.QKey}
	addr := netip.MustParseAddr("127.0.0.77")
	r.port = must(p.Fabric().Attach(func() {}, addr))(t)
	closeAtEnd(t, r.port)
	r.path = must(link.NewPath(netip.AddrPortFrom(addr, 0xc001), netip.AddrPortFrom(r.GID.GID.Addr(), wire.Port)))(t)
	r.bringUp(o)
	return r
}

// bringUp takes the queue pair from RESET to RTS.
func (r *rawPeer) bringUp(o pairOptions) {
	r.T.Helper()
	o = o.WithDefaults()
	ok(r.T, r.ToInit(o))
	ok(r.T, r.QP.Modify(r.RtrAttr(o, verbs.GIDFromAddr(r.path.Src.Addr()), rawQPN, 100)))
	ok(r.T, r.QP.Modify(rtsAttr(o, 200)))
}

// request makes a valid packet to the queue pair, which the test then changes.
func (r *rawPeer) request(op wire.Opcode, psn wire.PSN, payload int) *wire.Packet {
	return &wire.Packet{
		BTH:     wire.BTH{Opcode: op, PKey: object.FullPKey, DestQP: uint32(r.QP.Num()), PSN: psn, AckReq: true},
		DETH:    wire.DETH{QKey: r.qkey, SrcQP: rawQPN},
		Payload: pattern(payload, byte(psn)),
	}
}

// put sends packets and waits until the device has processed them.
func (r *rawPeer) put(ps ...*wire.Packet) {
	r.T.Helper()
	for _, h := range ps {
		k := r.port.Pool().Get(nil, 1)[0]
		k.Path = r.path
		k.Data = h.Append(k.Data)
		r.port.Send([]*link.Packet{k})
	}
	synctest.Wait()
}

// putTogether sends packets that the device receives as one batch.
func (r *rawPeer) putTogether(ps ...*wire.Packet) {
	r.T.Helper()
	batch := r.port.Pool().Get(nil, len(ps))
	for i, k := range batch {
		k.Path = r.path
		k.Data = ps[i].Append(k.Data)
	}
	r.port.Send(batch)
	synctest.Wait()
}

// read makes a READ of n bytes from an offset of a region.
func (r *rawPeer) read(psn wire.PSN, mr verbs.MR, off uint64, n uint32) *wire.Packet {
	h := r.request(wire.RCReadRequest, psn, 0)
	h.RETH = wire.RETH{VA: mr.Addr() + off, RKey: mr.RKey(), DMALen: n}
	return h
}

// answers takes what the device has sent.
func (r *rawPeer) answers() (got []wire.Packet) {
	r.T.Helper()
	for _, k := range r.port.Receive(nil, 1000) {
		h, err := wire.Parse(k.Data)
		if err != nil {
			r.T.Fatal(err)
		}
		if h.BTH.DestQP != rawQPN {
			r.T.Errorf("a packet to QP 0x%x", h.BTH.DestQP)
		}
		got = append(got, h)
	}
	return got
}

// wantAETH takes one acknowledgement.
func (r *rawPeer) wantAETH(psn wire.PSN, s wire.Syndrome) {
	r.T.Helper()
	got := r.answers()
	if len(got) != 1 || got[0].BTH.Opcode != wire.RCAcknowledge || got[0].BTH.PSN != psn || got[0].AETH.Syndrome != s {
		r.T.Fatalf("%+v; want one acknowledgement of %s with %s", got, psn, s)
	}
}

// reth gives a packet a RETH for the start of the region.
func reth(p *wire.Packet, mr verbs.MR, n uint32) *wire.Packet {
	p.RETH = wire.RETH{VA: mr.Addr(), RKey: mr.RKey(), DMALen: n}
	return p
}

const malformedMTU = 1024

// malformed lists packets that a correct requester never sends.
var malformed = []struct {
	name string
	make func(r *rawPeer, mr verbs.MR) []*wire.Packet // the last is refused
}{
	{"MIDDLE without FIRST", func(r *rawPeer, _ verbs.MR) []*wire.Packet {
		return []*wire.Packet{r.request(wire.RCSendMiddle, 100, malformedMTU)}
	}},
	{"LAST without FIRST", func(r *rawPeer, _ verbs.MR) []*wire.Packet {
		return []*wire.Packet{r.request(wire.RCSendLast, 100, 5)}
	}},
	{"ONLY inside a message", func(r *rawPeer, _ verbs.MR) []*wire.Packet {
		return []*wire.Packet{r.request(wire.RCSendFirst, 100, malformedMTU), r.request(wire.RCSendOnly, 101, 5)}
	}},
	{"READ inside a message", func(r *rawPeer, mr verbs.MR) []*wire.Packet {
		return []*wire.Packet{r.request(wire.RCSendFirst, 100, malformedMTU),
			reth(r.request(wire.RCReadRequest, 101, 0), mr, 5)}
	}},
	{"WRITE that ends as a SEND", func(r *rawPeer, mr verbs.MR) []*wire.Packet {
		return []*wire.Packet{reth(r.request(wire.RCWriteFirst, 100, malformedMTU), mr, malformedMTU+5),
			r.request(wire.RCSendLast, 101, 5)}
	}},
	{"FIRST shorter than the MTU", func(r *rawPeer, _ verbs.MR) []*wire.Packet {
		return []*wire.Packet{r.request(wire.RCSendFirst, 100, malformedMTU-1)}
	}},
	{"ONLY longer than the MTU", func(r *rawPeer, _ verbs.MR) []*wire.Packet {
		return []*wire.Packet{r.request(wire.RCSendOnly, 100, malformedMTU+1)}
	}},
	{"an empty LAST", func(r *rawPeer, _ verbs.MR) []*wire.Packet {
		return []*wire.Packet{r.request(wire.RCSendFirst, 100, malformedMTU), r.request(wire.RCSendLast, 101, 0)}
	}},
	{"WRITE with more data than announced", func(r *rawPeer, mr verbs.MR) []*wire.Packet {
		return []*wire.Packet{reth(r.request(wire.RCWriteOnly, 100, 6), mr, 5)}
	}},
	{"WRITE with less data than announced", func(r *rawPeer, mr verbs.MR) []*wire.Packet {
		return []*wire.Packet{reth(r.request(wire.RCWriteOnly, 100, 4), mr, 5)}
	}},
	{"WRITE that should have ended", func(r *rawPeer, mr verbs.MR) []*wire.Packet {
		return []*wire.Packet{reth(r.request(wire.RCWriteFirst, 100, malformedMTU), mr, malformedMTU)}
	}},
	{"READ with data", func(r *rawPeer, mr verbs.MR) []*wire.Packet {
		return []*wire.Packet{reth(r.request(wire.RCReadRequest, 100, 8), mr, 5)}
	}},
	{"READ of 4 GiB", func(r *rawPeer, mr verbs.MR) []*wire.Packet {
		return []*wire.Packet{reth(r.request(wire.RCReadRequest, 100, 0), mr, 1<<32-1)}
	}},
	{"WRITE of more than the longest message", func(r *rawPeer, mr verbs.MR) []*wire.Packet {
		return []*wire.Packet{reth(r.request(wire.RCWriteFirst, 100, malformedMTU), mr, transport.MaxMsg+1)}
	}},
	{"a misaligned atomic", func(r *rawPeer, mr verbs.MR) []*wire.Packet {
		h := r.add(100, mr)
		h.AtomicETH.VA += 4
		return []*wire.Packet{h}
	}},
	{"an atomic with data", func(r *rawPeer, mr verbs.MR) []*wire.Packet {
		h := r.add(100, mr)
		h.Payload = pattern(8, 1)
		return []*wire.Packet{h}
	}},
	{"an atomic inside a message", func(r *rawPeer, mr verbs.MR) []*wire.Packet {
		return []*wire.Packet{r.request(wire.RCSendFirst, 100, malformedMTU), r.add(101, mr)}
	}},
	{"a reserved opcode", func(r *rawPeer, _ verbs.MR) []*wire.Packet {
		return []*wire.Packet{r.request(0x1f, 100, 4)}
	}},
	{"FIRST with a pad", func(r *rawPeer, _ verbs.MR) []*wire.Packet {
		return []*wire.Packet{r.request(wire.RCSendFirst, 100, malformedMTU-2)}
	}},
}

// TestMalformedRequests sends requests that a correct requester never sends: each is refused as an invalid request, and
// nothing is placed.
func TestMalformedRequests(t *testing.T) {
	for _, tt := range malformed {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{})
				r.T = t
				mr := r.NewMR(8192, everything)
				fill(t, mr, pattern(8192, 0xee), 0)
				r.Recv(verbs.RecvWR{WRID: 1, SGList: sge(mr, 4096, 4096)})
				ps := tt.make(r, mr)
				last := ps[len(ps)-1]
				if len(ps) > 1 {
					r.put(ps[:len(ps)-1]...)
					r.answers()
					fill(t, mr, pattern(8192, 0xee), 0)
				}
				r.put(last)
				r.wantAETH(last.BTH.PSN, wire.NAK(wire.NAKInvalidRequest))
				r.Want(1, verbs.WCWRFlushErr)
				r.NextEvent(verbs.EventQPReqErr)
				wantBytes(t, mr, pattern(8192, 0xee), 0)
			})
		})
	}
}

// TestStrangers sends valid requests that this queue pair must not accept: none is answered or executed.
func TestStrangers(t *testing.T) {
	for name, change := range map[string]func(r *rawPeer, h *wire.Packet){
		"another source address": func(r *rawPeer, _ *wire.Packet) {
			r.path = must(link.NewPath(netip.MustParseAddrPort("127.0.0.78:5000"), r.path.Dst))(r.T)
		},
		"another partition":         func(_ *rawPeer, h *wire.Packet) { h.BTH.PKey = 0x8001 },
		"a later transport version": func(_ *rawPeer, h *wire.Packet) { h.BTH.TVer = 1 },
		"an opcode of UC":           func(_ *rawPeer, h *wire.Packet) { h.BTH.Opcode = wire.UCSendOnly },
		"an unknown opcode":         func(_ *rawPeer, h *wire.Packet) { h.BTH.Opcode = 0xfe },
		"an unknown queue pair":     func(_ *rawPeer, h *wire.Packet) { h.BTH.DestQP ^= 1 },
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{})
				mr := r.NewMR(64, everything)
				r.Recv(verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 64)})
				h := r.request(wire.RCSendOnly, 100, 8)
				way := r.path
				change(r, h)
				r.put(h)
				r.Nothing()
				if got := r.answers(); len(got) != 0 {
					t.Errorf("answered by %+v", got)
				}
				r.path = way
				r.put(r.request(wire.RCSendOnly, 100, 8)) // the queue pair still works
				r.Want(1, verbs.WCSuccess)
				r.wantAETH(100, wire.ACKUnlimited)
			})
		})
	}
}

// TestSequence checks the answers to packets ahead of and behind the expected PSN.
func TestSequence(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		mr := r.NewMR(8192, everything)
		for id := range uint64(4) {
			r.Recv(verbs.RecvWR{WRID: id, SGList: sge(mr, 0, 64)})
		}
		send := func(psn wire.PSN) { r.put(r.request(wire.RCSendOnly, psn, 8)) }
		send(102)
		r.wantAETH(100, wire.NAK(wire.NAKPSNSequence))
		send(103) // NAKed once
		send(104)
		if got := r.answers(); len(got) != 0 {
			t.Fatalf("a NAK is repeated: %+v", got)
		}
		send(100)
		r.Want(0, verbs.WCSuccess)
		r.wantAETH(100, wire.ACKUnlimited)
		send(102) // and again for a new gap
		r.wantAETH(101, wire.NAK(wire.NAKPSNSequence))
		send(100) // a duplicate is acknowledged and not executed
		r.wantAETH(100, wire.ACKUnlimited)
		r.Nothing()
		r.put(r.request(wire.RCSendOnly, 101, 8), r.request(wire.RCSendOnly, 102, 8))
		r.Want(1, verbs.WCSuccess)
		r.Want(2, verbs.WCSuccess)
	})
}

// TestReadAnswers checks PSNs, opcodes and lengths of the packets that answer a READ, and of the answer to the same
// READ repeated from the middle.
func TestReadAnswers(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		mr := r.NewMR(8192, everything)
		fill(t, mr, pattern(8192, 3), 0)
		ask := func(psn wire.PSN, off uint64, n uint32) *wire.Packet {
			h := r.request(wire.RCReadRequest, psn, 0)
			h.RETH = wire.RETH{VA: mr.Addr() + off, RKey: mr.RKey(), DMALen: n}
			return h
		}
		type part struct {
			op  wire.Opcode
			psn wire.PSN
			n   int
		}
		check := func(off int, want ...part) {
			t.Helper()
			got := r.answers()
			if len(got) != len(want) {
				t.Fatalf("%d packets, want %d", len(got), len(want))
			}
			for i, h := range got {
				if (part{h.BTH.Opcode, h.BTH.PSN, len(h.Payload)}) != want[i] {
					t.Errorf("packet %d is %s %s of %d bytes, want %v", i, h.BTH.Opcode, h.BTH.PSN, len(h.Payload),
						want[i])
				}
				if string(h.Payload) != string(pattern(8192, 3)[off:off+len(h.Payload)]) {
					t.Errorf("packet %d: wrong data", i)
				}
				off += len(h.Payload)
			}
		}
		r.put(ask(100, 0, 2500))
		check(0, part{wire.RCReadResponseFirst, 100, 1024}, part{wire.RCReadResponseMiddle, 101, 1024},
			part{wire.RCReadResponseLast, 102, 452})
		r.put(ask(101, 1024, 1476))
		check(1024, part{wire.RCReadResponseFirst, 101, 1024}, part{wire.RCReadResponseLast, 102, 452})
		r.put(ask(103, 5, 0))
		check(5, part{wire.RCReadResponseOnly, 103, 0})
		r.put(ask(102, 0, 2049)) // longer than the original READ
		check(0)
		r.put(ask(104, 10, 4))
		check(10, part{wire.RCReadResponseOnly, 104, 4})
	})
}

// TestBadAnswers gives a requester answers that do not fit its READ.
func TestBadAnswers(t *testing.T) {
	for _, tt := range []struct {
		name string
		op   wire.Opcode
		psn  wire.PSN
		n    int
		want verbs.WCStatus // WCSuccess: ignored, and the READ is still outstanding
	}{
		{"too short", wire.RCReadResponseFirst, 200, 1020, verbs.WCBadRespErr},
		{"ends too early", wire.RCReadResponseOnly, 200, 1024, verbs.WCBadRespErr},
		{"never asked for", wire.RCReadResponseFirst, 203, 1024, verbs.WCSuccess},
		{"long done", wire.RCReadResponseFirst, 199, 1024, verbs.WCSuccess},
		{"an atomic's", wire.RCAtomicAcknowledge, 200, 0, verbs.WCBadRespErr},
		{"an atomic's out of turn", wire.RCAtomicAcknowledge, 201, 0, verbs.WCSuccess},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{})
				mr := r.NewMR(4096, everything)
				r.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMARead, SGList: sge(mr, 0, 2048),
					SendFlags: verbs.SendSignaled})
				synctest.Wait()
				if got := r.answers(); len(got) != 1 || got[0].RETH.DMALen != 2048 || got[0].BTH.PSN != 200 {
					t.Fatalf("%+v", got)
				}
				h := r.request(tt.op, tt.psn, tt.n)
				h.AETH.Syndrome = wire.ACKUnlimited
				r.put(h)
				if tt.want != verbs.WCSuccess {
					r.Want(1, tt.want)
					wantBytes(t, mr, make([]byte, 4096), 0)
					return
				}
				first, last := r.request(wire.RCReadResponseFirst, 200, 1024),
					r.request(wire.RCReadResponseLast, 201, 1024)
				first.AETH.Syndrome, last.AETH.Syndrome = wire.ACKUnlimited, wire.ACKUnlimited
				r.put(first, last)
				if wc := r.Want(1, verbs.WCSuccess); wc.ByteLen != 2048 {
					t.Errorf("byte_len %d", wc.ByteLen)
				}
				wantBytes(t, mr, pattern(1024, 200), 0)
				wantBytes(t, mr, pattern(1024, 201), 1024)
			})
		})
	}
}

// TestRandomPackets sends nearly valid packets to a queue pair. Whatever it accepts, it writes no byte outside the
// memory that its keys grant, and a fresh queue pair still works.
func TestRandomPackets(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 30
	}
	for seed := range uint64(rounds) {
		virtual(t, func(t *testing.T, p *Provider) {
			r := newRawPeer(t, p, pairOptions{MTU: verbs.MTU256})
			rnd := rand.New(rand.NewPCG(seed, 9))
			closed, open := r.NewMR(4096, verbs.LocalWrite), r.NewMR(4096, everything)
			fill(t, closed, pattern(4096, 1), 0)
			r.Recv(verbs.RecvWR{WRID: 1, SGList: sge(open, 0, 2000)}, verbs.RecvWR{WRID: 2, SGList: sge(open, 9, 300)})
			r.Send(verbs.SendWR{WRID: 3, Opcode: verbs.WRRDMARead, SGList: sge(open, 0, 1500)},
				verbs.SendWR{WRID: 4, Opcode: verbs.WRSend, SGList: sge(open, 0, 1500)})
			for range 40 {
				r.put(r.randomPacket(rnd, closed, open))
			}
			r.answers()
			time.Sleep(time.Minute)
			synctest.Wait()
			wantBytes(t, closed, pattern(4096, 1), 0)
		})
	}
}

func (r *rawPeer) randomPacket(rnd *rand.Rand, closed, open verbs.MR) *wire.Packet {
	pick := func(vs ...uint64) uint64 { return vs[rnd.IntN(len(vs))] }
	h := r.request(wire.Opcode(rnd.IntN(0x18)), wire.PSN(pick(100, 100, 101, 102, 99, 200, 201, 205, 206, 0xffffff)),
		int(pick(0, 4, 256, 256, 300)))
	mr := closed
	if rnd.IntN(2) == 0 {
		mr = open
	}
	h.RETH = wire.RETH{
		VA: mr.Addr() + pick(0, 4000, 4095, 1<<63), RKey: mr.RKey(),
		DMALen: uint32(pick(0, 4, 256, 260, 512, 5000, 1<<31)),
	}
	h.AETH.Syndrome = wire.Syndrome(pick(0x1f, 0x00, 0x20, 0x21, 0x60, 0x61, 0x62, 0x63, 0x64, 0xff))
	h.AETH.MSN = rnd.Uint32N(4)
	return h
}
