package native

import (
	"sync"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/failure"
)

// postBatch is the maximum number of work requests per C call, sgeBatch the maximum
// number of their scatter/gather elements; a single request with more gets a
// larger block. A call to a smaller queue has at most as many as the queue holds.
const (
	postBatch = 64
	sgeBatch  = 256
)

// A post up to these limits counts as short: with Soft-RoCE, whose driver does the work
// in the call, it takes about a millisecond on a slow machine. The scheduler is notified
// of a longer one, and its monitor may then take the processor away, and wakes often to
// look: for messages of 64 KiB that cost up to a tenth of the bandwidth.
const (
	shortPost  = 64 << 10 // bytes
	shortChain = 8        // requests
)

// workQueue lays out work requests for C as a linked chain, and posts them. Its memory is on Go's heap, where objects
// do not move, and lives as long as its queue pair or shared receive queue, so that posting allocates nothing. C keeps
// no address of it.
type workQueue[T abi.SendWR | abi.RecvWR] struct {
	mu   sync.Mutex // held by posts and by Close
	post postFunc
	ptr  uintptr // of the queue pair or shared receive queue; 0 once closed

	wrs     []T
	sges    []abi.SGE
	sgeUsed int
	bytes   uint64  // moved by the chain
	bad     uintptr // where C stores the address of the refused request
}

// open prepares posts to a queue that holds wrs requests of sges elements each.
func (w *workQueue[T]) open(post postFunc, ptr uintptr, wrs, sges uint32) {
	w.post, w.ptr = post, ptr
	batch := min(max(wrs, 1), postBatch)
	w.wrs, w.sges = make([]T, batch), make([]abi.SGE, min(uint64(batch)*uint64(max(sges, 1)), sgeBatch))
}

// close frees the memory. Posts that follow fail.
func (w *workQueue[T]) close() { w.ptr, w.wrs, w.sges = 0, nil, nil }

// begin starts a new chain.
func (w *workQueue[T]) begin() { w.sgeUsed, w.bytes = 0, 0 }

// stageList copies a request's elements and returns their address, 0 for none. ok is
// false if they do not fit in this chain.
func (w *workQueue[T]) stageList(list []verbs.SGE) (addr uintptr, ok bool) {
	if len(list) == 0 {
		return 0, true
	}
	if len(list) > len(w.sges)-w.sgeUsed {
		if w.sgeUsed > 0 {
			return 0, false
		}
		w.sges = make([]abi.SGE, len(list))
	}
	at := w.sgeUsed
	for i := range list {
		w.sges[at+i] = abi.SGE(list[i])
		w.bytes += uint64(list[i].Length)
	}
	w.sgeUsed += len(list)
	return uintptr(unsafe.Pointer(&w.sges[at])), true
}

// at returns the address of request i of the chain.
func (w *workQueue[T]) at(i int) uintptr { return uintptr(unsafe.Pointer(&w.wrs[i])) }

// submit posts the first n staged requests, which must be chained, and returns how many
// C accepted.
func (w *workQueue[T]) submit(n int) (taken int, err error) {
	if n == 0 {
		return 0, nil
	}
	w.bad = 0
	post := &w.post.long
	if w.bytes <= shortPost && n <= shortChain {
		post = &w.post.short
	}
	if err := post.Call3(w.ptr, w.at(0), uintptr(unsafe.Pointer(&w.bad))); err != nil {
		return w.taken(n), failure.OfPost(err)
	}
	return n, nil
}

// taken converts the address of the refused request to its index in the chain. A driver
// that names none has refused the whole chain.
func (w *workQueue[T]) taken(n int) int {
	for i := range n {
		if w.bad == w.at(i) {
			return i
		}
	}
	return 0
}
