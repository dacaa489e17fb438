// Package ring keeps the latest elements of an endless sequence, and chooses what a full table evicts ([Victim]).
package ring

import "slices"

// Ring is a queue in a circular buffer. The zero value is empty and ready; a full ring doubles its
// memory. A Ring is not safe for concurrent use.
type Ring[T any] struct {
	slots []T // their number is a power of two; element i is at (head+i) modulo that
	head  int
	n     int
}

// minSlots is the initial capacity of a ring, in elements.
const minSlots = 16

// Len returns the number of elements.
func (r *Ring[T]) Len() int { return r.n }

// At returns element i, counted from the oldest. The pointer is valid until the next change.
func (r *Ring[T]) At(i int) *T { return &r.slots[(r.head+i)&(len(r.slots)-1)] }

// Index returns the index of the first element for which of returns true, -1 if there is none.
func (r *Ring[T]) Index(of func(T) bool) int {
	for i := range r.n {
		if of(*r.At(i)) {
			return i
		}
	}
	return -1
}

// Add appends an element and returns it for the caller to set completely.
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

// Keep is Add for at most max elements: beyond that it drops the oldest.
func (r *Ring[T]) Keep(max int) *T {
	switch {
	case r.n < max:
	case r.n == len(r.slots): // the new element reuses the oldest one's slot
		r.head = (r.head + 1) & (len(r.slots) - 1)
		return r.At(r.n - 1)
	default:
		r.Drop(1)
	}
	return r.Add()
}

// Drop removes the oldest k elements, or all if there are fewer.
func (r *Ring[T]) Drop(k int) {
	for k = min(k, r.n); k > 0; k-- {
		var zero T
		*r.At(0) = zero
		r.head = (r.head + 1) & (len(r.slots) - 1)
		r.n--
	}
}

// DropNewest removes the newest k elements, or all if there are fewer.
func (r *Ring[T]) DropNewest(k int) {
	for k = min(k, r.n); k > 0; k-- {
		var zero T
		*r.At(r.n - 1) = zero
		r.n--
	}
}

// Remove removes element i.
func (r *Ring[T]) Remove(i int) {
	for ; i > 0; i-- {
		*r.At(i) = *r.At(i - 1)
	}
	r.Drop(1)
}

// DeleteFunc removes the elements for which of returns true.
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

// AppendTo appends n elements starting at i, oldest first.
func (r *Ring[T]) AppendTo(to []T, i, n int) []T {
	to = slices.Grow(to, n)
	return to[:len(to)+r.copyTo(to[len(to):len(to)+n], i)]
}

// copyTo copies elements starting at i and returns their number.
func (r *Ring[T]) copyTo(to []T, i int) int {
	to = to[:min(len(to), r.n-i)]
	if len(to) == 0 {
		return 0
	}
	at := (r.head + i) & (len(r.slots) - 1)
	k := copy(to, r.slots[at:])
	return k + copy(to[k:], r.slots)
}

// AppendWhile appends the newest run of elements for which while returns true, oldest first, at
// most limit of them; 0 means no limit.
func (r *Ring[T]) AppendWhile(to []T, limit int, while func(*T) bool) []T {
	from := r.n
	for from > 0 && (limit == 0 || r.n-from < limit) && while(r.At(from-1)) {
		from--
	}
	return r.AppendTo(to, from, r.n-from)
}

// Newest removes all but the last max elements of a slice that is ordered oldest first.
func Newest[T any](list []T, max int) []T {
	return slices.Delete(list, 0, len(list)-min(len(list), max))
}
