package devices

import (
	"time"

	tea "charm.land/bubbletea/v2"

	inv "rdmatui/devices"

	"rdmatui/verbs/format"
)

// pollTime is how often visible counters and users are read.
const pollTime = time.Second

// news is the result of background work.
type news interface{ apply(s *Screen) }

// do returns work that brings news.
func do(f func() news) tea.Cmd { return func() tea.Msg { return f() } }

// need starts reading what is wanted and not known: one read of each kind at a time,
// so that moving through the list does not open every device.
func (s *Screen) need() tea.Cmd {
	var cmds []tea.Cmd
	start := func(busy *bool, f func() news) {
		if !*busy {
			*busy = true
			cmds = append(cmds, do(f))
		}
	}
	if s.wantList {
		start(&s.listing, s.readList)
	}
	if s.wantFindings && s.env.Diagnose != nil {
		start(&s.diagnosing, func() news { return diagnosed(s.env.Diagnose(s.env.Ctx)) })
	}
	if !s.watching {
		start(&s.watching, s.watch)
	}
	if k := s.at(); k != nil {
		name := s.name
		if k.stale {
			start(&s.reading, func() news { return s.readDetail(name) })
		}
		if s.visible(counters) && k.counters.at.IsZero() && k.counters.err == "" {
			start(&s.counting, func() news { return s.readCounters(name) })
		}
		if k.kernel && s.visible(holders) && k.held == nil && k.heldErr == "" {
			start(&s.asking, func() news { return s.readHolders(name) })
		}
	}
	return tea.Batch(cmds...)
}

// poll reads again what changes without an event, if it is visible.
func (s *Screen) poll() tea.Cmd {
	k, now := s.at(), s.now()
	if k == nil || now.Sub(s.polled) < pollTime {
		return nil
	}
	s.polled = now
	var cmds []tea.Cmd
	name := s.name
	if s.visible(counters) && !s.counting {
		s.counting = true
		cmds = append(cmds, do(func() news { return s.readCounters(name) }))
	}
	if k.kernel && s.visible(holders) && !s.asking {
		s.asking = true
		cmds = append(cmds, do(func() news { return s.readHolders(name) }))
	}
	return tea.Batch(cmds...)
}

type listed []inv.Summary

func (s *Screen) readList() news { return listed(s.env.Inventory.List()) }

func (n listed) apply(s *Screen) {
	s.listing, s.wantList, s.loaded = false, false, true
	s.list.set(n)
	for name := range s.known {
		if !s.list.has(name) {
			delete(s.known, name)
		}
	}
	if len(n) == 0 || !s.examined {
		s.wantFindings, s.examined = true, true
	}
	s.selection()
	s.pickWish()
}

type detailed struct {
	name string
	d    inv.Detail
	err  error
}

func (s *Screen) readDetail(name string) news {
	d, err := s.env.Inventory.Detail(name)
	return detailed{name, d, err}
}

func (n detailed) apply(s *Screen) {
	s.reading = false
	k := s.known[n.name]
	if k == nil {
		return
	}
	k.stale, k.err = false, format.OneLine(n.err)
	if k.detail = &n.d; n.err != nil {
		k.detail = nil
	}
	s.refill(n.name, attributes, ports, gids, host)
}

type counted struct {
	name string
	at   time.Time
	list []inv.Counter
	err  error
}

func (s *Screen) readCounters(name string) news {
	list, err := s.env.Inventory.Counters(name)
	return counted{name, s.now(), list, err}
}

func (n counted) apply(s *Screen) {
	s.counting = false
	k := s.known[n.name]
	if k == nil {
		return
	}
	k.counters.err = format.OneLine(n.err)
	if n.err == nil {
		k.counters.add(n.at, n.list)
	}
	s.refill(n.name, counters)
}

type held struct {
	name string
	res  inv.Resources
	err  error
}

func (s *Screen) readHolders(name string) news {
	res, err := s.env.Inventory.Resources(name)
	return held{name, res, err}
}

func (n held) apply(s *Screen) {
	s.asking = false
	k := s.known[n.name]
	if k == nil {
		return
	}
	k.held, k.heldErr = &n.res, format.OneLine(n.err)
	if n.err != nil {
		k.held = nil
	}
	s.refill(n.name, holders)
}

type diagnosed []inv.Finding

func (n diagnosed) apply(s *Screen) {
	s.diagnosing, s.wantFindings = false, false
	s.findings.set(n, "")
	if len(n) == 0 {
		s.findings.set(nil, "nothing was found")
	}
	s.note()
}

// changed says that the list may have changed; over, that no more changes will be
// reported.
type changed struct{ over bool }

// watch waits for one change.
func (s *Screen) watch() news {
	s.watchOnce.Do(func() { s.changes = s.env.Inventory.Watch(s.env.Ctx) })
	select {
	case _, ok := <-s.changes:
		return changed{!ok}
	case <-s.env.Ctx.Done():
		return changed{true}
	}
}

func (n changed) apply(s *Screen) {
	s.watching = n.over // for good: there is nothing to wait for
	if !n.over {
		s.again()
	}
}

// again rereads everything; the known values are shown until then.
func (s *Screen) again() {
	s.wantList, s.wantFindings = true, true
	for _, k := range s.known {
		k.stale = true
	}
}

// refill fills sections that show this device.
func (s *Screen) refill(name string, ids ...sectionID) {
	if name != s.name {
		return
	}
	for _, id := range ids {
		s.fill(id)
	}
}
