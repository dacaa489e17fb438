package abi

// Sizes of glibc's pthread_mutex_t and pthread_cond_t (bits/pthreadtypes-arch.h); both
// are aligned like a pointer. Nothing here accesses their content.
type (
	pthreadMutex [pthreadMutexSize / 8]uint64
	pthreadCond  [48 / 8]uint64
)
