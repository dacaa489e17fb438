package verbstest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

// mapped is the number of bytes of a file or object that the tests map: some pages, the last one partly.
const mapped = 3*4096 - 96

// newFile makes a file in a temporary directory of the test.
func newFile(t *testing.T, p []byte) verbs.Backing {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backing")
	if err := os.WriteFile(path, p, 0o600); err != nil {
		t.Fatal(err)
	}
	return verbs.Backing{Kind: verbs.FileMapping, Path: path}
}

func (b *bench) newBackedMR(backing verbs.Backing, length uint64, access verbs.Access) verbs.MR {
	b.t.Helper()
	mr, err := b.pd.RegMR(verbs.MRSpec{Length: length, Access: access, Backing: backing})
	b.must(err)
	b.closeAtEnd(mr)
	return mr
}

// testBackings registers memory that the provider did not allocate: other processes see what a peer writes to it.
func testBackings(t *testing.T, b *bench) {
	b.part("a file", func(t *testing.T, b *bench) {
		backing := newFile(t, pattern(mapped, 1))
		b.wantShared(t, backing, 0, backing.Path)
	})
	b.part("a part of a file", func(t *testing.T, b *bench) {
		backing := newFile(t, pattern(mapped, 1))
		backing.Offset = 4096
		mr := b.newBackedMR(backing, 0, verbs.LocalWrite)
		if got := mr.Spec(); got != (verbs.MRSpec{Length: mapped - 4096, Access: verbs.LocalWrite, Backing: backing}) {
			t.Errorf("%+v", got)
		}
		wantBytes(t, mr, pattern(mapped, 1)[4096:], 0)
	})
	b.part("a file that becomes shorter", testTruncated)
	b.part("a file that cannot be written", testReadOnlyFile)
	b.part("shared memory", func(t *testing.T, b *bench) {
		if runtime.GOOS != "linux" {
			b.wantNoBacking(t, verbs.Backing{Kind: verbs.SharedMemory, Path: "/rdmatui"}, mapped)
			return
		}
		backing := verbs.Backing{
			Kind: verbs.SharedMemory, Path: fmt.Sprintf("/rdmatui-%s-%d", b.dev.Info().Name, os.Getpid()),
		}
		path := "/dev/shm" + backing.Path
		t.Cleanup(func() { // after the region is closed
			if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s still exists: %v", path, err)
			}
		})
		b.part("bytes", func(t *testing.T, b *bench) { b.wantShared(t, backing, mapped, path) })
	})
	b.part("a dma-buf", testDMABuf)
	b.part("refused", testRefusedBackings)
}

// wantShared has a peer write to a region, and read what another process wrote to the file behind it.
func (b *bench) wantShared(t *testing.T, backing verbs.Backing, length uint64, path string) {
	p := b.newPair(pairOptions{access: everyRemote})
	mr := b.newBackedMR(backing, length, localAndAll)
	local := b.newMR(mapped, verbs.LocalWrite)
	fill(t, local, pattern(mapped, 2), 0)
	b.wantComplete(p.a, reach(verbs.WRRDMAWrite, local, mapped, mr.Addr(), mr.RKey()), verbs.WCSuccess)
	got, err := os.ReadFile(path)
	b.must(err)
	if !bytes.Equal(got, pattern(mapped, 2)) {
		t.Error("the file does not contain the bytes that the peer wrote")
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	b.must(err)
	defer f.Close()
	_, err = f.WriteAt(pattern(100, 3), 5000)
	b.must(err)
	b.wantComplete(p.a, reach(verbs.WRRDMARead, local, 200, mr.Addr()+4950, mr.RKey()), verbs.WCSuccess)
	wantBytes(t, local, pattern(100, 3), 50)
	wantBytes(t, mr, pattern(100, 3), 5000)
	fill(t, mr, pattern(64, 4), 0)
	dst := b.newMR(64, localAndAll)
	inline := reach(verbs.WRRDMAWrite, mr, 64, dst.Addr(), dst.RKey())
	inline.SendFlags |= verbs.SendInline
	b.wantComplete(p.a, inline, verbs.WCSuccess)
	wantBytes(t, dst, pattern(64, 4), 0)
}

// testDMABuf lets a peer access a dma-buf of the kernel, if it supports them. A device without the verb reports that.
func testDMABuf(t *testing.T, b *bench) {
	const size = 2 * 4096
	backing := verbs.Backing{Kind: verbs.DMABuf, FD: verbs.NewDMABuf}
	_, missing := os.Stat("/dev/udmabuf")
	switch {
	case runtime.GOOS != "linux":
		b.wantNoBacking(t, backing, size)
		return
	case missing != nil:
		if _, err := b.pd.RegMR(verbs.MRSpec{Length: size, Access: verbs.LocalWrite, Backing: backing}); !errors.Is(err,
			os.ErrNotExist) {
			t.Errorf("without /dev/udmabuf: %v, want ENOENT", err)
		}
		return
	case !b.env.DMABuf:
		b.wantNoBacking(t, backing, size)
		return
	}
	p := b.newPair(pairOptions{access: everyRemote})
	mr, local := b.newBackedMR(backing, size, localAndAll), b.newMR(size, verbs.LocalWrite)
	wantBytes(t, mr, make([]byte, size), 0)
	fill(t, local, pattern(size, 2), 0)
	b.wantComplete(p.a, reach(verbs.WRRDMAWrite, local, size, mr.Addr(), mr.RKey()), verbs.WCSuccess)
	wantBytes(t, mr, pattern(size, 2), 0)
	fill(t, mr, pattern(100, 3), 5000)
	b.wantComplete(p.a, reach(verbs.WRRDMARead, local, 200, mr.Addr()+4950, mr.RKey()), verbs.WCSuccess)
	wantBytes(t, local, pattern(100, 3), 50)
	if err := mr.Rereg(verbs.MRChange{Flags: verbs.ReregAccess, Access: verbs.LocalWrite}); !errors.Is(err,
		syscall.EINVAL) {
		t.Errorf("changing the region: %v, want EINVAL", err)
	}
}

// testTruncated truncates the file behind a region: the owner's access fails and the program continues.
func testTruncated(t *testing.T, b *bench) {
	p := b.newPair(pairOptions{access: everyRemote})
	backing := newFile(t, pattern(mapped, 1))
	mr := b.newBackedMR(backing, 0, localAndAll)
	b.must(os.Truncate(backing.Path, 10))
	buf := make([]byte, 100)
	if _, err := mr.ReadAt(buf, 8000); !errors.Is(err, syscall.EFAULT) {
		t.Errorf("ReadAt: %v, want EFAULT", err)
	}
	if _, err := mr.WriteAt(buf, 8000); !errors.Is(err, syscall.EFAULT) {
		t.Errorf("WriteAt: %v, want EFAULT", err)
	}
	wantBytes(t, mr, pattern(10, 1), 0)
	dst := b.newMR(64, localAndAll)
	inline := reach(verbs.WRRDMAWrite, mr, 64, dst.Addr(), dst.RKey())
	inline.SGList[0].Addr += 8000
	inline.SendFlags |= verbs.SendInline
	if n, err := p.a.PostSend(inline); n != 0 || !errors.Is(err, syscall.EFAULT) {
		t.Errorf("inline data from truncated memory: PostSend accepted %d: %v; want EFAULT", n, err)
	}
}

// testReadOnlyFile registers the file of the running program, which is read-only.
func testReadOnlyFile(t *testing.T, b *bench) {
	if runtime.GOOS != "linux" {
		return // other systems may allow writing to it
	}
	self, err := os.Executable()
	b.must(err)
	backing := verbs.Backing{Kind: verbs.FileMapping, Path: self}
	if _, err := b.pd.RegMR(verbs.MRSpec{Length: 4096, Access: verbs.LocalWrite, Backing: backing}); !errors.Is(err,
		syscall.EFAULT) {
		t.Errorf("LOCAL_WRITE: %v, want EFAULT", err)
	}
	spec := verbs.MRSpec{Length: 4096, Access: verbs.RemoteRead, Backing: backing}
	if b.env.has(PinsForWriting) {
		if _, err := b.pd.RegMR(spec); !errors.Is(err, syscall.EFAULT) {
			t.Errorf("without LOCAL_WRITE: %v, want EFAULT", err)
		}
		return
	}
	p := b.newPair(pairOptions{access: everyRemote})
	mr, local := b.newBackedMR(backing, spec.Length, spec.Access), b.newMR(4096, verbs.LocalWrite)
	b.wantComplete(p.a, reach(verbs.WRRDMARead, local, 4096, mr.Addr(), mr.RKey()), verbs.WCSuccess)
	wantBytes(t, local, []byte("\x7fELF"), 0)
	if _, err := mr.WriteAt([]byte("x"), 0); !errors.Is(err, syscall.EACCES) {
		t.Errorf("WriteAt: %v, want EACCES", err)
	}
}

// testRefusedBackings asks for memory that cannot be mapped.
func testRefusedBackings(t *testing.T, b *bench) {
	file := newFile(t, pattern(100, 1))
	for name, tt := range map[string]struct {
		backing verbs.Backing
		length  uint64
		want    error
	}{
		"a file that is not there": {verbs.Backing{Kind: verbs.FileMapping, Path: file.Path + "x"}, 1, syscall.ENOENT},
		"more than the file":       {file, 101, syscall.EINVAL},
		"a directory": {verbs.Backing{Kind: verbs.FileMapping, Path: filepath.Dir(file.Path)},
			1, syscall.EISDIR},
	} {
		if _, err := b.pd.RegMR(verbs.MRSpec{Length: tt.length, Access: verbs.LocalWrite,
			Backing: tt.backing}); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

// wantNoBacking fails unless a kind of memory is reported as unsupported.
func (b *bench) wantNoBacking(t *testing.T, backing verbs.Backing, length uint64) {
	if _, err := b.pd.RegMR(verbs.MRSpec{Length: length, Access: verbs.LocalWrite, Backing: backing}); !errors.Is(err,
		verbs.ErrUnsupported) {
		t.Errorf("%s: %v, want ErrUnsupported", backing, err)
	}
}

// hasOnDemand returns the RC operations that may use on-demand paging, and checks them against the environment.
func (b *bench) hasOnDemand() (caps uint32, ok bool) {
	b.t.Helper()
	ex, err := b.dev.QueryDeviceEx()
	if err != nil && !errors.Is(err, verbs.ErrUnsupported) {
		b.t.Fatal(err)
	}
	if has := ex.ODPCaps.GeneralCaps&verbs.ODPSupport != 0; has != b.env.OnDemand {
		b.t.Fatalf("odp_caps.general_caps is 0x%x; want on-demand paging: %v", ex.ODPCaps.GeneralCaps, b.env.OnDemand)
	}
	return ex.ODPCaps.RCODPCaps, b.env.OnDemand
}

// testOnDemand uses memory paged on demand at both ends, for each operation that the device supports. A device without
// it refuses the right.
func testOnDemand(t *testing.T, b *bench) {
	const size = 5 << 20 // most of which is never touched
	caps, ok := b.hasOnDemand()
	if !ok {
		_, err := b.pd.RegMR(verbs.MRSpec{Length: size, Access: verbs.LocalWrite | verbs.OnDemand})
		if !errors.Is(err, syscall.EINVAL) && !errors.Is(err, verbs.ErrUnsupported) {
			t.Errorf("ON_DEMAND: %v, want EINVAL or ErrUnsupported", err)
		}
		return
	}
	p := b.newPair(pairOptions{access: everyRemote})
	local, remote := b.newMR(size, verbs.LocalWrite|verbs.OnDemand), b.newMR(size, localAndAll|verbs.OnDemand)
	if got := remote.Spec().Access; got != localAndAll|verbs.OnDemand {
		t.Errorf("the rights are %s", got)
	}
	from, n := uint64(size-9000), 8800 // across pages that have not been touched
	if b.env.has(ODPAtPageStart) {
		from, n = size-8<<10, 1000 // at the start of a page, in one packet
		defer b.writeIntoPage(t, p.a, local, remote)
	}
	fill(t, local, pattern(n, 1), int64(from))
	if caps&verbs.ODPWrite != 0 {
		b.wantComplete(p.a, verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite, SGList: sge(local, from, uint32(n)),
			RemoteAddr: remote.Addr() + from, RKey: remote.RKey()}, verbs.WCSuccess)
		wantBytes(t, remote, pattern(n, 1), int64(from))
	}
	if caps&verbs.ODPRead != 0 {
		b.wantComplete(p.a, verbs.SendWR{WRID: 2, Opcode: verbs.WRRDMARead, SGList: sge(local, 1<<20, uint32(n)),
			RemoteAddr: remote.Addr() + 2<<20, RKey: remote.RKey()}, verbs.WCSuccess)
		wantBytes(t, local, make([]byte, n), 1<<20)
	}
	if caps&verbs.ODPAtomic != 0 {
		b.wantComplete(p.a, verbs.SendWR{WRID: 3, Opcode: verbs.WRAtomicFetchAndAdd, SGList: sge(local, 0, word),
			RemoteAddr: remote.Addr() + 3<<20, RKey: remote.RKey(), CompareAdd: 5}, verbs.WCSuccess)
		wantWord(t, remote, 5, 3<<20)
	}
	if caps&(verbs.ODPSend|verbs.ODPRecv) == verbs.ODPSend|verbs.ODPRecv {
		b.postRecv(p.b, verbs.RecvWR{WRID: 5, SGList: sge(remote, 4<<20, uint32(n))})
		b.postSend(p.a, verbs.SendWR{WRID: 4, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled,
			SGList: sge(local, from, uint32(n))})
		got := b.completions(2)
		wantStatus(t, got, 4, verbs.WCSuccess)
		wantStatus(t, got, 5, verbs.WCSuccess)
		wantBytes(t, remote, pattern(n, 1), 4<<20)
	}
	if _, err := b.pd.RegMR(verbs.MRSpec{Length: math.MaxUint64, Access: localAndAll | verbs.OnDemand}); err == nil {
		t.Error("all memory of the process was registered")
	}
}

// writeIntoPage checks a device that ignores the place in a page: what is written there is at the page's start.
func (b *bench) writeIntoPage(t *testing.T, qp verbs.QP, local, remote verbs.MR) {
	page := int64(os.Getpagesize())
	fill(t, local, pattern(word, 1), 0)
	b.wantComplete(qp, verbs.SendWR{WRID: 6, Opcode: verbs.WRRDMAWrite, SGList: sge(local, 0, word),
		RemoteAddr: remote.Addr() + uint64(page) + 100, RKey: remote.RKey()}, verbs.WCSuccess)
	wantBytes(t, remote, pattern(word, 1), page)
	wantBytes(t, remote, make([]byte, word), page+100)
}
