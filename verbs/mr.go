package verbs

import (
	"errors"
	"fmt"
)

// MRSpec asks for a memory region.
type MRSpec struct {
	// bytes, at least 1; 0 means everything from the offset on, for an existing file, shared memory object or dma-buf,
	// and for device memory
	Length  uint64
	Access  Access
	Backing Backing // the zero value means fresh zeroed memory that the provider allocates
}

// MR is a registered memory region; ibv_reg_mr(3). Access its bytes only by copying: a peer may
// write at any time.
type MR interface {
	// Spec, Addr, LKey and RKey return the current values; Rereg changes them.
	Spec() MRSpec
	Addr() uint64 // base of sge.addr and remote_addr
	LKey() uint32 // key for SGEs of this process
	RKey() uint32 // key for requests of the peer
	// ReadAt and WriteAt copy from and to the region at a byte offset, like io.ReaderAt and
	// io.WriterAt. They fail outside the region, after Close, and if the memory is not accessible, for
	// example because its file was truncated. For device memory they fail with ErrDeviceMemory.
	ReadAt(p []byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)
	// Rereg changes the region in place; ibv_rereg_mr(3). Its keys may change. After an error that
	// matches ErrUnsupported the region is unchanged.
	Rereg(MRChange) error
	// Close deregisters the region; ibv_dereg_mr(3). It fails while memory windows are bound to the
	// region.
	Close() error
}

// MRChange describes the changes that [MR.Rereg] makes.
type MRChange struct {
	Flags ReregFlags
	PD    PD // with ReregPD
	// with ReregTranslation: the size of fresh zeroed memory that replaces the old memory, whatever that was
	Length uint64
	Access Access // with ReregAccess
}

// ReregFlags select the fields of an [MRChange] that apply; the values are those of enum
// ibv_rereg_mr_flags.
type ReregFlags uint32

// Properties of a region that can be changed.
const (
	ReregTranslation ReregFlags = 1 << 0
	ReregPD          ReregFlags = 1 << 1
	ReregAccess      ReregFlags = 1 << 2
)

// ReregFlagNames names the properties.
var ReregFlagNames = Flags[ReregFlags]{"rereg_mr", "IBV_REREG_MR_", map[int]string{
	0: "CHANGE_TRANSLATION", 1: "CHANGE_PD", 2: "CHANGE_ACCESS",
}}

// String returns the names of the set flags joined by "|", without the C
// prefix; "0" if none is set. Bits without a name appear in hexadecimal.
func (f ReregFlags) String() string { return ReregFlagNames.Name(f) }

// BackingKind is the kind of memory of a region.
type BackingKind uint8

// Kinds of memory.
const (
	// Anonymous is fresh zeroed memory that the provider allocates.
	Anonymous BackingKind = iota
	// FileMapping is a regular file, mapped shared: writes to the region change the file; mmap(2).
	FileMapping
	// SharedMemory is a POSIX shared memory object, which other processes open by name;
	// shm_overview(7).
	SharedMemory
	// HugePages is fresh zeroed memory in huge pages; MAP_HUGETLB in mmap(2).
	HugePages
	// DMABuf is a buffer that a driver shares with other drivers, such as a GPU's memory; the kernel's
	// dma-buf.
	DMABuf
	// DeviceMemory is memory of the device; a region over it must be ZERO_BASED.
	DeviceMemory
)

// Backing is the memory that a region is registered over. The zero value is fresh zeroed memory.
type Backing struct {
	Kind BackingKind
	// Path is a file's path, or the name of a shared memory object: "/name".
	Path string
	// Offset is the start of the region in the file, object, buffer or device memory, in bytes. It is
	// a multiple of the page size, except for device memory.
	Offset uint64
	// PageSize is the size of huge pages in bytes; 0 means the system's default.
	PageSize uint64
	// FD is the descriptor of a dma-buf, or NewDMABuf. The caller keeps ownership of it.
	FD int
	// DM is the device memory to register.
	DM DM
}

// NewDMABuf as the FD creates a dma-buf of ordinary memory with /dev/udmabuf.
const NewDMABuf = -1

// Verb returns the name of the C function that registers such memory.
func (b Backing) Verb() string {
	if b.Kind == DeviceMemory {
		return "ibv_reg_dm_mr"
	}
	if b.Kind == DMABuf {
		return "ibv_reg_dmabuf_mr"
	}
	return "ibv_reg_mr"
}

// String names the memory for messages: its path or kind, followed by the offset if it is not 0.
func (b Backing) String() string {
	at := ""
	if b.Offset > 0 {
		at = fmt.Sprintf(" from offset %d", b.Offset)
	}
	switch b.Kind {
	case FileMapping:
		return b.Path + at
	case SharedMemory:
		return "/dev/shm" + b.Path + at
	case HugePages:
		return "huge pages"
	case DMABuf:
		if b.FD == NewDMABuf {
			return "a new dma-buf" + at
		}
		return fmt.Sprintf("the dma-buf of descriptor %d", b.FD) + at
	case DeviceMemory:
		return "device memory" + at
	}
	return "anonymous memory"
}

// DMSpec asks for device memory; struct ibv_alloc_dm_attr.
type DMSpec struct {
	Length      uint64 // bytes, at least 1 and at most max_dm_size
	LogAlignReq uint32 // binary logarithm of the required alignment; 0: any
}

// DM is a block of a device's own memory; ibv_alloc_dm(3). It has no address in the process: access
// it by copying or, once it is registered as the [Backing] of a region, with requests.
type DM interface {
	// Spec returns the spec that the memory was allocated with.
	Spec() DMSpec
	// ReadAt copies from the memory, all or nothing; ibv_memcpy_from_dm. It fails with EFAULT beyond
	// the end and with ErrClosed after Close. A device may require multiples of 4 bytes and fail with
	// EINVAL otherwise.
	ReadAt(p []byte, off int64) (int, error)
	// WriteAt copies to the memory, as ReadAt does from it; ibv_memcpy_to_dm.
	WriteAt(p []byte, off int64) (int, error)
	// Close frees the memory; ibv_free_dm. It fails while a region is registered over it.
	Close() error
}

// ErrDeviceMemory is returned for access to the bytes of a region over device memory, which the
// process cannot access through the region.
var ErrDeviceMemory = errors.New(
	"device memory has no address in this process: copy it with memcpy_to_dm and memcpy_from_dm")
