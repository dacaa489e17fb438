package incident

import (
	"cmp"
	"strings"
	"time"

	"rdmatui/assets/explain"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/ring"
)

// How often counters are read, and how long a failure waits for them. A software device's are in memory. A NIC's are
// files, some of which ask the card: they are read beside the commands, never by them.
const (
	maxReadings = 64
	ownEvery    = 5 * time.Millisecond
	hostEvery   = time.Second
	hostWait    = 50 * time.Millisecond
)

// reading is what a device had counted at a moment, in the order of its counters.
type reading struct {
	began, ended time.Duration
	values       []uint64
}

// meter is one device's counters.
type meter struct {
	device string
	own    verbs.HWCounterReader // nil: the host's files

	kept    ring.Ring[reading]
	now     []verbs.HWCounter // as of the newest reading
	began   time.Duration     // when the newest reading began, which may be under way
	busy    chan struct{}     // closed when the reading under way has ended; nil: there is none
	failure time.Duration     // when a failure has last asked for a reading
}

// meterOf returns a device's meter; b.mu is held.
func (b *book) meterOf(device string) *meter {
	m := b.meters[device]
	if m == nil {
		m = &meter{device: device, began: -hostEvery, failure: -burst}
		for _, p := range b.s.Opts.Providers {
			if r, ok := p.(verbs.HWCounterReader); ok && m.own == nil {
				if _, err := r.HWCounters(device); err == nil {
					m.own = r
				}
			}
		}
		b.meters[device] = m
	}
	return m
}

// keep takes a reading; b.mu is held.
func (b *book) keep(m *meter, began time.Duration, list []verbs.HWCounter) {
	if len(list) == 0 {
		return
	}
	r := reading{began, time.Since(b.s.Start), make([]uint64, len(list))}
	for i := range list {
		r.values[i] = list[i].Value
	}
	m.now, *m.kept.Keep(maxReadings) = list, r
}

// read reads the counters of a software device at once; those of a NIC are there when busy is closed. b.mu is held.
func (b *book) read(m *meter) (busy <-chan struct{}) {
	if m.busy != nil {
		return m.busy
	}
	began := time.Since(b.s.Start)
	m.began = began
	if m.own != nil {
		list, _ := m.own.HWCounters(m.device) // a device that is gone counts no more
		b.keep(m, began, list)
		return nil
	}
	done := make(chan struct{})
	m.busy = done
	go func() {
		defer b.s.Opts.Crashed.Catch()
		list := queue.DeviceCounters(b.s, m.device)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.keep(m, began, list)
		close(done)
		m.busy = nil
	}()
	return done
}

// Sample has counters read. It is called after each command, so that there are counts from before the next.
func Sample(s *core.Session) {
	b := core.Part[book](s, nil)
	devices := queue.OpenDevices(s) // not a snapshot, which grows with all objects
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, device := range devices {
		m, every := b.meterOf(device), hostEvery
		if m.own != nil {
			every = ownEvery
		}
		if time.Since(s.Start)-m.began >= every {
			b.read(m)
		}
	}
}

// await waits for the NICs' readings that are under way.
func (b *book) await() {
	late := time.After(hostWait)
	for _, m := range b.busyMeters() {
		if !ended(m, late) {
			return
		}
	}
}

func (b *book) busyMeters() (all []chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.meters {
		if m.busy != nil {
			all = append(all, m.busy)
		}
	}
	return all
}

// ended waits until a reading has ended; it reports false where that takes too long.
func ended(busy <-chan struct{}, late <-chan time.Time) bool {
	select {
	case <-busy:
		return true
	case <-late:
		return false
	}
}

// fresh has the counters read after a failure at a moment. Within a burst of failures a NIC's are read once, and nobody
// waits for a reading that has taken long already.
func (b *book) fresh(device string, now time.Duration) {
	late := time.After(hostWait)
	for mine := false; !mine; { // a reading under way may have begun before the failure
		b.mu.Lock()
		m := b.meterOf(device)
		mine = m.busy == nil
		if mine && m.own == nil && now-m.failure < burst || !mine && now-m.began > hostWait {
			b.mu.Unlock()
			return
		}
		if mine {
			m.failure = now
		}
		busy := b.read(m)
		b.mu.Unlock()
		if busy != nil && !ended(busy, late) {
			return
		}
	}
}

// moves are the counters of a device that have moved.
type moves struct {
	device string
	since  time.Duration
	list   []verbs.HWCounter // with the difference as the value
}

// movedSince returns what has moved since the newest reading that had ended before a moment, or else the oldest
// reading; nothing where there is no reading from after that moment.
func (b *book) movedSince(device string, at time.Duration) (v moves) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.meterOf(device)
	if n := m.kept.Len(); n < 2 || m.kept.At(n-1).began < at {
		return v
	}
	base := m.kept.At(0)
	for i := range m.kept.Len() - 1 {
		if r := m.kept.At(i); r.ended <= at {
			base = r
		}
	}
	v = moves{device: device, since: base.ended}
	for i, c := range m.now {
		if len(base.values) == len(m.now) && c.Value > base.values[i] {
			c.Value -= base.values[i]
			v.list = append(v.list, c)
		}
	}
	return v
}

// counterMoves reads the counters of both ends' devices, and compares them with those from before the request.
func (x *facts) counterMoves(b *book) (all []moves) {
	devices := []string{x.snap.Provided(x.own.Device)}
	if x.peer != nil {
		if device := x.snap.Provided(x.peer.Device); device != devices[0] {
			devices = append(devices, device)
		}
	}
	for _, device := range devices {
		b.fresh(device, x.now)
		if v := b.movedSince(device, x.posted()); len(v.list) > 0 {
			all = append(all, v)
		}
	}
	return all
}

// counterRows are a line for each device, with the counters that have moved and since when, and what these count.
func (x *facts) counterRows() (rows [][]string) {
	told := map[string]bool{}
	var meanings [][]string
	for i := range x.moves {
		v := &x.moves[i]
		for _, c := range v.list {
			if help := cmp.Or(c.Help, explain.Short("counter", c.Name)); help != "" && !told[c.Name] {
				told[c.Name] = true
				meanings = append(meanings, []string{c.Name, help})
			}
		}
		rows = append(rows, []string{v.device, v.String() + "; since " + x.beside(v.since)})
	}
	return append(rows, meanings...)
}

// String lists the counters with what was added to them.
func (v *moves) String() string {
	var b strings.Builder
	for i, c := range v.list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.Name + " +" + format.Count(c.Value))
	}
	return b.String()
}

// Changed lists the counters of open devices that have changed since a moment, as far as readings are kept.
func Changed(s *core.Session, since time.Duration) Part {
	b, part := core.Part[book](s, nil), Part{Head: "Counters that changed on all devices"}
	for _, device := range queue.OpenDevices(s) {
		b.fresh(device, time.Since(s.Start))
		if v := b.movedSince(device, since); len(v.list) > 0 {
			part.Rows = append(part.Rows, []string{device, v.String() + "; since " + seconds(v.since)})
		}
	}
	return part
}

// beside is a moment, and how far it is from the post.
func (x *facts) beside(at time.Duration) string {
	switch posted := x.posted(); {
	case !x.known:
		return seconds(at)
	case at > posted:
		return seconds(at) + ", " + format.Span(at-posted) + " after the post"
	default:
		return seconds(at) + ", " + format.Span(posted-at) + " before the post"
	}
}
