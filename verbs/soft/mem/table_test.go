package mem

import (
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft/internal/object"
)

// newDomain makes a domain on a device of its own.
func newDomain() *Domain {
	context, table, quota := new(object.Context), new(Table), &object.Quota{
		Memory: memory.New(1<<30, "a test's"), Device: memory.New(MaxDeviceMemory, "max_dm_size"),
	}
	context.Init(false, func() {})
	seed := uint64(0)
	table.Init(&object.Random{Next: func() uint64 { seed += 12345 << 20; return seed }}, quota)
	d := new(Domain)
	d.Init(context, table)
	return d
}

// TestInlineOfARegionThatEnds reads inline data of a region whose bytes are freed while the table still has it.
func TestInlineOfARegionThatEnds(t *testing.T) {
	d := newDomain()
	m, err := d.regMR(verbs.MRSpec{Length: 64})
	if err != nil {
		t.Fatal(err)
	}
	var v View
	v.Init(d)
	list := []verbs.SGE{{Addr: m.Addr(), Length: 8, LKey: m.LKey()}}
	if b, ok := v.AppendInline(nil, list); !ok || len(b) != 8 {
		t.Errorf("%d bytes, %t", len(b), ok)
	}
	mapping := m.current().take()
	if b, ok := v.AppendInline(nil, list); ok {
		t.Errorf("%d bytes of a region that has ended", len(b))
	}
	if err := mapping.Close(); err != nil {
		t.Error(err)
	}
}

// TestGuardPages: unused addresses separate two regions, so that an overrun never reaches another region.
func TestGuardPages(t *testing.T) {
	table := newDomain().table
	for _, random := range []uint64{0, 1, pageSize + 1, spaceSlide - 1, spaceSlide + 5*pageSize, ^uint64(0)} {
		table.Init(&object.Random{Next: func() uint64 { return random }}, table.quota)
		if want := spaceStart + random%spaceSlide/pageSize*pageSize; table.next != want {
			t.Errorf("regions begin at 0x%x, want 0x%x", table.next, want)
		}
	}
	end := uint64(0)
	for i, n := range []uint64{1, pageSize - 1, pageSize, pageSize + 1, 8, 8} {
		r := &registration{spec: verbs.MRSpec{Length: n}}
		table.place(r)
		if r.addr%pageSize != 0 || end != 0 && r.addr < end+pageSize {
			t.Errorf("region %d of %d bytes at 0x%x, where the one before ends at 0x%x", i, n, r.addr, end)
		}
		end = r.addr + n
	}
}

// BenchmarkLookup measures this package's part of a 64-byte packet, by scatter/gather list and by remote key, among a
// hundred regions.
func BenchmarkLookup(b *testing.B) {
	d := newDomain()
	var m *MR
	for range 100 {
		var err error
		if m, err = d.regMR(verbs.MRSpec{Length: 4096,
			Access: verbs.LocalWrite | verbs.RemoteWrite | verbs.RemoteRead}); err != nil {
			b.Fatal(err)
		}
	}
	var v View
	v.Init(d)
	list := []verbs.SGE{{Addr: m.Addr(), Length: 64, LKey: m.LKey()}}
	data := make([]byte, 64)
	for name, touch := range map[string]func() bool{
		"gather":  func() bool { _, ok := v.Gather(data[:0], list, new(Cursor), 64); return ok },
		"scatter": func() bool { return v.Scatter(data, list, new(Cursor)) },
		"write":   func() bool { return v.Write(m.RKey(), m.Addr(), data) },
		"read":    func() bool { _, ok := v.Read(data[:0], m.RKey(), m.Addr(), 64); return ok },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if !touch() {
					b.Fatal("refused")
				}
			}
		})
	}
}

// TestClosedTwice closes a region again after its key was given to another region: that one keeps it.
func TestClosedTwice(t *testing.T) {
	d := newDomain()
	d.table.random = &object.Random{Next: func() uint64 { return 77 << 32 }}
	first := region(t, d, 8, verbs.LocalWrite)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := region(t, d, 8, verbs.LocalWrite)
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if first.LKey() != second.LKey() || d.table.find(second.LKey(), d, verbs.LocalWrite) != second.current() {
		t.Errorf("key 0x%x leads to %v", second.LKey(), d.table.find(second.LKey(), d, verbs.LocalWrite))
	}
	if err := second.Close(); err != nil || inUse(d) != [5]uint64{} {
		t.Errorf("%v, %v in use", err, inUse(d))
	}
}
