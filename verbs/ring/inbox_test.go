package ring

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// TestReadersWaitForWhatFits has one reader for each of two items: an item that one reader does not want must reach the
// other.
func TestReadersWaitForWhatFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Inbox[int]
		type answer struct {
			got int
			err error
		}
		read := func(ctx context.Context, want int) chan answer {
			c := make(chan answer, 1)
			go func() {
				got, err := b.Wait(ctx, func(items *Ring[int]) int {
					return items.Index(func(v int) bool { return v == want })
				})
				c <- answer{got, err}
			}()
			synctest.Wait()
			return c
		}
		room := func(items *Ring[int]) bool { return items.Len() < 2 }
		ctx, cancel := context.WithCancel(t.Context())
		one, two, gone, last := read(t.Context(), 1), read(t.Context(), 2), read(ctx, 3), read(t.Context(), 4)
		cancel()
		if a := <-gone; !errors.Is(a.err, context.Canceled) {
			t.Errorf("the context has ended: %v", a)
		}
		for _, v := range []int{7, 2, 1, 8, 9} {
			b.Put(v, room)
			synctest.Wait()
		}
		if a := <-one; a != (answer{1, nil}) {
			t.Errorf("%v for 1", a)
		}
		if a := <-two; a != (answer{2, nil}) {
			t.Errorf("%v for 2", a)
		}
		if b.Len() != 2 {
			t.Errorf("%d are left of 7 and 8, there was no room for 9", b.Len())
		}
		b.Drop(func(v int) bool { return v == 8 })
		end := errors.New("the end")
		b.Close(end)
		b.Put(4, room)
		if a := <-last; !errors.Is(a.err, end) || b.Len() != 0 {
			t.Errorf("closed: %v, and %d are left", a, b.Len())
		}
	})
}
