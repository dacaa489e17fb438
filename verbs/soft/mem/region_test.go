package mem

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft/internal/object"
)

// protection stands in for a protection domain with its memory domain.
type protection struct {
	verbs.PD
	d *Domain
}

func (p protection) domain() *Domain { return p.d }

// beside makes another domain on the same device, in the same context or in a context of its own.
func (d *Domain) beside(same bool) *Domain {
	c := d.context
	if !same {
		c = new(object.Context)
		c.Init(false, func() {})
	}
	other := new(Domain)
	other.Init(c, d.table)
	return other
}

func region(t *testing.T, d *Domain, n uint64, access verbs.Access) *MR {
	t.Helper()
	m, err := d.regMR(verbs.MRSpec{Length: n, Access: access})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// inUse returns the used part of a device's quota.
func inUse(d *Domain) [5]uint64 {
	q := d.table.quota
	return [...]uint64{uint64(q.MR.Load()), uint64(q.MW.Load()), uint64(q.DM.Load()), q.Device.Used(), q.Memory.Used()}
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// TestAccess asks for valid and invalid combinations of rights, on host memory and on device memory.
func TestAccess(t *testing.T) {
	const write = verbs.LocalWrite
	for _, tt := range []struct {
		access       verbs.Access
		host, device error
	}{
		{0, nil, syscall.EINVAL},
		{write, nil, syscall.EINVAL},
		{verbs.RemoteRead, nil, syscall.EINVAL},
		{verbs.RemoteWrite, syscall.EINVAL, syscall.EINVAL},
		{verbs.RemoteAtomic, syscall.EINVAL, syscall.EINVAL},
		{verbs.RemoteWrite | verbs.ZeroBased, syscall.EINVAL, syscall.EINVAL},
		{write | verbs.RemoteWrite | verbs.RemoteAtomic | verbs.RemoteRead, nil, syscall.EINVAL},
		{verbs.ZeroBased, verbs.ErrUnsupported, nil},
		{write | verbs.RemoteWrite | verbs.ZeroBased, verbs.ErrUnsupported, nil},
		{verbs.OnDemand, nil, syscall.EINVAL},
		{verbs.OnDemand | verbs.ZeroBased, verbs.ErrUnsupported, syscall.EINVAL},
		{verbs.HugeTLB, verbs.ErrUnsupported, syscall.EINVAL},
		{verbs.HugeTLB | verbs.ZeroBased, verbs.ErrUnsupported, verbs.ErrUnsupported},
	} {
		if err := checkAccess(tt.access, false); !errors.Is(err, tt.host) {
			t.Errorf("%s of host memory: %v, want %v", tt.access, err, tt.host)
		}
		if err := checkAccess(tt.access, true); !errors.Is(err, tt.device) {
			t.Errorf("%s of device memory: %v, want %v", tt.access, err, tt.device)
		}
	}
}

// TestOwnerReads reads and writes at the ends of a region and beyond.
func TestOwnerReads(t *testing.T) {
	d := newDomain()
	m := region(t, d, 16, verbs.LocalWrite)
	for _, tt := range []struct {
		off  int64
		n    int
		read int
		want error // of reading
		fail error // of writing
	}{
		{0, 16, 16, nil, nil}, {8, 8, 8, nil, nil}, {16, 0, 0, nil, nil}, {0, 0, 0, nil, nil},
		{0, 17, 16, io.EOF, syscall.EFAULT}, {8, 9, 8, io.EOF, syscall.EFAULT}, {16, 1, 0, io.EOF, syscall.EFAULT},
		{17, 0, 0, syscall.EFAULT, syscall.EFAULT}, {-1, 1, 0, syscall.EFAULT, syscall.EFAULT},
	} {
		if n, err := m.ReadAt(make([]byte, tt.n), tt.off); n != tt.read || !errors.Is(err, tt.want) {
			t.Errorf("reading %d bytes at %d: %d, %v, want %d, %v", tt.n, tt.off, n, err, tt.read, tt.want)
		}
		written := tt.n
		if tt.fail != nil {
			written = 0
		}
		if n, err := m.WriteAt(make([]byte, tt.n), tt.off); n != written || !errors.Is(err, tt.fail) {
			t.Errorf("writing %d bytes at %d: %d, %v, want %d, %v", tt.n, tt.off, n, err, written, tt.fail)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := m.ReadAt(nil, 0)
	wantErr(t, "reading what is closed", err, verbs.ErrClosed)
	_, err = m.WriteAt(nil, 0)
	wantErr(t, "writing what is closed", err, verbs.ErrClosed)
	wantErr(t, "changing what is closed", m.rereg(verbs.MRChange{Flags: verbs.ReregAccess}), verbs.ErrClosed)
}

// TestRegionThatEnds uses a region whose bytes are freed while the table still has it, as during a close.
func TestRegionThatEnds(t *testing.T) {
	d := newDomain()
	m := region(t, d, 64, verbs.LocalWrite|remoteRights)
	var v View
	v.Init(d)
	mapping := m.current().take()
	list := []verbs.SGE{{Addr: m.Addr(), Length: 8, LKey: m.LKey()}}
	if v.Write(m.RKey(), m.Addr(), make([]byte, 8)) || v.Scatter(make([]byte, 8), list, new(Cursor)) {
		t.Error("written")
	}
	if _, ok := v.Read(nil, m.RKey(), m.Addr(), 8); ok {
		t.Error("read")
	}
	if _, ok := v.Gather(nil, list, new(Cursor), 8); ok {
		t.Error("gathered")
	}
	if orig, ok := v.Atomic(Atomic{Value: 1}, m.RKey(), m.Addr()); ok || orig != 0 {
		t.Errorf("atomic %d, %t", orig, ok)
	}
	if err := mapping.Close(); err != nil {
		t.Error(err)
	}
}

// TestRegionRefused makes invalid registrations: none is counted.
func TestRegionRefused(t *testing.T) {
	d := newDomain()
	closed := d.beside(true)
	closed.Closed = true
	before := inUse(d)
	for name, tt := range map[string]struct {
		d    *Domain
		spec verbs.MRSpec
		want error
	}{
		"no bytes":          {d, verbs.MRSpec{}, syscall.EINVAL},
		"too many bytes":    {d, verbs.MRSpec{Length: MaxRegionSize + 1}, syscall.EINVAL},
		"remote write only": {d, verbs.MRSpec{Length: 1, Access: verbs.RemoteWrite}, syscall.EINVAL},
		"a closed domain":   {closed, verbs.MRSpec{Length: 1}, verbs.ErrClosed},
		"no device memory": {d, verbs.MRSpec{Length: 1, Access: verbs.ZeroBased,
			Backing: verbs.Backing{Kind: verbs.DeviceMemory}}, syscall.EINVAL},
		"another provider's memory": {d, verbs.MRSpec{Length: 1, Access: verbs.ZeroBased,
			Backing: verbs.Backing{Kind: verbs.DeviceMemory, DM: struct{ verbs.DM }{}}}, verbs.ErrForeignObject},
		"a file that is not one": {d, verbs.MRSpec{Length: 1,
			Backing: verbs.Backing{Kind: verbs.FileMapping, Path: filepath.Join(t.TempDir(), "none")}}, syscall.ENOENT},
	} {
		if _, err := tt.d.regMR(tt.spec); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
		_, err := tt.d.RegMR(tt.spec)
		wantErr(t, name, err, tt.want)
	}
	regions, windows := d.table.Keys()
	if now := inUse(d); now != before || regions+windows != 0 {
		t.Errorf("%v in use, %d keys", now, regions+windows)
	}
}

// TestReadOnlyFile registers the file of the running program, which cannot be written.
func TestReadOnlyFile(t *testing.T) {
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d, backing := newDomain(), verbs.Backing{Kind: verbs.FileMapping, Path: name}
	_, err = d.regMR(verbs.MRSpec{Length: 4096, Access: verbs.LocalWrite, Backing: backing})
	wantErr(t, "to be written", err, syscall.EFAULT)
	m, err := d.regMR(verbs.MRSpec{Length: 4096, Access: verbs.RemoteRead, Backing: backing})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if m.Spec().Length != 4096 {
		t.Errorf("%d bytes", m.Spec().Length)
	}
	wantErr(t, "to be written from now on", m.rereg(verbs.MRChange{Flags: verbs.ReregAccess, Access: verbs.LocalWrite}),
		syscall.EFAULT)
	if err := m.rereg(verbs.MRChange{Flags: verbs.ReregAccess}); err != nil {
		t.Error(err)
	}
}

// TestReregRefused makes invalid changes to a region: it stays unchanged, and nothing more is counted.
func TestReregRefused(t *testing.T) {
	d := newDomain()
	m, bound := region(t, d, 64, verbs.LocalWrite), region(t, d, 64, verbs.LocalWrite|verbs.MWBind)
	closed := d.beside(true)
	closed.Closed = true
	var v View
	v.Init(d)
	w, err := d.allocMW(verbs.MWType2)
	if err != nil {
		t.Fatal(err)
	}
	if !v.Bind(&Binding{window: w, key: w.key, region: bound.current(), addr: bound.Addr(), length: 8}) {
		t.Fatal("not bound")
	}
	const all = verbs.ReregTranslation | verbs.ReregAccess | verbs.ReregPD
	for name, tt := range map[string]struct {
		m    *MR
		c    verbs.MRChange
		want error
	}{
		"nothing":         {m, verbs.MRChange{}, syscall.EINVAL},
		"an unknown flag": {m, verbs.MRChange{Flags: (all + 1) &^ all, Length: 8}, syscall.EINVAL},
		"rights without the flag": {m,
			verbs.MRChange{Flags: verbs.ReregTranslation, Length: 8, Access: verbs.LocalWrite}, syscall.EINVAL},
		"an invalid combination of rights": {m, verbs.MRChange{Flags: verbs.ReregAccess, Access: verbs.RemoteWrite},
			syscall.EINVAL},
		"no bytes": {m, verbs.MRChange{Flags: verbs.ReregTranslation}, syscall.EINVAL},
		"too many bytes": {m,
			verbs.MRChange{Flags: verbs.ReregTranslation, Length: MaxRegionSize + 1}, syscall.EINVAL},
		"no domain": {m, verbs.MRChange{Flags: verbs.ReregPD}, syscall.EINVAL},
		"another provider's domain": {m, verbs.MRChange{Flags: verbs.ReregPD, PD: struct{ verbs.PD }{}},
			verbs.ErrForeignObject},
		"a domain of another context": {m,
			verbs.MRChange{Flags: verbs.ReregPD, PD: protection{d: d.beside(false)}}, verbs.ErrForeignObject},
		"a closed domain": {m, verbs.MRChange{Flags: verbs.ReregPD, PD: protection{d: closed}},
			verbs.ErrClosed},
		"with a window": {bound, verbs.MRChange{Flags: verbs.ReregAccess}, syscall.EBUSY},
		"with a window, moved": {bound, verbs.MRChange{Flags: verbs.ReregTranslation, Length: 8},
			syscall.EBUSY},
	} {
		before, spec, key := inUse(d), tt.m.Spec(), tt.m.RKey()
		wantErr(t, name, tt.m.rereg(tt.c), tt.want)
		if inUse(d) != before || tt.m.Spec() != spec || tt.m.RKey() != key {
			t.Errorf("%s: %v, %v in use", name, tt.m.Spec(), inUse(d))
		}
	}
	other := d.beside(true)
	if err := m.rereg(verbs.MRChange{Flags: verbs.ReregPD, PD: protection{d: other}}); err != nil ||
		m.current().domain != other {
		t.Errorf("to another domain: %v", err)
	}
	if d.Busy("") == nil || other.Busy("") == nil {
		t.Error("a domain of a region or a window is not in use")
	}
	if err := errors.Join(w.Close(), bound.Close()); err != nil || d.Busy("") != nil {
		t.Errorf("%v, %v", err, d.Busy(""))
	}
	if err := m.Close(); err != nil || other.Busy("") != nil {
		t.Errorf("%v, %v", err, other.Busy(""))
	}
}

// TestBudgetsUsedUp makes objects when no memory is left: failed ones are not counted.
func TestBudgetsUsedUp(t *testing.T) {
	make := func(d *Domain) []func() error {
		return []func() error{
			func() error { _, err := d.allocMW(verbs.MWType1); return err },
			func() error { _, err := d.regMR(verbs.MRSpec{Length: 8}); return err },
			func() error { _, err := d.table.AllocDM(d.context, verbs.DMSpec{Length: 8}); return err },
		}
	}
	for i := range make(newDomain()) {
		for limit := uint64(0); ; limit += 8 {
			d := newDomain()
			d.table.quota.Memory = memory.New(limit, "a test's")
			err := make(d)[i]()
			if err == nil {
				if limit < object.ObjectBytes {
					t.Errorf("object %d was made with only %d bytes", i, limit)
				}
				break
			}
			if wantErr(t, "no memory", err, syscall.ENOMEM); inUse(d) != [5]uint64{} {
				t.Fatalf("object %d with %d bytes: %v are in use", i, limit, inUse(d))
			}
		}
	}
}
