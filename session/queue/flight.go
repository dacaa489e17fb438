package queue

import (
	"slices"
	"time"

	"rdmatui/devices"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/verbs"
)

// sendsView lists the incomplete send requests, with the last observed progress of the oldest.
func (q *QP) sendsView() *core.SendsView {
	oldest := q.Sends.views()
	if oldest == nil {
		return nil
	}
	v := &core.SendsView{Oldest: oldest}
	f := &q.flight
	f.mu.Lock()
	defer f.mu.Unlock()
	if r, ok := q.Sends.numbered(f.view.WRID); ok && r.At == f.posted { // otherwise it has completed since
		v.Flight = f.view
	}
	return v
}

// InFlight lists the oldest send requests that the device has not executed. If the device does not report that, it
// lists those whose completions were not taken.
func (q *QP) InFlight() []core.RequestView {
	oldest := q.Sends.views()
	if t, ok := q.QP.(verbs.ProgressTeller); ok && oldest != nil {
		p := core.Progress(t.Progress())
		return p.InFlight(oldest)
	}
	return oldest
}

// LookAll reads the progress of all queue pairs with outstanding requests, and marks the snapshot as out of date if
// something has changed. It queries devices, so do not call it from a screen's event loop.
func LookAll(s *core.Session) {
	var all []*QP
	s.Mu.RLock()
	for _, n := range s.Graph.ByKind[command.KindQP] {
		all = append(all, n.Body.(*QP))
	}
	s.Mu.RUnlock()
	for _, q := range all {
		Look(s, q)
	}
}

// Refresh reads the progress of a queue pair that reports it itself. For others the last value is used: reading device
// counters takes long.
func Refresh(s *core.Session, q *QP) {
	if _, ok := q.QP.(verbs.ProgressTeller); ok {
		Look(s, q)
	}
}

// ageStep is the resolution of a request's age, so that a snapshot changes less often.
const ageStep = 100 * time.Millisecond

// Look reads how far the oldest send request has come, from the queue pair, or from its device's counters if it does
// not report that.
func Look(s *core.Session, q *QP) core.FlightView {
	r, ok := q.Sends.Oldest()
	if !ok {
		return core.FlightView{}
	}
	f := &q.flight
	f.mu.Lock()
	defer f.mu.Unlock()
	v := core.FlightView{WRID: r.WRID, Opcode: r.Opcode}
	if t, ok := q.QP.(verbs.ProgressTeller); ok {
		if v.Told, v.Progress = true, core.Progress(t.Progress()); v.Queued+v.Sent > 0 {
			v.WRID = v.Progress.WRID
			if found, ok := q.Sends.numbered(v.WRID); ok {
				r = found
			}
		}
	}
	v.Opcode = r.Opcode
	v.Age = max((time.Since(s.Start) - time.Duration(r.At)).Truncate(ageStep), 1)
	if t, ok := q.QP.(verbs.TryTeller); ok {
		v.Tries, v.By = t.Tries(), core.ToldByQP
	} else if t, ok := deviceTries(s, q.PD.Device.Name); ok {
		if r.At != f.posted {
			f.began = t
		}
		v.Tries, v.By = since(t, f.began), core.ToldByDevice
	}
	if f.posted = r.At; v != f.view {
		f.view = v
		s.Changed()
	}
	return v
}

// triesOf maps the counters of rxe and mlx5 that say why requests wait to fields of Tries.
var triesOf = map[string]func(*verbs.Tries) *uint64{
	"rcvd_rnr_err":          func(t *verbs.Tries) *uint64 { return &t.RNRNAKs },
	"rnr_nak_retry_err":     func(t *verbs.Tries) *uint64 { return &t.RNRNAKs },
	"rcvd_seq_err":          func(t *verbs.Tries) *uint64 { return &t.SequenceNAKs },
	"packet_seq_err":        func(t *verbs.Tries) *uint64 { return &t.SequenceNAKs },
	"local_ack_timeout_err": func(t *verbs.Tries) *uint64 { return &t.Timeouts },
	"completer_retry_err":   func(t *verbs.Tries) *uint64 { return &t.Resends },
}

// deviceTries sums up a device's counters; ok is false if it has none of them.
func deviceTries(s *core.Session, device string) (t verbs.Tries, ok bool) {
	for _, c := range DeviceCounters(s, device) {
		if of := triesOf[c.Name]; of != nil {
			*of(&t) += c.Value
			ok = true
		}
	}
	return t, ok
}

// OpenDevices lists the open devices by the names that their providers give them.
func OpenDevices(s *core.Session) (names []string) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, n := range s.Graph.ByKind[command.KindDevice] {
		if name := n.Body.(*device.Device).Info.Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// DeviceCounters reads the device's counters on the host. They are files, and some drivers query the card for each.
func DeviceCounters(s *core.Session, device string) []verbs.HWCounter {
	if read := s.Opts.Counters; read != nil {
		return read(device)
	}
	return hostCounters(device)
}

func hostCounters(device string) (list []verbs.HWCounter) {
	all, _ := devices.New(nil, devices.Host()).Counters(device)
	for _, c := range all {
		list = append(list, verbs.HWCounter{Name: c.Name, Value: c.Value})
	}
	return list
}

// since returns the difference between two counts.
func since(now, then verbs.Tries) verbs.Tries {
	return verbs.Tries{
		RNRNAKs:      now.RNRNAKs - min(then.RNRNAKs, now.RNRNAKs),
		SequenceNAKs: now.SequenceNAKs - min(then.SequenceNAKs, now.SequenceNAKs),
		Timeouts:     now.Timeouts - min(then.Timeouts, now.Timeouts),
		Resends:      now.Resends - min(then.Resends, now.Resends),
	}
}

// views lists the oldest requests.
func (q *Requests) views() []core.RequestView {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(q.ring.Len(), core.MaxRequestViews)
	if n == 0 {
		return nil
	}
	list := make([]core.RequestView, n)
	for i := range list {
		r := q.ring.At(i)
		list[i] = core.RequestView{
			WRID: r.WRID, Opcode: r.Opcode, List: r.List, Remote: r.Remote, RKey: r.RKey, Inline: r.Inline,
			Signaled: r.Signaled,
		}
	}
	return list
}

// numbered returns the oldest request with this wr_id.
func (q *Requests) numbered(wrID uint64) (Request, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := q.ring.Index(func(r Request) bool { return r.WRID == wrID }); i >= 0 {
		return *q.ring.At(i), true
	}
	return Request{}, false
}

// Oldest returns the request that completes next; ok is false if there is none.
func (q *Requests) Oldest() (r Request, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ring.Len() == 0 {
		return Request{}, false
	}
	return *q.ring.At(0), true
}
