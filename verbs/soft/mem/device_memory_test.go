package mem

import (
	"bytes"
	"errors"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

// TestDeviceMemoryRefused asks for device memory that cannot be allocated.
func TestDeviceMemoryRefused(t *testing.T) {
	d := newDomain()
	for name, tt := range map[string]struct {
		spec verbs.DMSpec
		want error
	}{
		"no bytes":       {verbs.DMSpec{}, syscall.EINVAL},
		"too many bytes": {verbs.DMSpec{Length: MaxDeviceMemory + 1}, syscall.EINVAL},
		"an alignment":   {verbs.DMSpec{Length: 8, LogAlignReq: maxAlign + 1}, syscall.EINVAL},
	} {
		_, err := d.table.AllocDM(d.context, tt.spec)
		wantErr(t, name, err, tt.want)
	}
	all, err := d.table.AllocDM(d.context, verbs.DMSpec{Length: MaxDeviceMemory, LogAlignReq: maxAlign})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.table.AllocDM(d.context, verbs.DMSpec{Length: 1})
	wantErr(t, "a byte more than there is", err, syscall.ENOMEM)
	if n := d.table.quota.DM.Load(); n != 1 {
		t.Errorf("%d pieces counted", n)
	}
	if err := errors.Join(all.Close(), all.Close(), d.context.Close()); err != nil || inUse(d) != [5]uint64{} {
		t.Errorf("%v, %v in use", err, inUse(d))
	}
	_, err = d.table.AllocDM(d.context, verbs.DMSpec{Length: 1})
	wantErr(t, "of a closed context", err, verbs.ErrClosed)
}

// TestDeviceMemoryOwner reads and writes at the ends of a piece and beyond.
func TestDeviceMemoryOwner(t *testing.T) {
	d := newDomain()
	m, err := d.table.AllocDM(d.context, verbs.DMSpec{Length: 16})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		off  int64
		n    int
		want error
	}{
		{0, 16, nil}, {8, 8, nil}, {16, 0, nil}, {0, 0, nil},
		{0, 17, syscall.EFAULT}, {8, 9, syscall.EFAULT}, {16, 1, syscall.EFAULT}, {17, 0, syscall.EFAULT},
		{-1, 1, syscall.EFAULT},
	} {
		n, err := m.WriteAt(bytes.Repeat([]byte{byte(tt.n)}, tt.n), tt.off)
		if !errors.Is(err, tt.want) || err == nil && n != tt.n {
			t.Errorf("writing %d bytes at %d: %d, %v", tt.n, tt.off, n, err)
		}
		got := make([]byte, tt.n)
		if n, err = m.ReadAt(got, tt.off); !errors.Is(err, tt.want) || err == nil &&
			(n != tt.n || bytes.Count(got, []byte{byte(tt.n)}) < tt.n) {
			t.Errorf("reading %d bytes at %d: %d, %v: %v", tt.n, tt.off, n, err, got)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = m.ReadAt(nil, 0)
	wantErr(t, "reading what is closed", err, verbs.ErrClosed)
	_, err = m.WriteAt(nil, 0)
	wantErr(t, "writing what is closed", err, verbs.ErrClosed)
}

// TestDeviceMemoryParts registers parts of a piece.
func TestDeviceMemoryParts(t *testing.T) {
	d := newDomain()
	m, err := d.table.AllocDM(d.context, verbs.DMSpec{Length: 64})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		offset, length, want uint64 // bytes, 0: refused
	}{
		{0, 64, 64}, {0, 0, 64}, {16, 0, 48}, {16, 48, 48}, {63, 1, 1}, {63, 0, 1},
		{0, 65, 0}, {16, 49, 0}, {64, 0, 0}, {64, 1, 0}, {65, 0, 0}, {65, 1, 0},
	} {
		r, err := d.regMR(verbs.MRSpec{
			Length: tt.length, Access: verbs.ZeroBased,
			Backing: verbs.Backing{Kind: verbs.DeviceMemory, DM: m, Offset: tt.offset},
		})
		if tt.want == 0 {
			wantErr(t, "a part that is not there", err, syscall.EINVAL)
			continue
		}
		if err != nil || r.Spec().Length != tt.want || r.Addr() != 0 {
			t.Errorf("%d bytes at %d: %+v, %v", tt.length, tt.offset, r, err)
			continue
		}
		if _, err := r.ReadAt(make([]byte, 1), 0); !errors.Is(err, verbs.ErrDeviceMemory) {
			t.Errorf("read by the host: %v", err)
		}
		wantErr(t, "freed with a region", m.Close(), syscall.EBUSY)
		wantErr(t, "changed", r.rereg(verbs.MRChange{Flags: verbs.ReregAccess, Access: verbs.ZeroBased}),
			syscall.EINVAL)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	backing := verbs.Backing{Kind: verbs.DeviceMemory, DM: m}
	_, err = d.regMR(verbs.MRSpec{Length: 1, Access: verbs.ZeroBased, Backing: backing})
	wantErr(t, "a part of what is freed", err, verbs.ErrClosed)
	_, err = d.beside(false).regMR(verbs.MRSpec{Length: 1, Access: verbs.ZeroBased, Backing: backing})
	wantErr(t, "a part of another context's", err, verbs.ErrForeignObject)
}
