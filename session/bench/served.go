package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// A server of a one-sided test gets no completions. What it has served shows in the PSNs that its queue pairs expect
// next: each message of known size advances one by as many packets.

// served is what a server of a one-sided test has seen of its client.
type served struct {
	mu      sync.Mutex
	over    bool        // the client has ended
	psns    []verbs.PSN // expected next, at the last look; nil: none yet
	packets []uint64    // by lane
	at      time.Time   // of the last look
}

// Passive reports whether this end posts no requests: the peer's work is visible to [Run.Look] only.
func (r *Run) Passive() bool { return !r.p.Sends() && !r.p.Receives() }

// Look counts what a passive end has served, for Progress and Lanes. Its error says why that cannot be known. A display
// may call it at any time after [Watcher.Connected].
func (r *Run) Look() error {
	r.served.mu.Lock()
	defer r.served.mu.Unlock()
	switch {
	case r.served.over:
		return nil
	case r.p.All:
		return errors.New("with -a only the client knows the size of a message")
	case len(r.lanes) > lookedAt:
		return fmt.Errorf("there are more than %s to look at", format.Counted(lookedAt, "queue pair"))
	}
	psns, now, s := make([]verbs.PSN, len(r.lanes)), time.Now(), &r.served
	for i := range r.lanes {
		attr, _, err := r.lanes[i].q.QP.Query(verbs.AttrRQPSN)
		if err != nil {
			return fmt.Errorf("the device does not tell which packet it expects next: %w", err)
		}
		psns[i] = attr.RQPSN
	}
	if s.psns == nil {
		// What has arrived counts at the next look: there is no time yet since when it came.
		s.psns, s.packets, s.at = psns, make([]uint64, len(psns)), now
		for i := range s.psns {
			if !r.p.CM { // else the connection manager chose it
				s.psns[i] = r.lanes[i].peer.PSN
			}
		}
		r.progress.size.Store(r.p.Size)
		return nil
	}
	count(r, psns)
	if total := r.progress.messages.Load(); total > 0 && r.progress.since.Load() == 0 {
		r.progress.since.Store(s.at.UnixNano())
	}
	s.at = now
	return nil
}

// serve waits until the client of a passive end has ended. It looks before and after.
func serve(ctx context.Context, r *Run) error {
	_ = r.Look()
	err := r.wait(ctx)
	_ = r.Look() // why it fails is for a display
	r.served.mu.Lock()
	defer r.served.mu.Unlock()
	r.served.over = true
	return err
}

// count adds the packets since the last look.
func count(r *Run, psns []verbs.PSN) {
	per, total := packetsPerMessage(r), uint64(0)
	for i, psn := range psns {
		r.served.packets[i] += uint64((psn - r.served.psns[i]) & verbs.MaxPSN)
		messages := r.served.packets[i] / per
		r.lanes[i].shown[received].Store(messages)
		total += messages
	}
	r.served.psns = psns
	r.progress.messages.Store(total)
}

// packetsPerMessage returns by how much a message advances the expected PSN. A READ counts as its responses.
func packetsPerMessage(r *Run) uint64 {
	if r.p.Test.Verb == Atomic {
		return 1
	}
	mtu := uint64(r.info.Common.MTU.Bytes())
	return max((r.p.Size+mtu-1)/mtu, 1)
}
