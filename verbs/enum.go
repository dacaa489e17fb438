package verbs

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Integer is the set of underlying types of the C enums and flag words.
type Integer interface {
	~int | ~int32 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Enum is the name table of one C enum. A value without a name is legal (a
// newer library may know more than this table) and prints as "unknown(n)".
type Enum[T Integer] struct {
	kind   string
	prefix string
	names  map[T]string
}

// Name returns v's C name without its prefix, or "unknown(n)".
func (e Enum[T]) Name(v T) string {
	if s, ok := e.names[v]; ok {
		return s
	}
	return fmt.Sprintf("unknown(%d)", v)
}

// CName returns v's full C name, or its number where it has none.
func (e Enum[T]) CName(v T) string {
	if s, ok := e.names[v]; ok {
		return e.prefix + s
	}
	return fmt.Sprint(v)
}

// Known reports whether v has a name.
func (e Enum[T]) Known(v T) bool { _, ok := e.names[v]; return ok }

// Values returns the named values in ascending order.
func (e Enum[T]) Values() []T {
	vs := make([]T, 0, len(e.names))
	for v := range e.names {
		vs = append(vs, v)
	}
	slices.Sort(vs)
	return vs
}

// Names returns the names in the order of their values.
func (e Enum[T]) Names() []string {
	vs := e.Values()
	ns := make([]string, len(vs))
	for i, v := range vs {
		ns[i] = e.names[v]
	}
	return ns
}

// Parse reads a name, with or without the C prefix, in any case.
func (e Enum[T]) Parse(s string) (T, error) {
	bare := strings.TrimPrefix(strings.ToUpper(s), e.prefix)
	for v, n := range e.names {
		if n == bare {
			return v, nil
		}
	}
	var zero T
	return zero, fmt.Errorf("unknown %s %q; use one of %s", e.kind, s, strings.Join(e.Names(), " "))
}

// Flags is the name table of one C flag word: bit number to name.
type Flags[T Integer] struct {
	kind   string
	prefix string
	bits   map[int]string
}

// Name renders v as "A|B|0x80"; bits without a name as one hexadecimal number;
// "0" when no bit is set.
func (f Flags[T]) Name(v T) string { return f.join(v, "") }

// CName renders v as a C expression with full names.
func (f Flags[T]) CName(v T) string { return f.join(v, f.prefix) }

func (f Flags[T]) join(v T, prefix string) string {
	parts, rest := f.split(v)
	for i := range parts {
		parts[i] = prefix + parts[i]
	}
	if rest != 0 || len(parts) == 0 {
		parts = append(parts, hexOrZero(rest))
	}
	return strings.Join(parts, "|")
}

// Set returns the names of the bits set in v, lowest first, followed by the
// unnamed bits as one hexadecimal number.
func (f Flags[T]) Set(v T) []string {
	parts, rest := f.split(v)
	if rest != 0 {
		parts = append(parts, hexOrZero(rest))
	}
	return parts
}

func (f Flags[T]) split(v T) (named []string, rest uint64) {
	for w := uint64(v); w != 0; w &= w - 1 {
		bit := bits.TrailingZeros64(w)
		if n, ok := f.bits[bit]; ok {
			named = append(named, n)
		} else {
			rest |= 1 << bit
		}
	}
	return named, rest
}

// Names returns the names of all known bits, lowest bit first.
func (f Flags[T]) Names() []string {
	bs := make([]int, 0, len(f.bits))
	for b := range f.bits {
		bs = append(bs, b)
	}
	slices.Sort(bs)
	ns := make([]string, len(bs))
	for i, b := range bs {
		ns[i] = f.bits[b]
	}
	return ns
}

// Parse reads names joined by '|' or ',', with or without the C prefix, in any
// case. "0" and "" are the empty set; a hexadecimal number sets its bits.
func (f Flags[T]) Parse(s string) (T, error) {
	var v T
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '|' || r == ',' }) {
		one, err := f.parseOne(strings.TrimSpace(part))
		if err != nil {
			return 0, err
		}
		v |= one
	}
	return v, nil
}

func (f Flags[T]) parseOne(s string) (T, error) {
	bare := strings.TrimPrefix(strings.ToUpper(s), f.prefix)
	for b, n := range f.bits {
		if n == bare {
			return T(1) << b, nil
		}
	}
	if n, err := ParseUint(s, 63); err == nil {
		if v := T(n); v >= 0 && uint64(v) == n {
			return v, nil
		}
	}
	return 0, fmt.Errorf("unknown %s flag %q; use any of %s", f.kind, s, strings.Join(f.Names(), "|"))
}

func hexOrZero(v uint64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("0x%x", v)
}

// ParseUint reads an unsigned number in decimal, 0x, 0o or 0b form that fits in
// the given number of bits; underscores may separate digits.
func ParseUint(s string, bits int) (uint64, error) {
	n, err := strconv.ParseUint(s, 0, bits)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%q is too large: the field has %d bits", s, bits)
	default:
		return 0, fmt.Errorf("%q is not a number", s)
	}
}
