package memory

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"

	"rdmatui/verbs/format"
)

// Budget is how many bytes may be taken at once. Its methods may be called from any goroutine.
type Budget struct {
	limit  uint64
	reason string
	used   atomic.Uint64
}

// New makes a budget of limit bytes. reason says where the limit comes from: "half of what ulimit -v leaves".
func New(limit uint64, reason string) *Budget { return &Budget{limit: limit, reason: reason} }

// OfProcess returns the budget that all of this process shares: half of what was available when it was first called. The other half is
// for what no budget counts, and for garbage that waits to be collected.
var OfProcess = sync.OnceValue(func() *Budget {
	room, of := available(os.DirFS("/"))
	return New(room/2, "half of "+of)
})

// heapAtStart is what the Go runtime may use besides what was taken from the budget, in bytes, before it collects garbage more often.
const heapAtStart = 128 << 20

// LimitHeap makes the Go runtime collect garbage before its heap outgrows the budget, unless the environment variable GOMEMLIMIT says how large
// it may be.
func (b *Budget) LimitHeap() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(min(b.limit, math.MaxInt64-heapAtStart) + heapAtStart))
	}
}

// Take takes n bytes. Where they are not left it takes none and fails with an [*Error].
func (b *Budget) Take(n uint64) error {
	for {
		used := b.used.Load()
		if left := b.limit - used; n > left {
			return &Error{Asked: n, Left: left, Limit: b.limit, Reason: b.reason}
		}
		if b.used.CompareAndSwap(used, used+n) {
			return nil
		}
	}
}

// Give gives back n bytes that were taken. It panics where fewer were.
func (b *Budget) Give(n uint64) {
	if b.used.Add(-n) > b.limit {
		panic("memory: more released than reserved")
	}
}

// Used returns how many bytes are taken.
func (b *Budget) Used() uint64 { return b.used.Load() }

// Limit returns how many bytes there are in all.
func (b *Budget) Limit() uint64 { return b.limit }

// Reason says where the limit comes from.
func (b *Budget) Reason() string { return b.reason }

// Error says that a budget has not enough left. errors.Is finds ENOMEM in it.
type Error struct {
	Asked, Left, Limit uint64 // bytes
	Reason             string // where the limit comes from
}

// Error describes the failure in one line.
func (e *Error) Error() string {
	return fmt.Sprintf("%s requested, %s of the memory budget of %s left (%s)", format.Size(e.Asked), format.Size(e.Left), format.Size(e.Limit), e.Reason)
}

// Unwrap returns ENOMEM.
func (e *Error) Unwrap() error { return syscall.ENOMEM }

// Remedy says what to do.
func (e *Error) Remedy() string {
	if e.Asked > e.Limit {
		return "request less, or start rdmatui with more memory"
	}
	return "request less, destroy unused objects, or start rdmatui with more memory"
}
