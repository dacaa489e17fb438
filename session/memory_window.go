package session

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// MW is a memory window.
type MW struct {
	*core.Node
	mw verbs.MW
	pd *PD

	mu    sync.Mutex
	shows binding // as far as the session knows
	count int     // changes so far
	taken int     // the first of them that turned out to have failed, 0: none
}

// binding is what a window shows; the zero value is nothing.
type binding struct {
	mr     *MR
	from   *MR           // that a binding is taken away from; nil: there is none
	on     *shownWindows // those of the queue pair that alone it shows it to; nil: to all of its domain
	addr   uint64
	length uint64
	access verbs.Access
	rkey   uint32
}

// Close implements [core.Body].
func (w *MW) Close() error {
	if err := w.mw.Close(); err != nil {
		return err
	}
	w.show(binding{})
	return nil
}

// Fields implements [core.Body].
func (w *MW) Fields() []core.Field {
	b := w.now()
	return []core.Field{
		{Name: "rkey", Text: func() (string, error) { return cHex(w.mw.RKey()), nil }},
		{Name: "addr", Text: func() (string, error) { return cHex(b.start()), nil }},
		{Name: "length", Text: func() (string, error) { return fmt.Sprint(b.length), nil }},
	}
}

// start is the address by which a peer reaches the first byte.
func (b *binding) start() uint64 {
	if b.access&verbs.ZeroBased != 0 {
		return 0
	}
	return b.addr
}

// now is what the window shows.
func (w *MW) now() binding {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.shows
}

// show takes note of a binding that is posted, or gone. Undo is for a request that
// fails: what stood before it holds again, and what was posted behind it, which
// fails too, changes nothing more.
func (w *MW) show(b binding) (undo func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.shows
	w.count++
	w.taken = 0
	at := w.count
	w.replace(b)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.taken == 0 || at < w.taken {
			w.taken = at
			w.replace(before)
		}
	}
}

// replace keeps the lists of region and queue pair; w.mu is held.
func (w *MW) replace(b binding) {
	if w.shows.mr != nil {
		w.shows.mr.windows.remove(w)
	}
	if w.shows.on != nil {
		w.shows.on.remove(w)
	}
	w.shows = b
	if b.mr != nil {
		b.mr.windows.add(w, b.rkey)
	}
	if b.on != nil {
		b.on.add(w, b.rkey)
	}
}

// DependsOn reports whether the window is bound to an object, or on it.
func (w *MW) DependsOn(n *core.Node) bool {
	b := w.now()
	return b.mr != nil && b.mr.Node == n || b.on != nil && b.on.of == n
}

// shownWindows are the windows bound to a region, or on a queue pair, and their
// keys. Its lock is taken last.
type shownWindows struct {
	of   *core.Node // the queue pair; nil for those of a region
	mu   sync.Mutex
	keys map[*MW]uint32
}

func (l *shownWindows) add(w *MW, key uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.keys == nil {
		l.keys = map[*MW]uint32{}
	}
	l.keys[w] = key
}

func (l *shownWindows) remove(w *MW) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.keys, w)
}

// find returns the window that has a key, nil where there is none.
func (l *shownWindows) find(key uint32) *MW {
	l.mu.Lock()
	defer l.mu.Unlock()
	for w, k := range l.keys {
		if k == key {
			return w
		}
	}
	return nil
}

// release unbinds all: what they were bound to, or on, is gone.
func (l *shownWindows) release() {
	l.mu.Lock()
	all := slices.Collect(maps.Keys(l.keys))
	l.mu.Unlock()
	for _, w := range all {
		w.show(binding{})
	}
}

// heldByWindows keeps a queue pair on which windows are bound. The device is not
// asked: some kernels do not survive it (rxe of Linux 6.1).
func heldByWindows(s *core.Session, n *core.Node) error {
	if n.Kind != command.KindQP {
		return nil
	}
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	var users []string
	for _, name := range s.Graph.Names(command.KindMW) {
		if core.BoundTo(s.Graph.ByName[name], n) {
			users = append(users, name)
		}
	}
	if len(users) == 0 {
		return nil
	}
	return &verbs.BusyError{Object: n.Name, UsedBy: users}
}

// View implements [core.Body].
func (w *MW) View(v *core.Snapshot) {
	b := w.now()
	view := core.MWView{
		Name: w.Name, PD: w.pd.Name, Device: w.pd.dev.Name, Type: w.mw.Type(), RKey: w.mw.RKey(),
		Addr: b.addr, Length: b.length, Access: b.access,
	}
	if b.mr != nil {
		view.MR = b.mr.Name
	}
	if b.on != nil {
		view.QP = b.on.of.Name
	}
	v.MWs = append(v.MWs, view)
}

// windowWhere finds a window of a device.
func windowWhere(s *core.Session, dev *device, fits func(*MW) bool) *MW {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, name := range s.Graph.Names(command.KindMW) {
		if w := s.Graph.ByName[name].Body.(*MW); w.pd.dev == dev && fits(w) {
			return w
		}
	}
	return nil
}
