package object

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

// TestEventQueue puts, takes and drops items, up to the limit and after the end.
func TestEventQueue(t *testing.T) {
	var q EventQueue[int]
	q.Init(4)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := q.Get(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("empty: %v", err)
	}
	for i := range 6 {
		q.Put(i)
	}
	q.Drop(func(i int) bool { return i == 1 })
	var got []int
	for {
		i, ok := q.Poll()
		if !ok {
			break
		}
		got = append(got, i)
	}
	if !slices.Equal(got, []int{0, 2, 3}) {
		t.Errorf("%v", got)
	}
	q.Put(7)
	q.Put(8)
	for _, want := range []int{7, 8} {
		if i, err := q.Get(context.Background()); i != want || err != nil {
			t.Errorf("%d, %v, want %d", i, err, want)
		}
	}
	q.Put(9)
	q.Close()
	q.Close()
	q.Put(10)
	if i, ok := q.Poll(); ok {
		t.Errorf("%d of a closed queue", i)
	}
	if _, err := q.Get(context.Background()); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("a closed queue: %v", err)
	}
}

// TestEventQueueReaders lets several readers wait: each item wakes one of them.
func TestEventQueueReaders(t *testing.T) {
	var q EventQueue[int]
	q.Init(8)
	got := make(chan int)
	for range 4 {
		go func() {
			i, err := q.Get(context.Background())
			if err != nil {
				i = -1
			}
			got <- i
		}()
	}
	q.Put(0)
	q.Put(1)
	q.Put(2)
	var all []int
	for range 3 {
		all = append(all, <-got)
	}
	q.Close()
	all = append(all, <-got)
	if slices.Sort(all); !slices.Equal(all, []int{-1, 0, 1, 2}) {
		t.Errorf("%v", all)
	}
}

// TestUsers lists the users of an object in order, and only some of them if there are many.
func TestUsers(t *testing.T) {
	var u Users
	for n := range maxNamedUsers + 2 {
		var busy *verbs.BusyError
		err := u.Busy("object")
		if n == 0 {
			if err != nil {
				t.Errorf("no user: %v", err)
			}
		} else if !errors.As(err, &busy) || busy.Object != "object" ||
			!slices.IsSorted(busy.UsedBy[:n-n/(maxNamedUsers+1)]) || len(busy.UsedBy) != n {
			t.Errorf("%d users: %v", n, err)
		} else if cut := busy.UsedBy[n-1] == "…"; cut != (n > maxNamedUsers) {
			t.Errorf("%d users: %q", n, busy.UsedBy)
		}
		u.Add(n, string(rune('z'-n)))
	}
	for n := range maxNamedUsers + 2 {
		u.Remove(n)
	}
	if err := u.Busy("object"); err != nil {
		t.Error(err)
	}
}

// TestQuota takes objects up to the limit, and memory up to the budget.
func TestQuota(t *testing.T) {
	q := Quota{Memory: memory.New(2*ObjectBytes+10, "a test's")}
	take := func(limit int32, bytes uint64, want error) {
		t.Helper()
		before, used := q.QP.Load(), q.Memory.Used()
		if err := q.Take(&q.QP, limit, bytes); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		if want != nil && (q.QP.Load() != before || q.Memory.Used() != used) {
			t.Errorf("%d objects and %d bytes in use", q.QP.Load(), q.Memory.Used())
		}
	}
	take(0, 0, syscall.ENOMEM)
	take(1, 10, nil)
	take(1, 0, syscall.ENOMEM)
	take(2, 1, syscall.ENOMEM)
	take(2, 0, nil)
	q.Give(&q.QP, 10)
	q.Give(&q.QP, 0)
	if q.QP.Load() != 0 || q.Memory.Used() != 0 {
		t.Errorf("%d objects and %d bytes still in use", q.QP.Load(), q.Memory.Used())
	}
}

// TestContext closes a context that a program opened, and checks that one of the connection manager ends with the last
// object on it.
func TestContext(t *testing.T) {
	ends := 0
	open := func(managed bool) *Context {
		c := new(Context)
		c.Init(managed, func() { ends++ })
		return c
	}
	with := func(c *Context, f func()) { c.Mu.Lock(); defer c.Mu.Unlock(); f() }
	state := func(what string, c *Context, closed bool) {
		t.Helper()
		if got := errors.Is(c.CheckOpen(), verbs.ErrClosed); got != closed || (ends == 1) != closed {
			t.Errorf("%s: closed %t, ended %d times", what, got, ends)
		}
	}
	c := open(false)
	with(c, func() { c.Add(1, "PD") })
	if err := c.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("with an object: %v", err)
	}
	with(c, func() { c.Remove(1) })
	state("without objects", c, false)
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Error(err)
	}
	state("closed", c, true)
	for _, objectFirst := range []bool{true, false} {
		ends = 0
		c := open(true)
		with(c, func() { c.Add(1, "PD") })
		if !c.Retain() {
			t.Error("not retained")
		}
		c.Release()
		state("with an identifier and an object", c, false)
		steps := []func(){c.Release, func() { with(c, func() { c.Remove(1) }) }}
		if objectFirst {
			slices.Reverse(steps)
		}
		steps[0]()
		state("with one of them", c, false)
		steps[1]()
		state("with neither", c, true)
		if c.Retain() {
			t.Error("retained after the end")
		}
	}
}
