package native

import (
	"errors"
	"sync"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// postBatch is the maximum number of work requests per C call, sgeBatch the maximum
// number of their scatter/gather elements; a single request with more gets separate
// memory.
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

// workQueue lays out work requests for C as a linked chain in memory that neither moves
// nor is collected, and posts them. It lives as long as its queue pair or shared
// receive queue, so that posting allocates nothing.
type workQueue[T abi.SendWR | abi.RecvWR] struct {
	mu   sync.Mutex // held by posts and by Close
	post postFunc
	ptr  uintptr // of the queue pair or shared receive queue; 0 once closed

	mem  *dl.Mem
	wrs  []T
	addr uintptr  // of wrs
	bad  *uintptr // where C stores the address of the refused request

	sgeMem  *dl.Mem // used if mem has too little room for them; nil otherwise
	sges    []abi.SGE
	sgeAddr uintptr
	sgeUsed int
	bytes   uint64 // moved by the chain
}

const wordSize = int(unsafe.Sizeof(uintptr(0)))

// allocate maps all memory at once: every mapping adds to the time to connect.
func (w *workQueue[T]) allocate() (err error) {
	var one T
	wrs, sges := postBatch*int(unsafe.Sizeof(one)), sgeBatch*int(unsafe.Sizeof(abi.SGE{}))
	if w.mem, err = dl.NewMem(wrs + sges + wordSize); err != nil {
		return err
	}
	// The memory was sized for these.
	w.wrs, _ = dl.Array[T](w.mem, 0, postBatch)
	w.sges, _ = dl.Array[abi.SGE](w.mem, wrs, sgeBatch)
	bad, _ := dl.Array[uintptr](w.mem, wrs+sges, 1)
	w.addr, w.bad = w.mem.Addr(), &bad[0]
	w.sgeAddr = w.addr + uintptr(wrs)
	return nil
}

func (w *workQueue[T]) open(post postFunc, ptr uintptr) { w.post, w.ptr = post, ptr }

// free frees the memory. No post may follow.
func (w *workQueue[T]) free() error {
	w.ptr, w.wrs, w.sges, w.bad = 0, nil, nil, nil
	err := w.mem.Close()
	if w.sgeMem != nil {
		err = errors.Join(err, w.sgeMem.Close())
	}
	return err
}

// makeRoom replaces the elements' memory by a larger block.
func (w *workQueue[T]) makeRoom(n int) error {
	mem, err := dl.NewMem(n * int(unsafe.Sizeof(abi.SGE{})))
	if err != nil {
		return err
	}
	sges, err := dl.Array[abi.SGE](mem, 0, n)
	if err != nil {
		return errors.Join(err, mem.Close())
	}
	if w.sgeMem != nil {
		if err := w.sgeMem.Close(); err != nil {
			return errors.Join(err, mem.Close())
		}
	}
	w.sgeMem, w.sges, w.sgeAddr = mem, sges, mem.Addr()
	return nil
}

// begin starts a new chain.
func (w *workQueue[T]) begin() { w.sgeUsed, w.bytes = 0, 0 }

// stageList copies a request's elements and returns their address, 0 for none. ok is
// false if they do not fit in this chain.
func (w *workQueue[T]) stageList(list []verbs.SGE) (addr uintptr, ok bool, err error) {
	if len(list) == 0 {
		return 0, true, nil
	}
	if len(list) > len(w.sges)-w.sgeUsed {
		if w.sgeUsed > 0 {
			return 0, false, nil
		}
		if err := w.makeRoom(len(list)); err != nil {
			return 0, false, err
		}
	}
	at := w.sgeUsed
	for i := range list {
		w.sges[at+i] = abi.SGE(list[i])
		w.bytes += uint64(list[i].Length)
	}
	w.sgeUsed += len(list)
	return w.sgeAddr + uintptr(at)*unsafe.Sizeof(abi.SGE{}), true, nil
}

// at returns the address of request i of the chain.
func (w *workQueue[T]) at(i int) uintptr {
	var one T
	return w.addr + uintptr(i)*unsafe.Sizeof(one)
}

// submit posts the first n staged requests, which must be chained, and returns how many
// C accepted.
func (w *workQueue[T]) submit(n int) (taken int, err error) {
	if n == 0 {
		return 0, nil
	}
	*w.bad = 0
	badAddr := uintptr(unsafe.Pointer(w.bad))
	post := &w.post.long
	if w.bytes <= shortPost && n <= shortChain {
		post = &w.post.short
	}
	if err := post.Call3(w.ptr, w.addr, badAddr); err != nil {
		return w.taken(n), failure.OfPost(err)
	}
	return n, nil
}

// taken converts the address of the refused request to its index in the chain. A driver
// that names none has refused the whole chain.
func (w *workQueue[T]) taken(n int) int {
	for i := range n {
		if *w.bad == w.at(i) {
			return i
		}
	}
	return 0
}
