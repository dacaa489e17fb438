package mem

import (
	"errors"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
)

const bindable = verbs.LocalWrite | verbs.MWBind

func window(t *testing.T, d *Domain, typ verbs.MWType) *MW {
	t.Helper()
	w, err := d.allocMW(typ)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestWindowRefused allocates invalid windows and names them in requests.
func TestWindowRefused(t *testing.T) {
	d := newDomain()
	closed := d.beside(true)
	closed.Closed = true
	for _, typ := range []verbs.MWType{0, 3} {
		_, err := d.AllocMW(typ)
		wantErr(t, "a type that there is not", err, syscall.EINVAL)
	}
	_, err := closed.AllocMW(verbs.MWType1)
	wantErr(t, "a closed domain", err, verbs.ErrClosed)
	if inUse(d) != [5]uint64{} {
		t.Errorf("%v in use", inUse(d))
	}
	var v View
	v.Init(d)
	one, two := window(t, d, verbs.MWType1), window(t, d, verbs.MWType2)
	if d.Busy("") == nil || one.Type() != verbs.MWType1 || two.Type() != verbs.MWType2 ||
		WindowIndex(one.RKey()) == WindowIndex(two.RKey()) {
		t.Errorf("%+v, %+v", one, two)
	}
	for name, tt := range map[string]struct {
		w    verbs.MW
		want error
	}{
		"none": {nil, syscall.EINVAL}, "type 2": {two, syscall.EINVAL},
		"another's":          {struct{ verbs.MW }{}, verbs.ErrForeignObject},
		"of another context": {window(t, d.beside(false), verbs.MWType1), verbs.ErrForeignObject}, "type 1": {one, nil},
	} {
		posted := false
		wantErr(t, name, v.BindNext(tt.w, func(key uint32) error {
			posted = key == verbs.NextRKey(tt.w.RKey())
			return nil
		}), tt.want)
		if posted != (tt.want == nil) {
			t.Errorf("%s: posted %t", name, posted)
		}
	}
}

// TestWindowKeys: no window shares a key with another window or with a region, and none has the key 0.
func TestWindowKeys(t *testing.T) {
	d := newDomain()
	keys := []uint32{0, 0x55, 0x100, 0x1ff, 0x201, 0x302, 0x400, 0x2ff, 0x3ff, 0x600}
	d.table.random = &object.Random{Next: func() uint64 { k := keys[0]; keys = keys[1:]; return uint64(k) << 32 }}
	if m := region(t, d, 1, 0); m.RKey() != 0x55 {
		t.Errorf("the region has 0x%x", m.RKey())
	}
	for _, want := range []uint32{0x100, 0x201} {
		if w := window(t, d, verbs.MWType2); w.RKey() != want {
			t.Errorf("the window has 0x%x, want 0x%x", w.RKey(), want)
		}
	}
	if m := region(t, d, 1, 0); m.RKey() != 0x302 {
		t.Errorf("the region has 0x%x", m.RKey())
	}
	if m := region(t, d, 1, 0); m.RKey() != 0x400 {
		t.Errorf("the region has 0x%x", m.RKey())
	}
	if w := window(t, d, verbs.MWType1); w.RKey() != 0x600 {
		t.Errorf("the window has 0x%x", w.RKey())
	}
}

// TestBindingRefused posts bindings that libibverbs would refuse.
func TestBindingRefused(t *testing.T) {
	d := newDomain()
	other := d.beside(true)
	m, theirs := region(t, d, 64, bindable), region(t, other, 64, bindable)
	var v View
	v.Init(d)
	windows := map[verbs.MWType]*MW{
		verbs.MWType1: window(t, d, verbs.MWType1), verbs.MWType2: window(t, d, verbs.MWType2),
	}
	shown := verbs.MWBinding{MR: m, Addr: m.Addr(), Length: 8}
	with := func(change func(b *verbs.MWBinding)) verbs.MWBinding { b := shown; change(&b); return b }
	for _, tt := range []struct {
		name     string
		binding  verbs.MWBinding
		key      uint32 // offset from the window's key
		one, two error
	}{
		{"a part", shown, 0, nil, nil},
		{"another key of the window", shown, 0xff, nil, nil},
		{"another window's key", shown, 0x100, syscall.EINVAL, syscall.EINVAL},
		{"all rights", with(func(b *verbs.MWBinding) { b.Access = remoteRights }), 0, nil, nil},
		{"a right of the owner's", with(func(b *verbs.MWBinding) { b.Access = verbs.LocalWrite }), 0,
			syscall.EINVAL, syscall.EINVAL},
		{"the right to bind", with(func(b *verbs.MWBinding) { b.Access = verbs.MWBind }), 0,
			syscall.EINVAL, syscall.EINVAL},
		{"counted from 0", with(func(b *verbs.MWBinding) { b.Access = verbs.ZeroBased }), 0, syscall.EINVAL, nil},
		{"nothing", verbs.MWBinding{}, 0, nil, nil},
		{"an address without a region", verbs.MWBinding{Addr: 1}, 0, syscall.EINVAL, syscall.EINVAL},
		{"a length without a region", verbs.MWBinding{Length: 1}, 0, syscall.EINVAL, syscall.EINVAL},
		{"another provider's region", with(func(b *verbs.MWBinding) { b.MR = struct{ verbs.MR }{} }), 0,
			verbs.ErrForeignObject, verbs.ErrForeignObject},
		{"a region of another domain", verbs.MWBinding{MR: theirs, Addr: theirs.Addr(), Length: 8}, 0,
			syscall.EPERM, nil},
	} {
		for typ, want := range map[verbs.MWType]error{verbs.MWType1: tt.one, verbs.MWType2: tt.two} {
			w := windows[typ]
			b, err := v.NewBinding(&verbs.BindWR{MW: w, RKey: w.RKey() ^ tt.key, MWBinding: tt.binding}, typ)
			wantErr(t, tt.name, err, want)
			if want == nil && (b.window != w || b.key != w.RKey()^tt.key ||
				(b.region != nil) != (tt.binding.MR != nil) || b.addr != tt.binding.Addr ||
				b.length != tt.binding.Length || b.access != tt.binding.Access) {
				t.Errorf("%s: %+v", tt.name, b)
			}
		}
	}
	_, err := v.NewBinding(nil, verbs.MWType2)
	wantErr(t, "no binding", err, syscall.EINVAL)
	_, err = v.NewBinding(&verbs.BindWR{MW: windows[verbs.MWType1], MWBinding: shown}, verbs.MWType2)
	wantErr(t, "a window of type 1", err, syscall.EINVAL)
	b, err := v.NewBinding(&verbs.BindWR{MW: windows[verbs.MWType1], RKey: windows[verbs.MWType1].RKey(),
		MWBinding: with(func(b *verbs.MWBinding) { b.Length = 0 })}, verbs.MWType1)
	if err != nil || b.region != nil {
		t.Errorf("a binding of no bytes: %+v, %v", b, err)
	}
}

// TestBindCarriedOut executes valid and invalid bindings: one that fails changes nothing.
func TestBindCarriedOut(t *testing.T) {
	for _, tt := range []struct {
		name   string
		typ    verbs.MWType
		rights verbs.Access // of the region
		change func(v *View, b *Binding)
		want   bool
	}{
		{"a part", verbs.MWType2, bindable, func(*View, *Binding) {}, true},
		{"of type 1", verbs.MWType1, bindable, func(*View, *Binding) {}, true},
		{"all of it", verbs.MWType2, bindable, func(_ *View, b *Binding) {
			b.addr, b.length = b.region.addr, 64
		}, true},
		{"a byte more", verbs.MWType2, bindable, func(_ *View, b *Binding) {
			b.addr, b.length = b.region.addr, 65
		}, false},
		{"a byte before", verbs.MWType2, bindable, func(_ *View, b *Binding) { b.addr = b.region.addr - 1 }, false},
		{"a region without the right to bind", verbs.MWType2, verbs.LocalWrite, func(*View, *Binding) {}, false},
		{"to be read, of a region to be read", verbs.MWType2, verbs.MWBind, func(_ *View, b *Binding) {
			b.access = verbs.RemoteRead
		}, true},
		{"to be written, of a region to be read", verbs.MWType2, verbs.MWBind, func(_ *View, b *Binding) {
			b.access = verbs.RemoteWrite
		}, false},
		{"for atomics, of a region to be read", verbs.MWType2, verbs.MWBind, func(_ *View, b *Binding) {
			b.access = verbs.RemoteAtomic
		}, false},
		{"to be written", verbs.MWType2, bindable, func(_ *View, b *Binding) { b.access = verbs.RemoteWrite }, true},
		{"a closed region", verbs.MWType2, bindable, func(v *View, b *Binding) {
			delete(v.table.byKey, b.region.key)
		}, false},
		{"a closed window", verbs.MWType2, bindable, func(_ *View, b *Binding) { b.window.closed = true }, false},
		{"another domain's region", verbs.MWType2, bindable, func(v *View, b *Binding) {
			other, err := v.domain.beside(true).regMR(verbs.MRSpec{Length: 64, Access: bindable})
			if err != nil {
				t.Fatal(err)
			}
			b.region = other.current()
			b.addr = b.region.addr
		}, false},
		{"another domain's window", verbs.MWType2, bindable, func(v *View, _ *Binding) {
			v.domain = v.domain.beside(true)
		}, false},
		{"nothing, of type 1", verbs.MWType1, bindable, func(_ *View, b *Binding) { b.region = nil }, true},
		{"nothing, of type 2", verbs.MWType2, bindable, func(_ *View, b *Binding) { b.region = nil }, false},
	} {
		d := newDomain()
		var v View
		v.Init(d)
		m, w := region(t, d, 64, tt.rights), window(t, d, tt.typ)
		r := m.current()
		b := &Binding{window: w, key: verbs.NextRKey(w.RKey()), region: r, addr: r.addr + 8, length: 8}
		tt.change(&v, b)
		shows := b.region
		if got := v.Bind(b); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
		views := 0
		if tt.typ == verbs.MWType2 {
			views = 1
		}
		if !tt.want {
			shows, views = nil, 0
		}
		if w.region != shows || v.windows != views || (w.key == b.key) != tt.want ||
			(r.windows == 1) != (shows != nil) {
			t.Errorf("%s: the window is %+v, %d windows of the view, %d of the region", tt.name, w,
				v.windows, r.windows)
		}
		wantBusy := error(nil)
		if shows != nil {
			wantBusy = syscall.EBUSY
		}
		wantErr(t, tt.name, d.table.bound(r), wantBusy)
	}
}

// TestBindAgain binds windows that are bound already: type 1 moves, type 2 must be invalidated first.
func TestBindAgain(t *testing.T) {
	d := newDomain()
	var v, other View
	v.Init(d)
	other.Init(d)
	first, second := region(t, d, 64, bindable), region(t, d, 64, bindable)
	bind := func(w *MW, m *MR) bool {
		return v.Bind(&Binding{window: w, key: verbs.NextRKey(w.key), region: m.current(), addr: m.Addr(), length: 8})
	}
	one, two := window(t, d, verbs.MWType1), window(t, d, verbs.MWType2)
	for _, w := range []*MW{one, two} {
		if !bind(w, first) || bind(w, second) != (w == one) {
			t.Errorf("type %d", w.typ)
		}
	}
	if first.current().windows != 1 || second.current().windows != 1 || v.windows != 1 {
		t.Errorf("%d and %d windows of the regions, %d of the view", first.current().windows,
			second.current().windows, v.windows)
	}
	var busy *verbs.BusyError
	if err := d.table.bound(second.current()); err == nil || !errors.As(err, &busy) || len(busy.UsedBy) != 1 ||
		busy.UsedBy[0] != one.name() {
		t.Errorf("%v", err)
	}
	if v.Invalidate(one.key) || v.Invalidate(two.key^1) || other.Invalidate(two.key) ||
		v.Invalidate(two.key^1<<windowTag) {
		t.Error("invalidated a window that it may not")
	}
	if !v.Invalidate(two.key) || v.Invalidate(two.key) || v.windows != 0 || first.current().windows != 0 {
		t.Errorf("%d windows of the view, %d of the region", v.windows, first.current().windows)
	}
	if !bind(two, second) {
		t.Error("not bound after it was invalidated")
	}
	other.FreeWindows()
	if two.region == nil {
		t.Error("unbound with another queue pair")
	}
	v.FreeWindows()
	v.FreeWindows()
	if two.region != nil || one.region == nil || v.windows != 0 || second.current().windows != 1 {
		t.Errorf("%+v", two)
	}
	if err := one.Close(); err != nil || second.current().windows != 0 || one.Close() != nil {
		t.Errorf("%v, %d windows", err, second.current().windows)
	}
	wantErr(t, "a region without windows", second.Close(), nil)
}

// TestThroughWindow accesses a region by the key of a window.
func TestThroughWindow(t *testing.T) {
	d := newDomain()
	var v, other View
	v.Init(d)
	other.Init(d)
	m := region(t, d, 64, bindable)
	for _, typ := range []verbs.MWType{verbs.MWType1, verbs.MWType2} {
		for _, based := range []verbs.Access{0, verbs.ZeroBased} {
			w := window(t, d, typ)
			if v.Grants(w.RKey(), 0, m.Addr()+16, 1) {
				t.Error("an unbound window gives access")
			}
			b := &Binding{
				window: w, key: verbs.NextRKey(w.RKey()), region: m.current(), addr: m.Addr() + 16,
				length: 16, access: remoteRights&^verbs.RemoteRead | based,
			}
			if !v.Bind(b) {
				t.Fatal("not bound")
			}
			start := b.addr
			if based != 0 {
				start = 0
			}
			for _, tt := range []struct {
				va, n uint64
				want  bool
			}{
				{start, 16, true}, {start + 8, 8, true}, {start + 16, 0, true}, {start, 0, true},
				{start, 17, false}, {start + 8, 9, false}, {start + 17, 0, false}, {start - 1, 1, false},
				{start + 16, 1, false}, {start, 1 << 63, false},
			} {
				if got := v.Grants(b.key, verbs.RemoteWrite, tt.va, tt.n); got != tt.want {
					t.Errorf("type %d, %d bytes at 0x%x of 0x%x: %t", typ, tt.n, tt.va, start, got)
				}
			}
			if v.Grants(b.key, verbs.RemoteRead, start, 8) || v.Grants(b.key^1, 0, start, 8) ||
				v.GrantsRegion(b.key, 0) {
				t.Error("access with a right or a key that the window does not have")
			}
			if other.Grants(b.key, 0, start, 8) != (typ == verbs.MWType1) {
				t.Errorf("type %d by another queue pair of the domain", typ)
			}
			if _, ok := v.Read(nil, b.key, start, 8); ok {
				t.Error("read")
			}
			if !v.Write(b.key, start+8, []byte{1, 0, 0, 0, 0, 0, 0, 1}) || v.Write(b.key, start+8, make([]byte, 9)) {
				t.Error("the bytes are wrong")
			}
			if orig, ok := v.Atomic(Atomic{Value: 1}, b.key, start+8); !ok || orig != 1|1<<56 {
				t.Errorf("atomic: 0x%x, %t", orig, ok)
			}
			if orig, ok := v.Atomic(Atomic{Value: 1}, b.key, start+4); ok || orig != 0 {
				t.Errorf("an atomic that is not aligned: 0x%x, %t", orig, ok)
			}
			if !v.WriteWord(b.key, start+8, make([]byte, 8)) || v.WriteWord(b.key, start+4, make([]byte, 8)) ||
				v.WriteWord(b.key, start+16, make([]byte, 8)) {
				t.Error("the word is wrong")
			}
			var word [8]byte
			if _, err := m.ReadAt(word[:], 24); err != nil || word != [8]byte{} {
				t.Errorf("%v, %v", word, err)
			}
			if err := w.Close(); err != nil || v.Grants(b.key, 0, start, 1) {
				t.Errorf("%v, or the window still gives access", err)
			}
		}
	}
}

// TestFreeForWindow: a window needs all keys that differ in their last byte.
func TestFreeForWindow(t *testing.T) {
	d := newDomain()
	if d.table.freeForWindow(0) || d.table.freeForWindow(255) || !d.table.freeForWindow(256) {
		t.Error("without any window or region")
	}
	w, m := window(t, d, verbs.MWType2), region(t, d, 8, 0)
	for key, want := range map[uint32]bool{
		0: false, 1: false, 2: false, 255: false, w.RKey(): false, w.RKey() ^ 1: false,
		w.RKey() ^ 255: false, w.RKey() + 0x1000: true,
		m.LKey(): false, m.LKey() ^ 1: false, m.LKey() ^ 255: false, m.LKey() + 0x2000: true,
	} {
		if got := d.table.freeForWindow(key); got != want {
			t.Errorf("0x%08x beside 0x%08x and 0x%08x: %v", key, w.RKey(), m.LKey(), got)
		}
	}
}
