// Package ring holds what is kept of a sequence that does not end: its newest elements.
package ring

import "slices"

// Ring is a queue in a slice that is used in a circle. The zero value is empty and
// ready; it doubles its memory when it is full. A Ring is not safe for concurrent
// use.
type Ring[T any] struct {
	slots []T // their number is a power of two; element i is at (head+i) modulo that
	head  int
	n     int
}

// minSlots is how many elements a ring has room for at first.
const minSlots = 16

// Len returns the number of elements.
func (r *Ring[T]) Len() int { return r.n }

// At returns the element that i are older than. It is good until the next change.
func (r *Ring[T]) At(i int) *T { return &r.slots[(r.head+i)&(len(r.slots)-1)] }

// Index returns the first element of which of holds, -1 if there is none.
func (r *Ring[T]) Index(of func(T) bool) int {
	for i := range r.n {
		if of(*r.At(i)) {
			return i
		}
	}
	return -1
}

// Add returns the place of a new newest element, for the caller to fill in whole.
func (r *Ring[T]) Add() *T {
	if r.n == len(r.slots) {
		r.grow()
	}
	r.n++
	return r.At(r.n - 1)
}

func (r *Ring[T]) grow() {
	bigger := make([]T, max(minSlots, 2*len(r.slots)))
	r.copyTo(bigger, 0)
	r.slots, r.head = bigger, 0
}

// Keep is Add where at most max elements are kept: the oldest makes room.
func (r *Ring[T]) Keep(max int) *T {
	switch {
	case r.n < max:
	case r.n == len(r.slots): // the place of the oldest is that of the newest
		r.head = (r.head + 1) & (len(r.slots) - 1)
		return r.At(r.n - 1)
	default:
		r.Drop(1)
	}
	return r.Add()
}

// Drop forgets the oldest k elements, or all where there are fewer.
func (r *Ring[T]) Drop(k int) {
	for k = min(k, r.n); k > 0; k-- {
		var zero T
		*r.At(0) = zero
		r.head = (r.head + 1) & (len(r.slots) - 1)
		r.n--
	}
}

// DropNewest forgets the newest k elements, or all where there are fewer.
func (r *Ring[T]) DropNewest(k int) {
	for k = min(k, r.n); k > 0; k-- {
		var zero T
		*r.At(r.n - 1) = zero
		r.n--
	}
}

// Remove forgets element i.
func (r *Ring[T]) Remove(i int) {
	for ; i > 0; i-- {
		*r.At(i) = *r.At(i - 1)
	}
	r.Drop(1)
}

// DeleteFunc forgets the elements of which of holds.
func (r *Ring[T]) DeleteFunc(of func(T) bool) {
	kept := 0
	for i := range r.n {
		if v := *r.At(i); !of(v) {
			*r.At(kept) = v
			kept++
		}
	}
	r.DropNewest(r.n - kept)
}

// AppendTo appends n elements from i on, the oldest first.
func (r *Ring[T]) AppendTo(to []T, i, n int) []T {
	to = slices.Grow(to, n)
	return to[:len(to)+r.copyTo(to[len(to):len(to)+n], i)]
}

// copyTo copies elements from i on and returns their number.
func (r *Ring[T]) copyTo(to []T, i int) int {
	to = to[:min(len(to), r.n-i)]
	if len(to) == 0 {
		return 0
	}
	at := (r.head + i) & (len(r.slots) - 1)
	k := copy(to, r.slots[at:])
	return k + copy(to[k:], r.slots)
}

// AppendWhile appends the newest elements of which while holds, the oldest first, at
// most limit of them; 0 is no limit.
func (r *Ring[T]) AppendWhile(to []T, limit int, while func(*T) bool) []T {
	from := r.n
	for from > 0 && (limit == 0 || r.n-from < limit) && while(r.At(from-1)) {
		from--
	}
	return r.AppendTo(to, from, r.n-from)
}

// Newest removes all but the newest max elements of a slice in which the newest is the last.
func Newest[T any](list []T, max int) []T {
	return slices.Delete(list, 0, len(list)-min(len(list), max))
}
