package verbstest

import (
	"errors"
	"io"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

// maxDM returns the size of the device memory, 0 if the device reports none, and checks it against the environment.
func (b *bench) maxDM() uint64 {
	b.t.Helper()
	ex, err := b.dev.QueryDeviceEx()
	if err != nil && !errors.Is(err, verbs.ErrUnsupported) {
		b.t.Fatal(err)
	}
	if (ex.MaxDMSize > 0) != b.env.DeviceMemory {
		b.t.Fatalf("max_dm_size is %d; want device memory: %v", ex.MaxDMSize, b.env.DeviceMemory)
	}
	return ex.MaxDMSize
}

func (b *bench) newDM(length uint64) verbs.DM {
	b.t.Helper()
	dm, err := b.dev.AllocDM(verbs.DMSpec{Length: length})
	b.must(err)
	b.closeAtEnd(dm)
	return dm
}

func wantDM(t *testing.T, dm io.ReaderAt, want []byte, off int64) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := dm.ReadAt(got, off); n != len(got) || err != nil || string(got) != string(want) {
		t.Errorf("%d bytes from %d, %v: % .32x, want % .32x", n, off, err, got, want)
	}
}

// testDeviceMemory lets a peer access device memory, to and from which the process copies. A device without it reports
// that.
func testDeviceMemory(t *testing.T, b *bench) {
	if b.maxDM() == 0 {
		if _, err := b.dev.AllocDM(verbs.DMSpec{Length: 4096}); !errors.Is(err, verbs.ErrUnsupported) {
			t.Errorf("%v, want ErrUnsupported", err)
		}
		return
	}
	const size = 8192
	p := b.newPair(pairOptions{access: everyRemote})
	dm := b.newDM(size)
	if got := dm.Spec(); got.Length != size {
		t.Errorf("%+v", got)
	}
	backing := verbs.Backing{Kind: verbs.DeviceMemory, DM: dm}
	mr := b.newBackedMR(backing, 0, localAndAll|verbs.ZeroBased)
	backing.Offset = 4096
	part := b.newBackedMR(backing, 64, localAndAll|verbs.ZeroBased)
	if mr.Addr() != 0 || part.Addr() != 0 || mr.Spec().Length != size || part.Spec().Length != 64 {
		t.Errorf("0x%x with %d bytes, 0x%x with %d", mr.Addr(), mr.Spec().Length, part.Addr(), part.Spec().Length)
	}
	_, err := dm.WriteAt(pattern(size, 1), 0)
	b.must(err)
	wantDM(t, dm, pattern(size, 1), 0)
	local := b.newMR(size, verbs.LocalWrite)
	b.wantComplete(p.a, reach(verbs.WRRDMARead, local, 64, 0, part.RKey()), verbs.WCSuccess)
	wantBytes(t, local, pattern(size, 1)[4096:4096+64], 0)
	fill(t, local, pattern(size, 2), 0)
	b.wantComplete(p.a, reach(verbs.WRRDMAWrite, local, size, 0, mr.RKey()), verbs.WCSuccess)
	wantDM(t, dm, pattern(size, 2), 0)
	from := b.newMR(size, localAndAll) // the device memory is the requester's own
	b.wantComplete(p.a, verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite, SGList: sge(mr, 64, 128),
		RemoteAddr: from.Addr(), RKey: from.RKey()}, verbs.WCSuccess)
	wantBytes(t, from, pattern(size, 2)[64:192], 0)
	b.wantComplete(p.a, reach(verbs.WRAtomicFetchAndAdd, local, word, 8, part.RKey()), verbs.WCSuccess)
	b.wantComplete(p.a, reach(verbs.WRRDMAWrite, local, 8, 60, part.RKey()), verbs.WCRemAccessErr)
}

// testRefusedDeviceMemory makes allocations, registrations and copies that must fail.
func testRefusedDeviceMemory(t *testing.T, b *bench) {
	most := b.maxDM()
	if most == 0 {
		return
	}
	for _, length := range []uint64{0, most + 1} {
		if _, err := b.dev.AllocDM(verbs.DMSpec{Length: length}); !errors.Is(err, syscall.EINVAL) &&
			!errors.Is(err, syscall.ENOMEM) {
			t.Errorf("%d bytes: %v, want EINVAL or ENOMEM", length, err)
		}
	}
	dm := b.newDM(4096)
	for name, tt := range map[string]struct {
		offset, length uint64
		access         verbs.Access
	}{
		"addresses that do not count from 0": {0, 4096, verbs.LocalWrite},
		"more than there is":                 {4000, 97, verbs.LocalWrite | verbs.ZeroBased},
		"behind the end":                     {8192, 0, verbs.LocalWrite | verbs.ZeroBased},
	} {
		if _, err := b.pd.RegMR(verbs.MRSpec{Length: tt.length, Access: tt.access, Backing: verbs.Backing{
			Kind: verbs.DeviceMemory, DM: dm, Offset: tt.offset}}); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: %v, want EINVAL", name, err)
		}
	}
	for _, off := range []int64{-1, 4090, 1 << 62} {
		if n, err := dm.WriteAt(make([]byte, 8), off); n != 0 || !errors.Is(err, syscall.EFAULT) {
			t.Errorf("%d bytes written at %d, %v: want EFAULT", n, off, err)
		}
		if n, err := dm.ReadAt(make([]byte, 8), off); n != 0 || !errors.Is(err, syscall.EFAULT) {
			t.Errorf("%d bytes read at %d, %v: want EFAULT", n, off, err)
		}
	}
	mr := b.newBackedMR(verbs.Backing{Kind: verbs.DeviceMemory, DM: dm}, 0, verbs.LocalWrite|verbs.ZeroBased)
	_, readErr := mr.ReadAt(make([]byte, 8), 0)
	_, writeErr := mr.WriteAt(make([]byte, 8), 0)
	if !errors.Is(readErr, verbs.ErrDeviceMemory) || !errors.Is(writeErr, verbs.ErrDeviceMemory) {
		t.Errorf("ReadAt and WriteAt of the region: %v, %v; want ErrDeviceMemory", readErr, writeErr)
	}
	if err := mr.Rereg(verbs.MRChange{Flags: verbs.ReregAccess, Access: verbs.ZeroBased}); !errors.Is(err,
		syscall.EINVAL) {
		t.Errorf("changing the region: %v, want EINVAL", err)
	}
	if err := dm.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("freeing it while a region uses it: %v, want EBUSY", err)
	}
	b.must(mr.Close())
	b.must(dm.Close())
	if _, err := dm.ReadAt(make([]byte, 8), 0); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("after Close: %v, want ErrClosed", err)
	}
}
