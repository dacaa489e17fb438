package soft

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/softtest"
	"rdmatui/verbs/wire"
)

// virtual runs a test in virtual time, on a provider with a fixed seed.
func virtual(t *testing.T, body func(t *testing.T, p *Provider)) {
	softtest.Virtual(t, func(random func() uint64) *Provider { return New(Options{Rand: random}) }, body)
}

// silence makes a peer unable to answer.
var silences = map[string]func(t *testing.T, p *Provider, a, b *side){
	"the peer is closed": func(t *testing.T, _ *Provider, _, b *side) { ok(t, b.QP.Close()) },
	"the peer is in ERR": func(t *testing.T, _ *Provider, _, b *side) {
		ok(t, b.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}))
	},
	"the peer is in RESET": func(t *testing.T, _ *Provider, _, b *side) {
		ok(t, b.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPReset}))
	},
	"all packets are lost": func(_ *testing.T, p *Provider, _, _ *side) {
		p.Fabric().SetFault(func(*link.Packet) link.Verdict { return link.Drop })
	},
	"all packets are damaged": func(_ *testing.T, p *Provider, _, _ *side) {
		p.Fabric().SetFault(func(k *link.Packet) link.Verdict { k.Data[len(k.Data)/2] ^= 4; return link.Deliver })
	},
}

// TestRetriesRunOut measures, in virtual time, when a requester gives up: after the first try and retry_cnt retries,
// each waiting for the timeout.
func TestRetriesRunOut(t *testing.T) {
	for name, silence := range silences {
		for _, tt := range []struct {
			timeout, retry uint8
		}{{14, 7}, {14, 0}, {1, 3}, {20, 1}} {
			t.Run(fmt.Sprintf("%s, timeout %d, retry_cnt %d", name, tt.timeout, tt.retry), func(t *testing.T) {
				virtual(t, func(t *testing.T, p *Provider) {
					a, b := connect(t, p, "soft0", "soft1", pairOptions{
						Timeout: tt.timeout, Retry: tt.retry, KeepZero: true, RDAtomic: 1,
					})
					silence(t, p, a, b)
					start := time.Now()
					a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite})
					want := time.Duration(tt.retry+1) * verbs.AckTimeout(tt.timeout)
					time.Sleep(want - time.Nanosecond)
					synctest.Wait()
					a.Nothing()
					time.Sleep(time.Nanosecond)
					synctest.Wait()
					if got := time.Since(start); got != want {
						t.Fatalf("slept %v of %v", got, want)
					}
					a.Want(1, verbs.WCRetryExcErr)
					if got := a.State(); got != verbs.QPErr {
						t.Errorf("state %s", got)
					}
					if n, again := counterOf(t, p, "soft0", "timeouts"),
						counterOf(t, p, "soft0", "retransmits"); n != uint64(tt.retry)+1 || again != uint64(tt.retry) {
						t.Errorf("%d timeouts, %d retransmits", n, again)
					}
				})
			})
		}
	}
}

// TestUnknownAddress sends to a GID that no device has, and with PSNs that the peer does not expect.
func TestUnreachable(t *testing.T) {
	nowhere := must(verbs.ParseGID("::ffff:192.0.2.1"))(t)
	tests := []struct {
		name string
		rtr  func(attr *verbs.QPAttr)
	}{
		{"an unknown GID", func(a *verbs.QPAttr) { a.AH.GRH.DGID = nowhere }},
		{"an unknown queue pair", func(a *verbs.QPAttr) { a.DestQPNum ^= 0x5555 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				o := pairOptions{}.WithDefaults()
				a, b := newSide(t, p, "soft0", o), newSide(t, p, "soft1", o)
				ok(t, a.ToInit(o))
				attr := a.RtrAttr(o, b.GID.GID, b.QP.Num(), 0)
				tt.rtr(&attr)
				ok(t, a.QP.Modify(attr))
				ok(t, a.QP.Modify(rtsAttr(o, 0)))
				a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite})
				time.Sleep(8 * verbs.AckTimeout(14))
				synctest.Wait()
				a.Want(1, verbs.WCRetryExcErr)
			})
		})
	}
}

// TestWrongPSN starts the two ends at different PSNs: requests ahead are NAKed until the retries are used up; requests
// behind count as duplicates, whose acknowledgement completes nothing.
func TestWrongPSN(t *testing.T) {
	for name, ahead := range map[string]int{"ahead": 5, "behind": -5} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				dontCheckWire(t, p)
				o := pairOptions{}.WithDefaults()
				a, b := newSide(t, p, "soft0", o), newSide(t, p, "soft1", o)
				for _, s := range []*side{a, b} {
					ok(t, s.ToInit(o))
				}
				ok(t, a.QP.Modify(a.RtrAttr(o, b.GID.GID, b.QP.Num(), 0)))
				ok(t, b.QP.Modify(b.RtrAttr(o, a.GID.GID, a.QP.Num(), 100)))
				ok(t, a.QP.Modify(rtsAttr(o, verbs.PSN(100+ahead))))
				a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite})
				time.Sleep(time.Minute)
				synctest.Wait()
				a.Want(1, verbs.WCRetryExcErr)
			})
		})
	}
}

// TestReceiverNotReady measures how long a SEND without a RECV is retried.
func TestReceiverNotReady(t *testing.T) {
	for _, tt := range []struct{ retry, timer uint8 }{{0, 12}, {1, 1}, {3, 12}, {6, 0}, {2, 31}} {
		t.Run(fmt.Sprintf("rnr_retry %d min_rnr_timer %d", tt.retry, tt.timer), func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				a, b := connect(t, p, "soft0", "soft1", pairOptions{
					KeepZero: true, Timeout: 14, Retry: 7, RNRRetry: tt.retry, RNRTimer: tt.timer, RDAtomic: 1,
				})
				a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRSend})
				if wait := time.Duration(tt.retry) * verbs.RNRTimer(tt.timer); wait > 0 {
					time.Sleep(wait - time.Nanosecond)
					synctest.Wait()
					a.Nothing()
					time.Sleep(time.Nanosecond)
				}
				synctest.Wait()
				a.Want(1, verbs.WCRNRRetryExcErr)
				if got := b.State(); got != verbs.QPRTS {
					t.Errorf("the peer is in %s", got)
				}
			})
		})
	}
	t.Run("7 is for ever, and a RECV ends it", func(t *testing.T) {
		virtual(t, func(t *testing.T, p *Provider) {
			a, b := connect(t, p, "soft0", "soft1", pairOptions{})
			src, dst := a.NewMR(5000, everything), b.NewMR(5000, everything)
			fill(t, src, pattern(5000, 1), 0)
			list := sge(src, 0, 5000)
			a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SGList: list, SendFlags: verbs.SendSignaled},
				verbs.SendWR{WRID: 2, Opcode: verbs.WRRDMAWriteWithImm, SGList: list, RemoteAddr: dst.Addr(),
					RKey: dst.RKey(), SendFlags: verbs.SendSignaled})
			time.Sleep(time.Second)
			synctest.Wait()
			a.Nothing()
			for id := uint64(1); id <= 2; id++ {
				b.Recv(verbs.RecvWR{WRID: id, SGList: sge(dst, 0, 5000)})
				time.Sleep(verbs.RNRTimer(12))
				synctest.Wait()
				b.Want(id, verbs.WCSuccess)
				a.Want(id, verbs.WCSuccess)
				time.Sleep(time.Second)
				synctest.Wait()
			}
			wantBytes(t, dst, pattern(5000, 1), 0)
		})
	})
}

// TestTimeoutZero checks that timeout 0 waits forever.
func TestTimeoutZero(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		a, b := connect(t, p, "soft0", "soft1", pairOptions{KeepZero: true, Retry: 7, RDAtomic: 1})
		ok(t, b.QP.Close())
		a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite})
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		a.Nothing()
	})
}

// losing drops a seeded random share of all packets.
func losing(seed uint64, percent uint32) link.Fault {
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(seed, 0))
	return func(*link.Packet) link.Verdict {
		mu.Lock()
		defer mu.Unlock()
		if r.Uint32N(100) < percent {
			return link.Drop
		}
		return link.Deliver
	}
}

// TestLoss moves messages of all operations over a link that loses packets; virtual time makes the timeouts cost
// nothing.
func TestLoss(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				const top = 100_000
				a, b := connect(t, p, "soft0", "soft1", pairOptions{PSNA: 0xffffc0, PSNB: 0xffff00})
				p.Fabric().SetFault(losing(seed, 3))
				src, dst := a.NewMR(top, everything), b.NewMR(top+64, everything)
				for i, size := range []int{0, 1, 1024, 5000, top} {
					for _, op := range allOps {
						move(t, a, b, src, dst, message{op: op, size: size}, byte(i)+byte(op))
					}
				}
				if counterOf(t, p, "soft0", "retransmits") == 0 {
					t.Error("no retransmission: the test proves nothing")
				}
			})
		})
	}
}

// TestLossOfManyInFlight keeps the send queue full, so that acknowledgements, NAKs and READs overtake each other's
// requests.
func TestLossOfManyInFlight(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		const n, size = 48, 5000
		a, b := connect(t, p, "soft0", "soft1", pairOptions{MTU: verbs.MTU256, RDAtomic: 3})
		p.Fabric().SetFault(losing(7, 2))
		src, far := a.NewMR(n*size, everything), b.NewMR(n*size, everything)
		back := a.NewMR(n*size, everything)
		fill(t, src, pattern(n*size, 5), 0)
		for i := range uint64(n) {
			a.Send(verbs.SendWR{WRID: i, Opcode: verbs.WRRDMAWrite, SGList: sge(src, i*size, size),
				RemoteAddr: far.Addr() + i*size, RKey: far.RKey()})
		}
		for i := 0; i < n; i += 8 { // the first fenced: it reads what was just written
			wr := verbs.SendWR{
				WRID: uint64(100 + i), Opcode: verbs.WRRDMARead, SendFlags: verbs.SendSignaled,
				RemoteAddr: far.Addr() + uint64(i*size), RKey: far.RKey(),
			}
			wr.SGList = sge(back, uint64(i*size), 8*size)
			a.Send(wr)
		}
		for i := 0; i < n; i += 8 {
			a.Want(uint64(100+i), verbs.WCSuccess)
		}
		wantBytes(t, far, pattern(n*size, 5), 0)
		wantBytes(t, back, pattern(n*size, 5), 0)
	})
}

// TestNotReadyTwice: a second RNR NAK of a packet, such as that of a copy, does not count while the first one's delay
// lasts.
func TestNotReadyTwice(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{KeepZero: true, Timeout: 14, Retry: 7, RNRRetry: 1, RDAtomic: 1})
		r.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		synctest.Wait()
		refuse := func() { r.put(r.acknowledge(200, wire.RNRNAK(12))) }
		for range 3 {
			refuse()
		}
		r.Nothing()
		time.Sleep(verbs.RNRTimer(12))
		synctest.Wait()
		if n := len(r.answers()); n != 2 {
			t.Errorf("sent %d times", n)
		}
		refuse()
		r.Want(1, verbs.WCRNRRetryExcErr)
		if n := counterOf(t, p, "soft0", "rcvd_rnr_err"); n != 2 {
			t.Errorf("%d counted", n)
		}
	})
}
