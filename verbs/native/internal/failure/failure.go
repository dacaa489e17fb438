// Package failure converts the results of C calls to errors: the verb, the object, the errno, and,
// if the errno means that, the missing feature. It logs nothing and retries nothing.
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

// Of returns the error of one verb: op is the C function, object what it was called on. It returns
// nil if err is nil.
func Of(op, object string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, dl.ErrUnbound):
		return unsupported(op)
	}
	return verbs.NewOpError(op, object, Refused(err))
}

// Refused makes an errno that means a missing feature also match verbs.ErrUnsupported.
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

// MeansUnsupported reports whether an errno means that a driver or the kernel lacks a feature.
func MeansUnsupported(no syscall.Errno) bool {
	return no == syscall.EOPNOTSUPP || no == syscall.ENOSYS || no == syscall.EPROTONOSUPPORT
}

// refusal is an errno with which a driver or the kernel reports a missing feature.
type refusal struct{ errno syscall.Errno }

// Error returns the errno's text.
func (r refusal) Error() string { return r.errno.Error() }

// Unwrap returns the errno.
func (r refusal) Unwrap() error { return r.errno }

// Is makes the errno also match verbs.ErrUnsupported.
func (r refusal) Is(target error) bool { return target == verbs.ErrUnsupported }

// OfPost corrects the sign: drivers return an errno from posts, but some return it negated (rxe
// does for receive requests).
func OfPost(err error) error {
	var n dl.Negative
	if errors.As(err, &n) && n > -4096 {
		return syscall.Errno(-n)
	}
	return err
}

// OfWait returns the error of a context unchanged: the verb has not failed.
func OfWait(op, object string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return Of(op, object, err)
}
