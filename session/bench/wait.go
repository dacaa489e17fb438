package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// A server of a one-sided test posts nothing and learns of the end from the exchange. perftest's server waits there for
// ever, also for a client that hangs. This one looks for signs that the client works: the PSN that its queue pairs
// expect next, or, while that has never moved, the packets that the device receives.

const (
	// silence is how long a peer may show no sign.
	silence = time.Minute
	// lookEvery is the interval of the looks at the device. A driver may ask the card for each.
	lookEvery = time.Second
	// lookedAt bounds the queue pairs that are looked at.
	lookedAt = 16
	// slowest is the longest time per message that is expected where the device shows no signs.
	slowest = time.Second
)

// Silence sets how long nothing may complete or arrive before the run gives up, instead of a minute.
func (r *Run) Silence(d time.Duration) { r.silence = d }

// wait swaps an address only to wait for the peer.
func (r *Run) wait(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var guard sync.WaitGroup
	defer guard.Wait()
	defer cancel(nil)
	guard.Go(func() {
		defer r.s.Opts.Crashed.Catch()
		if err := r.attend(ctx); err != nil {
			cancel(err)
		}
	})
	return r.x.Wait(ctx, r.lanes[0].own)
}

// attend returns why the peer must be given up, nil when ctx ends.
func (r *Run) attend(ctx context.Context) error {
	t := time.NewTicker(min(lookEvery, r.silence))
	defer t.Stop()
	p := pulse{silence: r.silence, expected: max(r.silence, r.expected())}
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-t.C:
			if err := p.beat(now, r.expectedPSNs(), r.packetsReceived); err != nil {
				return err
			}
		}
	}
}

// expected returns the longest time that the whole test may take at the peer.
func (r *Run) expected() time.Duration {
	if r.p.Duration > 0 {
		return r.p.Duration + StepLimit
	}
	messages := r.p.Iters * uint64(r.p.QPs*len(r.p.Sizes(r.p.Size)))
	return time.Duration(min(messages, uint64(24*time.Hour/slowest))) * slowest
}

// expectedPSNs returns the PSNs that the queue pairs expect next, as far as the device tells.
func (r *Run) expectedPSNs() (all [lookedAt]verbs.PSN) {
	for i := range min(len(r.lanes), lookedAt) {
		if attr, _, err := r.lanes[i].q.QP.Query(verbs.AttrRQPSN); err == nil {
			all[i] = attr.RQPSN
		}
	}
	return all
}

// packetCounters are the names of the counter of received packets: of rxe and the software device, of the InfiniBand
// specification, and of bnxt_re.
var packetCounters = []string{"rcvd_pkts", "port_rcv_packets", "rx_pkts"}

// packetsReceived reads the device's counter; ok is false if it has none.
func (r *Run) packetsReceived() (n uint64, ok bool) {
	list := queue.DeviceCounters(r.s, r.info.DeviceName)
	for _, p := range r.s.Opts.Providers {
		if reader, is := p.(verbs.HWCounterReader); is {
			own, _ := reader.HWCounters(r.info.DeviceName) // fails for another provider's device
			list = append(list, own...)
		}
	}
	for _, name := range packetCounters {
		for _, c := range list {
			if c.Name == name {
				return c.Value, true
			}
		}
	}
	return 0, false
}

// pulse judges by repeated looks whether a peer still works.
type pulse struct {
	silence, expected time.Duration

	begun, since time.Time // the first look, and the last one with a sign
	psns         [lookedAt]verbs.PSN
	moved        bool // psns has: only that counts from then on, since other programs also receive packets
	packets      uint64
}

// beat takes a look. packets reads the device's counter.
func (p *pulse) beat(now time.Time, psns [lookedAt]verbs.PSN, packets func() (uint64, bool)) error {
	if p.begun.IsZero() {
		p.begun, p.since, p.psns = now, now, psns
		p.packets, _ = packets()
		return nil
	}
	counts := true
	if psns != p.psns {
		p.psns, p.moved, p.since = psns, true, now
	} else if !p.moved {
		var n uint64
		if n, counts = packets(); n != p.packets {
			p.packets, p.since = n, now
		}
	}
	switch {
	case p.moved && now.Sub(p.since) >= p.silence:
		return hangs("its last message arrived %s ago, and its connection is still open", p.silence)
	case !p.moved && counts && now.Sub(p.since) >= p.silence:
		return hangs("no packet arrived for %s, and its connection is still open", p.silence)
	case !p.moved && now.Sub(p.begun) >= p.expected:
		return hangs("no message arrived within %s", p.expected)
	}
	return nil
}

func hangs(how string, after time.Duration) error {
	return &core.TimeUpError{Text: "the peer hangs: " + fmt.Sprintf(how, format.Span(after))}
}
