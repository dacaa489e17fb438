package verbs

import "errors"

// DMSpec asks for device memory; struct ibv_alloc_dm_attr.
type DMSpec struct {
	Length      uint64 // bytes, at least 1 and at most max_dm_size
	LogAlignReq uint32 // binary logarithm of the alignment that is needed; 0: any
}

// DM is a piece of a device's own memory; ibv_alloc_dm(3). The process has no address of it: its bytes are reached by copying, and by requests
// once it is registered as the [Backing] of a region.
type DM interface {
	Spec() DMSpec
	// ReadAt copies from the memory, all or nothing; ibv_memcpy_from_dm. Beyond the end it fails with EFAULT, after Close with ErrClosed. A
	// device may want multiples of 4 bytes, and fails with EINVAL otherwise.
	ReadAt(p []byte, off int64) (int, error)
	// WriteAt copies into the memory, as ReadAt does; ibv_memcpy_to_dm.
	WriteAt(p []byte, off int64) (int, error)
	// Close frees the memory; ibv_free_dm. It fails while regions are over it.
	Close() error
}

// ErrDeviceMemory is returned where the bytes of a region are of device memory, which the process cannot reach through the region.
var ErrDeviceMemory = errors.New("device memory has no address in this process: copy it with memcpy_to_dm and memcpy_from_dm")
