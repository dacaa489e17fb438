package memory

import (
	"errors"
	"math"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestBudget(t *testing.T) {
	b := New(100, "half of 200")
	for _, tt := range []struct {
		take uint64
		ok   bool
	}{{60, true}, {41, false}, {math.MaxUint64, false}, {math.MaxUint64 - 59, false}, {0, true},
		{40, true}, {1, false}} {
		before := b.Used()
		err := b.Take(tt.take)
		if (err == nil) != tt.ok {
			t.Errorf("%d with %d taken: %v", tt.take, before, err)
		}
		if err != nil &&
			(b.Used() != before || !errors.Is(err, syscall.ENOMEM) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%v; %d taken, %d before", err, b.Used(), before)
		}
	}
	b.Give(100)
	if b.Used() != 0 {
		t.Errorf("%d left", b.Used())
	}
	defer func() {
		if recover() == nil {
			t.Error("more could be given back than was taken")
		}
	}()
	b.Give(1)
}

// TestBudgetTogether takes and returns bytes from several goroutines.
func TestBudgetTogether(t *testing.T) {
	b := New(1000, "")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for n := uint64(1); n < 2000; n++ {
				if b.Take(n%300) == nil {
					if b.Used() > b.Limit() {
						t.Error("more than the limit is taken")
					}
					b.Give(n % 300)
				}
			}
		})
	}
	all.Wait()
	if b.Used() != 0 {
		t.Errorf("%d left", b.Used())
	}
}

func TestErrorText(t *testing.T) {
	b := New(2500<<20, "half of what ulimit -v leaves")
	err := b.Take(10 << 30)
	const want = "10 GiB requested, 2.4 GiB of the memory budget of 2.4 GiB left (half of what ulimit -v leaves)"
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// TestAlloc allocates small and large blocks, and one that fits the budget but not the system.
func TestAlloc(t *testing.T) {
	b := New(math.MaxInt64, "")
	for _, size := range []uint64{0, 1, mapFrom - 1, mapFrom, mapFrom + 1} {
		p, err := b.Alloc(size)
		if err != nil || uint64(len(p)) != size || b.Used() < size || b.Used() >= size+1<<16 {
			t.Fatalf("%d bytes: %d, %v, %d taken", size, len(p), err, b.Used())
		}
		for i := range p {
			p[i]++
		}
		if err := b.Free(p); err != nil || b.Used() != 0 {
			t.Errorf("%d bytes: %v, %d taken after Free", size, err, b.Used())
		}
	}
	for _, size := range []uint64{1 << 62, math.MaxUint64} {
		if _, err := b.Alloc(size); !errors.Is(err, syscall.ENOMEM) || b.Used() != 0 {
			t.Errorf("%d bytes: %v, %d taken", size, err, b.Used())
		}
	}
	if err := b.Free(nil); err != nil {
		t.Error(err)
	}
}

// TestOfProcess uses this machine's own limits: some memory must be available.
func TestOfProcess(t *testing.T) {
	b := OfProcess()
	if b.Limit() < 1<<20 || b.Limit() >= math.MaxInt64/2 || b.Reason() == "" || b != OfProcess() {
		t.Errorf("%d bytes, %s", b.Limit(), b.Reason())
	}
}
