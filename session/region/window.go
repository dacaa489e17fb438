package region

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// MW is a memory window.
type MW struct {
	*core.Node
	MW verbs.MW
	PD *PD

	mu    sync.Mutex
	shows Binding // as far as the session knows
	count int     // changes so far
	taken int     // the first of them that turned out to have failed, 0: none
}

// Binding is what a window shows; the zero value is nothing.
type Binding struct {
	MR     *MR
	From   *MR      // that a binding is taken away from; nil: there is none
	On     *Windows // those of the queue pair that alone it shows it to; nil: to all of its domain
	Addr   uint64
	Length uint64
	Access verbs.Access
	RKey   uint32
}

// Close implements [core.Body].
func (w *MW) Close() error {
	if err := w.MW.Close(); err != nil {
		return err
	}
	w.Show(Binding{})
	return nil
}

// Fields implements [core.Body].
func (w *MW) Fields() []core.Field {
	b := w.Now()
	return []core.Field{
		{Name: "rkey", Text: func() (string, error) { return ccall.Hex(w.MW.RKey()), nil }},
		{Name: "addr", Text: func() (string, error) { return ccall.Hex(b.Start()), nil }},
		{Name: "length", Text: func() (string, error) { return fmt.Sprint(b.Length), nil }},
	}
}

// Start is the address by which a peer reaches the first byte.
func (b *Binding) Start() uint64 {
	if b.Access&verbs.ZeroBased != 0 {
		return 0
	}
	return b.Addr
}

// Now is what the window shows.
func (w *MW) Now() Binding {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.shows
}

// Show takes note of a binding that is posted, or gone. Undo is for a request that
// fails: what stood before it holds again, and what was posted behind it, which
// fails too, changes nothing more.
func (w *MW) Show(b Binding) (undo func()) {
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
func (w *MW) replace(b Binding) {
	if w.shows.MR != nil {
		w.shows.MR.windows.remove(w)
	}
	if w.shows.On != nil {
		w.shows.On.remove(w)
	}
	w.shows = b
	if b.MR != nil {
		b.MR.windows.add(w, b.RKey)
	}
	if b.On != nil {
		b.On.add(w, b.RKey)
	}
}

// DependsOn reports whether the window is bound to an object, or on it.
func (w *MW) DependsOn(n *core.Node) bool {
	b := w.Now()
	return b.MR != nil && b.MR.Node == n || b.On != nil && b.On.Of == n
}

// Windows are the windows bound to a region, or on a queue pair, and their
// keys. Its lock is taken last.
type Windows struct {
	Of   *core.Node // the queue pair; nil for those of a region
	mu   sync.Mutex
	keys map[*MW]uint32
}

func (l *Windows) add(w *MW, key uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.keys == nil {
		l.keys = map[*MW]uint32{}
	}
	l.keys[w] = key
}

func (l *Windows) remove(w *MW) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.keys, w)
}

// Find returns the window that has a key, nil where there is none.
func (l *Windows) Find(key uint32) *MW {
	l.mu.Lock()
	defer l.mu.Unlock()
	for w, k := range l.keys {
		if k == key {
			return w
		}
	}
	return nil
}

// Release unbinds all: what they were bound to, or on, is gone.
func (l *Windows) Release() {
	l.mu.Lock()
	all := slices.Collect(maps.Keys(l.keys))
	l.mu.Unlock()
	for _, w := range all {
		w.Show(Binding{})
	}
}

// HeldByWindows keeps a queue pair on which windows are bound. The device is not
// asked: some kernels do not survive it (rxe of Linux 6.1).
func HeldByWindows(s *core.Session, n *core.Node) error {
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
	b := w.Now()
	view := core.MWView{
		Name: w.Name, PD: w.PD.Name, Device: w.PD.Device.Name, Type: w.MW.Type(), RKey: w.MW.RKey(),
		Addr: b.Addr, Length: b.Length, Access: b.Access,
	}
	if b.MR != nil {
		view.MR = b.MR.Name
	}
	if b.On != nil {
		view.QP = b.On.Of.Name
	}
	v.MWs = append(v.MWs, view)
}
