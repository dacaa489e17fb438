package world

import (
	"strings"
	"time"

	"rdmatui/verbs"
)

// finish starts no new work and waits until all pending work has ended.
func (w *world) finish() {
	if w.Failed() {
		return
	}
	w.ending = true
	clear(w.Net.Cut)
	var bound time.Duration
	for _, e := range w.ends {
		packets := 4
		for _, r := range e.sends {
			packets += 2 + (r.local.length()+len(r.data))/e.mtu.Bytes()
		}
		bound += time.Duration(packets) * e.patience()
	}
	interval, times := 100*time.Microsecond, 0
	var feed func()
	feed = func() {
		for _, e := range w.ends {
			if e.state() != verbs.QPErr {
				e.feed(8)
				e.resume()
			}
		}
		w.After(interval, feed)
		times++
		interval = min(2*interval, w.longest(times))
	}
	feed()
	w.Run(w.Now()+bound, func() bool { return !w.busy() })
	if w.busy() {
		w.overdue()
		return
	}
	if w.plan.manage > 0 {
		for _, h := range w.hosts {
			h.managed.finish()
		}
		w.Run(w.Now()+managedPatience, func() bool { return !w.busy() && !w.unsettled() })
	}
	w.Tracef("quiet")
	w.overdue()
	w.checkGroups()
	for _, d := range w.domains() {
		if d.srq != nil {
			d.srq.checkFlushed(w)
		}
	}
}

// longest returns the maximum interval at which finish posts RECVs; times is how often it has done so.
func (w *world) longest(times int) time.Duration {
	if w.busy() {
		return 20 * time.Millisecond * time.Duration(1+times/100)
	}
	return time.Second
}

// busy reports whether a signalled send request waits for its completion.
func (w *world) busy() bool {
	for _, e := range w.ends {
		if e.anySignaled() {
			return true
		}
	}
	return false
}

func (e *end) anySignaled() bool {
	for _, r := range e.sends {
		if r.signaled {
			return true
		}
	}
	return false
}

// unsettled reports whether an identifier waits for an event.
func (w *world) unsettled() bool {
	for _, h := range w.hosts {
		if h.managed != nil && h.managed.waits() {
			return true
		}
	}
	return false
}

// overdue fails for each request that has not ended in time.
func (w *world) overdue() {
	for _, e := range w.ends {
		for _, r := range e.sends {
			if r.signaled {
				w.Fail("liveness: request %d, %s at QP %s of %s in %s, has no completion", r.id, r.op, e.num,
					e.dom.host.name, e.state())
				break
			}
		}
		if e.state() == verbs.QPErr && len(e.recvs) > 0 {
			w.Fail("liveness: RECV %d at QP %s of %s, which is in ERR, has no completion", e.recvs[0].id, e.num,
				e.dom.host.name)
		}
	}
	for _, h := range w.hosts {
		if h.managed != nil {
			h.managed.overdue()
		}
	}
	w.stopChecking()
	if w.perfect {
		w.clean()
	}
}

// stopChecking reports the violations so far and stops the wire check: the checker would take the PSNs that a queue
// pair uses after a reset for those of the previous connection.
func (w *world) stopChecking() {
	if w.checker == nil || w.unchecked {
		return
	}
	w.unchecked = true
	for _, v := range w.checker.Violations() {
		switch {
		case strings.HasSuffix(v, "unaligned atomic"): // posted intentionally
		case strings.HasSuffix(v, " more"): // the count of omitted violations
		case strings.HasSuffix(v, "which is not answered") && !w.faultless():
			// A late duplicate of a READ replaces the queued answers after it, as if the requester had gone back.
		default:
			w.Fail("on the wire: packet %s", v)
		}
	}
}

// clean fails if a packet was sent again although no packet was lost and no request was wrong.
func (w *world) clean() {
	if w.spoilt || w.plan.windows+w.plan.mistakes+w.plan.destroy+w.plan.manage+w.plan.rereg > 0 {
		return
	}
	for _, h := range w.hosts {
		counters, err := h.provider.HWCounters(device)
		w.Must("counters", err)
		for _, c := range counters {
			switch c.Name {
			case "timeouts", "retry_exceeded_err", "bad_icrc", "malformed", "wrong_peer", "access_err",
				"invalid_request":
				if c.Value > 0 {
					w.Fail("%s: %d %s in a world without faults", h.name, c.Value, c.Name)
				}
			}
		}
	}
}

// closeAll closes everything in the order of dependence, and checks that nothing is left.
func (w *world) closeAll() {
	for _, h := range w.hosts {
		if h.managed != nil {
			h.managed.closeAll()
		}
	}
	for _, h := range w.hosts {
		if !h.dom.closed {
			h.dom.closeAll()
		}
	}
	// Connections are kept for their time-wait, and SIDR answers for a while.
	time.Sleep(10 * time.Minute)
	w.Settle()
	for _, h := range w.hosts {
		for _, held := range h.provider.Held() {
			w.Fail("conservation: %s: %s after everything is closed", h.name, held)
		}
	}
}

// closeAll checks every region a last time, and closes the objects of the domain and then the domain.
func (d *domain) closeAll() {
	w := d.w
	for _, e := range append([]*end(nil), w.ends...) {
		if e.dom == d {
			e.close()
		}
	}
	w.Settle()
	if d.srq != nil {
		w.Must("destroy_srq", d.srq.srq.Close())
		for _, r := range d.srq.recvs {
			delete(w.requests, r.id)
			r.abandonLocal()
		}
	}
	for len(d.windows) > 0 && !w.Failed() {
		d.windows[0].closeNow()
	}
	d.closeForeign()
	for _, r := range d.regions {
		r.check(0, len(r.model))
		if r.mr != nil {
			w.Must("dereg_mr "+r.name, r.mr.Close())
			r.mr = nil
		}
	}
	for _, ah := range d.ahOrder {
		w.Must("destroy_ah", ah.Close())
	}
	w.Must("destroy_cq", d.cq.Close())
	if d.recvCQ != d.cq {
		w.Must("destroy_cq", d.recvCQ.Close())
	}
	if d.channel != nil {
		w.Must("destroy_comp_channel", d.channel.Close())
	}
	w.Must("dealloc_pd", d.pd.Close())
	w.Must("dealloc_pd", d.foreign.Close())
	d.closed = true
	w.secrets.shut(d)
	if d.owned {
		w.Must("close_device", d.dev.Close())
	}
	w.Settle()
}
