package dl

import (
	"errors"
	"fmt"
	"syscall"
)

// ErrUnbound reports a call of a C function that was never bound.
var ErrUnbound = errors.New("function is not bound")

// Negative is a negative result that is not an errno, such as a provider's own
// code from ibv_poll_cq.
type Negative int

// Error says which value the function returned.
func (e Negative) Error() string { return fmt.Sprintf("returned %d, which is not an errno", int(e)) }

// The conventions: a function type for each way to report failure. Their zero
// values are unbound; [Bind] and [At] make them.
type (
	// PointerFunc returns a pointer; NULL means failure and errno says why.
	PointerFunc struct{ proc }
	// ErrnoFunc returns int: 0, or the errno itself.
	ErrnoFunc struct{ proc }
	// NegErrnoFunc returns ssize_t: a count, or the errno negated.
	NegErrnoFunc struct{ proc }
	// CountFunc returns int: a count, or a negative value that is no errno.
	CountFunc struct{ proc }
	// StatusFunc returns int: 0 or more, or -1 and errno says why.
	StatusFunc struct{ proc }
	// ValueFunc does not fail; its result, if any, is a plain value.
	ValueFunc struct{ proc }
)

// Func is any of the function types.
type Func interface {
	PointerFunc | ErrnoFunc | NegErrnoFunc | CountFunc | StatusFunc | ValueFunc
	~struct{ proc }
}

// Bind finds a function by name. The error is a [*SymbolError] where the library
// has none.
func Bind[F Func](l *Library, symbol string) (F, error) {
	fn, err := l.lookup(symbol)
	if err != nil {
		return F{}, err
	}
	return At[F](l, fn), nil
}

// BindOptional binds a function, or leaves it unbound where the library has none.
func BindOptional[F Func](l *Library, to *F, symbol string) {
	if fn, err := Bind[F](l, symbol); err == nil {
		*to = fn
	}
}

// At makes a function of an address that the library itself handed out, such as
// an entry of a table of function pointers. Address 0 gives an unbound one.
func At[F Func](l *Library, fn uintptr) F {
	return F(struct{ proc }{proc{fn: fn, lib: l, quick: l.quick}})
}

// Call returns the pointer. A failure that left errno at 0 gives EIO, as a
// failure it remains.
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

// Call returns the [syscall.Errno] that the function returned, [Negative] where
// it broke its own rule, or nil.
//
//go:uintptrescapes
func (f ErrnoFunc) Call(args ...uintptr) error {
	if f.fn == 0 {
		return ErrUnbound
	}
	return errnoValue(call(f.fn, args...))
}

// Call3 is Call for a function of up to three arguments, without allocating;
// what the function does not take is 0.
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

// CallErrno is Call that returns errno as well, 0 if it was left alone: for
// functions that have more than one way to report failure.
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

// Call3 is Call for a function of up to three arguments, without allocating;
// what the function does not take is 0.
//
//go:uintptrescapes
func (f *CountFunc) Call3(a, b, c uintptr) (int, error) {
	if f.fn == 0 {
		return 0, ErrUnbound
	}
	return count(f.call3(a, b, c))
}

// AtOnce returns the function with the promise that it never waits and never
// calls Go. Where quick calls exist, Call3 takes the shortest of them: the scheduler
// and the garbage collector wait for the function, which costs a fraction of
// telling them. That lasts until a function of the same pace breaks the promise.
// Only one goroutine at a time may use Call3 of the result; others take a copy.
func (f CountFunc) AtOnce(p *Pace) CountFunc {
	f.pace = p
	return f
}

// AtOnce is as [CountFunc.AtOnce].
func (f ErrnoFunc) AtOnce(p *Pace) ErrnoFunc {
	f.pace = p
	return f
}

// On returns the function so that every call of it is made on the thread.
func (f PointerFunc) On(t *Thread) PointerFunc {
	f.thread = t
	return f
}

// On is as [PointerFunc.On].
func (f StatusFunc) On(t *Thread) StatusFunc {
	f.thread = t
	return f
}

// Call returns the value, 0 or more. A failure that left errno at 0 gives EIO.
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

// CallErrno is Call that returns errno of a successful call as well, 0 if it was
// left alone: for functions that report in their result what failed inside.
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

// Call returns the result register; it means nothing for a void function. An
// unbound function panics, since there is no way to report it.
//
//go:uintptrescapes
func (f ValueFunc) Call(args ...uintptr) uintptr {
	if f.fn == 0 {
		panic(ErrUnbound)
	}
	return call(f.fn, args...)
}

// A C int comes back in the lower half of the register; the upper half is not
// defined.

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
