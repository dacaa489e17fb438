// Package failure makes the errors of verbs from what calls of C return: the verb,
// the object, the errno, and what is lacking where the errno says so. It logs
// nothing and retries nothing.
package failure

import (
	"context"
	"errors"
	"strings"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

// Of makes the error of one verb: op is the C function, object what it was
// called on. It returns nil for nil.
func Of(op, object string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, dl.ErrUnbound):
		return unsupported(op)
	}
	return verbs.NewOpError(op, object, Refused(err))
}

// Refused makes an errno that says that something is lacking match verbs.ErrUnsupported too.
func Refused(err error) error {
	if no, ok := err.(syscall.Errno); ok && MeansUnsupported(no) {
		return refusal{no}
	}
	return err
}

func unsupported(op string) error {
	library := "libibverbs"
	if strings.HasPrefix(op, "rdma_") {
		library = "librdmacm"
	}
	e := &verbs.UnsupportedError{Feature: op, Requires: "a newer " + library + " or a driver that supports it"}
	if s, ok := abi.SymbolNamed(op); ok && s.Since != "" {
		e.Requires = "a " + library + " with the symbol version " + s.Since
	}
	return e
}

// MeansUnsupported reports whether an errno says that a driver or the kernel lacks a feature.
func MeansUnsupported(no syscall.Errno) bool {
	return no == syscall.EOPNOTSUPP || no == syscall.ENOSYS || no == syscall.EPROTONOSUPPORT
}

// refusal is an errno by which a driver or kernel says that it lacks a feature.
type refusal struct{ errno syscall.Errno }

// Error returns the errno's text.
func (r refusal) Error() string { return r.errno.Error() }

// Unwrap returns the errno.
func (r refusal) Unwrap() error { return r.errno }

// Is makes the errno match verbs.ErrUnsupported too.
func (r refusal) Is(target error) bool { return target == verbs.ErrUnsupported }

// OfPost undoes the sign: drivers return errno from posts, but some return
// it negated (rxe does for receive requests).
func OfPost(err error) error {
	var n dl.Negative
	if errors.As(err, &n) && n > -4096 {
		return syscall.Errno(-n)
	}
	return err
}

// OfWait leaves the end of a context as it is: it is not the verb that failed.
func OfWait(op, object string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return Of(op, object, err)
}
