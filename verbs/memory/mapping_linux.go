package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"strings"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

const (
	sharedDir     = "/dev/shm"
	maxSharedName = 255 // NAME_MAX, with the slash
	hugetlbfs     = 0x958458f6
	hugeShift     = 26 // MAP_HUGE_SHIFT: position of the page size's logarithm in the flags of mmap
)

// mappingUnit returns the unit that lengths are rounded up to for a file mapping: munmap requires whole huge pages.
func mappingUnit(f *os.File) uint64 {
	var s syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.Fd()), &s); err == nil && s.Type == hugetlbfs && s.Bsize > 0 {
		return uint64(s.Bsize)
	}
	return 1
}

// mapShared maps a shared memory object. If it does not exist and length is given, mapShared creates it.
func (b *Budget) mapShared(backing verbs.Backing, length uint64) (*Mapping, error) {
	name, ok := strings.CutPrefix(backing.Path, "/")
	if !ok || name == "" || name == "." || name == ".." || len(backing.Path) > maxSharedName ||
		strings.ContainsAny(name, "/\x00") {
		return nil,
			mapError("shm_open", backing, syscall.EINVAL, "the name is one slash and up to 254 other characters")
	}
	path := sharedDir + backing.Path
	f, readOnly, err := openMapped(path, syscall.O_NOFOLLOW)
	if errors.Is(err, os.ErrNotExist) && length > 0 {
		return b.makeShared(path, backing, length)
	}
	if err != nil {
		return nil, mapError("shm_open", backing, err, "there is no such object: give length to make it")
	}
	defer f.Close()
	return mapOpen(f, backing, length, readOnly)
}

func (b *Budget) makeShared(path string, backing verbs.Backing, length uint64) (_ *Mapping, err error) {
	size := backing.Offset + length
	if err := b.Take(size); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		b.Give(size)
		return nil, mapError("shm_open", backing, err, "")
	}
	defer f.Close()
	var m *Mapping
	if err = syscall.Fallocate(int(f.Fd()), 0, 0, int64(size)); err == nil {
		m, err = mapOpen(f, backing, length, false)
	} else {
		err = mapError("fallocate", backing, err, "df "+sharedDir+" tells how much room there is")
	}
	if err != nil {
		b.Give(size)
		return nil, errors.Join(err, os.Remove(path))
	}
	m.made, m.budget, m.taken = path, b, size
	return m, nil
}

// hugePool is the state of the kernel's pool of huge pages of one size.
type hugePool struct {
	size      uint64 // of a page, in bytes
	total     uint64 // pages, as is free
	free      uint64 // neither used nor reserved
	isDefault bool
	known     bool
	none      bool // the kernel has no huge pages of any size
}

const hugeDir = "sys/kernel/mm/hugepages"

// readHugePool reads the state of a pool from the host's files; size 0 means the default size.
func readHugePool(files fs.FS, size uint64) (p hugePool) {
	kib, has := field(files, "proc/meminfo", "Hugepagesize:")
	p.none = !has
	p.size, p.isDefault = size, size == 0 || size == kib<<10
	if p.isDefault {
		p.size = kib << 10
	}
	dir := p.dir()
	p.total, p.known = number(files, dir+"/nr_hugepages")
	free, _ := number(files, dir+"/free_hugepages")
	reserved, _ := number(files, dir+"/resv_hugepages")
	p.free = below(free, reserved)
	return p
}

// InHugePages returns the length of a region on huge pages of the default size that has room for length bytes. If the
// kernel has no huge pages, that is the same length.
func InHugePages(length uint64) uint64 {
	pool := readHugePool(os.DirFS("/"), 0)
	if !pool.known || length%pool.size == 0 {
		return length
	}
	return length - length%pool.size + pool.size
}

func (p *hugePool) dir() string { return fmt.Sprintf("%s/hugepages-%dkB", hugeDir, p.size>>10) }

// remedy returns how to get need free pages.
func (p *hugePool) remedy(need uint64) string {
	total := p.total + below(need, p.free)
	how := fmt.Sprintf("sysctl vm.nr_hugepages=%d", total)
	if !p.isDefault {
		how = fmt.Sprintf("echo %d > /%s/nr_hugepages", total, p.dir())
	}
	return fmt.Sprintf("needs %s of %s, %d free: %s", format.Counted(need, "huge page"),
		format.Size(p.size), p.free, how)
}

// missing returns what to do without a pool of this size.
func (p *hugePool) missing() string {
	if p.none {
		return "this kernel has no huge pages: leave out backing=hugetlb (bench: --use_hugepages), " +
			"or boot a kernel with CONFIG_HUGETLBFS"
	}
	return fmt.Sprintf("the kernel has no huge pages of %s: ls /%s lists the sizes", format.Size(p.size), hugeDir)
}

// mapHuge maps huge pages from the kernel's pool.
func mapHuge(backing verbs.Backing, length uint64) (*Mapping, error) {
	pool := readHugePool(os.DirFS("/"), backing.PageSize)
	switch {
	case !pool.known:
		return nil, mapError("mmap", backing, syscall.EINVAL, pool.missing())
	case length == 0 || length%pool.size != 0:
		return nil, mapError("mmap", backing, syscall.EINVAL,
			fmt.Sprintf("length must be a multiple of the page size, %d", pool.size))
	}
	flags := syscall.MAP_PRIVATE | syscall.MAP_ANON | syscall.MAP_HUGETLB | (bits.Len64(pool.size)-1)<<hugeShift
	whole, err := syscall.Mmap(-1, 0, int(length), syscall.PROT_READ|syscall.PROT_WRITE, flags)
	if errors.Is(err, syscall.ENOMEM) {
		return nil, mapError("mmap", backing, err, pool.remedy(length/pool.size))
	}
	if err != nil {
		return nil, mapError("mmap", backing, err, "")
	}
	return &Mapping{bytes: whole, whole: whole, fragile: true}, nil
}
