package dl

import (
	"errors"
	"fmt"
	"syscall"
)

// ErrUnbound is returned by a call of a C function that was never bound.
var ErrUnbound = errors.New("function is not bound")

// Negative is a negative result that is not an errno, such as a provider's own
// code from ibv_poll_cq.
type Negative int

// Error returns "returned N, which is not an errno", with the value.
func (e Negative) Error() string { return fmt.Sprintf("returned %d, which is not an errno", int(e)) }

// The conventions: one function type for each way to report failure. Their zero values
// are unbound; [Bind] and [At] create bound ones.
type (
	// PointerFunc returns a pointer; NULL means failure, with the reason in errno.
	PointerFunc struct{ proc }
	// ErrnoFunc returns int: 0, or the errno itself.
	ErrnoFunc struct{ proc }
	// NegErrnoFunc returns ssize_t: a count, or the errno negated.
	NegErrnoFunc struct{ proc }
	// CountFunc returns int: a count, or a negative value that is not an errno.
	CountFunc struct{ proc }
	// StatusFunc returns int: 0 or more, or -1 with the reason in errno.
	StatusFunc struct{ proc }
	// ValueFunc does not fail; its result, if any, is a plain value.
	ValueFunc struct{ proc }
)

// Func is any of the function types.
type Func interface {
	PointerFunc | ErrnoFunc | NegErrnoFunc | CountFunc | StatusFunc | ValueFunc
	~struct{ proc }
}

// Bind finds a function by name. The error is a [*SymbolError] if the library has none.
func Bind[F Func](l *Library, symbol string) (F, error) {
	fn, err := l.lookup(symbol)
	if err != nil {
		return F{}, err
	}
	return At[F](l, fn), nil
}

// BindOptional binds a function, or leaves it unbound if the library has none.
func BindOptional[F Func](l *Library, to *F, symbol string) {
	if fn, err := Bind[F](l, symbol); err == nil {
		*to = fn
	}
}

// At returns a function for an address that the library itself provided, such as an
// entry of a table of function pointers. Address 0 gives an unbound function.
func At[F Func](l *Library, fn uintptr) F {
	return F(struct{ proc }{proc{fn: fn, lib: l, quick: l.quick}})
}

// Call returns the pointer. If the function fails without setting errno, the error is
// EIO.
//
//go:uintptrescapes
func (f PointerFunc) Call(args ...uintptr) (uintptr, error) {
	if f.fn == 0 {
		return 0, ErrUnbound
	}
	r, errno := f.callErrno(args...)
	if r == 0 {
		return 0, orEIO(errno)
	}
	return r, nil
}

// Call returns the [syscall.Errno] that the function returned, or a [Negative] for a
// result that violates the convention, or nil.
//
//go:uintptrescapes
func (f ErrnoFunc) Call(args ...uintptr) error {
	if f.fn == 0 {
		return ErrUnbound
	}
	return errnoValue(call(f.fn, args...))
}

// Call3 is Call for a function of up to three arguments, without allocating; unused
// arguments are 0.
//
//go:uintptrescapes
func (f *ErrnoFunc) Call3(a, b, c uintptr) error {
	if f.fn == 0 {
		return ErrUnbound
	}
	return errnoValue(f.call3(a, b, c))
}

// Call returns the count.
//
//go:uintptrescapes
func (f NegErrnoFunc) Call(args ...uintptr) (int, error) {
	if f.fn == 0 {
		return 0, ErrUnbound
	}
	r := int(call(f.fn, args...))
	if r < 0 {
		return 0, syscall.Errno(-r)
	}
	return r, nil
}

// Call returns the count; the error is a [Negative].
//
//go:uintptrescapes
func (f CountFunc) Call(args ...uintptr) (int, error) {
	if f.fn == 0 {
		return 0, ErrUnbound
	}
	return count(call(f.fn, args...))
}

// CallErrno is Call, but also returns errno, 0 if it was not set: for functions that
// report failure in more than one way.
//
//go:uintptrescapes
func (f CountFunc) CallErrno(args ...uintptr) (int, syscall.Errno, error) {
	if f.fn == 0 {
		return 0, 0, ErrUnbound
	}
	r, errno := f.callErrno(args...)
	n, err := count(r)
	return n, errno, err
}

// Call3 is Call for a function of up to three arguments, without allocating; unused
// arguments are 0.
//
//go:uintptrescapes
func (f *CountFunc) Call3(a, b, c uintptr) (int, error) {
	if f.fn == 0 {
		return 0, ErrUnbound
	}
	return count(f.call3(a, b, c))
}

// AtOnce returns the function with the promise that it never blocks and never calls Go.
// If quick calls are available, Call3 then uses the fastest: it does not notify the
// scheduler, so the scheduler and the garbage collector wait for the function, which
// costs much less. This ends when a function of the same pace breaks the promise. Only
// one goroutine at a time may use Call3 of the result; others use a copy.
func (f CountFunc) AtOnce(p *Pace) CountFunc {
	f.pace = p
	return f
}

// AtOnce is [CountFunc.AtOnce] for an ErrnoFunc.
func (f ErrnoFunc) AtOnce(p *Pace) ErrnoFunc {
	f.pace = p
	return f
}

// On returns the function with all its calls made on the thread.
func (f PointerFunc) On(t *Thread) PointerFunc {
	f.thread = t
	return f
}

// On is [PointerFunc.On] for a StatusFunc.
func (f StatusFunc) On(t *Thread) StatusFunc {
	f.thread = t
	return f
}

// Call returns the value, 0 or more. If the function fails without setting errno, the
// error is EIO.
//
//go:uintptrescapes
func (f StatusFunc) Call(args ...uintptr) (int, error) {
	if f.fn == 0 {
		return 0, ErrUnbound
	}
	r, errno := f.callErrno(args...)
	if int32(r) < 0 {
		return 0, orEIO(errno)
	}
	return int(int32(r)), nil
}

// CallErrno is Call, but also returns errno of a successful call, 0 if it was not set:
// for functions whose result reports an inner failure.
//
//go:uintptrescapes
func (f StatusFunc) CallErrno(args ...uintptr) (int, syscall.Errno, error) {
	if f.fn == 0 {
		return 0, 0, ErrUnbound
	}
	r, errno := f.callErrno(args...)
	if int32(r) < 0 {
		return 0, errno, orEIO(errno)
	}
	return int(int32(r)), errno, nil
}

// Call returns the result register, which is meaningless for a void function. An
// unbound function panics, because there is no way to report it.
//
//go:uintptrescapes
func (f ValueFunc) Call(args ...uintptr) uintptr {
	if f.fn == 0 {
		panic(ErrUnbound)
	}
	return call(f.fn, args...)
}

// A C int is returned in the lower half of the register; the upper half is undefined.

func errnoValue(r uintptr) error {
	switch v := int32(r); {
	case v == 0:
		return nil
	case v < 0:
		return Negative(v)
	default:
		return syscall.Errno(v)
	}
}

func count(r uintptr) (int, error) {
	if v := int32(r); v < 0 {
		return 0, Negative(v)
	}
	return int(int32(r)), nil
}

func orEIO(errno syscall.Errno) error {
	if errno == 0 {
		return syscall.EIO
	}
	return errno
}
