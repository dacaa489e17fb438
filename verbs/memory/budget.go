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

// Budget limits how many bytes are in use at once. Its methods may be called from any goroutine.
type Budget struct {
	limit  uint64
	reason string
	used   atomic.Uint64
}

// New creates a budget of limit bytes. reason names the origin of the limit: "half of what ulimit -v leaves".
func New(limit uint64, reason string) *Budget { return &Budget{limit: limit, reason: reason} }

// OfProcess returns the budget that the whole process shares: half of the memory that was available at the first call.
// The other half is for memory that no budget counts, and for garbage not yet collected.
var OfProcess = sync.OnceValue(func() *Budget {
	room, of := available(os.DirFS("/"))
	return New(room/2, "half of "+of)
})

// heapAtStart is how many bytes the Go heap may use in addition to the budget before garbage collection becomes more
// frequent.
const heapAtStart = 128 << 20

// LimitHeap makes the Go runtime collect garbage before its heap outgrows the budget, unless GOMEMLIMIT is set in the
// environment.
func (b *Budget) LimitHeap() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(min(b.limit, math.MaxInt64-heapAtStart) + heapAtStart))
	}
}

// Take takes n bytes from the budget. If fewer are left it takes none and fails with an [*Error].
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

// Give returns n bytes to the budget. It panics if fewer were taken.
func (b *Budget) Give(n uint64) {
	if b.used.Add(-n) > b.limit {
		panic("memory: more released than reserved")
	}
}

// Used returns how many bytes are taken.
func (b *Budget) Used() uint64 { return b.used.Load() }

// Limit returns the size of the budget in bytes.
func (b *Budget) Limit() uint64 { return b.limit }

// Reason returns the origin of the limit.
func (b *Budget) Reason() string { return b.reason }

// Error means that a budget has too few bytes left. It unwraps to ENOMEM.
type Error struct {
	Asked, Left, Limit uint64 // bytes
	Reason             string // the origin of the limit
}

// Error describes the failure in one line.
func (e *Error) Error() string {
	return fmt.Sprintf("%s requested, %s of the memory budget of %s left (%s)", format.Size(e.Asked),
		format.Size(e.Left), format.Size(e.Limit), e.Reason)
}

// Unwrap returns ENOMEM.
func (e *Error) Unwrap() error { return syscall.ENOMEM }

// Remedy returns what the user can do.
func (e *Error) Remedy() string {
	if e.Asked > e.Limit {
		return "request less, or start rdmatui with more memory"
	}
	return "request less, destroy unused objects, or start rdmatui with more memory"
}
