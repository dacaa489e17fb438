package object

import "sync"

// Random is a random number generator that several goroutines share.
type Random struct {
	mu   sync.Mutex
	Next func() uint64 // returns 64 random bits; called by one goroutine at a time
}

// Uint64 returns 64 random bits.
func (r *Random) Uint64() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Next()
}

// Uint32 returns 32 random bits.
func (r *Random) Uint32() uint32 { return uint32(r.Uint64() >> 32) }
