package mem

import (
	"bytes"
	"testing"

	"rdmatui/verbs"
)

// TestSGList gathers and scatters over elements of all lengths, some of them empty, from every offset in the list.
func TestSGList(t *testing.T) {
	d := newDomain()
	var v View
	v.Init(d)
	m := region(t, d, 64, verbs.LocalWrite)
	at := func(off uint64, n uint32) verbs.SGE {
		return verbs.SGE{Addr: m.Addr() + off, Length: n, LKey: m.LKey()}
	}
	list := []verbs.SGE{{}, at(0, 3), at(20, 0), at(8, 1), at(32, 4), {Addr: 1}}
	const total = 8
	if n := verbs.TotalLength(list); n != total {
		t.Errorf("%d bytes", n)
	}
	if !v.Check(list, verbs.LocalWrite) || v.Check(list, verbs.RemoteRead) || v.Check([]verbs.SGE{at(60, 5)}, 0) ||
		v.Check([]verbs.SGE{{Addr: m.Addr(), Length: 1, LKey: m.LKey() + 1}}, 0) {
		t.Error("wrongly checked")
	}
	src := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	if !v.Scatter(src, list, new(Cursor)) {
		t.Fatal("not scattered")
	}
	var all [64]byte
	if _, err := m.ReadAt(all[:], 0); err != nil || !bytes.Equal(all[:3], src[:3]) || all[8] != 4 ||
		!bytes.Equal(all[32:36], src[4:]) || bytes.Count(all[:], []byte{0}) != 64-total {
		t.Errorf("%v, %v", all, err)
	}
	for from := range uint32(total + 1) {
		for n := range total - int(from) + 1 {
			c := Seek(list, from)
			if got, ok := v.Gather([]byte{9}, list, &c, n); !ok ||
				!bytes.Equal(got, append([]byte{9}, src[from:int(from)+n]...)) {
				t.Errorf("%d bytes from %d: %v, %t", n, from, got, ok)
			}
			if rest, ok := v.Gather(nil, list, &c, total-int(from)-n); !ok || !bytes.Equal(rest, src[int(from)+n:]) {
				t.Errorf("the rest after %d bytes from %d: %v, %t", n, from, rest, ok)
			}
			if _, ok := v.Gather(nil, list, &c, 1); ok || v.Scatter(src[:1], list, &c) {
				t.Error("gathered or scattered beyond the end")
			}
		}
	}
	read := region(t, d, 8, 0)
	if v.Scatter(src, []verbs.SGE{{Addr: read.Addr(), Length: 8, LKey: read.LKey()}}, new(Cursor)) {
		t.Error("written to read-only memory")
	}
	if _, ok := v.Gather(nil, []verbs.SGE{{Addr: read.Addr() + 1, Length: 8, LKey: read.LKey()}}, new(Cursor), 8); ok {
		t.Error("read beyond the end")
	}
}

// TestInline reads inline data by address, whatever its key.
func TestInline(t *testing.T) {
	d := newDomain()
	var v View
	v.Init(d)
	first, second, foreign := region(t, d, 16, verbs.LocalWrite), region(t, d, 16, verbs.LocalWrite),
		region(t, d.beside(false), 16, 0)
	for i, m := range []*MR{first, second} {
		if _, err := m.WriteAt(bytes.Repeat([]byte{byte(i + 1)}, 16), 0); err != nil {
			t.Fatal(err)
		}
	}
	device, err := d.table.AllocDM(d.context, verbs.DMSpec{Length: 16})
	if err != nil {
		t.Fatal(err)
	}
	zero, err := d.regMR(verbs.MRSpec{
		Length: 16, Access: verbs.ZeroBased, Backing: verbs.Backing{Kind: verbs.DeviceMemory, DM: device},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		sge  verbs.SGE
		want []byte // nil: refused
	}{
		"its key":              {verbs.SGE{Addr: first.Addr(), Length: 2, LKey: first.LKey()}, []byte{1, 1}},
		"the last bytes":       {verbs.SGE{Addr: first.Addr() + 14, Length: 2, LKey: first.LKey()}, []byte{1, 1}},
		"no key":               {verbs.SGE{Addr: first.Addr(), Length: 2}, []byte{1, 1}},
		"no key, last byte":    {verbs.SGE{Addr: first.Addr() + 15, Length: 1}, []byte{1}},
		"another region's key": {verbs.SGE{Addr: second.Addr(), Length: 2, LKey: first.LKey()}, []byte{2, 2}},
		"device memory's key":  {verbs.SGE{Addr: second.Addr(), Length: 2, LKey: zero.LKey()}, []byte{2, 2}},
		"nothing":              {verbs.SGE{Addr: 5, LKey: 7}, []byte{}},
		"beyond the end":       {verbs.SGE{Addr: first.Addr() + 15, Length: 2, LKey: first.LKey()}, nil},
		"of device memory":     {verbs.SGE{Addr: 0, Length: 2, LKey: zero.LKey()}, nil},
		"of no region":         {verbs.SGE{Addr: first.Addr() - 1, Length: 1, LKey: first.LKey()}, nil},
		"of another context's": {verbs.SGE{Addr: foreign.Addr(), Length: 2, LKey: foreign.LKey()}, nil},
	} {
		got, ok := v.AppendInline([]byte{}, []verbs.SGE{tt.sge})
		if ok != (tt.want != nil) || ok && !bytes.Equal(got, tt.want) {
			t.Errorf("%s: %v, %t", name, got, ok)
		}
	}
}
