package verbs

import (
	"errors"
	"fmt"
)

// MRSpec asks for a memory region.
type MRSpec struct {
	Length  uint64 // bytes, at least 1; of a file, shared memory or a dma-buf that is there, or device memory 0 is all behind the offset
	Access  Access
	Backing Backing // the zero value is fresh zeroed memory of the provider's
}

// MR is a registered memory region; ibv_reg_mr(3). Its bytes are reached by
// copying only: a peer may write at any time.
type MR interface {
	// Spec, and the address and keys below, are those of now: Rereg changes them.
	Spec() MRSpec
	Addr() uint64 // what sge.addr and remote_addr count from
	LKey() uint32 // key for SGEs of this process
	RKey() uint32 // key for requests of the peer
	// ReadAt and WriteAt copy from and to the region at a byte offset, as
	// io.ReaderAt and io.WriterAt do. They fail outside the region, after Close, and
	// where the memory cannot be reached: of a file that became shorter, for example. Of
	// device memory they fail with ErrDeviceMemory.
	ReadAt(p []byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)
	// Rereg changes the region in place; ibv_rereg_mr(3). Its keys may change.
	// An error that matches ErrUnsupported leaves the region as it was.
	Rereg(MRChange) error
	// Close deregisters. It fails while memory windows are bound to the region.
	Close() error
}

// MRChange says what [MR.Rereg] changes.
type MRChange struct {
	Flags  ReregFlags
	PD     PD     // with ReregPD
	Length uint64 // with ReregTranslation: over fresh zeroed memory of that many bytes, whatever it was over
	Access Access // with ReregAccess
}

// ReregFlags says which fields of an [MRChange] count; the values are those of
// enum ibv_rereg_mr_flags.
type ReregFlags uint32

// Parts of a region that can be changed.
const (
	ReregTranslation ReregFlags = 1 << 0
	ReregPD          ReregFlags = 1 << 1
	ReregAccess      ReregFlags = 1 << 2
)

// ReregFlagNames names them.
var ReregFlagNames = Flags[ReregFlags]{"rereg_mr", "IBV_REREG_MR_", map[int]string{
	0: "CHANGE_TRANSLATION", 1: "CHANGE_PD", 2: "CHANGE_ACCESS",
}}

// String returns the names of the set flags joined by "|", without the C prefix.
func (f ReregFlags) String() string { return ReregFlagNames.Name(f) }

// BackingKind is what the memory of a region is.
type BackingKind uint8

// Kinds of memory.
const (
	// Anonymous is fresh zeroed memory of the provider's.
	Anonymous BackingKind = iota
	// FileMapping is a regular file, mapped shared: what is written to the region is
	// written to the file; mmap(2).
	FileMapping
	// SharedMemory is a POSIX shared memory object, which other processes open by its
	// name; shm_overview(7).
	SharedMemory
	// HugePages is fresh zeroed memory of huge pages; MAP_HUGETLB in mmap(2).
	HugePages
	// DMABuf is a buffer that a driver shares with others, such as a GPU's memory; the
	// kernel's dma-buf.
	DMABuf
	// DeviceMemory is memory of the device; a region over it must be ZERO_BASED.
	DeviceMemory
)

// Backing says what memory a region is registered over. The zero value is fresh
// zeroed memory.
type Backing struct {
	Kind BackingKind
	// Path is a file's path, or the name of a shared memory object: "/name".
	Path string
	// Offset is where in a file, object, buffer or device memory the region begins, in bytes: a
	// multiple of the page size, but for device memory.
	Offset uint64
	// PageSize is the size of huge pages in bytes, 0 for the system's default.
	PageSize uint64
	// FD is the descriptor of a dma-buf, which stays the caller's; or NewDMABuf.
	FD int
	// DM is the device memory.
	DM DM
}

// NewDMABuf as a descriptor makes a buffer of ordinary memory, by /dev/udmabuf.
const NewDMABuf = -1

// Verb is the C function that registers such memory.
func (b Backing) Verb() string {
	if b.Kind == DeviceMemory {
		return "ibv_reg_dm_mr"
	}
	if b.Kind == DMABuf {
		return "ibv_reg_dmabuf_mr"
	}
	return "ibv_reg_mr"
}

// String names the memory for messages: its path or kind, and the offset if it is not 0.
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
	LogAlignReq uint32 // binary logarithm of the alignment that is needed; 0: any
}

// DM is a piece of a device's own memory; ibv_alloc_dm(3). The process has no
// address of it: its bytes are reached by copying, and by requests once it is
// registered as the [Backing] of a region.
type DM interface {
	// Spec returns what the memory was allocated with.
	Spec() DMSpec
	// ReadAt copies from the memory, all or nothing; ibv_memcpy_from_dm. Beyond the
	// end it fails with EFAULT, after Close with ErrClosed. A device may want
	// multiples of 4 bytes, and fails with EINVAL otherwise.
	ReadAt(p []byte, off int64) (int, error)
	// WriteAt copies into the memory, as ReadAt does; ibv_memcpy_to_dm.
	WriteAt(p []byte, off int64) (int, error)
	// Close frees the memory; ibv_free_dm. It fails while regions are over it.
	Close() error
}

// ErrDeviceMemory is returned where the bytes of a region are of device memory,
// which the process cannot reach through the region.
var ErrDeviceMemory = errors.New("device memory has no address in this process: copy it with memcpy_to_dm and memcpy_from_dm")
