package verbs

import "fmt"

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
